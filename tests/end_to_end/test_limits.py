# SPDX-License-Identifier: Apache-2.0
"""Resource limits of every kind: the job begins, ends with its own exit code, and finds the limits, signals and files that it would find without
us; what we cannot do is said in a sentence; and nothing of ours is left. LIMITS_SWEEP=1 tries every number of open files from 3 to 72, and more
of the others."""
import contextlib
import os
import pathlib
import resource
import subprocess
import sys
import uuid

import pytest
from guarded_jobs import ROOT, TOPS, wait_until

PATIENCE = 120
GIVEN = ROOT / "build" / "program_given"  # prints limits, signals and open files
KINDS = {
    "n": resource.RLIMIT_NOFILE, "f": resource.RLIMIT_FSIZE, "v": resource.RLIMIT_AS, "d": resource.RLIMIT_DATA, "s": resource.RLIMIT_STACK,
    "t": resource.RLIMIT_CPU, "l": resource.RLIMIT_MEMLOCK, "c": resource.RLIMIT_CORE, "u": resource.RLIMIT_NPROC,
}  # fmt: skip
SWEEP = bool(os.environ.get("LIMITS_SWEEP"))
RUNS = {"run": ["run", "--"], "guard": ["run", "--guard", "--limit", "2GB", "--"]}
# What a shell could start: below 4 open files, or 16 MB of address space, we cannot even be loaded.
VALUES = {
    "n": range(4, 73) if SWEEP else [4, 5, 8, 12, 20, 40],
    "f": [0, 1, 512, 4096, 100_000, 1 << 20] if SWEEP else [0, 4096],
    "v": range(16_000_000, 100_000_000, 3_000_000) if SWEEP else [17_000_000],
    "d": range(1_000_000, 60_000_000, 3_000_000) if SWEEP else [2_000_000],
    "s": [65_536, 131_072, 1 << 20] if SWEEP else [65_536],
    "t": [1, 2, 5, 11, 30] if SWEEP else [1],
    "l": [0, 4096, 65_536, 1 << 20, 8 << 20] if SWEEP else [0],
    "c": [0] if SWEEP else [],
}
CASES = [(kind, value) for kind, values in VALUES.items() for value in values]


def limited_to(kind, value, user=None, soft=False):
    """For a child that is about to begin: this limit, as another user."""

    def set_up():
        hard = resource.getrlimit(KINDS[kind])[1]
        resource.setrlimit(KINDS[kind], (value, hard if soft else value))
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    return set_up


