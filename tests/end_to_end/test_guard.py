# SPDX-License-Identifier: Apache-2.0
"""`tidegauge run --guard` in real control groups: jobs that leak save and end in time, and nothing else is touched."""
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
from guarded_jobs import JOB, PATIENCE, end_of


def test_a_leaking_job_saves_and_ends(guarded, groups):
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB")))
    stopped = int(re.search(r"stopped (\d+)", out)[1])
    assert code == 75 and "by the kernel" not in errors, errors
    assert f"state-{stopped}.json" in errors and "ended by the guard" in errors
    assert groups.made() == []
    groups.wait_until_left_by_all_but()


def test_it_is_started_again_and_loses_nothing(guarded):
    code, out, errors = end_of(guarded(1, 300, options=("--lend", "100MB", "--restart-on-limit=9")))
    assert code == 0, errors
    begun = [int(step) for step in re.findall(r"from (\d+)", out)]
    stopped = [int(step) for step in re.findall(r"stopped (\d+)", out)]
    assert begun[0] == 0 and begun[1:] == stopped and len(begun) > 1 and out.endswith("done 300\n")


def test_it_is_started_with_another_command(guarded, home):
    """Which begins as the first one did: nothing is ignored that was not."""
    again = "grep SigIgn /proc/self/status && echo again {checkpoint}"
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--resume-with", again)))
    stopped = re.search(r"stopped (\d+)", out)[1]
    assert code == 0 and out.endswith(f"again {home}/state-{stopped}.json\n"), errors
    assert not int(re.search(r"SigIgn:\s*(\w+)", out)[1], 16) >> (signal.SIGPIPE - 1) & 1


def test_who_cannot_be_asked_is_killed_with_all_its_children_and_nobody_else(guarded, groups):
    """A daemon that left session and parent is part of the tree; a neighbour in the same group is not."""
    with subprocess.Popen(["sleep", "600"], preexec_fn=groups.join) as neighbour:
        script = "(setsid sleep 600 & ) ; exec \"$@\""
        gauge = guarded(command=["sh", "-c", script, "sh", sys.executable, JOB, ".", 1, 1000, "deaf"])
        code, out, errors = end_of(gauge)
        assert code == 137 and "by the kernel" not in errors, errors
        assert "killed it at" in errors and "work" not in out
        groups.wait_until_left_by_all_but(neighbour.pid)
        assert neighbour.poll() is None
        neighbour.kill()


def test_a_healthy_job_is_left_alone(guarded):
    """Peaks at 95 % of its limit, again and again."""
    code, out, errors = end_of(guarded(80, 15, "healthy"))
    assert code == 0 and out.endswith("done 15\n"), errors
    assert "asked it to save and end" not in errors and "killed" not in errors


def test_one_that_does_not_end_is_terminated_and_then_killed(guarded):
    code, out, errors = end_of(guarded(1, 1000, "stubborn", options=("--lend", "100MB", "--grace", "1500ms")))
    assert code == 137 and "terminated" in out, errors
    assert "sent SIGTERM" in errors and "killed it" in errors


def test_one_that_hangs_in_its_save_is_killed_only_at_the_top(guarded):
    """It stands still while it saves, and so does its memory: there is no reason to kill it, and SIGTERM ends it only if it catches that."""
    gauge = guarded(1, 1000, "hangs", options=("--lend", "100MB", "--save-time", "300ms"))
    for line in gauge.stderr:
        if "did not save, or has not answered" in line:
            break
    else:
        pytest.fail("it was waited for for ever")
    gauge.terminate()
    assert gauge.wait(timeout=PATIENCE) != 75


def test_one_that_has_no_disk_left_is_not_told_to_end_without_a_checkpoint(guarded):
    code, out, errors = end_of(guarded(1, 1000, "full", options=("--lend", "30MB")))
    assert "did not save" in errors and "stopped" not in out
    assert code == 137 and "killed it at" in errors and "by the kernel" not in errors, errors


