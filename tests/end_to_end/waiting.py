# SPDX-License-Identifier: Apache-2.0
"""To wait for what files and processes tell by themselves: the kernel says when a folder changes, and when a process ends."""
import ctypes
import os
import select
import time

PATIENCE = 120  # seconds, for what comes by itself: a busy machine is no reason to fail
# inotify: modified, closed after writing, moved from and to, created, deleted.
CHANGES = 0x2 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200


def wait_for_change(folders, true, what):
    """Until `true()`, which only a change in one of the folders can bring about."""
    end = time.monotonic() + PATIENCE
    libc = ctypes.CDLL(None, use_errno=True)
    changes = libc.inotify_init1(os.O_CLOEXEC)
    try:
        for folder in folders:
            assert libc.inotify_add_watch(changes, bytes(folder), CHANGES) >= 0, (folder, os.strerror(ctypes.get_errno()))
        while not true():
            ready, _, _ = select.select([changes], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{what} did not come to be"
            os.read(changes, 1 << 16)
    finally:
        os.close(changes)


def wait_for_text(path, is_it):
    """The text of a file, once it is there and `is_it(text)`."""
    read = {}

    def look():
        try:
            read["text"] = path.read_text()
        except FileNotFoundError:
            read["text"] = ""
        return is_it(read["text"])

    wait_for_change([path.parent], look, f"the text of {path.name}")
    return read["text"]


def wait_for_recording(path):
    """Until it has begun. Before that `run` tries whether it can be made, with one byte, which it takes away again."""

    def has_begun():
        try:
            return path.stat().st_size > 1
        except FileNotFoundError:
            return False

    wait_for_change([path.parent], has_begun, "the recording")


def best_of(attempt, is_good, times=3):
    """What `attempt()` gives, tried again where it is not good: for what we promise only where the machine has a core for us within
    milliseconds. What is never good stays so."""
    for _ in range(times):
        result = attempt()
        if is_good(result):
            break
    return result


def wait_for_end(*pids):
    """Whoever is nobody's child of ours, and may be gone already."""
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            ready, _, _ = select.select([handle], [], [], PATIENCE)
            assert ready, f"process {pid} did not end"
        finally:
            os.close(handle)
