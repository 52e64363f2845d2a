# SPDX-License-Identifier: Apache-2.0
"""The kernel kills a job for lack of memory: nothing else about it matters more. A stranger's death is not the job's."""
import json
import signal
import subprocess
import sys

import pytest

# Waits for a word, then takes more than its group may have.
HUNGRY = "import sys; sys.stdin.readline(); held = [b'x' * (1 << 20) for _ in range(400)]"
LIMIT = 60 << 20
OWN, ABOVE = "/a/job", "/a"


def killed_recording(path, kill_at=60, counted_by=(OWN, ABOVE), exclusive=False, ends=(), until=64):
    """A job of train.py (77) and tar (78), whose group is below another one. `ends`: second, pid and exit status (None: unknown)."""
    lines = [
        {"tidegauge": 1, "kind": "recording", "frame": 0, "tool": "x", "host": "", "command": "python train.py", "clock": "seconds",
         "started_unix_ns": 1, "ticks_per_second": 100, "page_bytes": 4096, "interval_seconds": 1},
        {"kind": "process", "t": 0, "pid": 77, "start": 1, "parent_pid": 1, "parent_start": 1, "name": "python",
         "command": "python train.py", "role": "main"},
        {"kind": "process", "t": 0, "pid": 78, "start": 1, "parent_pid": 77, "parent_start": 1, "name": "tar", "command": "tar x", "role": "other"},
    ]  # fmt: skip
    sizes, counts = {77: 30_000, 78: 2_000}, dict.fromkeys((OWN, ABOVE), 0)
    limits = {OWN: 60 << 10, ABOVE: 100 << 10}
    for second in range(until + 1):
        for _, pid, status in (end for end in ends if end[0] == second):
            lines.append({"kind": "event", "t": second, "event": "exited", "pid": pid, "start": 1, **({} if status is None else {"value": status})})
            del sizes[pid]
        for group in counted_by if second == kill_at else ():
            counts[group] += 1
            lines.append({"kind": "event", "t": second, "event": "oom_kill", "name": group, "value": counts[group]})
        pids = list(sizes)
        groups = [{"path": group, "version": 2, "limit": limits[group], "current": 50 << 10, "oom_kill": counts[group]} for group in counts]
        groups[0]["exclusive"] = exclusive
        lines.append({"kind": "sample", "t": second, "pids": pids, "starts": [1] * len(pids), "anon": [sizes[pid] for pid in pids],
                      "file": [0] * len(pids), "shmem": [0] * len(pids), "cgroups": groups})  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


STRANGERS = "a process in the job's cgroup: out of memory under the cgroup limit of 60.0 MiB, 4.0 s before the end."
CASES = {
    "the job is alone in its group": ({"exclusive": True}, 1, "a process of the job: out of memory under the cgroup limit of 60.0 MiB"),
    "a shared group": ({}, 0, STRANGERS),
    "a group above": ({"counted_by": [ABOVE], "exclusive": True}, 0, "a process in cgroup /a, above the job's: out of memory, 4.0 s before"),
    "an end that takes its time": ({"ends": [(63, 77, 137)]}, 1, "train.py (pid 77): out of memory under the cgroup limit of 60.0 MiB"),
    "one that takes its time and is not our child": ({"ends": [(63, 77, None)]}, 1, "train.py (pid 77): out of memory"),
    "one that just ended": ({"ends": [(60, 78, 0)]}, 0, STRANGERS),
    "one that failed because of it": ({"ends": [(60, 78, None), (61, 77, 1)]}, 1, "tar (pid 78): out of memory"),
    "an end much later": ({"ends": [(73, 77, 137)], "until": 74}, 0, "a process in the job's cgroup"),
}


