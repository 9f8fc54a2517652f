"""The policy greedy of marigram (Can't Be Late, NSDI 2024), in Python: the same decisions, to the last
bit. On spot whenever there is capacity, else it waits, and it moves to on demand when the time
left just suffices. Settings: instances (0 chooses), changeover_s (0 derives), poll_s.
"""

import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "python"))
import marigram  # noqa: E402

NS = 1_000_000_000
NOTHING, SPOT, ON_DEMAND = 0, 1, 2


def us(seconds):
    """Seconds as whole microseconds."""
    return round(seconds * 1e6)


def ns(seconds):
    """Seconds as whole nanoseconds: spans of models may be that fine."""
    return round(seconds * NS)


def seconds(nanoseconds):
    """Nanoseconds as seconds, rounded as Go does: whole seconds and the rest apart."""
    return nanoseconds // NS + nanoseconds % NS / 1e9


def young(save_s, mtbf_s):
    """Young's interval between saves, at least a minute, in nanoseconds."""
    return max(math.floor(math.sqrt(2 * save_s * mtbf_s) * 1e9 + 0.5), 60 * NS)


def wake(plan, nanoseconds):
    """Asks to be woken after a span, rounded up to the microsecond."""
    plan.wake_in(-(-nanoseconds // 1000) / 1e6)


class State:
    """What the rule knows; spans in seconds."""

    def __init__(self, grain):
        self.grain = grain
        self.now = self.deadline = self.work = self.done = self.changeover = self.warming = 0.0
        self.available, self.running = False, NOTHING

    def grains(self, x):
        return math.ceil(x / self.grain) * self.grain if math.isfinite(x) else x

    def greedy(self):
        """Spot whenever it is there, within the safety net."""
        answer = SPOT if self.available else NOTHING
        left = math.floor((self.deadline - self.now) / self.grain) * self.grain
        work = self.work - self.done
        if self.grains(work + 2 * self.changeover) >= left and self.running != SPOT:
            answer = ON_DEMAND
        if self.grains(work + self.changeover) < left:
            return answer
        if self.changeover == 0 and self.available or self.running == SPOT and self.warming < 1e-3:
            return SPOT
        return ON_DEMAND

    def rule(self):
        return NOTHING if self.work - self.done <= 1e-3 else self.greedy()


def first(n, holds):
    """The smallest i below n for which holds(i), n if there is none."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


class Greedy(marigram.Policy):
    def begin(self, pools):
        self.start_s = None
        self.poll = ns(self.settings.get("poll_s", 600))
        self.instances = int(self.settings.get("instances", 0))
        self.changeover = self.settings.get("changeover_s", 0)
        self.spot = [p for p in pools if not p.on_demand]
        self.on_demand = [p for p in pools if p.on_demand]

    def decide(self, view, plan):
        if self.start_s is None:
            self.start_s = view.now_s
        for job in view.jobs:
            self.decide_job(view, job, plan)

    def decide_job(self, view, job, plan):
        mine = plan.job(job)
        n = self.instances or self.size(view, job)
        answer = view.ask(job.job, n)
        if answer.pipelined:
            mine.pipelines, mine.stages = answer.pipelines, answer.stages
        mine.workers = n
        state, since = self.observe(view, job, n, answer)
        dear = self.on_demand_pool(view, n)
        wake(plan, self.poll - since % self.poll)
        choice = state.rule()
        plan.add_input("work left", state.work - state.done, "s")
        plan.add_input("time left", state.deadline - state.now, "s")
        if dear is None and choice == ON_DEMAND:
            choice = SPOT
        if state.running == ON_DEMAND and choice != ON_DEMAND and not plan.saved(job):
            return
        if choice == ON_DEMAND:
            self.move(view, job, n, dear, state, since % self.poll == 0, plan)
        else:
            self.request_spot(view, job, n, plan)
            plan.because = "on spot, or waiting for it"
        self.keep_saved(view, job, state, plan)

    def keep_saved(self, view, job, state, plan):
        """Saves that take nothing at every poll, others at Young's interval on spot, and on demand none: greedy in Go makes them
        there, too, where machines on demand fail."""
        if job.save_s == 0:
            plan.keep_saved(job, self.poll / NS)
        elif state.running != ON_DEMAND:
            since = (us(view.now_s) - us(self.start_s)) * 1000
            every = young(job.save_s, seconds(since + 24 * 3600 * NS) / (1 + job.losses))
            spare = state.deadline - state.now - (state.work - state.done) - 2 * state.changeover
            plan.keep_saved(job, seconds(min(every, int(max(spare, self.poll / NS) * 1e9))))

    def changing(self, answer):
        return self.changeover if self.changeover > 0 else answer.ready_s + answer.loss_s

    def working(self, answer):
        whole = math.inf if answer.whole_s is None else answer.whole_s
        if answer.save_s == 0:
            return whole
        return whole * (1 + answer.save_s / seconds(young(answer.save_s, 24 * 3600)))

    def size(self, view, job):
        """The smallest number of instances that leaves time to wait for spot, or else that meets the deadline."""
        most = max(sum(p.quota for p in self.spot), max((p.quota for p in self.on_demand), default=0), 1)
        most = min(most, view.ask(job.job, 1).most)
        state = State(self.poll / NS)
        state.now, state.deadline = self.poll / NS, job.within_s

        def waits(i):
            answer = view.ask(job.job, i + 1)
            state.work, state.changeover = self.working(answer), self.changing(answer)
            return self.safe_on_spot(state)

        def meets(i):
            answer = view.ask(job.job, i + 1)
            return self.working(answer) + self.changing(answer) <= state.deadline

        n = 1 + first(most, waits)
        if n > most:
            n = 1 + first(most, meets)
        n = max(min(n, most), 1)
        answer = view.ask(job.job, n)
        return max(answer.pipelines * answer.stages, 1) if answer.pipelined else n

    @staticmethod
    def safe_on_spot(state):
        """Whether the safety net leaves a job alone that would take spot and has nothing."""
        state.available = False
        left = math.floor((state.deadline - state.now) / state.grain) * state.grain
        return state.grains(state.work + 2 * state.changeover) < left and state.grains(state.work + state.changeover) < left

    def observe(self, view, job, n, answer):
        since = us(view.now_s) * 1000 - (us(job.deadline_s) * 1000 - ns(job.within_s))
        state = State(self.poll / NS)
        state.now = seconds(since // 1_000_000 * 1_000_000)
        state.deadline = job.within_s
        state.work, state.changeover = self.working(answer), self.changing(answer)
        held = [(p, job.held(p)) for p in self.spot]
        spot, ready = sum(h.active for _, h in held), sum(h.ready for _, h in held)
        dear = sum(job.held(p).active for p in self.on_demand)
        state.available = spot >= n
        offered = "grant" in view.trigger and ready == 0
        if dear > 0:
            state.running = ON_DEMAND
        elif state.available and not offered:
            state.running = SPOT
        if not job.training:
            state.warming = state.changeover
        state.done = job.done * state.work
        return state, since

    def on_demand_pool(self, view, n):
        """The cheapest on-demand pool with a quota of at least n."""
        return min((p for p in self.on_demand if p.quota >= n), key=view.price, default=None)

    def move(self, view, job, n, dear, state, poll, plan):
        """Holds instances on demand, and requests spot where the rule would take it."""
        mine = plan.job(job)
        granted = sum(job.held(p).active for p in self.spot)
        state.available = True
        if granted > 0 or state.rule() == ON_DEMAND:
            mine.hold = [0] * len(view.pools)
        elif poll and "again" not in view.trigger:
            self.request_spot(view, job, n, plan)
            plan.again = True
        have = job.held(dear).active
        mine.hold[dear.index] = have
        mine.hold[dear.index] += min(max(n - have, 0), plan.headroom(dear, job))
        plan.because = "on demand"

    def request_spot(self, view, job, most, plan):
        hold = plan.job(job).hold
        missing = most - sum(job.held(p).active for p in self.spot)
        for p in view.pools:
            hold[p.index] = 0
            if p.on_demand:
                continue
            held = job.held(p)
            hold[p.index] = held.active + min(max(missing, 0), plan.headroom(p, job))
            if hold[p.index] > held.active + held.waiting and p.boot_median_s == 0:
                plan.again = True
        while missing < 0:
            dearest = max((p for p in view.pools if hold[p.index] > 0), key=view.price)
            give = min(hold[dearest.index], -missing)
            hold[dearest.index] -= give
            missing += give


if __name__ == "__main__":
    marigram.serve(Greedy)
