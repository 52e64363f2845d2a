# SPDX-License-Identifier: Apache-2.0
"""`tidegauge run --guard` in real control groups: jobs that leak save and end in time, and nothing else is touched."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT

JOB = ROOT / "tests" / "programs" / "guarded.py"
TOPS = (pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup/unified"))
PATIENCE = 30


def wait_until(true, what):
    """For what no process can tell: that something is gone."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what} did not come to be"
        time.sleep(0.01)


class Groups:
    """Groups of the test's own, one in each hierarchy; what runs in them cannot touch the machine's others."""

    def __init__(self):
        self.folders = [top / f"tg_guard_test_{os.getpid()}" for top in TOPS]
        for folder in self.folders:
            folder.mkdir()

    def join(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def made(self):
        """Groups that a guard has made in them."""
        return [path for folder in self.folders for path in folder.glob("tidegauge-*")]

    def freezer(self):
        (group,) = self.folders[1].glob("tidegauge-*")
        return group

    def pids(self):
        found = set()
        for folder in self.folders:
            for procs in folder.rglob("cgroup.procs"):
                with contextlib.suppress(OSError):
                    found |= {int(pid) for pid in procs.read_text().split()}
        return found

    def remove(self):
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.pids(), "the end of all processes")
        for path in self.made() + self.folders:
            path.rmdir()


@pytest.fixture
def groups():
    try:
        made = Groups()
    except OSError as error:
        pytest.skip(f"no control groups of version 1 with memory can be made here: {error}")
    yield made
    made.remove()


@pytest.fixture
def guarded(tidegauge, groups, home):
    """guarded(200, "leak", …): the guarded job, begun."""
    begun = []

    def start(*job, limit="100MB", options=(), command=None):
        command = command or [sys.executable, JOB, home, *job]
        words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--limit", limit, *options, "--", *command]
        gauge = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=groups.join, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        )  # fmt: skip
        begun.append(gauge)
        return gauge

    yield start
    for gauge in begun:
        gauge.kill()
        gauge.wait()
        gauge.stdout.close()
        gauge.stderr.close()


def end_of(gauge):
    out, errors = gauge.communicate(timeout=PATIENCE * 2)
    return gauge.returncode, out, errors


def guard_processes(gauge):
    """(actor, twin), by their names."""
    names = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, name, parent = re.match(r"(\d+) \((.*)\) \S (\d+)", path.read_text()).groups()
            names[int(pid)] = (name, int(parent))
    (actor,) = [pid for pid, (name, parent) in names.items() if name == "tg-guard" and parent == gauge.pid]
    (twin,) = [pid for pid, (name, parent) in names.items() if name == "tg-guard-twin" and parent == actor]
    return actor, twin


def test_a_leaking_job_saves_and_ends(guarded, groups):
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB")))
    stopped = int(re.search(r"stopped (\d+)", out)[1])
    assert code == 75 and "by the kernel" not in errors, errors
    assert f"state-{stopped}.json" in errors and "ended by the guard" in errors
    assert groups.made() == []
    wait_until(lambda: groups.pids() == set(), "the end of all processes")


def test_it_is_started_again_and_loses_nothing(guarded):
    code, out, errors = end_of(guarded(1, 300, options=("--lend", "100MB", "--restart-on-limit=9")))
    assert code == 0, errors
    begun = [int(step) for step in re.findall(r"from (\d+)", out)]
    stopped = [int(step) for step in re.findall(r"stopped (\d+)", out)]
    assert begun[0] == 0 and begun[1:] == stopped and len(begun) > 1 and out.endswith("done 300\n")


def test_it_is_started_with_another_command(guarded, home):
    again = f"{sys.executable} -c 'import sys; print(\"again\", sys.argv[1])' {{checkpoint}}"
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--resume-with", again)))
    stopped = re.search(r"stopped (\d+)", out)[1]
    assert code == 0 and out.endswith(f"again {home}/state-{stopped}.json\n"), errors


def test_who_cannot_be_asked_is_killed_with_all_its_children_and_nobody_else(guarded, groups):
    """A daemon that left session and parent is part of the tree; a neighbour in the same group is not."""
    with subprocess.Popen(["sleep", "600"], preexec_fn=groups.join) as neighbour:
        script = "(setsid sleep 600 & ) ; exec \"$@\""
        gauge = guarded(command=["sh", "-c", script, "sh", sys.executable, JOB, ".", 1, 1000, "deaf"])
        code, out, errors = end_of(gauge)
        assert code == 137 and "by the kernel" not in errors, errors
        assert "killed it at" in errors and "work" not in out
        wait_until(lambda: groups.pids() == {neighbour.pid}, "the end of the whole tree")
        assert neighbour.poll() is None
        neighbour.kill()