@pytest.mark.parametrize("case", CASES)
def test_who_was_killed_is_read_from_a_recording(call, tmp_path, case):
    how, code, said = CASES[case]
    path = killed_recording(tmp_path / "r.tg", **how)
    done = call("judge", path)
    assert done.returncode == code, done.stdout
    words = " ".join(done.stdout.split("\n\n")[0].split())
    assert f"The kernel killed {said}" in words, done.stdout
    judged = call("judge", path, "--json")
    assert judged.returncode == code
    killed = json.loads(judged.stdout)["killed"]
    assert killed["of_job"] == (code == 1) and killed["at"] == 60 and killed["times"] == 1, killed
    assert killed["words"].replace("\u00a0", " ") in words


class Watch:
    """A `tidegauge watch --json` of a job, from its first sample on."""

    def __init__(self, tidegauge, started, pid, recording):
        words = [tidegauge, "watch", pid, "--json", "--no-census", "--interval", "50ms", "--record", recording]
        self.process = started(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for('"sample"')

    def wait_for(self, word):
        while word not in (line := self.process.stdout.readline()):
            assert line, self.process.stderr.read()

    def end(self):
        """Its last line, which is the verdict, and its exit code."""
        lines, errors = self.process.communicate(timeout=60)
        assert lines, errors
        return json.loads(lines.splitlines()[-1]), self.process.returncode


@pytest.fixture
def limited(groups, kernel_may_kill):
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(LIMIT))
    return groups


@pytest.fixture
def waiting(started):
    """waiting(HUNGRY, groups.join): a Python that waits for a line."""

    def start(code, join):
        return started([sys.executable, "-c", code], stdin=subprocess.PIPE, preexec_fn=join)

    return start


def feed(process):
    process.stdin.write("\n")
    process.stdin.close()


def die_of(process):
    feed(process)
    if process.wait(timeout=60) != -signal.SIGKILL:
        pytest.skip("there is so much swap here that nobody was killed")


MODEST = "import sys; sys.stdin.readline()"


@pytest.mark.parametrize("shared", [False, True])
def test_watch_and_judge_say_that_the_kernel_killed(tidegauge, call, limited, home, started, waiting, shared):
    if shared:
        waiting(MODEST, limited.join)
    job = waiting(HUNGRY, limited.join)
    watch = Watch(tidegauge, started, job.pid, home / "r.tg")
    die_of(job)
    last, code = watch.end()
    assert code == 1, last
    assert last["killed"]["of_job"] and last["killed"]["pid"] == job.pid and last["killed"]["limit_bytes"] == LIMIT, last["killed"]
    done = call("judge", home / "r.tg")
    assert done.returncode == 1, done.stderr
    said = " ".join(done.stdout.split("\n\n")[0].split())
    assert f"(pid {job.pid}): out of memory under the cgroup limit of 60.0 MiB" in said, done.stdout


def test_a_stranger_of_the_same_group_is_not_the_job(tidegauge, call, limited, home, started, waiting):
    job, stranger = waiting(MODEST, limited.join), waiting(HUNGRY, limited.join)
    watch = Watch(tidegauge, started, job.pid, home / "r.tg")
    die_of(stranger)
    watch.wait_for('"oom_kill"')
    feed(job)
    last, code = watch.end()
    assert not last["killed"]["of_job"] and last["killed"]["pid"] is None, last["killed"]
    assert code == 0, last
    assert call("judge", home / "r.tg").returncode == 0


@pytest.fixture
def below(limited):
    folder = limited.folders[0] / "job"
    folder.mkdir()
    yield folder
    folder.rmdir()


def test_nor_is_one_of_the_group_above(tidegauge, limited, below, home, started, waiting):
    job, stranger = waiting(MODEST, lambda: (below / "cgroup.procs").write_text("0")), waiting(HUNGRY, limited.join)
    watch = Watch(tidegauge, started, job.pid, home / "r.tg")
    die_of(stranger)
    watch.wait_for('"oom_kill"')
    feed(job)
    last, code = watch.end()
    assert not last["killed"]["of_job"] and last["killed"]["cgroup"].endswith(limited.folders[0].name), last["killed"]
    assert code == 0, last
