# SPDX-License-Identifier: Apache-2.0
"""Any of the guard's processes killed or stopped while a real job is in each of its states.

    python bench/guard/kills.py                    # a sample of the table in docs/guard.md, half a minute
    python bench/guard/kills.py --table            # all of it
    python bench/guard/kills.py --schedules 300    # of random kills and stops at random moments; --seed 1

Needs root and control groups of version 1 with memory, beside version 2; the python of `tools/venv test`. --jobs N: so many at a time.
Ends with 1 if any case went wrong.
"""
import argparse
import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = ROOT / "tests" / "programs" / "guarded.py"
MEMORY, UNIFIED, FREEZER = (pathlib.Path("/sys/fs/cgroup", name) for name in ("memory", "unified", "freezer"))
WHOM = ("gauge", "tg-guard", "tg-guard-twin", "tg-keeper")
STATES = ("running", "frozen", "stopped by signals", "stopping", "terminating")
HARMS = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}
PATIENCE = 60
LOOK_SECONDS = 5
# Of a freeze after the harm, as docs/guard.md has it; what comes on top is for a machine that has other things to do.
AT_ONCE, SILENT, SLACK = 0.5, 2.5, 3
SAMPLE = [  # all that is rare, quick, or was broken
    ("frozen", ("tg-guard", "tg-guard-twin"), "killed"), ("frozen", ("gauge", "tg-guard", "tg-guard-twin"), "killed"),
    ("frozen", WHOM[1:], "killed"), ("frozen", WHOM, "killed"), ("frozen", ("tg-guard", "tg-guard-twin"), "stopped"), ("frozen", WHOM[1:], "stopped"),
    ("stopped by signals", ("tg-guard", "tg-guard-twin"), "killed"), ("stopping", ("tg-guard",), "killed"), ("terminating", ("tg-guard",), "killed"),
]  # fmt: skip


class Wrong(Exception):
    pass


def until(true, what, seconds=PATIENCE):
    """For what nobody tells. How long it took."""
    begin = time.monotonic()
    while not (found := true()):
        if time.monotonic() > begin + seconds:
            raise Wrong(f"{what}: not within {seconds} s")
        time.sleep(0.0005)
    return found, time.monotonic() - begin


def state_of(pid):
    with contextlib.suppress(OSError):
        return re.match(r"\d+ \(.*\) (\S)", pathlib.Path(f"/proc/{pid}/stat").read_text(), re.S)[1]
    return "gone"


def name_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def children_of(pid):
    with contextlib.suppress(OSError):
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


