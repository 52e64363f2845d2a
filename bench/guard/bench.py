# SPDX-License-Identifier: Apache-2.0
"""What becomes of jobs that leak and of jobs that do not, under the guard and under rules that others use, with real limits.

    python bench/guard/bench.py --rules guard,fixed90,fixed95,none --seeds 5 [--kinds slow,peaks] [--earlyoom PATH]
    python bench/guard/bench.py --table a.jsonl b.jsonl   # what --output left, all together; of one build, or it says so
    python bench/guard/bench.py --cost 20         # how much slower healthy jobs are

--jobs N runs so many jobs at a time, as far as 10 GB of memory go: most of them wait for the clock most of the time.

Kinds: plain Python; `native`, a C++ program that is compiled here; `loader`, with torch's workers; `hf` and `lightning`, whole trainings under the guard alone,
which have to end with the weights of an undisturbed run (--frameworks names a python with torch and both).

Each job runs in a control group of its own with a real limit (root; version 1, or version 2 where that has the memory controller). A job that was stopped or killed goes on from its last checkpoint,
its own every 100 steps or the one that it was asked for, up to twenty times. Counted are kernel kills, jobs that were stopped though they
would have ended well, and steps that had to be done again. A group's page cache counts for the fixed rules as the kernel counts it for its limit.

earlyoom looks at the machine's memory, so it gets one: a pid namespace with the job alone, and a /proc/meminfo that tells of the group, page cache
taken off, as a container with lxcfs has it; SIGTERM at 10 % free, SIGKILL at 5 %, its defaults. --earlyoom names the program.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEMORY = pathlib.Path("/sys/fs/cgroup/memory")
UNIFIED = pathlib.Path("/sys/fs/cgroup/unified")
SECOND_TOP = pathlib.Path("/sys/fs/cgroup")
LEAKS = "slow fast spiky cache tmpfs many forks huge disk native loader hf lightning".split()
TRAINERS = ("hf", "lightning")
HEALTHY = "peaks longpeaks warmup ramp saw fullcache forkpeaks".split()
LIVES = 20
MIB = 1 << 20
# In MiB, of a job with what it is lent and what watches it, and of all that run at a time.
USUAL_MEMORY, MOST_MEMORY, ALL_MEMORY = 600, {"loader": 1500, "hf": 2000, "lightning": 2000}, 10000


class Files(typing.NamedTuple):
    """What a version of control groups calls them."""

    tops: tuple
    limit: str
    usage: str
    kills: str
    cache: tuple


FIRST = Files((MEMORY, UNIFIED), "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", ("total_active_file", "total_inactive_file"))
# Where its root hands the memory controller on, as systemd has it.
SECOND = Files((SECOND_TOP,), "memory.max", "memory.current", "memory.events", ("active_file", "inactive_file"))
FILES = FIRST if MEMORY.is_dir() else SECOND


class Group:
    """Of our own, in each hierarchy."""

    def __init__(self, name, limit):
        self.folders = [top / name for top in FILES.tops]
        for folder in self.folders:
            folder.mkdir()
        if limit:
            (self.folders[0] / FILES.limit).write_text(str(limit))

    def join(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def usage(self):
        return int((self.folders[0] / FILES.usage).read_text())

    def kernel_kills(self):
        return int(re.search(r"^oom_kill (\d+)", (self.folders[0] / FILES.kills).read_text(), re.M)[1])

    def kill(self):
        (self.folders[-1] / "cgroup.kill").write_text("1")

    def remove(self):
        self.kill()
        for folder in self.folders:
            for inner in folder.glob("tidegauge-*"):
                with contextlib.suppress(OSError):
                    inner.rmdir()
            for _ in range(500):
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)


def expected(steps):
    state = ""
    for n in range(1, steps + 1):
        state = hashlib.sha256(f"{state}{n}".encode()).hexdigest()
    return state


def expected_of(kind, case):
    if kind != "native":
        return expected(case.steps)
    state = 0
    for n in range(1, case.steps + 1):
        state = (state * 6364136223846793005 + n) % 2**64
    return str(state)


def command_of(kind, folder, case):
    if kind == "native":
        return [case.native, folder, case.limit, case.steps, case.seed]
    if kind == "loader":
        return [case.frameworks, HERE / "job.py", kind, folder, "--limit", case.limit, "--steps", case.steps, "--seed", case.seed]
    return [sys.executable, HERE / "job.py", kind, folder, "--limit", case.limit, "--steps", case.steps, "--seed", case.seed]


def environment(folder):
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "XDG_DATA_HOME": str(folder / "data")}


def last_checkpoint(folder):
    return max(folder.glob("state-*.json"), key=lambda path: int(path.stem.split("-")[1]), default=None)


def run_guard(kind, folder, case, group):
    """All lives are the guard's business."""
    words = [case.tidegauge, "run", "--no-history", "--guard", "--limit", f"{case.limit}MiB", f"--restart-on-limit={LIVES}", "--no-record"]
    done = subprocess.run([str(word) for word in [*words, "--", *command_of(kind, folder, case)]], preexec_fn=group.join, env=environment(folder),
                          capture_output=True, text=True)  # fmt: skip
    return counts_of(done)


