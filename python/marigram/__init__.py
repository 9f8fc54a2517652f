"""marigram in Python: run specs, write policies, learn policies. One file, the standard library alone.

    import marigram

    table = marigram.run("quickstart", policies=["reactive", "spotdnn"], seeds=20)   # a row for each run

Arrow's table where pyarrow is installed, pandas' where pandas is, else a list of dictionaries. Env and VectorEnv are runs step by step,
for programs that learn. A policy is a class:

    import marigram

    class Cheapest(marigram.Policy):
        def decide(self, view, plan):
            spot = [p for p in view.pools if not p.on_demand]
            best = min(spot, key=lambda p: view.price(p))
            plan.hold = {best.name: 4}
            plan.wake_s = 600
            plan.because = "the cheapest spot pool"

    if __name__ == "__main__":
        marigram.serve(Cheapest)

A spec names it: `policies: [{name: cheapest, command: [python3, cheapest.py]}]`; so does
`marigram run my.yaml --policy-command 'python3 cheapest.py' --allow-commands`. docs/protocol.md describes the
messages. Instants and spans are in seconds, to the microsecond; instants count from the beginning
of the traces. Whatever a policy prints goes to its standard error.
"""

from __future__ import annotations

import copy
import csv
import importlib.util
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
import types
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

try:
    import numpy as _numpy
except ImportError:
    _numpy = None

VERSION = 1  # of the messages of policies
GYM_VERSION = 3  # of those of environments


class Pool(NamedTuple):
    """What is fixed about a pool: one instance type in one place, on spot or on demand."""

    index: int
    name: str
    cloud: str
    region: str
    zone: str
    type: str
    gpu: str
    gpus: int
    on_demand: bool
    on_demand_usd_per_h: float  # list price; 0 if it is not known
    quota: int
    notice_s: float
    boot_median_s: float
    boot_sigma: float
    above: tuple[str, ...] = ()  # what the region is part of, the narrowest first: of a server, whose region is its rack, a pod
    reserved: bool = False
    notice_missing: float = 0.0  # probability that no notice comes
    victim: str = "random"  # which instance goes where capacity falls: random, newest, oldest
    until_s: float | None = None  # when a capacity block ends
    wait_s: float = 0.0  # requests are granted so long after the first of them, in the median
    wait_sigma: float = 0.0
    length_s: float = 0.0  # an instance goes so long after its grant; 0: it does not
    billing_increment_s: float | None = None  # as its cloud counts; None: as the run does
    billing_minimum_s: float | None = None

    def ready_after(self, n: int, share: float) -> float:
        """The seconds after which all of n instances are ready with a probability of share: a quantile of their lognormal boot times."""
        from statistics import NormalDist  # takes longer to import than all else here
        return self.boot_median_s * math.exp(self.boot_sigma * NormalDist().inv_cdf(share ** (1 / n)))


class Limit(NamedTuple):
    """A quota over several pools."""

    name: str
    pools: list[int]
    instances: int


class Seen(NamedTuple):
    """What was seen of a pool (View.seen, View.seen_before). Absent instants are None."""

    usd_per_h: float  # at the instant that was asked for
    refused_s: float | None  # when a request last waited although the quota had room
    taken_s: float | None  # when the cloud last took an instance
    removals: int  # instants at which instances were taken
    arrivals: int  # and at which a request was granted that had been waiting
    grants: int  # instances
    held_s: float  # of all instances, added up
    waited_s: float
    has_state: bool  # the state of the job is there
    move_usd: float  # what carrying it there takes
    move_s: float
    leaving_s: list[float]  # when the instances under notice go, those of all jobs
    occupied_s: float = 0.0  # in which there was an instance at least, so in which a removal could be seen


class Held(NamedTuple):
    """What a job has and has requested in one pool."""

    pool: int = 0
    want: int = 0  # by the plan in force
    waiting: int = 0  # requested, not granted yet
    starting: int = 0
    ready: int = 0  # not under notice
    noticed: int = 0  # under notice, ready or not
    waiting_since_s: float | None = None

    @property
    def active(self) -> int:
        """Instances that start or are ready, without those under notice."""
        return self.starting + self.ready


class Answer(NamedTuple):
    """What a job would do on so many instances (View.ask). Absent numbers are None."""

    whole_s: float | None  # the whole job, without a pause
    left_s: float | None  # from the present progress to the goal
    samples_per_s: float
    save_s: float
    loss_s: float  # how long the loss of one instance stops training
    ready_s: float  # after which all are ready with a probability of 99 %
    pipelined: bool  # the model lays out pipelines
    most: int  # instances of which the model can make use
    pipelines: int
    stages: int


