"""A job under the policy checkpoint, written from docs/model.md#saves-and-losses alone: one worker of one step a second on one
machine at a time, which comes and goes at recorded instants, without notices. Reads a JSON object from the standard input: machines,
a list of [from, until] in seconds; starts; steps, save_s, restart_s, boot_s, prior_s, horizon_s, usd_per_h. Prints for each start when
the job is done, in seconds after the start (null: not by the horizon), what it costs, the hours of training that are lost, and how
many machines were taken.
"""

import json
import math
import sys

US = 1_000_000


def ceil_us(ns):
    return -(-ns // 1000)


class Run:
    def __init__(self, x, start):
        self.save, self.restart, self.boot, self.prior = (x[k] * US for k in ("save_s", "restart_s", "boot_s", "prior_s"))
        self.goal, self.start, self.end = x["steps"] * US, start, start + x["horizon_s"] * US
        self.usd_per_us = x["usd_per_h"] / 3600 / US
        self.done, self.kept, self.losses, self.lost, self.taken, self.usd = 0, 0, 0, 0, 0, 0.0
        self.finish, self.began, self.failed = None, False, False

    def interval(self, now):
        """Young's interval, ns: of a save and the mean time between losses, as if one had happened in the prior time."""
        mtbf = (now - self.start + self.prior) / 1e6 / (1 + self.losses)
        return max(round(math.sqrt(2 * (self.save / 1e6) * mtbf) * 1e9), 10**9)

    def next_save(self, last):
        """When the next save begins: an interval after the last one, by the interval that holds at that moment."""
        now = last
        while (due := last + ceil_us(self.interval(now))) > now:
            now = due
            yield now
        yield now

    def pay(self, granted, ended):
        whole = max(ended - granted, 60 * US)
        self.usd += -(-whole // US) * US * self.usd_per_us

    def machine(self, since, until):
        """What a machine does that is there from since until it is taken."""
        granted, taken = max(since, self.start), min(until, self.end)
        left = self.train(granted + self.boot, taken)
        ended = taken if left is None else left
        self.pay(granted, ended)
        if left is None and until < self.end:
            self.taken += 1

    def train(self, now, taken):
        """Trains on a machine that is ready, until it is taken; returns when the job is done, if it is."""
        if now >= taken:
            return None  # it was never ready: the job lost nothing
        if self.failed:
            now += self.restart
            self.done = self.kept
        self.began, self.failed = True, False
        while now < taken:
            done_at = now + self.goal - self.done
            for at in self.next_save(now):
                if min(done_at, taken) <= at:
                    break
            else:
                self.done += at - now
                if at + self.save < taken:
                    self.kept, now = self.done, at + self.save
                    continue
                return self.fail(taken)
            if done_at <= taken:
                self.finish = done_at
                return done_at
            self.done += taken - now
            return self.fail(taken)
        return self.fail(taken)

    def fail(self, taken):
        if taken < self.end:
            self.lost += self.done - self.kept
            self.done, self.failed = self.kept, True
            self.losses += 1

    def result(self, machines):
        for since, until in machines:
            if until > self.start and since < self.end and self.finish is None:
                self.machine(since, until)
        after = None if self.finish is None else (self.finish - self.start) / US
        return [after, self.usd, self.lost / US / 3600, self.taken]


x = json.load(sys.stdin)
machines = [(a * US, b * US) for a, b in x["machines"]]
json.dump([Run(x, round(s * US)).result(machines) for s in x["starts"]], sys.stdout)
