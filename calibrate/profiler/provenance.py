"""What was measured, where and how. Asks processes, so that torch is not imported."""

import json
import os
import pathlib
import platform
import subprocess
import sys
from datetime import datetime, timezone

VERSIONS = """
import importlib.metadata as m, json, torch
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return None
cuda = torch.cuda.is_available()
print(json.dumps({"torch": torch.__version__, "torchvision": version("torchvision"),
  "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "gpus_found": torch.cuda.device_count() if cuda else 0,
  "name": torch.cuda.get_device_name(0) if cuda else None, "memory_gb": torch.cuda.get_device_properties(0).total_memory / 1e9 if cuda else None}))
"""
# as nvidia-smi names them; clocks as they were found
NVIDIA = ["driver_version", "clocks.current.sm", "clocks.current.memory", "clocks.max.sm", "clocks.max.memory", "power.limit", "temperature.gpu", "ecc.mode.current"]


def said(*command):
    """What a command prints, None if it cannot."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def nvidia_smi(device):
    """What nvidia-smi says of the first GPU that torch sees, by name; None where it does not."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    smi = said("nvidia-smi", "--id=" + first, "--format=csv,noheader", "--query-gpu=" + ",".join(NVIDIA)) if device == "cuda" else None
    return dict(zip(NVIDIA, smi.split(", ") if smi else [None] * len(NVIDIA)))


def machine(device, gpu, commit):
    """Facts by name. gpu is the name for the profile, None for the device's own;
    commit is this program's, where git does not say it."""
    facts = json.loads(subprocess.run([sys.executable, "-c", VERSIONS], check=True, capture_output=True, text=True).stdout)
    name, found = facts.pop("name"), facts.pop("gpus_found")
    if device == "cuda" and not found:
        raise SystemExit("torch finds no GPU: --device cpu measures the processor")
    facts["nvidia_smi"] = nvidia_smi(device)
    facts["driver"] = facts["nvidia_smi"]["driver_version"]
    facts["device"] = name if device == "cuda" else platform.processor() or platform.machine()
    facts["gpu"] = gpu or (name.removeprefix("NVIDIA ").removeprefix("Tesla ") if device == "cuda" else "CPU")
    facts["gpus"] = world_size()
    facts["gpus_found"] = found
    facts["python"] = platform.python_version()
    facts["commit"] = said("git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "HEAD") or commit
    facts["command_line"] = " ".join([pathlib.Path(sys.argv[0]).name] + sys.argv[1:])
    facts["date"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return facts


def world_size():
    """Processes of torchrun, 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))
