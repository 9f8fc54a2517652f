"""Runs a program of the ADRS problems "Can't Be Late" for marigram judge --set adrs, as it was published: a function
strategy_step(ctx, last_cluster_type, has_spot), or a class below sky_spot's Strategy or MultiRegionStrategy with _step.

The referee sends what may be known at a tick, and gets a byte back; the accounts, the future and the names of the cases
stay with it. What the program does to the objects that it is given changes what it sees, and no more: its list of the work
that is done is the same in all ticks of a run, as it was published, and no account. To save time several copies of the
program run side by side, each loaded by itself, with the cases of its own in their order.

Messages, little endian: the length, then parts. A case is 1, the copy, its constants, the prices; a tick is 2, the copy,
what ran, zones with spot, seconds of work in the tick before and of overhead that is left. The answer has a byte for each
tick, the kind plus 3 times the zone; or 255, the copy that failed, the length of a text, the text. Each copy that is loaded
is a byte before all others: f of a function, c of a class.
"""

import argparse
import enum
import os
import struct
import sys
import traceback
import types


class ClusterType(str, enum.Enum):
    NONE = "NONE"
    SPOT = "SPOT"
    ON_DEMAND = "ON_DEMAND"


KINDS = NONE, SPOT, ON_DEMAND = ClusterType.NONE, ClusterType.SPOT, ClusterType.ON_DEMAND
NUMBERS = {"NONE": 0, "SPOT": 1, "ON_DEMAND": 2}
CASE, TICK = struct.Struct("<BBddddB"), struct.Struct("<BBBHdd")


class Env:
    """What both interfaces call the environment."""

    def __init__(self, gap, prices):
        self.gap_seconds, self.elapsed_seconds, self.tick = gap, 0.0, 0
        self.cluster_type, self.cluster_type_histroy = ClusterType.NONE, []  # their spelling
        self._prices, self._up, self._zone = prices, 0, 0

    def get_num_regions(self):
        return len(self._prices)

    def get_current_region(self):
        return self._zone

    def switch_region(self, region):
        if not 0 <= region < len(self._prices):
            return False
        self._zone = int(region)
        return True

    def spot_available(self):
        return bool(self._up >> self._zone & 1)

    def spot_available_in_region(self, region):
        return bool(self._up >> region & 1)

    def get_all_regions_spot_available(self):
        return [bool(self._up >> k & 1) for k in range(len(self._prices))]

    def get_all_regions_spot_prices(self):
        return [price if self._up >> k & 1 else None for k, price in enumerate(self._prices)]

    def get_all_regions_ondemand_prices(self):
        return [3.06] * len(self._prices)

    @property
    def accumulated_cost(self):
        usd = {ClusterType.NONE: 0.0, ClusterType.SPOT: self._prices[self._zone], ClusterType.ON_DEMAND: 3.06}
        return sum(usd[kind] * self.gap_seconds / 3600 for kind in self.cluster_type_histroy)


class Strategy:
    """The base class of sky_spot's strategies."""

    NAME = "abstract"

    def __init__(self, args):
        self.args = args

    def reset(self, env, task):
        self.env, self.task = env, task
        self.deadline, self.task_duration, self.restart_overhead = self.args.seconds
        self.restart_overheads, self.inter_task_overheads = [self.restart_overhead], [0.0]
        self.task_done_time, self.remaining_restart_overhead, self.inter_task_overhead = [], 0.0, 0.0

    @property
    def task_done(self):
        return self.task_duration - sum(self.task_done_time) <= 1e-8

    def _step(self, last_cluster_type, has_spot):
        raise NotImplementedError

    @classmethod
    def _from_args(cls, parser):
        return cls(parser.parse_known_args()[0])


class MultiRegionStrategy(Strategy):
    """The base class of those that move between zones."""


class Task:
    """The job of a run of a class."""

    def __init__(self, rule):
        self._rule = rule

    def get_total_duration_seconds(self):
        return self._rule.task_duration

    def get_current_progress_seconds(self):
        return sum(self._rule.task_done_time)

    def get_remaining_duration_seconds(self):
        return max(self._rule.task_duration - self.get_current_progress_seconds(), 0)

    @property
    def is_done(self):
        return self.get_remaining_duration_seconds() <= 1e-8


def offer():
    """Makes the modules that published programs import."""
    parts = {"sky_spot": {}, "sky_spot.utils": {"ClusterType": ClusterType}, "sky_spot.env": {"Env": Env}, "sky_spot.task": {"Task": Task},
             "sky_spot.strategies": {}, "sky_spot.strategies.strategy": {"Strategy": Strategy},
             "sky_spot.strategies.multi_strategy": {"MultiRegionStrategy": MultiRegionStrategy, "Strategy": Strategy},
             "configargparse": {"ArgumentParser": argparse.ArgumentParser, "Namespace": argparse.Namespace}}
    for name, holds in parts.items():
        module = types.ModuleType(name)
        module.__dict__.update(holds, __path__=[])
        sys.modules[name] = module
        above, _, last = name.rpartition(".")
        if above:
            setattr(sys.modules[above], last, module)