def counts_of(done):
    said = done.stderr
    times = said.count
    return {"stops": times("guard: asked it to save and end"), "kills": times("guard: killed it at"), "asks": times("guard: asked it for a checkpoint"),
            "kernel": sum(map(int, re.findall(r"(\d+) processes killed by the kernel", said))), "code": done.returncode, "said": said}  # fmt: skip


def run_fixed(share, interval):
    """Kills when the group is that full, as the rules in scripts and sidecars do."""

    def run(kind, folder, case, group):
        counts = {"stops": 0, "kills": 0, "asks": 0, "kernel": 0}
        for _ in range(LIVES + 1):
            variables = environment(folder)
            if checkpoint := last_checkpoint(folder):
                variables["TIDEGAUGE_RESUME"] = str(checkpoint)
            before = group.kernel_kills()
            job = subprocess.Popen([str(word) for word in command_of(kind, folder, case)], preexec_fn=group.join, env=variables, stderr=subprocess.DEVNULL)
            killed = False
            while job.poll() is None:
                if share and group.usage() >= share * case.limit * MIB:
                    group.kill()
                    killed = True
                time.sleep(interval)
            counts["kills"] += killed
            counts["kernel"] += group.kernel_kills() - before
            group.kill()
            if (folder / "result").exists():
                break
        return counts

    return run


MEMINFO = "MemTotal: {:12} kB\nMemFree: {:12} kB\nMemAvailable: {:12} kB\nBuffers: 0 kB\nCached: 0 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
IN_NAMESPACE = 'mount --bind "$1" /proc/meminfo && ("$2" -r 3600 > "$3" 2>&1 &) && shift 3 && "$@"'


def run_earlyoom(kind, folder, case, group):
    counts = {"stops": 0, "kills": 0, "asks": 0, "kernel": 0}
    told, log = folder / "meminfo", folder / "earlyoom.log"

    def tell():
        stat = dict(line.split() for line in (group.folders[0] / "memory.stat").read_text().splitlines())
        used = group.usage() - sum(int(stat[name]) for name in FILES.cache)
        free = max(case.limit * MIB - used, 0) >> 10
        with open(told, "r+" if told.exists() else "w") as file:
            file.write(MEMINFO.format(case.limit << 10, free, free))

    for _ in range(LIVES + 1):
        variables = environment(folder)
        if checkpoint := last_checkpoint(folder):
            variables["TIDEGAUGE_RESUME"] = str(checkpoint)
        before = group.kernel_kills()
        tell()
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", IN_NAMESPACE, "sh", told, case.earlyoom, log]
        job = subprocess.Popen([str(word) for word in [*words, *command_of(kind, folder, case)]], preexec_fn=group.join, env=variables,
                               stderr=subprocess.DEVNULL)  # fmt: skip
        while job.poll() is None:
            tell()
            time.sleep(0.005)
        counts["kills"] += bool(re.search(r"sending SIG\w+ to process", log.read_text()))
        counts["kernel"] += group.kernel_kills() - before
        group.kill()
        if (folder / "result").exists():
            break
    return counts


