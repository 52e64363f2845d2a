#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does it keep up with one tree of 10,000 processes? many.py BUILD [--processes 10000] [--seconds 60]

Watches them when asked for 1 Hz: looking costs too much then, so the interval is stretched, and that is said.
Says how far apart the looks are, what they cost and what else was said. Fails where a process is missed, or
where the interval is stretched in silence.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare import cpu_ns, machine, rss_mib, tree  # noqa: E402

ASKED_SECONDS = 1
FIRST_LOOKS = 5  # until it is known what a look costs
SHARE_OF_A_CORE = 0.02  # that looking may take; src/proc/interval.cc


def watch(build: pathlib.Path, pid: int, seconds: float, folder: str) -> tuple:
    """When each sample was taken and of how many processes, what was said, CPU seconds since the first looks, RSS."""
    words = ["watch", str(pid), "--json", "--interval", f"{ASKED_SECONDS}s", "--for", f"{seconds}s", "--record", f"{folder}/recording"]
    gauge = subprocess.Popen([build / "tidegauge", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    samples, rss, begun, spent = [], 0.0, 0, 0
    for line in map(json.loads, gauge.stdout):
        if line["type"] != "sample":
            continue
        samples.append((line["seconds"], len(line["processes"])))
        rss = max(rss, rss_mib(gauge.pid))
        spent = cpu_ns(gauge.pid)
        begun = begun or (spent if len(samples) > FIRST_LOOKS else 0)
    said = gauge.stderr.read()
    gauge.wait()
    return samples, said, (spent - begun) / 1e9, rss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if limit != resource.RLIM_INFINITY and limit < options.processes + 1000:
        print(f"Not measured: this user may have {limit} processes (ulimit -u).")
        return
    print(f"# A tree of many processes\n\n{machine()}\n")
    with tree(options.build.resolve(), "1MB", str(options.processes), "0") as pid, tempfile.TemporaryDirectory() as folder:
        samples, said, cpu, rss = watch(options.build.resolve(), pid, options.seconds, folder)
    seen = {count for _, count in samples}
    if seen != {options.processes + 1}:
        raise SystemExit(f"of {options.processes + 1} processes these many were seen: {sorted(seen)}")
    later = [at for at, _ in samples][FIRST_LOOKS:]
    apart = (later[-1] - later[0]) / (len(later) - 1) if len(later) > 1 else float("nan")
    stretched = [line for line in said.splitlines() if "instead of every" in line]
    if apart > 2 * ASKED_SECONDS and len(stretched) != 1:
        raise SystemExit(f"looks are {apart:.1f} s apart, and what was said of it is: {said or 'nothing'}")
    share = 100 * cpu / (later[-1] - later[0]) if len(later) > 1 else float("nan")
    print(f"{options.processes + 1:,} processes, asked for a look every {ASKED_SECONDS} s: {len(samples)} looks, all of them in each; "
          f"looks {apart:.3g} s apart, {share:.2g} % of one core (at most {100 * SHARE_OF_A_CORE:g} % for looking), {rss:.1f} MiB of our own RSS.\n")
    print("It said: " + ("; ".join(stretched) or "nothing"))


if __name__ == "__main__":
    main()
