#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time and peak memory of `judge` and `report` for files, as a table: bench/readers/cost.py BINARY [--limit SECONDS] FILE…

Hostile files come from tests/hostile_files.py.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import threading

WAYS = {"judge": ["judge"], "html": ["report", "-o", "-"], "markdown": ["report", "--markdown"], "text": ["report", "--text"]}


def cost(words, limit):
    """CPU seconds, peak resident MB, exit code (None: killed after `limit` seconds), and what was said."""
    with tempfile.TemporaryFile() as err:
        def small():
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=small)
        timer = threading.Timer(limit, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read().decode(errors="replace").strip()
    code = None if child.returncode == -9 else child.returncode
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, code, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--ways", default="judge,html")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    for path in asked.files:
        for way in asked.ways.split(","):
            seconds, megabytes, code, said = cost([asked.binary, *WAYS[way], str(path)], asked.limit)
            bad = "!" if seconds > 2 or megabytes > 200 else " "
            print(f"{bad} {path.name:45} {way:8} {seconds:7.2f} s {megabytes:7.0f} MB  exit {code}  {said[-150:]!r}", flush=True)


if __name__ == "__main__":
    main()
