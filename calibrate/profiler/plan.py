"""What is measured, in which order: the most wanted first, since time may end."""

import os
import pathlib
import tempfile

import torch

import machine
import networks
import training
from clock import Clock
from timing import Rule

SIZES_MB = {"quick": [16, 128], "full": [1, 16, 128, 1024]}
BATCHES = {"gpt2": [1, 2, 4, 8, 16], "bert": [4, 8, 16, 32, 64], "images": [8, 16, 32, 64, 128, 256], "tiny": [1, 2, 4, 8, 12, 16]}
LAYERS_AT = {"quick": [1], "full": [1, 3]}  # which of these batches the layers are measured at
DATA_STEPS = {"cuda": 32, "cpu": 8}  # of an epoch of the differential runs


class Bench:
    """Holds one network at a time."""

    def __init__(self, device):
        self.device, self.clock, self.network = device, Clock(device), None

    def get(self, name, precision):
        if self.network is None or self.network.name != name:
            self.network = None  # frees its memory before the next is made
            training.free()
            self.network = networks.Network(name, self.device)
        self.network.optimiser.state.clear()  # a step that ran out of memory may have left a half of it
        training.clean(self.network)
        self.network.use(precision)
        return self.network


def batches(model, quick):
    kind = networks.LANGUAGE[model][0] if model in networks.LANGUAGE else "images"
    if model.startswith("tiny"):
        kind = "tiny"
    return BATCHES[kind][1:] if quick else BATCHES[kind]


def measure(run, a):
    """Measures what is left, in one process."""
    device = torch.device(a.device)
    bench, quick = Bench(device), a.how == "quick"
    models = a.models or (networks.QUICK if quick else networks.MODELS)
    unknown = [m for m in models if m not in {**networks.LANGUAGE, **networks.VISION, **networks.CIFAR}]
    if unknown:
        raise SystemExit(f"--models: no network {', '.join(unknown)}; there are {', '.join(networks.MODELS)}")
    there = networks.precisions(device)
    asked = a.precisions or (there[:1] if quick else there)
    first = next((p for p in asked if p in there), None)
    for model in models if first else []:
        steps(run, bench, model, first, a.how)
    for model in models if first else []:
        largest(run, bench, model, first)
    once(run, bench, a, models[0], first)
    for precision in asked:
        for model in models if precision != first else []:
            if precision in there:
                steps(run, bench, model, precision, a.how)
            else:
                run.do("steps", lambda: {"step_s": f"absent: the device has no {precision}"}, model, precision)
    run.do("all-reduce", lambda: {"all_reduce_s": "absent: one process; torchrun starts more"})


def largest(run, bench, model, precision):
    def work():
        if bench.device.type != "cuda":
            return {"largest_batch": "absent: no GPU"}
        peaks = {r["batch_per_gpu"]: r["value"] for r in run.records()
                 if r["quantity"] == "peak_memory_mb" and r["value"] and (r["model"], r["precision"]) == (model, precision)}
        return training.largest(bench.get(model, precision), bench.clock, run.rule, peaks)

    run.do("largest", work, model, precision)


def steps(run, bench, model, precision, how):
    """Steps of a network by batch, until memory is out, and its layers at some."""

    def work(batch):
        network = bench.get(model, precision)
        return {**training.steps(network, bench.clock, run.rule, batch), "gradient_mb": network.gradient_mb()}

    for i, batch in enumerate(batches(model, how == "quick")):
        records = run.do("steps", lambda: work(batch), model, precision, batch)
        if any(r["note"] == "out of memory" for r in records):
            break
        if i in LAYERS_AT[how]:
            run.do("layers", lambda: layers(run, bench, model, precision, batch, records), model, precision, batch)


def layers(run, bench, model, precision, batch, steps):
    """Times of the layers, and how their sum compares with the whole without marks."""
    try:
        rows = training.layers(bench.get(model, precision), bench.clock, run.rule, batch)
    except ValueError as e:
        return {"layers": f"refused: {e}"}
    whole = sum(r["value"] or float("nan") for r in steps if r["quantity"] in ("forward_s", "backward_s"))
    ratio = sum(r["forward_s"] + r["backward_s"] for r in rows) / whole if whole > 0 else "refused: no step to compare with"
    return {"layers": rows, "layers_over_forward_and_backward": ratio}


def once(run, bench, a, model, precision):
    """What is measured of one network, or of none."""
    device, clock, rule = bench.device, bench.clock, run.rule
    for size in SIZES_MB[a.how]:
        if device.type == "cuda":
            run.do("copies", lambda: machine.copies(clock, rule, device, size), size_mb=size)
        else:
            run.do("copies", lambda: {"host_to_device_s": "absent: no GPU", "device_to_host_s": "absent: no GPU"}, size_mb=size)
        with tempfile.TemporaryDirectory(dir=a.out) as folder:
            run.do("checkpoints", lambda: machine.checkpoints(clock, rule, device, size, pathlib.Path(folder)), size_mb=size)
    if not precision:
        return
    batch = batches(model, True)[0]
    if device.type == "cuda":
        run.do("checkpoints", lambda: machine.snapshot(bench.get(model, precision), clock, rule, batch, training.step), model, precision, batch)
    else:
        run.do("checkpoints", lambda: {"snapshot_step_s": "absent: no GPU"}, model, precision, batch)
    with tempfile.TemporaryDirectory(dir=a.out) as folder:
        run.do("data", lambda: data(run, bench, model, precision, batch, pathlib.Path(folder)), model, precision, batch)


def data(run, bench, model, precision, batch, folder):
    if model in networks.LANGUAGE:
        return {"epoch_synthetic_s": "absent: images are loaded, and this network reads words"}
    network, count = bench.get(model, precision), DATA_STEPS[bench.device.type]
    return {**machine.data_stalls(network, bench.clock, run.rule, batch, folder / "images", training.step, count), "epoch_steps": count}


def exchange(run, a):
    """All-reduce by size, in each process of torchrun: they must take the same turns,
    so all is measured anew. run is that of the first, which writes it down."""
    device, rule = torch.device(a.device), Rule(a.repeats, 3, a.max_spread, a.max_spread_wall)
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    for size in SIZES_MB[a.how]:
        figures = machine.all_reduce(Clock(device), rule, device, size)
        if run:
            run.do("all-reduce", lambda: figures, size_mb=size)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