RULES = {"guard": run_guard, "fixed90": run_fixed(0.90, 0.1), "fixed95": run_fixed(0.95, 0.1), "none": run_fixed(0, 0.1), "bare": run_fixed(0, 0.1), "earlyoom": run_earlyoom}


def run_trainer(kind, folder, case, group):
    """The guard and a whole training, and the same without a leak or a guard."""
    job = [case.frameworks, ROOT / "tests" / "frameworks" / "jobs" / "asked.py", kind]
    variables = environment(folder)
    whole = subprocess.Popen([str(word) for word in [*job, "whole", folder / "whole"]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=variables)
    wanted = whole.stdout.read().splitlines()[-1]
    _, whole.returncode, used = os.wait4(whole.pid, 0)
    words = [case.tidegauge, "run", "--no-history", "--guard", "--limit", f"{used.ru_maxrss // 1024 + 40 * (case.seed % 3)}MiB",
             f"--restart-on-limit={LIVES}", "--no-record"]  # fmt: skip
    done = subprocess.run([str(word) for word in [*words, "--", *job, "leaks", folder / "leaks"]], preexec_fn=group.join, env=variables, capture_output=True, text=True)
    counts = counts_of(done)
    if done.returncode == 0:
        (folder / "result").write_text("equal" if done.stdout.splitlines()[-1] == wanted else "other weights")
    # Each life goes on where the one before has ended; one that was killed on its way out, after its save, does not say where that was.
    end, counts["again"], counts["lives"] = None, 0, 1
    for line in done.stdout.splitlines():
        if ended := re.match(r"end (\d+) ", line):
            end = int(ended[1])
        elif begins := re.match(r"tidegauge: resumed from \S*?(\d+)(?:\.ckpt)?$", line):
            counts["again"] += end - int(begins[1]) if end is not None else 0
            counts["lives"] += 1
            end = None
    return counts


class Case:
    def __init__(self, options, kind, seed):
        self.tidegauge = options.tidegauge
        self.earlyoom = options.earlyoom
        self.seed = seed
        self.limit = (600 if kind == "loader" else 100) + 40 * (seed % 4)
        self.frameworks = options.frameworks
        self.native = options.native
        self.steps = 400 if kind in LEAKS else 300


def measure(rule, kind, case):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidegauge-bench-"))
    group = Group(f"tg_bench_{os.getpid()}_{rule}_{kind}_{case.seed}", 0 if rule in ("guard", "bare") else case.limit * MIB)
    began = time.monotonic()
    try:
        trainer = kind in TRAINERS
        counts = (run_trainer if trainer else RULES[rule])(kind, folder, case, group)
        counts["seconds"] = round(time.monotonic() - began, 2)
        result = folder / "result"
        counts["done"] = result.exists()
        counts["equal"] = result.exists() and result.read_text() == ("equal" if trainer else expected_of(kind, case))
        steps = (folder / "steps").read_text().split() if (folder / "steps").exists() else []
        counts.setdefault("again", len(steps) - len(set(steps)))
        if (folder / "cost").exists():
            counts["wall"], counts["cpu"] = map(float, (folder / "cost").read_text().split())
        return counts
    finally:
        group.remove()
        shutil.rmtree(folder)


def compile_native():
    program = pathlib.Path(tempfile.mkdtemp(prefix="tidegauge-native-")) / "native"
    subprocess.run(["g++", "-O2", "-std=c++20", "-I", ROOT / "src", "-o", program, HERE / "native.cc"], check=True)
    return program


def cost(options):
    """Healthy jobs with and without the guard in turns: time that they take for their steps, and CPU time of their own."""
    pairs = []
    for turn in range(options.cost):
        kind = HEALTHY[turn % len(HEALTHY)]
        case = Case(options, kind, turn)
        order = ("guard", "bare") if turn % 2 else ("bare", "guard")
        seen = {rule: measure(rule, kind, case) for rule in order}
        pairs.append((seen["guard"]["wall"] / seen["bare"]["wall"] - 1, seen["guard"]["cpu"] / seen["bare"]["cpu"] - 1))
        print(kind, turn, " ".join(f"{100 * share:+.2f} %" for share in pairs[-1]), flush=True)
    for name, shares in zip(("time of the steps", "CPU time of the job"), zip(*pairs)):
        middle = statistics.median(shares)
        means = sorted(statistics.fmean(random.Random(n).choices(shares, k=len(shares))) for n in range(2000))
        print(f"{name}: median {100 * middle:+.2f} %, mean {100 * statistics.fmean(shares):+.2f} % ({100 * means[50]:+.2f} to {100 * means[-51]:+.2f})")


def build_of(options):
    """The commit, and the program itself, since that may be of another."""
    commit = options.commit or subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    return f"{commit[:12]} {hashlib.sha256(options.tidegauge.read_bytes()).hexdigest()[:12]}"


def print_table(rows):
    for build in sorted({row["build"] for row in rows}):
        print("build", build)
    print(f"{'rule':8} {'jobs':8} {'n':>4} {'kernel kills':>12} {'jobs killed':>11} {'kills':>6} {'stops':>6} {'asks':>5} {'steps again':>11} {'done':>5} {'equal':>6}")
    for rule in RULES:
        for leak in (True, False):
            some = [row for row in rows if row["rule"] == rule and row["leak"] == leak]
            if some:
                total = {name: sum(row[name] for row in some) for name in ("kernel", "kills", "stops", "asks", "again", "done", "equal")}
                killed = sum(1 for row in some if row["kills"])
                print(f"{rule:8} {'leaking' if leak else 'healthy':8} {len(some):4} {total['kernel']:12} {killed:11} {total['kills']:6} {total['stops']:6} "
                      f"{total['asks']:5} {total['again']:11} {total['done']:5} {total['equal']:6}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="guard,fixed90,fixed95,none")
    parser.add_argument("--kinds", default=",".join(LEAKS + HEALTHY))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--tidegauge", type=pathlib.Path, default=ROOT / "build" / "tidegauge")
    parser.add_argument("--earlyoom", default="earlyoom")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--frameworks", default=sys.executable, help="a python with torch, transformers and Lightning")
    parser.add_argument("--cost", type=int, help="so many pairs of healthy jobs, with and without the guard")
    parser.add_argument("--commit", help="that tidegauge was built from; otherwise the one that is checked out here")
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    parser.add_argument("--table", type=pathlib.Path, nargs="+", help="print the table of these outputs")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.table:
        return print_table([json.loads(line) for path in options.table for line in path.read_text().splitlines()])
    options.native = compile_native() if "native" in options.kinds else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.cost:
        return cost(options)
    cases = [(rule, kind, seed) for rule in options.rules.split(",") for kind in options.kinds.split(",")
             for seed in range(options.first, options.first + options.seeds)
             if kind not in TRAINERS or rule == "guard"]  # fmt: skip  # those save only when they are asked
    most = max(MOST_MEMORY.get(kind, USUAL_MEMORY) for _, kind, _ in cases)
    build, rows = build_of(options), []
    with concurrent.futures.ProcessPoolExecutor(max(min(options.jobs, ALL_MEMORY // most), 1)) as pool:
        running = {pool.submit(measure, rule, kind, Case(options, kind, seed)): (rule, kind, seed) for rule, kind, seed in cases}
        for future in concurrent.futures.as_completed(running):
            rule, kind, seed = running[future]
            counts = future.result()
            said = counts.pop("said", "")
            rows.append({"build": build, "rule": rule, "kind": kind, "leak": kind in LEAKS, "seed": seed, **counts})
            print(rule, kind, seed, counts, flush=True)
            if options.v or not counts["equal"] or counts["kernel"]:
                print("\n".join(line for line in said.splitlines() if "guard" in line), flush=True)
    if options.output:
        options.output.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print_table(rows)


main()
