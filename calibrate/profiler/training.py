"""Steps of training: their time, their memory, and their layers."""

import gc

import torch
from torch import nn

from timing import out_of_memory

MB = 1e6


def step(network, clock, batch):
    """One step of training: {name: (mark, mark)}."""
    start = clock.mark()
    loss = network.loss(batch)
    forward = clock.mark()
    loss.backward()
    backward = clock.mark()
    network.optimiser.step()
    network.optimiser.zero_grad(set_to_none=True)
    end = clock.mark()
    return {"step_s": (start, end), "forward_s": (start, forward), "backward_s": (forward, backward), "optimiser_s": (backward, end)}


def steps(network, clock, rule, samples):
    """Figures of a step, and its peak memory: what it used, and what torch took of
    the GPU for it. launch_s is what the host needs to start a step's kernels: where
    it is near step_s, the GPU waits for the host."""
    batch = network.batch(samples)
    step(network, clock, batch)  # what the optimiser keeps is there from now on
    if clock.cuda:
        torch.cuda.reset_peak_memory_stats()
    figures = rule.measure(clock, lambda: step(network, clock, batch))
    if not clock.cuda:
        return {**figures, "peak_memory_mb": "absent: no GPU", "peak_reserved_mb": "absent: no GPU"}
    memory = {"peak_memory_mb": torch.cuda.max_memory_allocated() / MB, "peak_reserved_mb": torch.cuda.max_memory_reserved() / MB}
    launch = rule.measure_wall(lambda: None, lambda: step(network, clock, batch), before=clock.sync)
    return {**figures, "launch_s": launch, **memory}


def clean(network):
    """Frees what a step left behind that ran out of memory."""
    network.optimiser.zero_grad(set_to_none=True)
    free()


def free():
    """Gives memory that nothing uses back to the device."""
    gc.collect()
    torch.cuda.empty_cache()


def fits(network, clock, samples):
    try:
        step(network, clock, network.batch(samples))
        clock.sync()
        return True
    except RuntimeError as e:
        if not out_of_memory(e):
            raise
    finally:
        clean(network)
    return False


def largest_batch(network, clock, rule, guess, least=1, most=1 << 20):
    """The largest batch that trains, 0 if none does: by steps from the guess that
    double until it is passed, and halving then."""
    if not fits(network, clock, least):  # what the optimiser keeps is there from now on
        return 0
    good, bad, at, stride = least, most + 1, min(max(guess, least + 1), most), 1
    while bad - good > 1:
        rule.go_on()
        if fits(network, clock, at):
            good, at = at, at + stride
        else:
            bad, at = at, at - stride
        stride *= 2
        if not good < at < bad:
            at = (good + bad) // 2
    return good


def largest(network, clock, rule, peaks):
    """The largest batch, and the memory that torch has for it. peaks are peak
    memories in MB by batch, the last two of which give the first guess."""
    clean(network)
    memory = (torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()) / MB
    guess = 2
    if len(peaks) > 1:
        (less, low), (more, high) = sorted(peaks.items())[-2:]
        guess = int(more + (memory - high) * (more - less) / max(high - low, 1e-9))
    return {"largest_batch": largest_batch(network, clock, rule, guess, network.least()), "memory_for_torch_mb": memory}


def blocks(model):
    """The parts of a network in which a pipeline may be cut, with their names: what
    its lists and sequences hold."""

    def opened(m):
        return isinstance(m, (nn.Sequential, nn.ModuleList)) or any(isinstance(d, nn.ModuleList) for d in m.modules())

    for name, child in model.named_children():
        if opened(child):
            for inner, block in blocks(child):
                yield f"{name}.{inner}", block
        else:
            yield name, child