class Job:
    """What a policy sees of a job."""

    __slots__ = ("_raw", "_at", "_read", "_by_pool")

    job: int
    deadline_s: float
    within_s: float  # from the submission to the deadline
    goal_loss: float
    begun: bool
    training: bool
    safe: bool  # the last save is
    done: float  # share of the training that is done, 0 to 1
    loss: float | None  # None before training has begun
    saved_loss: float | None
    speed: float  # iterations per second
    laid_s: float
    saved_s: float
    resumed_s: float
    paused_s: float | None
    leaving_s: float | None  # when the next instance under notice goes
    save_s: float  # what a save takes
    persist_s: float  # and then until it is safe
    losses: int
    servers: int
    pipelines: int
    stages: int

    @property
    def submit_s(self) -> float:
        """When the job was submitted."""
        return self.deadline_s - self.within_s

    def held(self, pool: Pool | int) -> Held:
        """What the job has in a pool."""
        index = pool if isinstance(pool, int) else pool.index
        return self._by_pool.get(index) or Held(index)

    def __init__(self, raw: dict[str, Any]):
        self._raw = raw

    def __getattr__(self, name: str) -> Any:  # read when they are wanted: most are not
        if name == "_by_pool":
            self._by_pool = {h["pool"]: Held(**h) for h in self._raw.get("held", ())}
            return self._by_pool
        try:
            return self._raw[name]
        except KeyError:
            raise AttributeError(f"a job has no {name!r}") from None


class View:
    """What a policy sees at a decision: the present and the past, never the future."""

    __slots__ = ("now_s", "trigger", "recorded", "usd", "prices", "jobs", "pools", "_limits", "_ask", "_names", "_seen")

    now_s: float
    trigger: str  # names joined by "+": start, grant, ready, notice, gone, price, job, wake, again, met, repair
    recorded: bool  # whether anybody listens to inputs and candidates
    usd: float  # cost so far
    prices: list[float]  # USD per instance-hour by pool
    jobs: list[Job]  # submitted and not done
    pools: list[Pool]

    @property
    def job(self) -> Job:
        """The first job."""
        return self.jobs[0]

    def price(self, pool: Pool | int) -> float:
        """The present price of a pool, USD per instance-hour."""
        return float(self.prices[pool if isinstance(pool, int) else pool.index])

    def ask(self, job: int = 0, instances: int = 0, hold: list[int] | None = None, pipelines: int = 0, stages: int = 0,
            servers: int | None = None) -> Answer:
        """How would a job do on so many instances of one type, or on those by pool?"""
        return self._ask(job, instances, hold or [], pipelines, stages, servers)

    def seen(self, pool: Pool | int, at_s: float | None = None, job: int = 0, moved_from: Pool | int | None = None) -> Seen:
        """What was seen of a pool so far, its price at an instant in the past, and what it takes to carry a job's state
        there."""
        pool, origin = (p if p is None or isinstance(p, int) else p.index for p in (pool, moved_from))
        if (answer := self._seen(job, pool, origin, at_s, None)) is None:
            raise ValueError(f"seen(pool={pool}, at_s={at_s}, job={job}, moved_from={origin}): not in the view, or after now")
        return answer

    def seen_before(self, pool: Pool | int, within_s: float) -> Seen:
        """What a job would have seen of a pool in so many seconds before the run, had it requested the whole quota: removals,
        arrivals, grants, held_s, waited_s and occupied_s. They are 0 where that time was not recorded. math.inf: all of the record."""
        index = pool if isinstance(pool, int) else pool.index
        if (answer := self._seen(0, index, None, None, min(within_s, 1e12))) is None:
            raise ValueError(f"seen_before(pool={index}, within_s={within_s}): not in the view, or below 0 s")
        return answer

    def apart(self, p: Pool, q: Pool) -> int:
        """How far apart two pools are: 0 for one pool, 1 in one region (a server's rack), 2 in one place above it, and so on."""
        if p.index == q.index:
            return 0
        pairs = list(zip((p.region, *p.above), (q.region, *q.above)))
        return next((k for k, (a, b) in enumerate(pairs, 1) if a == b), 2 + max(len(x.above) for x in self.pools))