class Run:
    """A guarded job in groups of its own."""

    count = itertools.count()

    def __init__(self, tidegauge, manner, options, steps=1000, objects=0, by_signals=False):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tg-kills-"))
        self.folders = [top / f"tg_kills_{os.getpid()}_{next(self.count)}" for top in (MEMORY, UNIFIED)]
        for folder in self.folders:
            folder.mkdir()
        self.by_signals = by_signals
        words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--look-time", f"{LOOK_SECONDS}s", *options,
                 "--", sys.executable, JOB, self.home, 1, steps, manner]  # fmt: skip
        if by_signals:
            shut = " && ".join(f"mount -o bind,ro {top} {top}" for top in (MEMORY, UNIFIED, FREEZER) if top.exists())
            words = ["unshare", "--mount", "sh", "-c", f'{shut} && exec "$@"', "sh", *words]
        variables = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "GUARDED_OBJECTS": str(objects), "HOME": str(self.home)}
        self.gauge = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      preexec_fn=self.join, env=variables, start_new_session=True)  # fmt: skip
        self.said = {"out": [], "errors": []}
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True) for pair in ((self.gauge.stdout, "out"), (self.gauge.stderr, "errors"))]
        for reader in self.readers:
            reader.start()
        (line, _) = until(lambda: next((line for line in self.said["out"] if line.startswith("from ")), None), "the job's first word")
        self.job = int(line.split()[2])
        self.ours = {"gauge": self.gauge.pid}
        until(self.knows_ours, "the guard's line")

    def knows_ours(self):
        """Each gives itself its name when it gets a core."""
        for pid in children_of(self.gauge.pid):
            if name_of(pid) in WHOM:
                self.ours[name_of(pid)] = pid
        return len(self.ours) == len(WHOM)

    def join(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def read(self, file, name):
        for line in file:
            self.said[name].append(line)

    def errors(self):
        return "".join(self.said["errors"])

    def says(self, *words):
        return any(word in self.errors() for word in words)

    def stands_still(self):
        if self.by_signals:
            return state_of(self.job) == "T"
        with contextlib.suppress(OSError, ValueError):
            (group,) = self.folders[1].glob("tidegauge-*")
            return "frozen 1" in (group / "cgroup.events").read_text()
        return False

    def saves(self):
        return any(line.startswith("saving") for line in self.said["out"])

    def steps(self):
        return sum(line.startswith("step ") for line in self.said["out"])

    def line(self):
        """Those that may act, as they are now."""
        found = [pid for pid in children_of(self.gauge.pid) if name_of(pid) in WHOM[1:]]
        return found or [pid for name, pid in self.ours.items() if name != "gauge" and state_of(pid) not in ("gone", "Z")]

    def harm(self, whom, how):
        # Those that might do something about the others last.
        for name in sorted(whom, key=WHOM.index, reverse=True):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.ours[name], signal.SIGSTOP)
        for name in whom if how == "killed" else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.ours[name], signal.SIGKILL)

    def person_lets_go_on(self, how):
        """What docs/guard.md says is left to do where all of ours are gone."""
        if how == "stopped":
            for pid in self.ours.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        elif self.by_signals:
            os.kill(self.job, signal.SIGCONT)
        else:
            for group in self.folders[1].glob("tidegauge-*"):
                (group / "cgroup.freeze").write_text("0")

    def open_pipe(self, name):
        """Whoever writes waits until it is read."""
        if (self.home / name).exists():
            threading.Thread(target=(self.home / name).write_text, args=("go\n",), daemon=True).start()

    def finish(self):
        return self.gauge.wait(timeout=PATIENCE)

    def made(self):
        return [path for folder in self.folders for path in folder.glob("tidegauge-*")]

    def remove(self):
        for folder in self.folders:
            for path, _, _ in os.walk(folder):
                for pid in (pathlib.Path(path) / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
            for path, _, _ in os.walk(folder):
                with contextlib.suppress(OSError):
                    (pathlib.Path(path) / "cgroup.freeze").write_text("0")
        self.gauge.wait()

        def gone():
            for path in (*self.made(), *self.folders):
                with contextlib.suppress(OSError):
                    path.rmdir()
            return not any(folder.exists() for folder in self.folders)

        until(gone, "the end of the groups")
        for reader in self.readers:
            reader.join()
        shutil.rmtree(self.home)


LEND = ("--limit", "100MB", "--lend", "100MB", "--grace", "2s")


def begin(tidegauge, state, gauge_stays):
    """A run that has come to that state. A look may be over before it is seen: then it is tried again."""
    if state == "running":
        return Run(tidegauge, "waits", LEND, steps=1000 if gauge_stays else 30)
    for _ in range(5):
        if state == "frozen":
            run, there = Run(tidegauge, "", LEND, objects=250_000), held
        elif state == "stopped by signals":
            run, there = Run(tidegauge, "deaf", ("--limit", "120MiB", "--interval", "100ms"), objects=250_000, by_signals=True), Run.stands_still
        elif state == "stopping":
            run, there = Run(tidegauge, "slow", LEND), Run.saves
        else:
            run, there = Run(tidegauge, "stubborn", LEND), lambda run: run.says("sent SIGTERM")
        until(lambda: there(run) or run.gauge.poll() is not None, state)  # noqa: B023
        if run.gauge.poll() is None:
            return run
        run.remove()
    raise Wrong(f"did not come to be {state}")


def held(run):
    """It stands still for longer than it takes to decide."""
    if not run.stands_still():
        return False
    time.sleep(0.005)
    return run.stands_still()


def promised(state, whom, how):
    """Seconds that it may stand still after the harm; None: until a person does something."""
    left = [name for name in WHOM if name not in whom]
    if not left:
        return None
    if how == "stopped" and "tg-guard" in whom:
        return SILENT
    # Who acts goes on with its look, and ends that if the gauge is dead.
    return AT_ONCE if "tg-guard" in whom or ("gauge" in whom and how == "killed") else LOOK_SECONDS


def try_case(tidegauge, state, whom, how):
    """Seconds that it stood still after the harm."""
    gauge_stays = "gauge" not in whom or how == "stopped"
    run = begin(tidegauge, state, gauge_stays)
    try:
        run.harm(whom, how)
        still = run.stands_still()
        most = promised(state, whom, how)
        stood = 0.0
        if still and most is None:
            time.sleep(1)
            if not run.stands_still():
                raise Wrong("it goes on although nobody is left: the table is wrong")
            stood = float("inf")
        elif still:
            _, stood = until(lambda: not run.stands_still(), "its going on", most + SLACK)
        if how == "stopped" and "gauge" in whom:
            for pid in run.ours.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        elif most is None:
            run.person_lets_go_on(how)
        before = run.steps()
        if state == "running" and how == "stopped" and "tg-guard" in whom and "gauge" not in whom:
            # Until somebody has noticed the job has no guard.
            until(lambda: run.says("has died or was stopped", "all processes of the guard have died"), "another guard", SILENT + SLACK)
        run.open_pipe("go" if state == "running" else "save")
        if gauge_stays:
            lost = how == "killed" and any(name != "gauge" for name in whom)
            code = run.finish()
            if lost and not run.says("has died or was stopped", "all processes of the guard have died"):
                raise Wrong("nobody was told of a loss")
            expected = 137 if state in ("terminating", "stopped by signals") else 75
            if code != expected:
                raise Wrong(f"ended with {code} instead of {expected}")
            if run.made():
                raise Wrong("groups are left")
        else:
            run.finish()
            over = lambda: state_of(run.job) in ("gone", "Z") or run.steps() > before or state == "terminating"  # noqa: E731
            until(over, "its going on")
        return stood, still
    finally:
        said = run.errors()
        run.remove()
        if sys.exc_info()[0] is not None:
            print(said, file=sys.stderr)


def try_schedule(tidegauge, seed):
    """Up to four kills and stops of whomever, at moments that chance chooses. The job goes on, ends as it should, and somebody says what was lost."""
    chance = random.Random(seed)
    state = chance.choice(STATES)
    run = begin(tidegauge, state, gauge_stays=True)
    longest, harmed, told = 0.0, 0, []
    if state == "running":
        run.open_pipe("go")
    try:
        for _ in range(chance.randint(1, 4)):
            if run.gauge.poll() is not None:
                break
            line = run.line()
            pids = [pid for pid in line if chance.random() < 0.6]
            kind = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP))
            hold = chance.random() < 0.4  # the gauge meanwhile, as by Ctrl-Z
            if hold:
                run.gauge.send_signal(signal.SIGSTOP)
            for pid in reversed(pids):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, kind)
                    harmed += kind == signal.SIGKILL
            told.append((round(time.monotonic() % 1000, 3), kind.name, pids, hold))
            time.sleep(chance.random() * 0.05)
            if hold:
                run.gauge.send_signal(signal.SIGCONT)
            if run.stands_still():
                longest = max(longest, until(lambda: not run.stands_still(), "its going on", 10 + SLACK)[1])
            time.sleep(chance.choice((0, 0.002, 0.02, 0.3)))
        run.open_pipe("save")
        code = run.finish()
        by_kernel = code == 137 and not run.says("killed it at")
        # One that comes to its limit in the 2 s that it takes to find a stopped guard.
        stopped = any(kind == "SIGSTOP" and pids for _, kind, pids, _ in told) and run.says("has died or was stopped", "have died")
        if code not in (75, 137) or (by_kernel and not stopped):
            raise Wrong(f"ended with {code}")
        if code == 75 and not run.says("asked it to save and end"):
            raise Wrong("stopped without a word")
        if run.made():
            raise Wrong("groups are left")
        return longest, harmed, by_kernel
    except (Wrong, subprocess.TimeoutExpired) as error:
        raise Wrong(f"{error}; {state}: {told}\n{run.errors()}") from error
    finally:
        run.remove()


