"""A policy that tries to see what it must not: it prints what it managed, and nothing else."""
import os
import socket
import sys

secret, port = sys.argv[1], int(sys.argv[2])
found = []


def tried(what, do):
    try:
        if do() is not False:
            found.append(what)
    except (OSError, ImportError, AttributeError):
        pass


def shared_memory():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.shmget(0x4D415249, 16, 0) >= 0


def write(path):
    with open(path, "w") as f:
        f.write("x")


parent = os.getppid() or int(sys.argv[3])
tried("the secret", lambda: open(secret).read())
tried("the folder of the secret", lambda: os.listdir(os.path.dirname(secret)))
tried("the command line of its starter", lambda: open(f"/proc/{sys.argv[3]}/cmdline").read())
tried("the environment of its starter", lambda: open(f"/proc/{sys.argv[3]}/environ", "rb").read())
tried("the memory of its starter", lambda: open(f"/proc/{sys.argv[3]}/mem", "rb").read(1))
tried("the descriptors of its starter", lambda: os.listdir(f"/proc/{sys.argv[3]}/fd"))
tried("a signal to its starter", lambda: os.kill(int(sys.argv[3]), 0))
tried("its environment", lambda: any(k not in ("PATH", "LC_ALL", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE") for k in os.environ))
tried("a descriptor", lambda: any(os.path.exists(f"/dev/fd/{i}") for i in range(3, 256)))
for i in range(3, 256):
    tried(f"descriptor {i}", lambda: os.fstat(i))
tried("the home folder", lambda: os.listdir(os.path.expanduser("~root")))
tried("passwords", lambda: open("/etc/passwd").read())
tried("to write where it runs", lambda: write("left-behind"))
tried("to write where all can", lambda: write("/tmp/left-behind"))
tried("the shared memory of others", shared_memory)
tried("the network", lambda: socket.create_connection(("127.0.0.1", port), 1))
tried("an abstract socket", lambda: socket.socket(socket.AF_UNIX).connect("\0" + f"marigram-{port}"))
tried("another program of the system", lambda: os.listdir("/opt"))
print("\n".join(found))
