# SPDX-License-Identifier: Apache-2.0
"""`watch` on live processes that exit, exec, fork, rename themselves and change hands."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from waiting import wait_for_change


class Watch:
    """`watch --json` on a process, read line by line."""

    def __init__(self, tidegauge, *words, interval="50ms", **options):
        self.process = subprocess.Popen(
            [str(tidegauge), "watch", "--json", "--interval", interval, "--no-record", *map(str, words)],
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )

    def until(self, wanted):
        """The first line that `wanted` likes. A watch that ends first fails the test."""
        for line in self.process.stdout:
            line = json.loads(line)
            if wanted(line):
                return line
        raise AssertionError("the watch ended without it")

    def sample(self, wanted=lambda sample: True):
        return self.until(lambda line: line["type"] == "sample" and wanted(line))

    def event(self, kind):
        return self.until(lambda line: line["type"] == "event" and line["event"] == kind)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        rest = self.process.stdout.read()
        return [json.loads(line) for line in rest.splitlines()], self.process.wait()


@pytest.fixture
def watch(tidegauge, home):
    watches = []

    def begin(*words, **options):
        watches.append(Watch(tidegauge, *words, **options))
        return watches[-1]

    yield begin
    for one in watches:
        one.process.kill()
        one.process.wait()
        one.process.stdout.close()


def member(sample, pid):
    return next((process for process in sample["processes"] if process["pid"] == pid), None)


@pytest.fixture
def job(start):
    job = start("obedient")
    assert job.answer() == "ready"
    return job


def test_growth_is_seen_in_the_right_kind(watch, job):
    gauge = watch(job.pid)
    before = member(gauge.sample(), job.pid)
    assert job.ask(f"grow {64 << 20}") == "grown"
    # A look may fall into the middle of its growth.
    grown = before["anon_bytes"] + 0.97 * (64 << 20)
    after = member(gauge.sample(lambda s: member(s, job.pid)["anon_bytes"] > grown), job.pid)
    assert after["anon_bytes"] - before["anon_bytes"] == pytest.approx(64 << 20, rel=0.05)
    assert abs(after["file_bytes"] - before["file_bytes"]) < 4 << 20
    assert after["role"] == "main"


def test_every_look_is_told_at_once(watch, job):
    """Not when a buffer is full: a program may act on what it reads."""
    live = watch(job.pid, interval="6s")
    first, began = live.sample(), time.monotonic()
    second = live.sample()
    late = time.monotonic() - began - (second["seconds"] - first["seconds"])
    assert late < 5  # in a buffer it would have waited for the third


def test_an_exit_ends_the_watch_with_a_verdict(watch, job):
    gauge = watch(job.pid)
    gauge.sample()
    job.process.stdin.close()
    assert gauge.event("exited")["pid"] == job.pid
    assert gauge.until(lambda line: line["type"] == "verdict")["schema"] == "tidegauge/verdict/1"
    assert gauge.process.wait(10) in (0, 1)


def test_five_hundred_children_come_and_go(watch, job):
    gauge = watch(job.pid)
    gauge.sample()
    pids = {int(word) for word in job.ask("fork 500").split()}
    assert len(pids) == 500
    sample = gauge.sample(lambda s: len(s["processes"]) >= 501)
    assert pids <= {process["pid"] for process in sample["processes"]}
    # Shared pages count once: 500 children of one parent hold little more than it does.
    assert job.ask("end_children") == "ended"
    gauge.sample(lambda s: len(s["processes"]) == 1)


def test_an_exec_is_the_same_process_with_another_program(watch, job):
    gauge = watch(job.pid)
    before = member(gauge.sample(), job.pid)
    assert job.ask("exec") == "executing"
    assert job.answer() == "ready"
    after = member(gauge.sample(lambda s: member(s, job.pid)), job.pid)
    assert after["start_ticks"] == before["start_ticks"]


def test_a_name_cannot_forge_a_state(watch, job):
    assert job.ask("rename a) Z 1 (b") == "renamed"
    gauge = watch(job.pid)
    assert member(gauge.sample(), job.pid)["name"] == "a) Z 1 (b"


def test_an_orphan_stays_in_the_tree(watch, job):
    gauge = watch(job.pid)
    orphan = int(job.ask("orphan"))
    try:
        gauge.sample(lambda s: member(s, orphan))  # seen below its parent
        assert job.ask("end_children") == "ended"  # its parent is gone: the kernel gave it away
        sample = gauge.sample(lambda s: len(s["processes"]) == 2)
        assert member(sample, orphan)
    finally:
        os.kill(orphan, signal.SIGKILL)


def test_a_process_is_found_by_its_command_line(watch, start):
    token = f"tg-{os.getpid()}-{os.urandom(4).hex()}"
    job = start("obedient", token)
    assert job.answer() == "ready"
    assert member(watch("--name", token).sample(), job.pid)


def test_no_match_is_said(call):
    done = call("watch", "--name", "no such program [0-9]{40}x")
    assert done.returncode == 3
    assert "no process" in done.stderr


def test_ctrl_c_ends_with_the_summary(tidegauge, home, job):
    gauge = subprocess.Popen(
        [str(tidegauge), "watch", str(job.pid), "--interval", "50ms", "--record", str(home / "w.tg")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for_change([home], (home / "w.tg").exists, "the recording")
    job.ask("grow 1000000")
    gauge.send_signal(signal.SIGINT)
    out, err = gauge.communicate(timeout=20)
    assert gauge.returncode in (0, 1), err
    assert "recording" in out and str(home / "w.tg") in out
    assert subprocess.run(["zstd", "-tq", home / "w.tg"]).returncode == 0


def test_for_a_while(call, job):
    done = call("watch", job.pid, "--for", "300ms", "--interval", "50ms", "--no-record")
    assert done.returncode in (0, 1)
    assert done.stdout


@pytest.fixture
def anybodys(tidegauge):
    """The binary where everybody can get at it: a checkout in somebody's home is theirs alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(tidegauge, folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_is_not_ours_to_read_gets_advice(anybodys, home, job):
    done = subprocess.run(
        [anybodys, "watch", str(job.pid), "--for", "200ms", "--interval", "50ms", "--no-record"],
        capture_output=True, text=True, user=65534, group=65534, extra_groups=[],
    )  # fmt: skip
    assert done.returncode in (0, 1, 3), done.stderr
    assert "root" in done.stderr or "ptrace" in done.stderr, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_why_nobody_was_asked_who_holds_the_memory(anybodys, home, job):
    gauge = subprocess.Popen(
        [anybodys, "watch", str(job.pid), "--json", "--for", "12s", "--interval", "100ms", "--no-record"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, user=65534, group=65534, extra_groups=[],
    )  # fmt: skip
    for line in gauge.stdout:  # it grows from sample to sample
        if json.loads(line)["type"] == "sample":
            job.ask("grow 4000000")
    said = gauge.stderr.read()
    assert gauge.wait() in (0, 1), said
    assert said.count(f"not looked for: process {job.pid} may not be read") == 1, said
    assert "run as root" in said and "tidegauge run" in said, said


def seconds_between(samples):
    return samples[-1]["seconds"] - samples[0]["seconds"]


def test_a_tree_of_1500_is_looked_at_less_often_and_that_is_said(watch, job):
    assert len(job.ask("fork 1500").split()) == 1500
    begun = watch(job.pid, interval="20ms", stderr=subprocess.PIPE)
    samples = [begun.sample()]
    while len(samples) < 5 or seconds_between(samples) < 3:
        samples.append(begun.sample())
    assert begun.end()[1] in (0, 1)
    job.ask("end_children")
    assert all(len(sample["processes"]) == 1501 for sample in samples)
    assert seconds_between(samples) / (len(samples) - 1) > 0.024  # and not 0.02
    words = begun.process.stderr.read()
    assert words.count("a look at 1501 processes takes") == 1, words
    assert "instead of every 20" in words, words


def test_a_while_is_over_when_it_is_over_however_far_apart_the_looks_are(call, job):
    began = time.monotonic()
    done = call("watch", job.pid, "--for", "300ms", "--interval", "30s", "--no-record")
    assert done.returncode in (0, 1)
    assert time.monotonic() - began < 20