def words_of(whom):
    return ", ".join(whom)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegauge", default=ROOT / "build" / "tidegauge")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--schedules", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    subsets = [whom for size in range(1, len(WHOM) + 1) for whom in itertools.combinations(WHOM, size)]
    cases = list(itertools.product(STATES, subsets, HARMS)) if options.table else SAMPLE
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.schedules:
            tried = {pool.submit(try_schedule, options.tidegauge, seed): seed for seed in range(options.seed, options.seed + options.schedules)}
        else:
            tried = {pool.submit(try_case, options.tidegauge, *case): case for case in cases}
        results = []
        for future in concurrent.futures.as_completed(tried):
            case = tried[future]
            try:
                results.append(future.result())
            except Exception as error:  # noqa: BLE001: one of many
                wrong += 1
                print(f"WRONG {case}: {type(error).__name__}: {error}", flush=True)
                continue
            if not options.schedules:
                stood, still = results[-1]
                print(f"{case[0]:20} {words_of(case[1]):45} {case[2]:8} {'stood still for ' + format(stood, '.2f') + ' s' if still else 'did not stand still'}",
                      flush=True)  # fmt: skip
    if options.schedules and results:
        print(f"longest freeze after a harm {max(one[0] for one in results):.2f} s; {sum(one[1] for one in results)} of ours killed; "
              f"{sum(one[2] for one in results)} jobs killed by the kernel before a stopped guard was replaced")  # fmt: skip
    print(f"{len(tried)} tried, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
