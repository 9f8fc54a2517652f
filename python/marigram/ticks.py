"""Runs a policy that was written for the interface of Can't Be Late (NSDI 2024) and of Frontier-CS: a class with
_step(last_cluster_type, has_spot), which is asked at fixed ticks and answers with ClusterType.SPOT, ON_DEMAND or NONE.

    marigram judge 'mine=python3 ticks.py solution.py'
    marigram run my.yaml --policy-command 'mine=python3 ticks.py solution.py Solution'

The file needs no change: what it imports of sky_spot is here. It sees what that interface has: env.elapsed_seconds,
gap_seconds, cluster_type, the regions; task_duration, task_done_time, deadline, restart_overhead,
remaining_restart_overhead. There are no trace files. Settings: tick_s (600), instances (0 takes the smallest number that
leaves time for two changeovers), changeover_s (0 derives it from the boots and the model's restart).

has_spot is asked of the market, as anybody has to: at a tick without spot it is requested, and what is granted at
once is kept if the answer is SPOT. What is lost between two ticks is lost until the next. Work is saved at every
tick and before announced losses. For jobs of one instance type; a spec's spot pools are the regions.
"""

from __future__ import annotations

import argparse
import builtins
import enum
import importlib.util
import io
import json
import os
import sys
import types

import marigram

SPEC = "spec.json"  # the name that solve() is given


class ClusterType(enum.Enum):
    ON_DEMAND = enum.auto()
    SPOT = enum.auto()
    NONE = enum.auto()


class Seconds(float):
    """A number that some policies take for a list of one."""

    def __getitem__(self, _: int) -> float:
        return float(self)


class Env:
    """What the interface calls the environment."""

    def __init__(self, gap: float, regions: int):
        self.gap_seconds, self.elapsed_seconds, self.tick = gap, 0.0, 0
        self.cluster_type = ClusterType.NONE
        self.regions, self.region = regions, 0

    def get_num_regions(self) -> int:
        return self.regions

    def get_current_region(self) -> int:
        return self.region

    def switch_region(self, region: int) -> None:
        if not 0 <= region < self.regions:
            raise ValueError(f"region {region}, expected 0 to {self.regions - 1}")
        self.region = region


found: list[type] = []  # the classes of the policy's file


class Strategy:
    """The base class of policies. One may be made without arguments, or with those of its authors' programs."""

    NAME = ""

    def __init__(self, args: object = None):
        self.args = args
        if hasattr(args, "deadline_hours"):
            self.deadline = Seconds(3600 * args.deadline_hours)
            hours = args.task_duration_hours
            self.task_duration = Seconds(3600 * (hours[0] if isinstance(hours, list) else hours))
            hours = args.restart_overhead_hours
            self.restart_overhead = Seconds(3600 * (hours[0] if isinstance(hours, list) else hours))

    def __init_subclass__(cls, **kwargs: object):
        super().__init_subclass__(**kwargs)
        if cls.__module__ != __name__:
            found.append(cls)

    def reset(self, env: Env, task: object) -> None:
        self.env, self.task = env, task

    def solve(self, spec_path: str) -> Strategy:
        return self

    def _step(self, last_cluster_type: ClusterType, has_spot: bool) -> ClusterType:
        raise NotImplementedError


class MultiRegionStrategy(Strategy):
    """The base class of policies that say in which region they look for spot."""


def offer() -> None:
    """Makes the modules that such policies import."""
    parts = {"sky_spot": {}, "sky_spot.env": {"Env": Env}, "sky_spot.task": {}, "sky_spot.utils": {"ClusterType": ClusterType},
             "sky_spot.strategies": {}, "sky_spot.strategies.strategy": {"Strategy": Strategy, "MultiRegionStrategy": MultiRegionStrategy},
             "sky_spot.strategies.multi_strategy": {"MultiRegionStrategy": MultiRegionStrategy}}
    for name, holds in parts.items():
        module = types.ModuleType(name)
        module.__dict__.update(holds, __path__=[])
        sys.modules[name] = module
        above, _, last = name.rpartition(".")
        if above:
            setattr(sys.modules[above], last, module)


def load(path: str, name: str = "") -> type:
    """The class of a file: the one of that name, or Solution, or the last one."""
    offer()
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["solution"] = module
    spec.loader.exec_module(module)
    by_name = {c.__name__: c for c in found}
    for wanted in [name] if name else ["Solution", found[-1].__name__ if found else ""]:
        if wanted in by_name:
            return by_name[wanted]
    sys.exit(f"{path}: no class {name or 'with _step, below Strategy,'}, expected one; there are {', '.join(by_name) or 'none'}")


class Ticks(marigram.Policy):
    """Asks a Strategy at every tick: for every job one of its own."""

    strategy: type

    def begin(self, pools: list[marigram.Pool]) -> None:
        self.jobs: dict[int, OneJob] = {}

    def decide(self, view: marigram.View, plan: marigram.Plan) -> None:
        for job in view.jobs:
            if job.job not in self.jobs:
                self.jobs[job.job] = OneJob(self.strategy, self.settings, view, job)
            self.jobs[job.job].decide(view, job, plan)


