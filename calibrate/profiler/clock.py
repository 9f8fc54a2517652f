"""Points in time, on a GPU and elsewhere."""

import time

import torch


class Clock:
    """Marks points in time: CUDA events on a GPU, the monotonic clock elsewhere."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def sync(self):
        if self.cuda:
            torch.cuda.synchronize()

    def seconds(self, start, end):
        """Time between two marks; after sync()."""
        return start.elapsed_time(end) / 1e3 if self.cuda else end - start


def timed(clock, work):
    """A once() for Rule.measure of a function without parts."""

    def once():
        start = clock.mark()
        work()
        return {"time": (start, clock.mark())}

    return once
