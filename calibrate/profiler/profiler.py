#!/usr/bin/env python3
"""Measures a GPU for marigram: see README.md in this folder, and --help."""

import argparse
import os
import pathlib
import subprocess
import sys
import time
import traceback
from datetime import datetime, timezone

import output
import provenance
from journal import Journal, wanting
from startup import READY, startups
from timing import Rule, TimeOver, out_of_memory

KINDS = ["steps", "layers", "copies", "checkpoints", "data", "largest", "all-reduce", "startup"]
BUDGET_S = {"quick": 80, "full": 400}  # after which nothing is begun


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    how = p.add_mutually_exclusive_group(required=True)
    how.add_argument("--quick", action="store_const", const="quick", dest="how", help="under two minutes on a GPU")
    how.add_argument("--full", action="store_const", const="full", dest="how", help="under eight minutes on a GPU; again to go on with what is left")
    how.add_argument("--first-step", metavar="MODEL", help=argparse.SUPPRESS)
    p.add_argument("--out", type=pathlib.Path, default="profile", help="folder for the results and the resume file")
    p.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    p.add_argument("--gpu", help="name of the GPU in the profile, such as V100; else the device's own")
    p.add_argument("--models", type=lambda s: s.split(","), help="networks, with commas between them")
    p.add_argument("--precisions", type=lambda s: s.split(","), help="of bf16, tf32, fp32")
    p.add_argument("--only", type=lambda s: s.split(","), help="of " + ",".join(KINDS))
    p.add_argument("--max-spread", type=float, default=0.05, help="largest interquartile range, as a share of the median, of a figure that is reported")
    p.add_argument("--max-spread-wall", type=float, default=0.25, help="the same for what disks, processes or the host do: checkpoints, data, start-up")
    p.add_argument("--repeats", type=int, default=10, help="of each figure, at least 10")
    p.add_argument("--budget", type=float, metavar="SECONDS", help="after which nothing is begun")
    p.add_argument("--commit", help="of this program, where its folder is no checkout")
    a = p.parse_args()
    if a.repeats < 10:
        p.error("--repeats: at least 10")
    if a.only and not set(a.only) <= set(KINDS):
        p.error(f"--only {','.join(a.only)}: expected some of {','.join(KINDS)}")
    return a


class Run:
    """One run of the profiler: what is to be measured, and what was."""

    def __init__(self, journal, rule, kinds, gpus):
        self.journal, self.rule, self.kinds, self.gpus = journal, rule, kinds, gpus
        self.begun = self.left = 0
        self.again = False  # whether tasks are repeated that an earlier run was refused, or failed in
        self.tried = set()  # in this run
        self.whole = True  # whether it has the time of a whole run

    def do(self, kind, work, model="", precision="", batch=None, size_mb=None):
        """Returns the records of a task, measured now if they were not before; [] if
        it is not asked for, or the time is over. work returns {quantity: Figure, or
        value, or note}."""
        of = (kind, model, precision, batch or 0, size_mb or 0)
        if kind not in self.kinds:
            return []
        records = self.journal.get(of)
        if records is not None and (not self.again or of in self.tried or not wanting(records)):
            return records
        if self.rule.over():
            self.left += records is None
            return records or []
        self.tried.add(of)
        print(*(str(x) for x in of if x), file=sys.stderr)
        self.begun += 1
        same = {"model": model, "precision": precision, "batch_per_gpu": batch, "size_mb": size_mb, "gpus": self.gpus,
                "date": datetime.now(timezone.utc).date().isoformat()}
        try:
            found = work()
        except TimeOver:
            if self.begun > 1 or records is not None or not self.whole:
                self.left += records is None
                return records or []
            found = {kind: "absent: takes longer than a whole run"}  # which would be spent on it again
        except Exception as e:  # one task that fails does not take the others with it
            found = {kind: "out of memory"}
            if not out_of_memory(e):
                traceback.print_exc()
                found = {kind: f"failed: {type(e).__name__}: " + str(e).strip().partition("\n")[0]}
        records = [dict(same, quantity=quantity, **fields(x)) for quantity, x in found.items()]
        records = self.journal.better(of, records)
        self.journal.put(of, records)
        return records

    def records(self):
        return [r for records in self.journal.done.values() for r in records]


def passes(run, tasks):
    """Does what was never tried, then what an earlier run was refused: that would take
    the time of the rest."""
    for run.again in (False, True):
        run.left = 0
        tasks(run)


def fields(x):
    out = {"value": None, "spread": None, "repeats": None, "note": ""}
    if isinstance(x, str):
        out["note"] = x
    elif isinstance(x, list):
        out["layers"] = x
    elif isinstance(x, (int, float)):
        out["value"] = x
    else:
        out.update(value=x.median, spread=x.spread, repeats=x.repeats, note=x.note)
    return out


def first_step(name, device):
    """What startup.py starts and waits for."""
    import torch
    import networks
    import training
    from clock import Clock

    network = networks.Network(name, torch.device(device))
    clock = Clock(network.device)
    training.step(network, clock, network.batch(network.least()))
    clock.sync()
    print(READY, flush=True)


def main():
    a = arguments()
    if a.first_step:
        return first_step(a.first_step, a.device)
    if os.environ.get("RANK", "0") != "0":  # of torchrun: only the first process writes
        import plan

        return plan.exchange(None, a)
    budget = BUDGET_S[a.how] if a.budget is None else a.budget
    rule = Rule(a.repeats, 3, a.max_spread, a.max_spread_wall, time.monotonic() + budget)
    kinds, failed = a.only or [k for k in KINDS if a.how == "full" or k not in ("startup", "largest")], 0
    others = [k for k in kinds if k != "startup"]
    if len(others) < len(kinds) and others and provenance.world_size() == 1:
        # A process of its own does these: start-up must not find torch in memory.
        failed = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--only", ",".join(others), "--budget", str(budget)]).returncode
        kinds = ["startup"]
    return measure(a, rule, kinds) or failed


def measure(a, rule, kinds):
    """Measures what is left, writes all there is, and returns the exit status: 1 if
    something failed."""
    a.out.mkdir(parents=True, exist_ok=True)
    facts = provenance.machine(a.device, a.gpu, a.commit)
    facts["settings"] = {"repeats": rule.repeats, "warmup": rule.warmup, "max_spread": rule.max_spread, "max_spread_wall": rule.max_spread_wall}
    journal = Journal(a.out / "resume.jsonl", {k: facts[k] for k in ("gpu", "gpus", "device", "driver", "cuda", "torch", "settings")})
    run = Run(journal, rule, kinds, facts["gpus"])
    run.whole = a.budget is None or a.budget >= BUDGET_S[a.how]
    if kinds == ["startup"] and run.gpus == 1:
        started = (a.models or ["resnet-50"])[0]
        run.do("startup", lambda: startups(rule, started, a.device), model=started)
    else:
        import plan

        if run.gpus > 1:
            plan.exchange(run, a)
        else:
            passes(run, lambda run: plan.measure(run, a))
    facts["nvidia_smi_after"] = provenance.nvidia_smi(a.device)
    names = output.write(a.out, run.records(), facts)
    notes = [r["note"].split(":")[0] for r in run.records()]
    print(f"{sum(not n for n in notes)} figures; refused {notes.count('refused')}, absent {notes.count('absent')}, "
          f"failed {notes.count('failed')}, out of memory {notes.count('out of memory')}; {run.left} tasks left for the next run with this --out")
    print("wrote", ", ".join(names), "to", a.out)
    return int("failed" in notes)


if __name__ == "__main__":
    sys.exit(main())
