"""A GPU for tests where there is none: what the profiler asks of CUDA is answered by
the processor, so that its whole way through a GPU runs. Time and memory follow laws
that a test can hold the figures against. Python imports this file by itself where its
folder is in PYTHONPATH. No figure from it is a measurement, and its name says so."""

import contextlib

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

MEMORY = 2e9  # bytes
FIXED, PER_BYTE = 1e8, 1000  # bytes in use, and for each byte of a batch
OPERATION_S, ELEMENT_S = 1e-6, 1e-9  # time of an operation, and for each element that it makes
now, used, peak = 0.0, 0.0, 0.0


class Time(TorchDispatchMode):
    """Passes with each operation, of the backward pass too."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        global now
        out = func(*args, **(kwargs or {}))
        made = out if isinstance(out, (tuple, list)) else [out]
        now += OPERATION_S + ELEMENT_S * sum(t.numel() for t in made if torch.is_tensor(t))
        return out


class OnProcessor(TorchFunctionMode):
    """Makes on the processor what is asked for on the GPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.device:
            return func(*args, **kwargs)
        if func is torch.Tensor.is_cuda.__get__:
            return True
        out = func(*map(here, args), **{k: here(v) for k, v in kwargs.items() if k != "pin_memory"})
        if func in (torch.randn, torch.randint) and out.dim() > 1:
            take(out.numel() * out.element_size())
        return out


def here(x):
    return "cpu" if isinstance(x, (str, torch.device)) and str(x) == "cuda" else x


def take(bytes_of_batch):
    """The memory of a step with this batch, if there is as much."""
    global used, peak
    wanted = FIXED + PER_BYTE * bytes_of_batch
    if wanted > MEMORY:
        raise RuntimeError("CUDA out of memory. Tried to allocate more than there is")
    used, peak = wanted, max(peak, wanted)


def forget_peak():
    global peak
    peak = used


class Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = now

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


class Stream:
    def wait_stream(self, other):
        pass


class Properties:
    total_memory = MEMORY


def answer(load=torch.load, autocast=torch.autocast):
    """Puts the answers in place of torch's own."""
    for name, value in {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_name": "NVIDIA Stand-in", "get_device_properties": Properties,
        "get_device_capability": (9, 0), "is_bf16_supported": True, "synchronize": None, "empty_cache": None, "memory_reserved": 0,
        "mem_get_info": (MEMORY, MEMORY), "stream": contextlib.nullcontext(), "current_stream": Stream(),
    }.items():
        setattr(torch.cuda, name, lambda *of, value=value: value)
    torch.cuda.Event, torch.cuda.Stream = Event, Stream
    torch.cuda.max_memory_allocated = torch.cuda.max_memory_reserved = lambda: peak
    torch.cuda.reset_peak_memory_stats = forget_peak
    torch.load = lambda path, map_location: load(path)
    torch.autocast = lambda device, **how: autocast("cpu", **how)
    torch.Tensor.pin_memory = lambda self, *of: self


answer()
OnProcessor().__enter__()
Time().__enter__()
