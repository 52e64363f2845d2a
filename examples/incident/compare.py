# SPDX-License-Identifier: Apache-2.0
"""Puts runs of the job side by side: what was said of their memory, and how long their steps took.

    compare.py FOLDER NAME NAME…     reads FOLDER/NAME.json (tidegauge run --json) and FOLDER/NAME/diary.json
"""
import json
import pathlib
import statistics
import sys

GIB = 1 << 30


def size(number) -> str:
    return f"{number / GIB:.2f} GiB"


def cause(verdict) -> str:
    if not verdict["causes"]:
        return "nothing piles up"
    first = verdict["causes"][0]
    return f"{size(first['bytes'])}: {first['kind']}, held by `{first['retained_by']}`"


def column(folder, name) -> dict:
    verdict = json.loads((folder / f"{name}.json").read_text())["verdicts"][0]
    diary = json.loads((folder / name / "diary.json").read_text())
    words = verdict["words"]
    settled = verdict["settled"] and verdict["settled"]["at_step"]
    return {
        "verdict": f"{words['tag']}: {words['headline']}",
        "what stays": size(verdict["levels"]["floor_bytes"]),
        "peak": size(verdict["levels"]["peak_bytes"]),
        "settled at step": f"{settled:.0f}" if settled else "–",
        "what piles up": cause(verdict),
        "seconds a step (median)": f"{statistics.median(diary['seconds_per_step']):.3f}",
        "last loss": repr(diary["losses"][-1]),
    }


def main():
    folder, *names = sys.argv[1:]
    columns = {name: column(pathlib.Path(folder), name) for name in names}
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for label in next(iter(columns.values())):
        print(f"| {label} | " + " | ".join(columns[name][label] for name in names) + " |")


if __name__ == "__main__":
    main()
