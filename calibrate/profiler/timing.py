"""Repeats, and the refusal of figures that vary too much. Does without torch."""

import contextlib
import gc
import statistics
import time
from dataclasses import dataclass
from typing import Optional

ROUNDS = 3  # times that a figure whose spread is over the bound is measured


class TimeOver(Exception):
    """The time for measuring is over before a task is done: the next run does it."""


@dataclass
class Figure:
    """Median of repeats. median is None where the spread is over the bound."""

    median: Optional[float]
    spread: Optional[float]  # interquartile range as a share of the median
    repeats: int
    note: str = ""


@dataclass
class Rule:
    """How figures are measured."""

    repeats: int  # of each figure, at least 10
    warmup: int  # repeats before them that do not count
    max_spread: float  # of what the device does
    max_spread_wall: float = 0.25  # of what also disks, processes and the host do
    deadline: float = float("inf")  # of time.monotonic(), after which no round begins

    def over(self):
        return time.monotonic() > self.deadline

    def go_on(self):
        """For tasks of many parts: raises TimeOver after the deadline."""
        if self.over():
            raise TimeOver

    def figure(self, samples, least=0.0, most=None):
        """Judges samples, in s: most is the largest spread, else max_spread. Where
        the median is less than least, the spread is a share of that instead."""
        most = self.max_spread if most is None else most
        low, median, high = statistics.quantiles(samples, n=4)
        if max(median, least) <= 0:
            return Figure(None, None, len(samples), "refused: the median is not above 0")
        spread = (high - low) / max(median, least)
        if spread > most:
            return Figure(None, spread, len(samples), f"refused: spread {spread:.3g} over {most:g}")
        return Figure(median, spread, len(samples))

    def measure(self, clock, once, small=0.0):
        """Runs once() until no figure is refused, for ROUNDS rounds at most, of
        which the last counts. once returns {name: (mark, mark)}; all repeats of a
        round are under way before the first is read, so that reading disturbs none.
        small is the share of the longest figure below which a spread is taken to it.
        Returns {name: Figure}."""
        for _ in range(self.warmup):
            once()
        for _ in range(ROUNDS):
            clock.sync()
            with no_collection():
                rounds = [once() for _ in range(self.repeats)]
            clock.sync()
            samples = {name: [clock.seconds(*r[name]) for r in rounds] for name in rounds[0]}
            least = small * max(statistics.median(s) for s in samples.values())
            figures = {name: self.figure(s, least) for name, s in samples.items()}
            if all(f.median is not None for f in figures.values()) or self.over():
                break
        return figures

    def measure_wall(self, sync, work, before=lambda: None):
        """The same of work by the monotonic clock, until sync() returns; before() is not
        timed. Raises TimeOver after the deadline."""

        def once():
            self.go_on()
            before()
            sync()
            start = time.perf_counter()
            work()
            sync()
            return time.perf_counter() - start

        for _ in range(self.warmup):
            once()
        for _ in range(ROUNDS):
            figure = self.figure([once() for _ in range(self.repeats)], most=self.max_spread_wall)
            if figure.median is not None or self.over():
                break
        return figure


@contextlib.contextmanager
def no_collection():
    """Python collects no garbage meanwhile, as in timeit: it would stop the host at any
    step."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def out_of_memory(e):
    """Whether an error of torch, or of a library below it, says that a batch does not
    fit into the GPU."""
    text = str(e).lower()
    return isinstance(e, RuntimeError) and ("out of memory" in text or "alloc_failed" in text)