def load(code, path):
    """A copy of the program: its form, what a run of it is, and the function or class."""
    module = types.ModuleType("program")
    module.__dict__.update(ClusterType=ClusterType, __file__=path)
    sys.modules["program"] = module
    exec(code, module.__dict__)
    if callable(getattr(module, "strategy_step", None)):
        return b"f", Function, module.strategy_step
    for found in list(vars(module).values()):
        if isinstance(found, type) and issubclass(found, Strategy) and found not in (Strategy, MultiRegionStrategy):
            return b"c", Object, found
    raise TypeError("no function strategy_step, and no class below Strategy or MultiRegionStrategy")


class Function:
    """A run of a function: ctx is an object of its own in each."""

    def __init__(self, step, env, work, deadline, restart):
        self.step = step
        self.ctx = types.SimpleNamespace(task_duration=work, deadline=deadline, restart_overhead=restart, task_done_time=[], env=env)

    def decide(self, done, left, last, has):
        self.ctx.task_done_time = done
        return self.step(self.ctx, last, has)


class Object:
    """A run of a class: an object of its own in each."""

    def __init__(self, cls, env, work, deadline, restart):
        parser = argparse.ArgumentParser()
        parser.set_defaults(seconds=(deadline, work, restart), deadline_hours=deadline / 3600, task_duration_hours=[work / 3600],
                            restart_overhead_hours=[restart / 3600], inter_task_overhead=[0.0], region_switch_overhead_hours=0.0)
        self.rule = cls._from_args(parser)
        self.rule.reset(env, Task(self.rule))

    def decide(self, done, left, last, has):
        self.rule.task_done_time, self.rule.remaining_restart_overhead = done, left
        return self.rule._step(last, has)


def fail(out, copy):
    """Says why a copy failed: the traceback without the lines of this file."""
    kind, error, trace = sys.exc_info()
    while trace and trace.tb_frame.f_code.co_filename == OWN_FILE:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(kind, error, trace)).strip().encode("utf-8", "replace")[-8000:]
    os.write(out, struct.pack("<BBI", 255, copy, len(text)) + text)


class Copy:
    """A copy of the program with its present run."""

    def __init__(self, code, path):
        self.form, self.kind, self.program = load(code, path)

    def begin(self, work, deadline, restart, gap, prices):
        self.env, self.done, self.ticks = Env(gap, prices), [], 0
        self.run = self.kind(self.program, self.env, work, deadline, restart)

    def tick(self, last, up, work, left):
        env = self.env
        env._up = up
        env.tick = tick = self.ticks
        env.elapsed_seconds = tick * env.gap_seconds
        self.ticks = tick + 1
        self.done.append(work if last else 0)
        has = up >> env._zone & 1 == 1
        last = KINDS[last]
        env.cluster_type_histroy.append(last)
        env.cluster_type = NONE if last is SPOT and not has else last
        answer = self.run.decide(self.done, left, last, has)
        try:
            number = NUMBERS[answer]  # a text, or an enum whose members are texts, as the published programs have it
        except (KeyError, TypeError):
            number = number_of(answer)
        return number + 3 * env._zone


def number_of(answer):
    """The number of a kind that a program names by an enum whose members are no texts but have them."""
    named = answer._value_ if isinstance(answer, enum.Enum) else None
    number = NUMBERS.get(named) if isinstance(named, str) else None
    if number is None:
        raise ValueError(f"answered {answer!r:.200}, expected NONE, SPOT or ON_DEMAND")
    return number


def receive():
    """The next message; empty at the end."""
    text = os.read(0, 1 << 16)
    while len(text) < 4 or len(text) < 4 + int.from_bytes(text[:4], "little"):
        more = os.read(0, 1 << 16)
        if not more:
            return b""
        text += more
    return text


def serve(path, number):
    """Answers the referee until it ends."""
    out = os.dup(1)
    os.dup2(2, 1)  # what the program prints is no answer
    sys.argv = [path]
    copy = 0
    try:
        offer()
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        copies = []
        for _ in range(number):
            copies.append(Copy(code, path))
            os.write(out, copies[-1].form)
        while message := receive():
            at, answers = 4, bytearray()
            while at < len(message):
                copy = message[at + 1]
                if message[at] == 2:
                    _, _, last, up, work, left = TICK.unpack_from(message, at)
                    answers.append(copies[copy].tick(last, up, work, left))
                    at += TICK.size
                else:
                    *constants, zones = CASE.unpack_from(message, at)[2:]
                    at += CASE.size
                    copies[copy].begin(*constants, struct.unpack_from(f"<{zones}d", message, at))
                    at += 8 * zones
            os.write(out, answers)
    except BaseException:
        fail(out, copy)


OWN_FILE = serve.__code__.co_filename
if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