class Layers:
    """Marks where a step passes from block to block. The forward pass of a block
    ends with its output, the backward pass begins with the gradient of that; what
    lies between blocks is so counted to one of them, the loss to the last, and the
    sum is the whole. What a block hands on is what the next is given."""

    def __init__(self, network, clock):
        self.network, self.clock = network, clock
        self.passed, self.returned, self.handed, self.handles, self.now = [], [], {}, [], None
        # An operation in place would take the mark of the gradient away.
        self.in_place = [m for m in network.model.modules() if isinstance(m, nn.ReLU) and m.inplace]
        for module in self.in_place:
            module.inplace = False
        for name, block in blocks(network.model):
            self.handles += [block.register_forward_pre_hook(self.enter(name)), block.register_forward_hook(self.leave(name))]

    def enter(self, name):
        def before(_, given):
            self.handed[self.now] = size(given[0])
            self.now = name

        return before

    def leave(self, name):
        def after(_, __, out):
            out = out if torch.is_tensor(out) else out[0]
            self.passed.append((name, self.clock.mark()))
            self.handed[name] = size(out)
            if out.requires_grad:
                out.register_hook(lambda _: self.returned.append((name, self.clock.mark())))

        return after

    def once(self, batch):
        self.passed, self.returned, self.now = [], [], None
        marks = step(self.network, self.clock, batch)
        times, last = {"step_s": marks["step_s"]}, marks["forward_s"][0]
        self.passed[-1] = (self.passed[-1][0], marks["forward_s"][1])
        self.returned[0] = (self.returned[0][0], marks["backward_s"][0])
        for name, mark in self.passed:
            times[name, "forward_s"], last = (last, mark), mark
        for (name, mark), (_, after) in zip(self.returned, self.returned[1:] + [("", marks["backward_s"][1])]):
            times[name, "backward_s"] = (mark, after)
        return times

    def kept(self, batch):
        """Bytes that the forward pass of each block keeps for the backward pass."""
        kept, seen = {}, {p.data_ptr() for p in self.network.model.parameters()}
        self.now = next(name for name, _ in blocks(self.network.model))

        def pack(tensor):
            if tensor.data_ptr() not in seen:
                seen.add(tensor.data_ptr())
                kept[self.now] = kept.get(self.now, 0) + size(tensor)
            return tensor.detach()  # the tensor itself would hold the graph that holds it: never freed

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            loss = self.network.loss(batch)
        del loss
        return kept

    def close(self):
        for handle in self.handles:
            handle.remove()
        for module in self.in_place:
            module.inplace = True


def layers(network, clock, rule, samples):
    """Returns a row a layer, as marigram reads them (ReadLayers). Blocks without weights, and those whose
    gradient is not marked, count to the one before. The spread of a layer that takes
    less than a hundredth of the step is taken to that hundredth. Raises ValueError
    where a time is refused."""
    batch = network.batch(samples)
    step(network, clock, batch)
    probe = Layers(network, clock)
    try:
        figures = rule.measure(clock, lambda: probe.once(batch), small=0.01)
        kept = probe.kept(batch)
    finally:
        probe.close()
    rows, counted = [], set()
    for name, block in blocks(network.model):
        weights = {id(p): p.numel() * p.element_size() for p in block.parameters() if id(p) not in counted}
        counted.update(weights)
        if (name, "forward_s") not in figures:
            continue
        row = {"layer": name, "forward_s": median(figures, name, "forward_s"), "backward_s": 0.0,
               "weight_bytes": sum(weights.values()), "activation_bytes": kept.get(name, 0), "output_bytes": probe.handed[name]}
        if (name, "backward_s") in figures:
            row["backward_s"] = median(figures, name, "backward_s")
        if rows and not (weights and row["backward_s"]):
            before = rows.pop()
            row = {key: value if key in ("layer", "output_bytes") else before[key] + value for key, value in row.items()}
            row["layer"] = before["layer"]
        rows.append(row)
    return rows


def size(tensor):
    return tensor.numel() * tensor.element_size()


def median(figures, name, part):
    figure = figures[name, part]
    if figure.median is None:
        raise ValueError(f"{name}, {part}: {figure.note}")
    return figure.median
