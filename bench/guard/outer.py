# SPDX-License-Identifier: Apache-2.0
"""What becomes of jobs that fill memory quickly where the limit is that of a group which they share with the guard, so that nothing can be lent.

    python bench/guard/outer.py [--tidegauge PATH] [--seeds 3] [--manners populate,memset,read,huge] [--steps 12] [--pause MS] [--deaf]
                                [--read-only] [--no-priority]

Each job is bench/guard/native.cc, which takes 50, 75 or 100 MiB in each step, in a group of version 1 with 300 or 500 MiB (root). It is started
again up to ten times from the last checkpoint that it was asked for. --deaf: it cannot be asked. --read-only: control groups can only be
read. --no-priority: tidegauge may not run before others.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOPS = (pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup/unified"))
SHUT = " && ".join(f"mount -o bind,ro {top} {top}" for top in (*TOPS, "/sys/fs/cgroup/freezer"))
LIVES = 10


def groups(name, limit):
    folders = [top / name for top in TOPS]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "memory.limit_in_bytes").write_text(str(limit << 20))
    return folders


def remove(folders):
    (folders[1] / "cgroup.kill").write_text("1")
    for folder in folders:
        for _ in range(500):
            with contextlib.suppress(OSError):
                for inner in folder.glob("tidegauge-*"):
                    inner.rmdir()
                folder.rmdir()
                break
            time.sleep(0.01)


def measure(options, native, manner, limit, size, seed):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidegauge-outer-"))
    folders = groups(f"tg_outer_{os.getpid()}_{manner}_{limit}_{size}_{seed}", limit)

    def join():
        for group in folders:
            (group / "cgroup.procs").write_text("0")

    words = [options.tidegauge, "run", "--no-history", "--no-record", "--no-hooks", "--guard", f"--restart-on-limit={LIVES}"]
    if options.deaf:
        words += ["--guard-without", "ask"]
    if options.read_only:
        words = ["unshare", "--mount", "sh", "-c", f'{SHUT} && exec "$@"', "sh", *words]
    if options.no_priority:
        words = ["setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice", *words]
    words += ["--", native, folder, limit, options.steps, seed, manner, size, options.pause]
    try:
        done = subprocess.run([str(word) for word in words], preexec_fn=join, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        ends = re.findall(r"^guard +(.*?);", done.stderr, re.M)
        steps = (folder / "steps").read_text().split() if (folder / "steps").exists() else []
        return {"lives": len(ends), "kernel": sum("kernel" in end for end in ends), "machine": sum("machine" in end for end in ends),
                "killed": done.stderr.count("guard: killed it at"), "saved": done.stderr.count("guard: it saved"),
                "again": len(steps) - len(set(steps)), "done": (folder / "result").exists()}  # fmt: skip
    finally:
        remove(folders)
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegauge", type=pathlib.Path, default=ROOT / "build" / "tidegauge")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--manners", default="populate,memset,read,huge")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--pause", type=int, default=20)
    for name in ("deaf", "read-only", "no-priority"):
        parser.add_argument("--" + name, action="store_true")
    options = parser.parse_args()
    native = pathlib.Path(tempfile.mkdtemp(prefix="tidegauge-native-")) / "native"
    subprocess.run(["g++", "-O2", "-std=c++20", "-I", ROOT / "src", "-o", native, HERE / "native.cc"], check=True)
    for manner in options.manners.split(","):
        rows = [measure(options, native, manner, limit, size, seed) for limit in (300, 500) for size in (50, 75, 100) for seed in range(options.seeds)]
        print(f"{manner:9}", len(rows), "jobs:", ", ".join(f"{name} {sum(row[name] for row in rows)}" for name in rows[0]), flush=True)
    shutil.rmtree(native.parent)


main()