def those_marked(mark):
    """Who has this in the environment that it began with, as all that descend from whom we start."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if mark.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                found.add((int(pid), pathlib.Path(f"/proc/{pid}/comm").read_text().strip()))
    return found


@pytest.fixture
def outcome(home):
    """outcome(words, …): (exit code, stdout, stderr) of a command that leaves neither processes nor groups."""

    def run(words, **how):
        mark = uuid.uuid4().hex
        process = subprocess.Popen([str(word) for word in words], env={**os.environ, "LIMITS_MARK": mark}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)  # fmt: skip
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        wait_until(lambda: not those_marked(mark), f"the end of all that {words[:3]} started: {those_marked(mark)}")
        for top in TOPS:  # others' groups may go while we look
            assert not [path for path, _, _ in os.walk(top) if f"/tidegauge-{process.pid}-" in path]
        return process.returncode, out, err

    return run


def assert_same(outcome, tidegauge, command, job, **how):
    """The job is as it would be without us. What we have said."""
    code, out, _ = outcome(job, **how)
    our_code, our_out, err = outcome([tidegauge, *command, *job], **how)
    assert our_code == code, err
    assert our_out.splitlines() == out.splitlines(), err
    assert "internal error" not in err and err.count("(ulimit") <= 3, err
    return err


@pytest.mark.parametrize("command", RUNS)
@pytest.mark.parametrize(("kind", "value"), CASES)
def test_a_limited_job_is_as_it_would_be_without_us(outcome, tidegauge, kind, value, command):
    err = assert_same(outcome, tidegauge, RUNS[command], [GIVEN, "7"], preexec_fn=limited_to(kind, value))
    if kind == "n" and value < 19:
        assert "the job runs unwatched: of the 16 open files" in err
    if kind == "n" and 19 <= value < 67 and command == "guard":
        assert "guard" in err and "(ulimit -n)" in err
    if kind == "f" and value < 4096:
        assert "(ulimit -f)" in err
    if kind == "t" and value < 10:
        assert "the job runs unwatched" in err and "(ulimit -t)" in err


@pytest.mark.parametrize("kind", ["n", "f"])
def test_we_use_what_is_allowed_and_the_job_gets_what_was_given(outcome, tidegauge, kind):
    """A soft limit is no reason to do less; the job has it all the same."""
    err = assert_same(outcome, tidegauge, RUNS["run"], [GIVEN, "7"], preexec_fn=limited_to(kind, 8, soft=True))
    assert "ulimit" not in err


@pytest.mark.parametrize("closed", [(0,), (1, 2), (0, 1, 2)])
def test_what_was_closed_is_closed(outcome, tidegauge, closed):
    def close():
        for fd in closed:
            os.close(fd)

    for command in RUNS.values():
        assert_same(outcome, tidegauge, command, [GIVEN, "7"], preexec_fn=close)


@pytest.mark.parametrize("command", RUNS)
def test_where_hardly_a_process_can_be_started_the_job_is(outcome, tidegauge, command):
    """A group with room for few, down to none besides us."""
    group = pathlib.Path(f"/sys/fs/cgroup/pids/tg_limits_test_{os.getpid()}")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no group for numbers of processes can be made here: {error}")
    try:
        said = []
        for most in range(1, 9):
            (group / "pids.max").write_text(str(most))
            join = lambda: (group / "cgroup.procs").write_text("0")  # noqa: E731
            said.append(assert_same(outcome, tidegauge, RUNS[command], [GIVEN, "7"], preexec_fn=join))
        assert "the job runs in our place, unwatched: no process can be started (ulimit -u, pids.max)" in said[0]
        assert "no guard, no census and no steps" in "".join(said)
    finally:
        wait_until(lambda: not (group / "cgroup.procs").read_text(), "the end of all in the group")
        group.rmdir()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_a_user_who_may_have_no_more_processes_gets_his_job(outcome, tidegauge, home):
    home.chmod(0o777)
    home.parent.chmod(0o755)
    nobody_else = 100_000 + os.getpid()
    if subprocess.run([tidegauge, "--version"], preexec_fn=limited_to("c", 0, nobody_else), capture_output=True).returncode != 0:
        pytest.skip("other users cannot execute this build")
    for most in (1, 2, 3, 5):
        err = assert_same(outcome, tidegauge, RUNS["guard"], [GIVEN, "7"], preexec_fn=limited_to("u", most, nobody_else))
        assert "ulimit -u" in err


def test_a_command_that_is_not_there_is_told_without_a_descriptor_to_tell_it(outcome, tidegauge, tmp_path):
    (tmp_path / "no program").touch(mode=0o644)
    for most in (4, 5, 8, 40):
        for command, code in (("no-such-command", 127), (tmp_path / "no program", 126)):
            ended, _, err = outcome([tidegauge, "run", "--", command], preexec_fn=limited_to("n", most))
            assert ended == code and str(command) in err, err


@pytest.mark.parametrize("guard", [[], ["--guard"]])
def test_a_watch_says_what_it_lacks_and_harms_nobody(outcome, tidegauge, begin, guard):
    job = begin([sys.executable, "-c", "print('here', flush=True)\nfor line in __import__('sys').stdin: print('alive', flush=True)"])
    assert job.answer() == "here"
    words = [tidegauge, "watch", job.pid, "--for", "10ms", "--no-live", "--no-record", *guard]
    for kind, value, code, said in (("n", 5, 3, "of the 16 open files that are needed for it, 2 can be had (ulimit -n)"),
                                    ("n", 24, 0, "no census"), ("t", 2, 3, "(ulimit -t)")):  # fmt: skip
        ended, _, err = outcome(words, preexec_fn=limited_to(kind, value))
        assert ended == code and said in err, err
        assert job.ask("still there?") == "alive"


def test_a_page_that_cannot_be_served_is_refused_before_anything_is_started(outcome, tidegauge, tmp_path):
    ended, _, err = outcome([tidegauge, "serve", "--port", "0", "--run", "--", "touch", tmp_path / "begun"], preexec_fn=limited_to("n", 4))
    assert ended == 3 and "(ulimit -n)" in err and not (tmp_path / "begun").exists(), err