class JobPlan:
    """What a policy wants for one job. What it does not set stays as it is."""

    set: Any = types.MappingProxyType({})  # what is set, by name
    _hold: list[int] | None = None

    def __init__(self, view: View, job: Job):
        mine = self.__dict__  # names of one's own are refused (__setattr__)
        mine["_view"], mine["_job"] = view, job

    @property
    def pools(self) -> list[Pool]:
        """The pools of the view."""
        return self._view.pools

    @property
    def hold(self) -> Any:  # list[int]; what can be assigned is more than that
        """Instances wanted by pool, without those under notice; a list to change. A dict by name can be assigned."""
        if self._hold is None:
            held = self._job._by_pool
            self.__dict__["_hold"] = [held[p].want if p in held else 0 for p in range(len(self._view.pools))]
        return self._hold

    @hold.setter
    def hold(self, value: dict[str, int] | list[int]) -> None:
        if isinstance(value, dict):
            by_pool = [0] * len(self._view.pools)
            for name, n in value.items():
                by_pool[self._view._names[name]] = n
            value = by_pool
        self.__dict__["_hold"] = list(value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "hold":
            JobPlan.hold.fset(self, value)
        elif name in _SETTABLE:
            self.__dict__.setdefault("set", {})[name] = value
        else:
            raise AttributeError(f"a plan has no {name!r}; it has hold, {', '.join(sorted(_SETTABLE))}")


_SETTABLE = {"pipelines", "stages", "workers", "servers", "across_zones", "drain", "restart", "refill", "save"}


def _us(seconds: float) -> int:
    return round(seconds * 1e6)


def _ns(seconds: float) -> int:
    """Whole nanoseconds: spans of models may be that fine."""
    return round(seconds * 1_000_000_000)


def _until_savable(job: Job, now: int, interval: int) -> int:
    """How long a save has to wait, ns; now is in us."""
    if not job.training:
        return interval if job.paused_s is None else (_us(job.paused_s) - now) * 1000
    if not job.safe:
        return max(_ns(job.persist_s) - (now - _us(job.saved_s)) * 1000, 1000)
    return 0


_CONDITION = ("waited_s", "done", "whole_s", "reserve_s", "below_usd_per_h", "above_usd_per_h", "every_s")


class Plan(JobPlan):
    """What a policy wants: for the first job, by its own fields, and for the others by job(n)."""

    wake: float | None = None
    again = False
    because = ""
    wait_for: str | None = None
    inputs: Any = ()
    candidates: Any = ()
    conditions: Any = ()
    _jobs: Any = types.MappingProxyType({})

    def __init__(self, view: View):
        JobPlan.__init__(self, view, view.jobs[0] if view.jobs else Job({}))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "wake_s":
            self.wake_in(value)
        elif name in ("again", "because", "wait_for"):
            self.__dict__[name] = value
        else:
            JobPlan.__setattr__(self, name, value)

    def job(self, job: Job) -> JobPlan:
        """The plan of a job of the view."""
        if self._view.jobs and job is self._view.jobs[0]:
            return self
        return self.__dict__.setdefault("_jobs", {}).setdefault(job.job, JobPlan(self._view, job))

    def wake_in(self, seconds: float) -> None:
        """Asks to be asked again after so long, or after the shortest of several."""
        self.__dict__["wake"] = seconds if self.wake is None else min(self.wake, seconds)

    def headroom(self, pool: Pool | int, job: Job | None = None) -> int:
        """How many more instances of a pool a job (the first) can hold within the quotas, beside those that it has (starting, ready or
        under notice) and those that other jobs plan to hold."""
        view, p = self._view, pool if isinstance(pool, int) else pool.index
        job = job or view.job

        def left(quota: int, pools: Sequence[int]) -> int:
            for q in pools:
                for other in view.jobs:
                    held = other.held(q)
                    quota -= held.noticed + (held.active if other is job and q == p else self.job(other).hold[q])
            return quota

        free = [left(view.pools[p].quota, [p]), *(left(x.instances, x.pools) for x in view._limits if p in x.pools)]
        return max(min(free), 0)

    def keep_saved(self, job: Job, every_s: float, on_notice: bool = True) -> None:
        """Saves the job's work at least so often, and on notice just before an announced loss; asks to be asked when the next save is
        due."""
        now, saved, every = _us(self._view.now_s), _us(job.saved_s), _ns(every_s)
        self.add_input("interval between saves", every_s, "s")
        self.add_input("since the last save", (now - saved) // 1_000_000 + (now - saved) % 1_000_000 / 1e6, "s")
        wait = _until_savable(job, now, every)
        if wait > 0:
            return self._wake_ns(wait)
        lead = _ns(job.save_s) + _ns(job.persist_s) + 1000
        due, latest, why = max(saved + -(-every // 1000), now), math.inf, "save"
        if on_notice and job.leaving_s is not None:
            latest = _us(job.leaving_s) - -(-lead // 1000)
            if saved < latest < due + -(-lead // 1000):
                due, why = latest, "save before an announced loss"
        if due > now:
            return self._wake_ns((due - now) * 1000)
        self.job(job).save = True
        self._wake_ns(every)
        if now < latest < math.inf:
            self._wake_ns((latest - now) * 1000)
        self.because = why

    def saved(self, job: Job) -> bool:
        """Whether the job's work is saved, except for what it did while the save became safe; asks for a save if it is not. For a job
        whose machine is about to be released."""
        now, wait = _us(self._view.now_s), 0
        if not job.training and job.paused_s is None:
            return True  # no work is under way
        if not job.training or not job.safe:
            wait = _until_savable(job, now, 1000)
        elif (now - _us(job.saved_s)) * 1000 > _ns(job.persist_s) + 1_000_000:
            self.job(job).save = True
            wait = max(_ns(job.save_s), 1000)
        if wait > 0:
            self._wake_ns(wait)
        return wait <= 0

    def _wake_ns(self, nanoseconds: int) -> None:
        self.wake_in(-(-nanoseconds // 1000) / 1e6)

    def wake_when(self, job: Job | None = None, pool: Pool | None = None, **condition: float) -> None:
        """Asks to be asked again when a condition begins to hold, instead of polling: waited_s, done, or whole_s with
        reserve_s, of a job; below_usd_per_h or above_usd_per_h of a pool. With every_s it is looked at only so often.
        wait_for = "notice+gone" leaves out the other events until then."""
        for name in condition:
            if name not in _CONDITION:
                raise TypeError(f"a condition has no {name!r}; it has {', '.join(_CONDITION)}")
        if job is not None:
            condition["job"] = job.job
        if pool is not None:
            condition["pool"] = pool.index
        self.__dict__.setdefault("conditions", []).append(condition)

    def add_input(self, name: str, value: float, unit: str = "") -> None:
        """Records a number that the decision is based on."""
        if self._view.recorded:
            self.__dict__.setdefault("inputs", []).append({"name": name, "value": value, "unit": unit})

    def add_candidate(self, name: str, score: float, unit: str = "", note: str = "", chosen: bool = False) -> None:
        """Records an option that was considered."""
        if self._view.recorded:
            self.__dict__.setdefault("candidates", []).append({"name": name, "score": score, "unit": unit, "note": note, "chosen": chosen})


class Setting(NamedTuple):
    """A setting that a policy has (Policy.declared). A number has bounds, a text its names; true or false is a switch. A default
    that is an int takes whole numbers only."""
    name: str  # of lower-case letters, digits and _
    default: Any
    min: float | None = None
    max: float | None = None
    names: Sequence[str] = ()
    doc: str = ""  # what it does, in a few words


def _declared(s: Setting) -> dict[str, Any]:
    said = {"name": s.name, "default": s.default, "doc": s.doc}
    if isinstance(s.default, str):
        said["names"] = list(s.names)
    elif not isinstance(s.default, bool):
        said.update(min=s.min, max=s.max, whole=isinstance(s.default, int))
    return said


class Policy:
    """A policy. A decision should be a function of the view and the settings. What it keeps in
    its attributes belongs to one run: every run has an object of its own, and a fork a copy."""

    declared: Sequence[Setting] | None = None  # the settings that it has: others are errors; None: all are passed on as they are
    settings: dict[str, Any]  # of the spec, and the defaults of those that are declared
    random: random.Random  # seeded by the run
    limits: list[Limit]  # quotas over several pools
    names: list[str]  # of the jobs, by number

    def begin(self, pools: list[Pool]) -> None:
        """Called once, before the first decision of a run."""

    def decide(self, view: View, plan: Plan) -> None:
        """Looks at the world and changes the plan."""
        raise NotImplementedError


def serve(policy: type[Policy]) -> None:
    """Answers marigram until it closes the standard input."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a policy prints is no message
    hello = json.loads(source.readline())
    if hello["v"] != VERSION:
        sys.exit(f"marigram speaks version {hello['v']} of the messages, this file version {VERSION}")
    greeting: dict[str, Any] = {"v": VERSION, "many": hello["many"]}
    defaults: dict[str, Any] = {}
    if policy.declared is not None:
        greeting["settings"] = [_declared(s) for s in policy.declared]
        defaults = {s.name: s.default for s in policy.declared}
    sink.write(json.dumps(greeting).encode() + b"\n")
    sink.flush()
    carrier = _Lines(source, sink)
    runs: dict[int, _Run] = {}
    while (message := carrier.read()) is not None:
        kind, world = message[0], message[1]
        if kind == "decide":
            for view, world in message[1]:
                runs[world].decide(view, carrier)
            sink.flush()
            continue
        for ended in message[2]:
            runs.pop(ended, None)
        if kind == "fork":
            runs[world] = runs[message[3]].copy()
        else:
            runs[world] = _Run(policy, {**defaults, **hello["settings"]}, *message[3:])


class _Run:
    def __init__(self, policy: type[Policy], settings: dict[str, Any], seed: int, pools: list[Pool], limits: list[Limit], names: list[str]):
        self.policy, self.pools, self.names = policy(), pools, {p.name: p.index for p in pools}
        self.policy.settings, self.policy.random = dict(settings), random.Random(seed)
        self.policy.limits, self.policy.names = limits, names
        self.policy.begin(pools)

    def copy(self) -> _Run:
        twin = copy.copy(self)
        twin.policy = copy.deepcopy(self.policy)
        return twin

    def decide(self, view: View, carrier: Any) -> None:
        view.pools, view._limits, view._names, view._ask, view._seen = self.pools, self.policy.limits, self.names, carrier.ask, carrier.seen
        plan = Plan(view)
        self.policy.decide(view, plan)
        carrier.answer(plan)


class Failed(Exception):
    """marigram refused what was asked for, or failed; the text says what is wrong and what was expected."""


def program() -> str:
    """The path of the program: the one that was installed with this package, or else the first `marigram` on the PATH."""
    name = "marigram.exe" if os.name == "nt" else "marigram"
    here = os.path.dirname(os.path.abspath(__file__))
    if os.path.basename(__file__).startswith("__init__."):  # of a package, not a copy of this file
        folders = [sysconfig.get_path("scripts"), os.path.join(os.path.dirname(here), "bin")]
        preferred = getattr(sysconfig, "get_preferred_scheme", lambda _: f"{os.name}_user")  # Python 3.9 has none
        folders.append(sysconfig.get_path("scripts", preferred("user")))
        for folder in folders:
            if os.path.isfile(path := os.path.join(folder, name)):
                return path
    if (found := shutil.which("marigram")) is None:
        raise FileNotFoundError("no program marigram beside this package or on the PATH: pip install marigram, or put it there")
    return found


def run(spec: str | os.PathLike[str] | Mapping[str, Any], *, policies: Sequence[str] | None = None,
        commands: Mapping[str, str | os.PathLike[str]] | None = None, settings: Mapping[str, Any] | None = None, seed: int | None = None,
        seeds: int | None = None, bound: bool = False, out: str | os.PathLike[str] | None = None, form: str | None = None) -> Any:
    """Simulates a spec, and returns a table with a row for each run: the columns of summary.parquet (experiments/results/SCHEMA.md).

    spec is the name of a spec that comes with marigram, a file, or a dictionary, whose paths are relative to the present folder.
    settings are other values by their path ({"market.replay.notice_s": 30}), policies the names of those to run. commands are policies
    of one's own by their names: a file in Python (a class that is served), or a command line. out is a folder for all
    tables and figures. form is "arrow", "pandas" or "dicts"; if absent the first of them that is installed. Null is None, or NaN
    in pandas. Failed says what is wrong with a spec."""
    form = form or next(f for f, needs in _FORMS.items() if needs is None or importlib.util.find_spec(needs))
    if form not in _FORMS:
        raise ValueError(f"form={form!r}, expected one of {', '.join(_FORMS)}")
    given = isinstance(spec, Mapping)
    line = [program(), "run", "/dev/stdin" if given else os.fspath(spec), "--json"]
    line += [f"--policy={','.join(policies)}"] if policies else []
    line += [f"--set={path}={json.dumps(value)}" for path, value in (settings or {}).items()]
    line += [f"--{name}={value}" for name, value in (("seed", seed), ("seeds", seeds)) if value is not None]
    line += ["--bound"] if bound else []
    line += [f"--out={os.fspath(out)}"] if out is not None else []
    for name, command in (commands or {}).items():
        command = os.fspath(command)
        line.append(f"--policy-command={name}={f'{sys.executable} {command}' if command.endswith('.py') and ' ' not in command else command}")
    with tempfile.TemporaryDirectory() as temp:
        file = os.path.join(temp, "runs.parquet" if form == "arrow" else "runs.csv")
        made = subprocess.run([*line, f"--runs={file}"], input=json.dumps(spec) if given else None, stdin=None if given else subprocess.DEVNULL,
                              capture_output=True, text=True)
        if made.returncode != 0:
            raise Failed(made.stderr.strip())
        if made.stderr:
            print(made.stderr, end="", file=sys.stderr)
        return _read(file, form)


_FORMS = {"arrow": "pyarrow", "pandas": "pandas", "dicts": None}


def _read(file: str, form: str) -> Any:
    if form == "arrow":
        import pyarrow.parquet
        return pyarrow.parquet.read_table(file)
    if form == "pandas":
        import pandas
        return pandas.read_csv(file)
    with open(file, newline="", encoding="utf-8") as f:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(f)]


def _value(text: str) -> Any:
    """The value of a field: a number, a switch, nothing, or a text."""
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Action(NamedTuple):
    """One number of an action: a whole number from 0 to below choices."""

    name: str
    choices: int


class Field(NamedTuple):
    """One number of an observation."""

    name: str
    low: float
    high: float


class _Gym:
    """A process of `marigram gym`, for all environments of a spec."""

    def __init__(self, spec: str, objective: str, step_s: float, events: bool, late_usd: float, late_usd_per_h: float,
                 settings: dict[str, Any], path: str | None, slots: int | None, job_usd_per_h: float | None, starts: str | None):
        line = [path or program(), "gym", spec, f"--step={step_s!r}s", f"--late-usd={late_usd!r}", f"--late-usd-per-h={late_usd_per_h!r}"]
        line += [f"--objective={objective}"] if objective else []
        line += ["--events"] if events else []
        line += [f"--starts={starts}"] if starts else []
        line += [f"--slots={slots}"] if slots is not None else []
        line += [f"--job-usd-per-h={job_usd_per_h!r}"] if job_usd_per_h is not None else []
        line += [f"--set={path}={json.dumps(value)}" for path, value in settings.items()]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        hello = json.loads(self.process.stdout.readline() or "{}")
        if hello.get("v") != GYM_VERSION:
            self.process.stdin.close()
            self.process.wait()
            if "v" in hello:
                raise ValueError(f"{line[0]} speaks version {hello['v']} of the messages, this file version {GYM_VERSION}")
            raise ValueError(f"{' '.join(line)}: exit status {self.process.returncode}; its message is on the standard error")
        self.pools = [Pool(index=i, **p) for i, p in enumerate(hello["pools"])]
        self.fields = [Field(**f) for f in hello["observation"]]
        self.actions, self.groups = [Action(**a) for a in hello["action"]], hello.get("groups", [])
        self.seed, self.within_s, self.recorded = hello["seed"], hello["within_s"], hello["recorded"]
        self.envs = 0  # numbers that are taken

    def ask(self, kind: int, n: int, rest: bytes) -> bytes:
        """Sends a message, and returns what follows the kind of its answer."""
        to, answers = self.process.stdin, self.process.stdout
        to.write(struct.pack("<III", 8 + len(rest), kind, n) + rest)
        to.flush()
        size = answers.read(4)
        if len(size) < 4:
            raise EOFError(f"marigram gym ended with exit status {self.process.wait()}")
        answer = answers.read(int.from_bytes(size, "little"))
        if answer[:4] == bytes(4):
            raise ValueError(answer[4:].decode())
        return answer[4:]

    def rows(self, kind: int, n: int, rest: bytes) -> Any:
        """The same for rows of numbers: an array of n rows where numpy is there, else a list of them."""
        b, width = self.ask(kind, n, rest), len(self.fields) + 4
        if _numpy is not None:
            return _numpy.frombuffer(b, "<f8", n * width, 4).reshape(n, width).copy()  # writable
        flat = memoryview(bytearray(b))[4:].cast("d")  # both ends are little-endian; writable
        return [flat[i:i + width] for i in range(0, n * width, width)]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


_ENDS = ("running", "met", "late", "lost", "truncated")


def _info(row: Any) -> dict[str, Any]:
    return {"usd": float(row[-3]), "start_s": float(row[-2]), "end": _ENDS[int(row[-1])]}


def _starts(options: dict[str, Any] | None, n: int) -> list[float]:
    """The starts that are asked for, not a number where the seed is to draw it."""
    start = (options or {}).get("start_s")
    if hasattr(start, "__len__"):
        if len(start) != n:
            raise ValueError(f"start_s has {len(start)} numbers, expected {n}, one an environment")
        return [float(s) for s in start]
    return [math.nan if start is None else float(start)] * n


try:
    import gymnasium as _gymnasium
    from gymnasium.spaces import Box, MultiDiscrete
    _BaseEnv, _BaseVectorEnv = _gymnasium.Env, _gymnasium.vector.VectorEnv
except ImportError:
    _gymnasium = None
    _BaseEnv = _BaseVectorEnv = object

    class _Space:
        """What both spaces have of Gymnasium's, where that is not installed."""

        def __init__(self, shape: tuple[int, ...], dtype: Any, seed: int | None):
            self.shape, self.dtype, self._random = shape, dtype, random.Random(seed)

        def seed(self, seed: int | None = None) -> int:
            """Begins the draws of sample anew, and returns the seed."""
            seed = random.randrange(1 << 31) if seed is None else int(seed)
            self._random = random.Random(seed)
            return seed

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

    class Box(_Space):
        """A box of numbers, where Gymnasium is not installed."""

        def __init__(self, low: Any, high: Any, dtype: Any = float, seed: int | None = None):
            super().__init__((len(low),), dtype, seed)
            self.low, self.high = low, high

        def sample(self) -> list[float]:
            """Numbers within the bounds, uniformly; an exponential one above a bound that is alone."""
            return [self._random.uniform(a, b) if b < 1e300 else a + self._random.expovariate(1) for a, b in zip(self.low, self.high)]

        def contains(self, x: Any) -> bool:
            return len(x) == len(self.low) and all(a <= b <= c for a, b, c in zip(self.low, x, self.high))

    class MultiDiscrete(_Space):
        """Whole numbers below the limits nvec, where Gymnasium is not installed."""

        def __init__(self, nvec: list[int], seed: int | None = None):
            super().__init__((len(nvec),), int, seed)
            self.nvec = nvec

        def sample(self) -> list[int]:
            return [self._random.randrange(n) for n in self.nvec]

        def contains(self, x: Any) -> bool:
            return len(x) == len(self.nvec) and all(a == int(a) and 0 <= a < n for a, n in zip(x, self.nvec))


def _spaces(gym: _Gym) -> tuple[Any, Any]:
    low, high = [f.low for f in gym.fields], [f.high for f in gym.fields]
    if _gymnasium is not None:
        low, high = _numpy.array(low), _numpy.array(high)
        return Box(low, high, dtype=_numpy.float64), MultiDiscrete([a.choices for a in gym.actions])
    return Box(low, high), MultiDiscrete([a.choices for a in gym.actions])


class Env(_BaseEnv):
    """A run of a spec, step by step, with the interface of Gymnasium's Env; docs/gym.md says more.

    An action is a number of instances by pool (`pools`), an observation the numbers of `fields`. The reward is
    minus the dollars of a step, and at the end minus late_usd, and late_usd_per_h for each hour, if the objective is
    not met. An episode is terminated when the job is done or lost, or is not done and its deadline is over; it is truncated when
    the traces end before. `info` has the dollars so far, where the episode began, and the end: running, met, late, lost or truncated.

    In recorded traces the seed of an episode draws where it begins: in all of them, or in a part if starts is "train" or "judge".

    Of many jobs an action has a number for each of `slots` jobs, the first that are there: on which of `groups` the job
    is to run, from 1, or 0 for none. The reward loses job_usd_per_h for each hour of each job until it is done, and late_usd
    and late_usd_per_h for each job that misses its deadline. `actions` names the numbers of an action."""

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, spec: str = "quickstart", objective: str = "", step_s: float = 600, events: bool = False,
                 late_usd: float = 100, late_usd_per_h: float = 0, settings: dict[str, Any] | None = None, program: str | None = None,
                 slots: int | None = None, job_usd_per_h: float | None = None, starts: str | None = None, _of: _Gym | None = None):
        self._gym = _of or _Gym(spec, objective, step_s, events, late_usd, late_usd_per_h, settings or {}, program, slots, job_usd_per_h, starts)
        self._owns, self._next = _of is None, self._gym.seed
        self._env, self._gym.envs = self._gym.envs, self._gym.envs + 1
        self._action = struct.Struct(f"<I{len(self._gym.actions)}I")
        self.pools, self.fields, self.actions, self.groups = self._gym.pools, self._gym.fields, self._gym.actions, self._gym.groups
        self.recorded = self._gym.recorded
        self.observation_space, self.action_space = _spaces(self._gym)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode with the market and the random numbers of a seed; without one of the seed after the last. The
        option start_s begins it so many seconds into recorded traces, instead of where the seed draws."""
        if _gymnasium is not None:
            super().reset(seed=seed)
        seed = self._next if seed is None else int(seed)
        self._next = seed + 1
        row = self._gym.rows(1, 1, struct.pack("<Iqd", self._env, seed, _starts(options, 1)[0]))[0]
        return row[:-4], _info(row)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Holds a number of instances by pool, or has jobs run where it says, until the next step."""
        row = self._gym.rows(2, 1, self._action.pack(self._env, *action))[0]
        return row[:-4], float(row[-4]), bool(1 <= row[-1] <= 3), bool(row[-1] == 4), _info(row)

    def clone(self) -> Env:
        """A copy of the episode that goes on by itself, in the same process: for searching ahead. The future of the run is
        that of the original, so use it for learning, not for deciding."""
        twin = Env(_of=self._gym)
        self._gym.rows(3, 1, struct.pack("<II", self._env, twin._env))
        twin._next = self._next
        return twin

    def view(self) -> View:
        """What a policy would see now; view.ask works, too."""
        v, _ = _view(json.loads(self._gym.ask(4, self._env, b"")))
        v.pools, v._ask, v._seen, v._names = self.pools, self._answer, self._looked, {p.name: p.index for p in self.pools}
        return v

    def _answer(self, *question: Any) -> Answer:
        return _answer(json.loads(self._gym.ask(5, self._env, json.dumps(_question(*question)).encode())))

    def _looked(self, *question: Any) -> Seen | None:
        return _seen(json.loads(self._gym.ask(5, self._env, json.dumps(_pool_question(*question)).encode())))

    def close(self) -> None:
        if self._owns:
            self._owns = False
            self._gym.close()


class VectorEnv(_BaseVectorEnv):
    """num_envs environments in one process, a message for all, with the interface of Gymnasium's VectorEnv. Environment i
    begins with seed + i, and every further episode of it with the seed num_envs higher. The step after the end of an
    episode begins the next one (NEXT_STEP): its action counts for nothing, its reward is 0. Its start in recorded traces is drawn as that of
    the first one, also where that was given by the option start_s. A field of info is an array, and one with `_` before its name says for
    which environments it is there: for all."""

    metadata: dict[str, Any] = {"render_modes": []}
    if _gymnasium is not None and hasattr(_gymnasium.vector, "AutoresetMode"):
        metadata["autoreset_mode"] = _gymnasium.vector.AutoresetMode.NEXT_STEP
    render_mode = None

    def __init__(self, num_envs: int = 64, spec: str = "quickstart", objective: str = "", step_s: float = 600, events: bool = False,
                 late_usd: float = 100, late_usd_per_h: float = 0, settings: dict[str, Any] | None = None, program: str | None = None,
                 slots: int | None = None, job_usd_per_h: float | None = None, starts: str | None = None):
        self._gym = _Gym(spec, objective, step_s, events, late_usd, late_usd_per_h, settings or {}, program, slots, job_usd_per_h, starts)
        self.num_envs, self._next, self._over = num_envs, [self._gym.seed + i for i in range(num_envs)], [True] * num_envs
        self.pools, self.fields, self.actions, self.groups = self._gym.pools, self._gym.fields, self._gym.actions, self._gym.groups
        self.recorded = self._gym.recorded
        self._action = struct.Struct(f"<I{len(self._gym.actions)}I")
        self.single_observation_space, self.single_action_space = _spaces(self._gym)
        if _gymnasium is not None:
            batch = _gymnasium.vector.utils.batch_space
            self.observation_space = batch(self.single_observation_space, num_envs)
            self.action_space = batch(self.single_action_space, num_envs)

    def reset(self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins all episodes. The option start_s begins them so many seconds into recorded traces: one number, or one for each."""
        if seed is not None:
            self._next = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
        rows = self._begin(range(self.num_envs), _starts(options, self.num_envs))
        self._over = [False] * self.num_envs
        return self._observations(rows), self._infos(rows)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """A step of all environments."""
        over = [i for i, o in enumerate(self._over) if o]
        pack = self._action.pack
        going = [pack(i, *a) for i, a in enumerate(actions) if not self._over[i]] if over else [pack(i, *a) for i, a in enumerate(actions)]
        rows = self._gym.rows(2, len(going), b"".join(going)) if going else []
        if over:
            begun, rest, mixed = iter(self._begin(over, [math.nan] * len(over))), iter(rows), []
            for o in self._over:
                mixed.append(next(begun if o else rest))
            rows = _numpy.stack(mixed) if _numpy is not None else mixed
        if _numpy is not None:
            ends = rows[:, -1].astype(int)
            terminated, truncated = (ends >= 1) & (ends <= 3), ends == 4
            self._over = list(ends != 0)
            return rows[:, :-4], rows[:, -4], terminated, truncated, self._infos(rows)
        ends = [int(r[-1]) for r in rows]
        self._over = [e != 0 for e in ends]
        return self._observations(rows), [r[-4] for r in rows], [1 <= e <= 3 for e in ends], [e == 4 for e in ends], self._infos(rows)

    def _begin(self, envs: Any, starts: list[float]) -> Any:
        rows = self._gym.rows(1, len(envs), b"".join([struct.pack("<Iqd", i, self._next[i], s) for i, s in zip(envs, starts)]))
        for i in envs:
            self._next[i] += self.num_envs
        return rows

    @staticmethod
    def _observations(rows: Any) -> Any:
        return rows[:, :-4] if _numpy is not None else [r[:-4] for r in rows]

    @staticmethod
    def _infos(rows: Any) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for at, name in ((-3, "usd"), (-2, "start_s"), (-1, "end")):
            infos[name] = rows[:, at] if _numpy is not None else [r[at] for r in rows]
            if name == "end":
                infos[name] = infos[name].astype(int) if _numpy is not None else [int(e) for e in infos[name]]
            infos["_" + name] = _numpy.ones(len(rows), bool) if _numpy is not None else [True] * len(rows)
        return infos

    def close(self, **_: Any) -> None:
        if self._gym.process.stdin and not self._gym.process.stdin.closed:
            self._gym.close()


if _gymnasium is not None:
    _gymnasium.register(id="marigram/Spot-v0", entry_point="marigram:Env", vector_entry_point="marigram:VectorEnv")
    _gymnasium.register(id="marigram/Cluster-v0", entry_point="marigram:Env", vector_entry_point="marigram:VectorEnv", kwargs={"spec": "cluster-gavel"})


def _known(m: dict[str, Any], of: Any) -> dict[str, Any]:
    """The fields that this file knows: a later marigram may have more."""
    return {k: tuple(v) if k == "above" else v for k, v in m.items() if k in of._fields}


class _Lines:
    """Messages as a JSON object a line."""

    def __init__(self, source: Any, sink: Any):
        self.source, self.sink = source, sink
        self._parse, self._text = json.JSONDecoder().raw_decode, json.JSONEncoder().encode

    def read(self) -> tuple | None:
        line = self.source.readline()
        if not line:
            return None
        m, _ = self._parse(line.decode())
        kind = m["type"]
        if kind == "decide":
            return kind, [_view(m)]
        if kind == "decisions":
            return "decide", [_view(v) for v in m["views"]]
        world = m["world"]
        if kind == "fork":
            return kind, world, m.get("ended", ()), m["from"]
        terms = m.get("terms") or [{}] * len(m["pools"])
        pools = [Pool(index=i, **p, **_known(terms[i], Pool)) for i, p in enumerate(m["pools"])]
        limits = [Limit(**x) for x in m.get("limits", ())]
        return kind, world, m.get("ended", ()), m["random"], pools, limits, m.get("job_names", [])

    def ask(self, job: int, instances: int, hold: list[int], pipelines: int, stages: int, servers: int | None) -> Answer:
        return _answer(self._asked(_question(job, instances, hold, pipelines, stages, servers)))

    def seen(self, job: int, pool: int, origin: int | None, at_s: float | None, before_s: float | None) -> Seen | None:
        return _seen(self._asked(_pool_question(job, pool, origin, at_s, before_s)))

    def _asked(self, question: dict[str, Any]) -> dict[str, Any]:
        self._write({"ask": question})
        self.sink.flush()
        m, _ = self._parse(self.source.readline().decode())
        return m

    def answer(self, plan: Plan) -> None:
        m = _job_plan(plan)
        if plan._jobs:
            m["jobs"] = [{"job": j, **_job_plan(p)} for j, p in plan._jobs.items()]
        if plan.wake is not None:
            m["wake_s"] = plan.wake
        if plan.conditions:
            m["wake_when"] = plan.conditions
        if plan.wait_for is not None:
            m["wait_for"] = plan.wait_for
        if plan.again:
            m["again"] = True
        if plan.because:
            m["because"] = plan.because
        if plan.inputs:
            m["inputs"] = plan.inputs
        if plan.candidates:
            m["candidates"] = plan.candidates
        self._write(m)

    def _write(self, m: dict[str, Any]) -> None:
        self.sink.write((self._text(m) + "\n").encode() if m else b"{}\n")


def _job_plan(plan: JobPlan) -> dict[str, Any]:
    m = dict(plan.set)
    if plan._hold is not None:
        m["hold"] = plan._hold
    return m


def _view(m: dict[str, Any]) -> tuple[View, int]:
    v = View()
    v.now_s, v.trigger, v.recorded, v.usd, v.prices = m["now_s"], m["trigger"], m["recorded"], m["usd"], m["usd_per_h"]
    v.jobs = [Job(j) for j in m["jobs"]]
    return v, m["world"]


def _question(job: int, instances: int, hold: list[int], pipelines: int, stages: int, servers: int | None) -> dict[str, Any]:
    return {"job": job, "instances": instances, "hold": hold, "pipelines": pipelines, "stages": stages, "servers": servers}


def _pool_question(job: int, pool: int, origin: int | None, at_s: float | None, before_s: float | None) -> dict[str, Any]:
    return {"job": job, "pool": pool, "from": origin, "at_s": at_s, "before_s": before_s}


def _answer(m: dict[str, Any]) -> Answer:
    return Answer(**_known(m, Answer))


def _seen(m: dict[str, Any]) -> Seen | None:
    return Seen(**_known(m["pool"], Seen)) if "pool" in m else None
