"""Time from the start of a process to its first step. Does without torch, of which
a process that uses it would keep the libraries in memory."""

import ctypes
import functools
import importlib.util
import mmap
import os
import pathlib
import subprocess
import sys
import time

READY = "first step done"
KEPT = "absent: the page cache does not let go of the files"


def forget(paths):
    """Takes files out of the page cache, as far as nobody uses them. Returns whether
    the largest of them are gone: not every system lets go of them."""
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    largest = sorted(paths, key=os.path.getsize)[-8:]
    return sum(map(cached, largest)) < 0.1 * len(largest)


def cached(path):
    """Share of a file that is in the page cache (mincore(2)); 1 where that is not said."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE) as memory:
        pages = (ctypes.c_ubyte * -(-len(memory) // mmap.PAGESIZE))()
        first = ctypes.c_char.from_buffer(memory)
        failed = ctypes.CDLL(None).mincore(ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(len(memory)), pages)
        del first  # memory cannot be closed before
    return 1.0 if failed else sum(page & 1 for page in pages) / len(pages)


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
        rule.go_on()
        start = time.perf_counter()
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            said = process.stdout.readline().strip()
            end = time.perf_counter()
        if said != READY:
            raise RuntimeError(f"{' '.join(program)}: said {said!r}, expected {READY!r}")
        return end - start

    figure = functools.partial(rule.figure, most=rule.max_spread_wall)
    once()
    found = {"startup_warm_s": figure([once() for _ in range(rule.repeats)]), "startup_cold_s": KEPT}
    if forget(files):
        cold = []
        for _ in range(rule.repeats):
            forget(files)
            cold.append(once())
        found["startup_cold_s"] = figure(cold)
    return found
