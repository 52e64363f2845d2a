# SPDX-License-Identifier: Apache-2.0
"""What each remedy does to the memory and to the speed of the incident's job (remedy_job.py), in interleaved rounds.

    python bench/python/remedy.py [--rounds 2] [--folder DIR] [--tidegauge build/tidegauge]

Needs torch, transformers, accelerate and pillow, 3 GB of memory and a few minutes. Prints a table in Markdown.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REMEDIES = {
    "none": "as it was",
    "cleanup": "gc, empty_cache, malloc_trim every 10 steps",
    "on_demand": "`open_on_demand(dataset)`",
    "cached": '`open_on_demand(dataset, cache="500MB")`',
}
STEPS_PER_EPOCH = 83


def run(remedy, folder, tidegauge):
    out, verdict = folder / f"{remedy}.json", folder / f"{remedy}.verdict.json"
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "python"), "HF_HUB_OFFLINE": "1"}
    job = [sys.executable, HERE / "remedy_job.py", folder / "images", remedy, out]
    under = [tidegauge, "run", "--quiet", "--interval", "200ms", "--record", folder / f"{remedy}.tg", "--json", verdict, "--"]
    subprocess.run([str(word) for word in (*under, *job)], check=True, env=environment, stdout=subprocess.DEVNULL)
    found = json.loads(out.read_text())
    found["verdict"] = json.loads(verdict.read_text())["verdicts"][0]
    return found


def milliseconds(rows, first_epoch):
    """Mean processor time of a step, in the first epoch or after it."""
    times = [b[1] - a[1] for a, b in zip(rows, rows[1:]) if (b[0] <= STEPS_PER_EPOCH) == first_epoch]
    return 1000 * statistics.mean(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tidegauge", default=HERE.parents[1] / "build" / "tidegauge")
    parser.add_argument("--folder", help="keeps images and recordings there")
    options = parser.parse_args()
    results = {remedy: [] for remedy in REMEDIES}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        for _ in range(options.rounds):
            for remedy in REMEDIES:
                results[remedy].append(run(remedy, folder, options.tidegauge))
    print("| remedy | step 10 | step 80 | step 240 | first epoch | later epochs | verdict |")
    print("|---|---|---|---|---|---|---|")
    for remedy, runs in results.items():
        sizes = {row[0]: row[2] / 2**20 for row in runs[-1]["rows"]}
        at = [f"{sizes[step]:,.0f} MiB" for step in (10, 80, 240)]
        times = [f"{statistics.median(milliseconds(one['rows'], first) for one in runs):.0f} ms" for first in (True, False)]
        print(f"| {REMEDIES[remedy]} | {' | '.join(at)} | {' | '.join(times)} | `{runs[-1]['verdict']['class']}` |")
    losses = {one["loss"] for runs in results.values() for one in runs}
    print(f"\nThe loss is {'the same to the last bit' if len(losses) == 1 else 'NOT the same: ' + repr(losses)} in all of them.")
    for line in results["cleanup"][-1]["report"]:
        print(line)


if __name__ == "__main__":
    main()
