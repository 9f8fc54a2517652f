"""Learns when to hold which instances, by the cross-entropy method (R. Y. Rubinstein, 1999), in a few minutes on
two cores, with the standard library alone, and plays it on seeds that it has not learned from; on recorded traces in the
part judge of them, and learns in the part train.

    python3 learn.py quickstart loss-0.54-in-6h --rounds 40

A policy chooses at every step one of some fleets: so many instances of one type, on spot in every zone or on
demand. It takes the fleet of the lowest sum of what each feature weighs; the weights are learned. Prints the mean reward
of each round, and at the end the weights.
"""

import argparse
import math
import random

import marigram

FEATURES = ("dollars to finish", "hours too late", "spot when there is little slack", "a change", "hours of waiting", "spot")


class Fleet:
    """Instances of one type, on spot or on demand."""

    def __init__(self, env, pools, each):
        self.hold = [0] * len(env.pools)
        for pool in pools:
            self.hold[pool.index] = min(each, pool.quota)
        self.at = [env.offsets[p.index] for p in pools]
        self.n = [self.hold[p.index] for p in pools]
        self.spot = 0.0 if pools[0].on_demand else 1.0
        self.name = f"{sum(self.n)} {pools[0].type} {'on demand' if pools[0].on_demand else 'on spot'}"


def fleets(env):
    """All fleets of a type, of one instance a pool, half of the quota, and the quota."""
    env.offsets = {p.index: next(i for i, f in enumerate(env.fields) if f.name == f"{p.name} usd_per_h") for p in env.pools}
    kinds, made = {}, {}
    for p in env.pools:
        kinds.setdefault((p.type, p.on_demand), []).append(p)
    for pools in kinds.values():
        for each in (1, max(pools[0].quota // 2, 1), pools[0].quota):
            fleet = Fleet(env, pools, each)
            made[fleet.name] = fleet
    return list(made.values())


def measure(env, made):
    """How long the whole job takes on each fleet, in hours."""
    env.reset()
    view = env.view()
    for fleet in made:
        whole = view.ask(hold=fleet.hold).whole_s
        fleet.whole_h = math.inf if whole is None else whole / 3600
    usable = [f for f in made if math.isfinite(f.whole_h)]
    fastest = min((f.whole_h for f in usable if not f.spot), default=min(f.whole_h for f in usable))
    return usable, fastest


class Learner:
    """A policy with weights."""

    def __init__(self, made, fastest_h):
        self.fleets, self.fastest_h = made, fastest_h

    def features(self, fleet, o, now):
        """What the weights weigh, of a fleet in the situation o; now is the fleet that is wanted."""
        left, todo = o[1], 1 - o[2]
        needs = fleet.whole_h * todo
        slack = left - self.fastest_h * todo
        usd = waits = 0.0
        for at, n in zip(fleet.at, fleet.n):
            usd += n * o[at]
            waits = max(waits, o[at + 5] if fleet is now else 0.0)
        return (usd * needs, max(needs - left, 0.0), fleet.spot * math.exp(-4 * max(slack, -1.0)), 0.0 if fleet is now else 1.0, waits, fleet.spot)

    def choose(self, weights, o, now):
        best, chosen = math.inf, now
        for fleet in self.fleets:
            score = sum(map(float.__mul__, weights, self.features(fleet, o, now)))
            if score < best:
                best, chosen = score, fleet
        return chosen


def play(env, learner, weights, seed, episodes):
    """Mean reward, mean dollars and share met of so many episodes from a seed on."""
    rewards = usd = met = 0
    for first in range(0, episodes, env.num_envs):
        seen, _ = env.reset(seed=seed + first)
        now, over = [None] * env.num_envs, [False] * env.num_envs
        while not all(over):
            now = [f if x else learner.choose(weights, o, f) for f, o, x in zip(now, seen, over)]
            seen, reward, done, cut, info = env.step([f.hold for f in now])
            for i in range(env.num_envs):
                if over[i]:
                    continue
                rewards += reward[i]
                if done[i] or cut[i]:
                    over[i] = True
                    usd, met = usd + info["usd"][i], met + (info["end"][i] == 1)
    n = -(-episodes // env.num_envs) * env.num_envs
    return rewards / n, usd / n, met / n


def learn(env, learner, rounds, population, seed, report):
    """The cross-entropy method: draws weights, keeps the best, and draws around them."""
    draw = random.Random(1)
    mean, spread = [0.1, 10.0, 1.0, 0.5, 1.0, 0.0], [1.0, 10.0, 10.0, 2.0, 5.0, 5.0]
    for k in range(rounds):
        tried = []
        for _ in range(population):
            w = [draw.gauss(m, s) for m, s in zip(mean, spread)]
            tried.append((play(env, learner, w, seed + k * env.num_envs, env.num_envs)[0], w))
        tried.sort(reverse=True)
        best = [w for _, w in tried[:max(population // 5, 2)]]
        mean = [sum(c) / len(best) for c in zip(*best)]
        spread = [math.sqrt(sum((x - m) ** 2 for x in c) / len(best)) + 0.3 * 0.9 ** k for c, m in zip(zip(*best), mean)]
        report(k + 1, mean)
    return mean


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("spec", nargs="?", default="quickstart")
    flags.add_argument("objective", nargs="?", default="loss-0.54-in-6h")
    flags.add_argument("--rounds", type=int, default=30)
    flags.add_argument("--population", type=int, default=30)
    flags.add_argument("--envs", type=int, default=32, help="episodes that judge a policy in a round")
    flags.add_argument("--held-out", type=int, default=96, help="episodes that are reported, from which nothing is learned")
    flags.add_argument("--first", type=int, default=1, help="the seed of the first of them")
    flags.add_argument("--program", default="marigram")
    f = flags.parse_args()
    env = marigram.Env(f.spec, f.objective, program=f.program)
    learner = Learner(*measure(env, fleets(env)))
    env.close()
    parts = ("train", "judge") if env.recorded else (None, None)  # other markets differ for every seed
    env, judge = (marigram.VectorEnv(f.envs, f.spec, f.objective, program=f.program, starts=part) for part in parts)

    def report(k, weights):
        reward, usd, met = play(judge, learner, weights, f.first, f.held_out)
        print(f"{k},{reward:.2f},{usd:.2f},{met:.3f}", flush=True)

    print("round,reward,usd,met")
    weights = learn(env, learner, f.rounds, f.population, 1_000_000, report)
    env.close()
    judge.close()
    for name, w in zip(FEATURES, weights):
        print(f"# {w:8.3f}  {name}")


if __name__ == "__main__":
    main()
