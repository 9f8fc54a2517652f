"""SimPy's side of the contest; simpy.go runs it.

    hold.py hold N EVENTS     N processes, each holding 1 to 2^20 ticks, again and again
    hold.py count N EVENTS    the same, counting events
    hold.py mm1 CUSTOMERS     an M/M/1 queue, a process per customer
"""

import json
import platform
import random
import sys

import simpy

MEAN_HOLD = (2**20 + 1) / 2


def holder(env, bits):
    while True:
        yield env.timeout(bits(20) + 1)


def counting_holder(env, bits, count):
    while True:
        yield env.timeout(bits(20) + 1)
        count[0] += 1


def run_holders(env, n, events):
    """Run until the instant by which N holders have fired EVENTS times in the
    mean: a renewal process, stationary but for its start."""
    env.run(until=events / n * MEAN_HOLD)
    return {}


def hold(n, events):
    env = simpy.Environment()
    for _ in range(n):
        env.process(holder(env, random.getrandbits))
    return run_holders(env, n, events)


def count(n, events):
    env = simpy.Environment()
    counter = [0]
    for _ in range(n):
        env.process(counting_holder(env, random.getrandbits, counter))
    run_holders(env, n, events)
    return {"events": counter[0]}


def customer(env, server, books):
    came = env.now
    with server.request() as turn:
        yield turn
        yield env.timeout(random.expovariate(1.0))
    books.append(env.now - came)


def arrivals(env, customers, books):
    server = simpy.Resource(env, capacity=1)
    for _ in range(customers):
        yield env.timeout(random.expovariate(0.8))
        env.process(customer(env, server, books))


def mm1(customers):
    env = simpy.Environment()
    books = []
    env.process(arrivals(env, customers, books))
    env.run()
    return {"events": len(books), "sojourn": sum(books) / len(books)}


def main(what, *numbers):
    random.seed(1)
    answer = {"hold": hold, "count": count, "mm1": mm1}[what](*map(int, numbers))
    answer["version"] = "%s, %s %s" % (
        simpy.__version__,
        platform.python_implementation(),
        platform.python_version(),
    )
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