def test_one_that_dies_in_the_middle_of_a_save_is_not_started_from_that(guarded, home):
    """Neither is it started again at all: it was not its memory that ended it."""
    code, out, errors = end_of(guarded(1, 1000, "cuts", options=("--lend", "100MB", "--restart-on-limit")))
    assert code == 139 and out.count("from ") == 1, errors


def test_one_that_ends_by_itself_meanwhile_has_ended_by_itself(guarded):
    code, out, errors = end_of(guarded(1, 1000, "leaves", options=("--lend", "100MB", "--restart-on-limit")))
    assert code == 7 and "ended by itself" in errors and out.count("from ") == 1, errors


def test_what_it_left_in_shared_memory_is_removed(guarded):
    neighbour = pathlib.Path(f"/dev/shm/tidegauge_test_{os.getpid()}")
    neighbour.write_text("not the job's")
    try:
        code, out, errors = end_of(guarded(1, 1000, "shares", options=("--guard-without", "ask", "--interval", "100ms")))
        name = re.search(r"shares (\S+)", out)[1]
        assert code == 137 and f"removed what it left behind: /dev/shm/{name}" in errors, errors
        assert not pathlib.Path("/dev/shm", name).exists() and neighbour.exists()
    finally:
        neighbour.unlink()


def test_a_dry_run_says_what_would_be_done_and_starts_nothing(call, groups):
    done = call("run", "--guard", "--limit", "100MB", "--dry-run", "--", "sh", "-c", "echo started", preexec_fn=groups.join)
    assert done.returncode == 0 and "started" not in done.stdout
    for rung in ("+ freeze", "+ lend", "+ look", "+ ask", "+ stop", "+ kill"):
        assert rung in done.stdout
    assert groups.made() == []


def test_its_time_is_up_again_and_again(guarded):
    """Each life is asked to save and end, and the next goes on from there; these do not count as restarts for its memory."""
    code, out, errors = end_of(guarded(0, 120, options=("--chunk", "500ms", "--restart-on-limit=1")))
    begun = [int(step) for step in re.findall(r"from (\d+)", out)]
    stopped = [int(step) for step in re.findall(r"stopped (\d+)", out)]
    assert code == 0 and out.endswith("done 120\n"), errors
    assert begun == [0, *stopped] and len(stopped) >= 1
    assert errors.count("guard: asked it to save and end because its time is up") >= len(stopped)


def test_all_can_be_said_in_a_file(guarded, home):
    config = home / "guard.toml"
    config.write_text('lend = "100MB"\nrestart-on-limit = 9\n')
    code, out, errors = end_of(guarded(1, 1000, options=("--guard-config", config, "--restart-on-limit=1")))
    assert code == 75 and out.count("from ") == 2 and "that was life 2" in errors, "words go before the file"
    config.write_text('\nlend = "much"\n')
    code, out, errors = end_of(guarded(1, 1000, options=("--guard-config", config)))
    assert (code, out) == (2, "") and "guard.toml: line 2: lend is a size" in errors


def test_a_disk_that_is_really_full(guarded, small_disk):
    """Place for one checkpoint and no other: it is not asked to end without one, and the job goes on until there is nothing left to lend."""
    command = [sys.executable, JOB, small_disk("1536k"), 1, 1000, "large"]
    code, out, errors = end_of(guarded(command=command, options=("--lend", "60MB", "--ask-every", "10ms")))
    assert "it saved" in errors and "stopped" not in out, errors
    assert "could not save" in out or "did not save" not in errors  # seen by the job, or by the guard before
    assert code == 137 and "killed it at" in errors and "by the kernel" not in errors, errors


@pytest.mark.parametrize("words", [["--guard-without", "sleep"], ["--guard", "--resume-with", "echo"], ["--restart-on-limit"], ["--chunk", "1m"],
                                   ["--guard", "--webhook", "ftp://x"], ["--guard", "--look-time", "6s"]])
def test_wrong_words_are_refused(call, words):
    assert call("run", *words, "--", "true").returncode == 2
