"""What does not depend on a network: copies, checkpoints, data, exchange."""

import os

import torch

from clock import timed
from startup import KEPT, forget

MB = 1e6


def tensor_of(size_mb, device, pinned=False):
    return torch.zeros(int(size_mb * MB) // 4, device=device, pin_memory=pinned)


def copies(clock, rule, device, size_mb):
    """Time of a copy between pinned memory of the host and the GPU."""
    host, there = tensor_of(size_mb, "cpu", pinned=True), tensor_of(size_mb, device)
    return {
        "host_to_device_s": rule.measure(clock, timed(clock, lambda: there.copy_(host, non_blocking=True)))["time"],
        "device_to_host_s": rule.measure(clock, timed(clock, lambda: host.copy_(there, non_blocking=True)))["time"],
    }


def checkpoints(clock, rule, device, size_mb, folder):
    """Time to save a checkpoint to memory and to disk (until it is safe there), and
    to load it onto the device, from the page cache and from the disk."""
    state, path = {"weights": tensor_of(size_mb, device)}, folder / "checkpoint.tmp"
    host = tensor_of(size_mb, "cpu", pinned=clock.cuda)

    def save():
        with open(path, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())

    def load():
        torch.load(path, map_location=device)

    try:
        return {
            "checkpoint_to_memory_s": rule.measure_wall(clock.sync, lambda: host.copy_(state["weights"])),
            "checkpoint_to_disk_s": rule.measure_wall(clock.sync, save),
            "checkpoint_load_warm_s": rule.measure_wall(clock.sync, load),
            "checkpoint_load_cold_s": rule.measure_wall(clock.sync, load, before=lambda: forget([path])) if forget([path]) else KEPT,
        }
    finally:
        path.unlink(missing_ok=True)


def snapshot(network, clock, rule, samples, step):
    """A step beside which the state is copied to pinned memory by a stream of its own,
    and which waits for the copy before it changes the weights (CheckFreq, FAST 2021);
    and by how much it is longer than one without."""
    batch = network.batch(samples)
    step(network, clock, batch)
    state = [p.detach() for p in network.model.parameters()]
    state += [v for s in network.optimiser.state.values() for v in s.values() if torch.is_tensor(v) and v.is_cuda]
    host = [torch.empty(t.shape, dtype=t.dtype, pin_memory=True) for t in state]
    side = torch.cuda.Stream()

    def once():
        start = clock.mark()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for to, of in zip(host, state):
                to.copy_(of, non_blocking=True)
        network.loss(batch).backward()
        torch.cuda.current_stream().wait_stream(side)
        network.optimiser.step()
        network.optimiser.zero_grad(set_to_none=True)
        return {"snapshot_step_s": (start, clock.mark())}

    with_it = rule.measure(clock, once)["snapshot_step_s"]
    without = rule.measure(clock, lambda: step(network, clock, batch))["step_s"]
    found = {"snapshot_step_s": with_it, "snapshot_mb": sum(t.numel() * t.element_size() for t in state) / MB}
    if None not in (with_it.median, without.median):
        found["snapshot_stall_s"] = with_it.median - without.median
    return found


class Images(torch.utils.data.Dataset):
    """JPEG files, decoded and scaled."""

    def __init__(self, folder, count, side):
        from torchvision import io

        self.side, self.paths = side, [folder / f"{i}.jpg" for i in range(count)]
        folder.mkdir()
        for i, path in enumerate(self.paths):
            noise = torch.rand(3, side // 8, side // 8, generator=torch.Generator().manual_seed(i))
            image = torch.nn.functional.interpolate(noise[None], size=(side * 8 // 7, side * 8 // 7), mode="bilinear")[0]
            io.write_jpeg((255 * image).to(torch.uint8), str(path))
            file = os.open(path, os.O_RDONLY)
            os.fsync(file)
            os.close(file)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        from torchvision import io

        image = io.read_image(str(self.paths[i])).float() / 255
        return torch.nn.functional.interpolate(image[None], size=(self.side, self.side), mode="bilinear")[0], i % 10


def data_stalls(network, clock, rule, samples, folder, step, count):
    """Stash's differential runs (ICDCS 2023) over count steps: synthetic data, images
    in the page cache, images on the disk."""
    images = Images(folder, count * samples, network.side())
    workers = min(os.cpu_count() or 1, 16) if clock.cuda else 0
    loader = torch.utils.data.DataLoader(images, batch_size=samples, num_workers=workers, pin_memory=clock.cuda, persistent_workers=workers > 0)
    made = network.batch(samples)
    cold = forget(images.paths)

    def real():
        for batch, targets in loader:
            step(network, clock, (batch.to(network.device, non_blocking=True), targets.to(network.device, non_blocking=True)))

    def synthetic():
        for _ in range(count):
            step(network, clock, made)

    return {
        "epoch_synthetic_s": rule.measure_wall(clock.sync, synthetic),
        "epoch_warm_s": rule.measure_wall(clock.sync, real),
        "epoch_cold_s": rule.measure_wall(clock.sync, real, before=lambda: forget(images.paths)) if cold else KEPT,
    }


def all_reduce(clock, rule, device, size_mb):
    """Time in which all processes of torchrun add a tensor up."""
    tensor = tensor_of(size_mb, device)
    once = timed(clock, lambda: torch.distributed.all_reduce(tensor))
    samples = [once() for _ in range(rule.warmup + rule.repeats)][rule.warmup :]
    clock.sync()
    return {"all_reduce_s": rule.figure([clock.seconds(*s["time"]) for s in samples])}
