"""Time from the start of a process to its first step. Does without torch, of which
a process that uses it would keep the libraries in memory."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import time

READY = "first step done"


def forget(paths):
    """Takes files out of the page cache, as far as nobody uses them."""
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def libraries():
    """The files of torch and of CUDA beside it."""
    folder = pathlib.Path(importlib.util.find_spec("torch").origin).parent
    for place in (folder, folder.parent / "nvidia"):
        yield from (p for p in place.rglob("*") if p.suffix in (".py", ".pyc") or ".so" in p.name and p.is_file())


def startups(rule, network, device):
    """Figures with the libraries in the page cache (warm) and on the disk (cold)."""
    program = [sys.executable, str(pathlib.Path(__file__).with_name("profiler.py")), "--first-step", network, "--device", device]
    files = list(libraries())

    def once():
        start = time.perf_counter()
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            said = process.stdout.readline().strip()
            end = time.perf_counter()
        if said != READY:
            raise RuntimeError(f"{' '.join(program)}: said {said!r}, expected {READY!r}")
        return end - start

    once()
    warm = [once() for _ in range(rule.repeats)]
    cold = []
    for _ in range(rule.repeats):
        forget(files)
        cold.append(once())
    return {"startup_warm_s": rule.figure(warm), "startup_cold_s": rule.figure(cold)}
