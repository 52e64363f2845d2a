#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of tests/programs/truth under `tidegauge run` and compares its verdicts with what they are.

A run of 60 s plays a job of two hours: the longest warm-up that is expected is scaled alike (40 min become 20 s).
Recordings are kept, so that a changed engine can judge them again: --again.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "tests" / "programs" / "truth"
WARM_UP_SHARE = 1 / 3  # of the run: the longest warm-up that the judge is told to expect
COMPILERS = {".c": ["cc", "-std=gnu11"], ".cc": ["c++", "-std=c++20"]}


def built(program, folder):
    """The command that starts a program, after compiling it where it needs that."""
    source = TRUTH / program
    if source.suffix == ".py":
        return [sys.executable, str(source)]
    binary = folder / source.stem
    flags = ["-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*COMPILERS[source.suffix], *flags, source, "-o", binary, "-lm", "-lpthread"], check=True)
    return [str(binary)]


def run(options, program, seed):
    """Runs one program to its end; returns the path of its recording."""
    stem = f"{pathlib.Path(program).stem}-{seed}"
    recording = options.out / f"{stem}.tg"
    recording.unlink(missing_ok=True)
    command = built(program, options.out)
    done = subprocess.run(
        [options.tidegauge, "run", "--interval", f"{options.interval}s", "--longest-warm-up",
         f"{options.seconds * WARM_UP_SHARE}s", "--record", recording, "--", *command, str(options.seconds), str(seed)],
        capture_output=True, text=True, timeout=options.seconds * 3 + 60,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr[-500:]}")
    return recording


def judged(options, recording):
    """All verdicts on a recording: the tree's first, then one per process and kind."""
    done = subprocess.run(
        [options.tidegauge, "judge", recording, "--json", "--longest-warm-up", f"{options.seconds * WARM_UP_SHARE}s"],
        capture_output=True, text=True, timeout=120,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"judging {recording} ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)["verdicts"]


def grade(entry, verdict):
    """right: a class that is true of it; abstained; false alarm, missed leak, or another wrong word."""
    said = verdict["class"]
    if said in (entry["truth"], *entry.get("also", [])):
        return "right"
    if said == "undecided":
        return "abstained"
    if said == "leak":
        return "FALSE ALARM"
    return "MISSED LEAK" if entry["truth"] == "leak" else "other word"


def one(options, entry, seed):
    stem = f"{pathlib.Path(entry['program']).stem}-{seed}"
    recording = options.out / f"{stem}.tg" if options.again else run(options, entry["program"], seed)
    verdict, *parts = judged(options, recording)
    rate = (verdict.get("growth") or {}).get("bytes_per_minute")
    return {
        "program": entry["program"], "seed": seed, "truth": entry["truth"], "verdict": verdict["class"],
        "p_leak": verdict["p_leak"], "grade": grade(entry, verdict), "mib_per_minute": rate and rate["value"] / 2**20,
        "leaking_parts": sum(part["class"] == "leak" for part in parts), "evidence": verdict["evidence"],
    }


def table(rows):
    lines = [f"{'program':<28} {'truth':<9} {'verdict':<10} {'p_leak':>6}  {'MiB/min':>8}  {'grade':<12} parts called leak"]
    for row in rows:
        rate = "" if row["mib_per_minute"] is None else f"{row['mib_per_minute']:.1f}"
        lines.append(f"{row['program']:<28} {row['truth']:<9} {row['verdict']:<10} {row['p_leak']:>6.3f}  {rate:>8}  {row['grade']:<12} {row['leaking_parts'] or ''}".rstrip())
    return "\n".join(lines)


def summary(rows):
    leaks = [row for row in rows if row["truth"] == "leak"]
    others = [row for row in rows if row["truth"] != "leak"]
    count = lambda those, grade: sum(row["grade"] == grade for row in those)  # noqa: E731
    return (
        f"{len(leaks)} leaks: {count(leaks, 'right')} found, {count(leaks, 'abstained')} abstained, {count(leaks, 'MISSED LEAK')} missed\n"
        f"{len(others)} others: {count(others, 'FALSE ALARM')} false alarms "
        f"({sum(row['leaking_parts'] > 0 for row in others)} in a part), {count(others, 'right')} named rightly, "
        f"{count(others, 'abstained')} abstained, {count(others, 'other word')} another word"
    )


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegauge", type=pathlib.Path, default=ROOT / "build" / "tidegauge")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "programs", help="where recordings are kept")
    parser.add_argument("--seconds", type=float, default=60, help="length of each run")
    parser.add_argument("--interval", type=float, default=0.1, help="seconds between samples")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each program")
    parser.add_argument("--parallel", type=int, default=4, help="programs at a time")
    parser.add_argument("--only", action="append", help="only this program (again for more)")
    parser.add_argument("--again", action="store_true", help="judge the kept recordings again, run nothing")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows to this file")
    return parser.parse_args()


def main():
    options = parsed()
    options.out.mkdir(parents=True, exist_ok=True)
    entries = json.loads((TRUTH / "truth.json").read_text())
    chosen = [entry for entry in entries if not options.only or entry["program"] in options.only]
    jobs = [(entry, seed) for entry in chosen for seed in range(1, options.seeds + 1)]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        for row in pool.map(lambda job: one(options, *job), jobs):
            rows.append(row)
            print(f"{len(rows)} of {len(jobs)}: {row['program']} {row['verdict']}", file=sys.stderr)
    print(table(rows))
    print()
    print(summary(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