class OneJob:
    """A Strategy at work."""

    def __init__(self, strategy: type, settings: dict, view: marigram.View, job: marigram.Job):
        self.gap = float(settings.get("tick_s", 600))
        self.spot = [p for p in view.pools if not p.on_demand]
        self.on_demand = [p for p in view.pools if p.on_demand]
        self.n = int(settings.get("instances", 0)) or self.size(view, job)
        a = view.ask(job.job, self.n)
        if a.pipelined:
            self.n = max(a.pipelines * a.stages, 1)
        # A save at every tick is part of the work.
        self.duration = a.whole_s * (1 + a.save_s / self.gap) if a.whole_s is not None else float("inf")
        overhead = float(settings.get("changeover_s", 0)) or a.ready_s + a.loss_s
        self.env = Env(self.gap, len(self.spot) if issubclass(strategy, MultiRegionStrategy) else 1)
        self.rule = self.make(strategy, job.within_s, overhead)
        self.answer, self.done = ClusterType.NONE, 0.0

    def make(self, strategy: type, within: float, overhead: float) -> Strategy:
        """Makes the strategy as its authors' programs do: by its arguments, solve and reset."""
        given = {"deadline": within / 3600, "duration": self.duration / 3600, "overhead": overhead / 3600, "trace_files": []}
        sys.modules["solution"].open = lambda file, *rest, **more: (
            io.StringIO(json.dumps(given)) if file == SPEC else builtins.open(file, *rest, **more))
        known = {"env": self.env, "deadline": Seconds(within), "task_duration": Seconds(self.duration), "restart_overhead": Seconds(overhead),
                 "task_done_time": [], "remaining_restart_overhead": 0.0, "inter_task_overhead": [0.0]}
        rule = strategy.__new__(strategy)
        rule.__dict__.update(known)
        rule.__init__(argparse.Namespace(deadline_hours=given["deadline"], task_duration_hours=given["duration"],
                                         restart_overhead_hours=given["overhead"], inter_task_overhead=[0.0]))
        rule.__dict__.update(known)
        rule = rule.solve(SPEC) or rule
        rule.reset(self.env, None)
        rule.__dict__.update(known)
        return rule

    def size(self, view: marigram.View, job: marigram.Job) -> int:
        most = min(max([p.quota for p in view.pools] + [sum(p.quota for p in self.spot)]), view.ask(job.job, 1).most)
        for n in range(1, most):
            a = view.ask(job.job, n)
            if a.whole_s is not None and a.whole_s + 2 * (a.ready_s + a.loss_s) <= job.within_s - self.gap:
                return n
        return max(most, 1)

    def decide(self, view: marigram.View, job: marigram.Job, plan: marigram.Plan) -> None:
        mine = plan.job(job)
        a = view.ask(job.job, self.n)
        if a.pipelined:
            mine.pipelines, mine.stages = a.pipelines, a.stages
        mine.workers = self.n
        since = round(1e6 * (view.now_s - job.submit_s))
        past = since % round(1e6 * self.gap)
        plan.wake_in(self.gap - past / 1e6)
        on_spot = sum(job.held(p).active for p in self.spot)
        if past != 0:
            if self.answer is ClusterType.SPOT and on_spot < self.n:  # what is lost is not requested again
                mine.hold = [job.held(p).active for p in view.pools]
        else:
            if self.answer is ClusterType.SPOT and on_spot < self.n:
                self.answer = ClusterType.NONE  # preempted
            if on_spot < self.n and "again" not in view.trigger:
                self.request(view, job, plan)
                plan.again = True  # some may be granted at once
                return
            self.tick(job, since / 1e6, on_spot >= self.n)
            self.take(view, job, mine)
            plan.because = self.answer.name.lower()
        plan.keep_saved(job, self.gap)

    def places(self) -> list[marigram.Pool]:
        return self.spot if self.env.regions == 1 else self.spot[self.env.region:self.env.region + 1]

    def request(self, view: marigram.View, job: marigram.Job, plan: marigram.Plan) -> None:
        """Requests spot beside what the job has."""
        missing = self.n - sum(job.held(p).active for p in self.places())
        hold = [job.held(p).active for p in view.pools]
        for p in self.places():
            free = p.quota - sum(plan.job(x).hold[p.index] + x.held(p).noticed for x in view.jobs if x is not job)
            held = job.held(p)
            hold[p.index] += max(min(missing, free - held.active - held.noticed), 0)
        plan.job(job).hold = hold

    def tick(self, job: marigram.Job, elapsed: float, has_spot: bool) -> None:
        """Tells the strategy what it may know, and asks it."""
        rule, env = self.rule, self.env
        done = round(job.done * self.duration, 6)
        rule.task_done_time.append(done - self.done)
        self.done = done
        env.elapsed_seconds, env.tick, env.cluster_type = elapsed, round(elapsed / self.gap), self.answer
        rule.remaining_restart_overhead = 0.0 if job.training or self.answer is ClusterType.NONE else float(rule.restart_overhead)
        before = env.region
        self.answer = rule._step(self.answer, has_spot)
        if self.answer is ClusterType.SPOT and not has_spot and env.region == before:
            raise RuntimeError("the policy answered SPOT where has_spot is false")

    def take(self, view: marigram.View, job: marigram.Job, mine: marigram.JobPlan) -> None:
        """Holds what the strategy answered."""
        hold = [0] * len(view.pools)
        if self.answer is ClusterType.ON_DEMAND:
            dear = min((p for p in self.on_demand if p.quota >= self.n), key=view.price, default=None)
            if dear is None:
                raise RuntimeError(f"no pool on demand has {self.n} instances")
            hold[dear.index] = self.n
        elif self.answer is ClusterType.SPOT:
            missing = self.n
            for p in sorted(self.places(), key=lambda p: -job.held(p).active):
                hold[p.index] = min(missing, job.held(p).active or p.quota)
                missing -= hold[p.index]
        mine.hold = hold


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("expected: python3 ticks.py solution.py [Class]")
    arguments = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    Ticks.strategy = load(*arguments)
    marigram.serve(Ticks)
