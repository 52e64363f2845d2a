#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time and peak memory of `judge` and `report` for files, as a table: bench/readers/measure.py BINARY [--limit SECONDS] FILE…

Hostile files come from tests/hostile_files.py.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "programs"))
from cost import cost  # noqa: E402

WAYS = {"judge": ["judge"], "html": ["report", "-o", "-"], "markdown": ["report", "--markdown"], "text": ["report", "--text"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--ways", default="judge,html")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    for path in asked.files:
        for way in asked.ways.split(","):
            found = cost([asked.binary, *WAYS[way], str(path)], asked.limit)
            seconds, megabytes, code, said = found["seconds"], found["megabytes"], found["code"], found["said"].strip()
            bad = "!" if seconds > 2 or megabytes > 200 else " "
            print(f"{bad} {path.name:45} {way:8} {seconds:7.2f} s {megabytes:7.0f} MB  exit {code}  {said[-150:]!r}", flush=True)


if __name__ == "__main__":
    main()
