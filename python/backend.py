"""Builds the wheel of marigram: the package, and the program, which pip puts beside python. No other package is needed.

    pip install ./python                                          # builds the program with Go
    MARIGRAM_PROGRAM=/path/to/marigram pip install ./python       # takes this one
    python3 backend.py PROGRAM VERSION TAG FOLDER                 # a wheel of a program for another system

The same program, files and SOURCE_DATE_EPOCH give the same bytes."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("__init__.py", "adrs.py", "py.typed", "ticks.py")  # of the package

METADATA = """\
Metadata-Version: 2.1
Name: marigram
Version: {version}
Summary: Trace-driven simulation of DNN training on spot instances
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: gym
Requires-Dist: gymnasium; extra == "gym"
Project-URL: Source, https://github.com/marigram/marigram
Project-URL: Documentation, https://github.com/marigram/marigram/tree/main/docs
Description-Content-Type: text/markdown

{readme}"""


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel for this machine (PEP 517)."""
    with tempfile.TemporaryDirectory() as temp:
        program = os.environ.get("MARIGRAM_PROGRAM") or compile_program(temp)
        said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
        tag = "py3-none-" + re.sub(r"[.-]", "_", sysconfig.get_platform())
        return write_wheel(program, said.split()[2], tag, wheel_directory)


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """There is none: the sources are the repository."""
    raise NotImplementedError("marigram has no source distribution: clone the repository and pip install ./python")


def compile_program(folder: str) -> str:
    """Compiles the program as make build does."""
    program = os.path.join(folder, "marigram.exe" if os.name == "nt" else "marigram")
    try:
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "."], check=True, cwd=os.path.dirname(HERE),
                       env={**os.environ, "CGO_ENABLED": "0"})
    except FileNotFoundError:
        raise SystemExit("go is not installed: install Go (the version in go.mod), or set MARIGRAM_PROGRAM to a program") from None
    return program


def python_version(version: str) -> str:
    """The version of a Go module as Python counts (PEP 440): v1.2.3 is 1.2.3; a commit after v1.2.3 is 1.2.4.dev and its time."""
    if found := re.match(r"v?(\d+\.\d+\.\d+)(?:-(.*))?$", version.partition("+")[0]):
        release, rest = found[1], found[2] or ""
        if commit := re.search(r"(\d{14})-([0-9a-f]{12})$", rest):
            return f"{release}.dev{commit[1]}"
        if candidate := re.match(r"(alpha|beta|rc)\.?(\d*)$", rest):
            return release + {"alpha": "a", "beta": "b", "rc": "rc"}[candidate[1]] + (candidate[2] or "0")
        if not rest:
            return release
    return "0.0.0.dev0"


def write_wheel(program: str, version: str, tag: str, folder: str) -> str:
    """Writes a wheel, and returns its name."""
    version = python_version(version)
    info = f"marigram-{version}.dist-info"
    files = {f"marigram/{name}": read(HERE, "marigram", name) for name in FILES}
    files[f"marigram-{version}.data/scripts/{'marigram.exe' if '-win_' in tag else 'marigram'}"] = read(program)
    readme = read(HERE, "README.md").decode()
    files[f"{info}/METADATA"] = METADATA.format(version=version, readme=readme).encode()
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in tag.rpartition("-")[2].split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: marigram\nRoot-Is-Purelib: false\n{tags}".encode()
    files[f"{info}/licenses/LICENSE"] = read(os.path.dirname(HERE), "LICENSE")
    sums = [f"{name},sha256={digest(text)},{len(text)}\n" for name, text in files.items()]
    files[f"{info}/RECORD"] = "".join([*sums, f"{info}/RECORD,,\n"]).encode()
    at = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or 315532800))[:6]  # 1980: zip knows no earlier time
    name = f"marigram-{version}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, at)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            wheel.writestr(entry, text)
    return name


def read(*path: str) -> bytes:
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def digest(text: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(write_wheel(*sys.argv[1:5]))
