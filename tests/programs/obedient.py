# SPDX-License-Identifier: Apache-2.0
"""Does with its memory and its processes what lines on stdin say, and answers each with a line on stdout."""
import ctypes
import os
import signal
import sys

held = []
children = []


def grow(count):
    block = bytearray(int(count))
    block[::4096] = b"x" * len(block[::4096])  # touch every page, without a copy of the whole
    held.append(block)
    return "grown"


def shrink():
    held.clear()
    return "shrunk"


def fork(count):
    for _ in range(int(count)):
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        children.append(pid)
    return " ".join(map(str, children))


def end_children():
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    children.clear()
    return "ended"


def rename(*words):
    ctypes.CDLL(None).prctl(15, " ".join(words).encode(), 0, 0, 0)  # PR_SET_NAME
    return "renamed"


def orphan():
    """A grandchild whose parent exits: the kernel gives it to somebody else."""
    read, write = os.pipe()
    middle = os.fork()
    if middle == 0:
        grandchild = os.fork()
        if grandchild == 0:
            signal.pause()
            os._exit(0)
        os.write(write, str(grandchild).encode())
        signal.pause()  # until told: the watcher must have seen it with its parent
    children.append(middle)
    return os.read(read, 32).decode()


def execute():
    print("executing", flush=True)
    os.execv(sys.executable, [sys.executable, __file__])


COMMANDS = {"grow": grow, "shrink": shrink, "fork": fork, "end_children": end_children, "rename": rename,
            "orphan": orphan, "exec": execute}  # fmt: skip

print("ready", flush=True)
while line := sys.stdin.readline():
    name, *words = line.split()
    if name == "exit":
        break
    print(COMMANDS[name](*words), flush=True)