def test_a_healthy_job_is_left_alone(guarded):
    """Peaks at 95 % of its limit, again and again."""
    code, out, errors = end_of(guarded(80, 15, "healthy"))
    assert code == 0 and out.endswith("done 15\n"), errors
    assert "asked it to save and end" not in errors and "killed" not in errors


def test_one_that_does_not_end_is_terminated_and_then_killed(guarded):
    code, out, errors = end_of(guarded(1, 1000, "stubborn", options=("--lend", "100MB", "--grace", "300ms")))
    assert code == 137 and "terminated" in out, errors
    assert "sent SIGTERM" in errors and "killed it" in errors


def test_the_twin_goes_on_for_a_killed_actor(guarded):
    gauge = guarded(1, 1000, options=("--lend", "100MB"))
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    os.kill(actor, signal.SIGKILL)
    code, out, errors = end_of(gauge)
    assert code == 75 and "its twin goes on" in errors, errors


def test_a_job_that_was_frozen_when_the_actor_died_goes_on(guarded, groups):
    gauge = guarded(1, 40)
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    freezer = groups.freezer()
    (freezer / "cgroup.freeze").write_text("1")
    wait_until(lambda: "frozen 1" in (freezer / "cgroup.events").read_text(), "the freeze")
    os.kill(actor, signal.SIGKILL)
    code, out, errors = end_of(gauge)
    assert code == 0 and out.endswith("done 40\n"), errors


def test_the_job_outlives_the_gauge_and_its_groups_do_not_outlive_the_job(guarded, groups, tmp_path):
    gauge = guarded(command=["sh", "-c", "echo $$; read line < $0; echo $line > $1", fifo(tmp_path / "in"), fifo(tmp_path / "out")])
    int(gauge.stdout.readline())
    gauge.kill()
    gauge.wait()
    (tmp_path / "in").write_text("alive\n")
    assert (tmp_path / "out").read_text() == "alive\n"
    wait_until(lambda: not groups.made(), "the end of the groups")


def fifo(path):
    os.mkfifo(path)
    return path


def test_there_is_no_second_guard(guarded, tidegauge):
    code, out, errors = end_of(guarded(command=[tidegauge, "run", "-q", "--no-record", "--guard", "--", "echo", "ran"]))
    assert (code, out) == (0, "ran\n") and "no second guard" in errors


def test_without_groups_the_job_runs_all_the_same(tidegauge, home):
    """A container's control groups can only be read."""
    shut = " && ".join(f"mount -o bind,ro {top} {top}" for top in (*TOPS, TOPS[0].parent / "freezer") if top.exists())
    words = ["unshare", "--mount", "sh", "-c", f"{shut or 'true'} && exec \"$@\"", "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespace can be made here")
    done = subprocess.run([*words, tidegauge, "run", "--no-record", "--guard", "--limit", "1GB", "--", "echo", "ran"],
                          capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert "no group that could be frozen" in done.stderr


def test_a_dry_run_says_what_would_be_done_and_starts_nothing(call, groups):
    done = call("run", "--guard", "--limit", "100MB", "--dry-run", "--", "sh", "-c", "echo started", preexec_fn=groups.join)
    assert done.returncode == 0 and "started" not in done.stdout
    for rung in ("+ freeze", "+ lend", "+ ask", "+ stop", "+ kill"):
        assert rung in done.stdout
    assert groups.made() == []


def test_what_was_done_is_in_the_recording(tidegauge, groups, home, call):
    done = subprocess.run(
        [tidegauge, "run", "-q", "--no-history", "--no-hooks", "--record", home / "r.tg", "--guard", "--limit", "100MB", "--lend", "100MB",
         "--notify", f"echo \"$TIDEGAUGE_NEWS\" >> {home}/news", "--", sys.executable, JOB, home, "1", "1000"],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )  # fmt: skip
    assert done.returncode == 75, done.stderr
    text = subprocess.run(["zstdcat", home / "r.tg"], capture_output=True, text=True).stdout
    assert "guard: asked it to save and end" in text and "guard: end of the job: ended by the guard" in text
    assert "asked it to save and end" in (home / "news").read_text()


@pytest.mark.parametrize("words", [["--guard-without", "sleep"], ["--guard", "--resume-with", "echo"], ["--restart-on-limit"]])
def test_wrong_words_are_refused(call, words):
    assert call("run", *words, "--", "true").returncode == 2
