# SPDX-License-Identifier: Apache-2.0
"""`tidegauge watch --guard`: of jobs that run already."""
import json
import signal
import subprocess
import sys

import pytest
from guarded_jobs import JOB, PATIENCE, groups_of, let_go_on, with_our_package


@pytest.fixture
def running(groups, start):
    """A job that runs already, in the test's own group."""
    job = start("obedient")
    assert job.answer() == "ready"
    (groups.folders[1] / "cgroup.procs").write_text(str(job.pid))
    return job


def is_guarded(pid, watch):
    """Waits for the first look, which comes when the guard is there."""
    assert json.loads(watch.stdout.readline())
    return "tidegauge-" in groups_of(pid)


def test_watch_guards_a_tree_that_runs_already(tidegauge, watched, limited, home):
    """It runs under a gauge without a guard, so it can be asked; its group's limit is not raised."""
    words = [tidegauge, "run", "-q", "--no-record", "--no-history", "--no-hooks", "--", sys.executable, JOB, home, 1, 1000, "waits"]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True, preexec_fn=limited.join,
                          env=with_our_package()) as gauge:  # fmt: skip
        pid = gauge.stdout.readline().split()[2]
        watch = watched(pid, "--json")
        assert is_guarded(pid, watch)
        let_go_on(home)
        out, _ = gauge.communicate(timeout=PATIENCE)
        said, errors = watch.communicate(timeout=PATIENCE)
        assert "stopped" in out and gauge.returncode == 0, errors
        assert "asked it to save and end" in errors and "killed" not in errors
    assert (limited.folders[0] / "memory.limit_in_bytes").read_text() == f"{420 << 20}\n"


def test_watch_lets_go_of_what_it_guarded(watched, running, groups):
    before = groups_of(running.pid)
    watch = watched(running.pid, "--for", "600", "--json")
    assert is_guarded(running.pid, watch)
    child = running.ask("fork 1")
    assert "tidegauge-" in groups_of(child)
    assert "no second guard" in watched(running.pid, "--for", "100ms").communicate(timeout=PATIENCE)[1]
    watch.send_signal(signal.SIGINT)
    watch.communicate(timeout=PATIENCE)
    assert groups_of(running.pid) == groups_of(child) == before
    assert running.ask("grow 4096") == "grown" and groups.made() == []


def test_a_killed_watch_lets_go_at_any_moment(watched, running, groups):
    before = groups_of(running.pid)
    watch = watched(running.pid, "--json")
    assert is_guarded(running.pid, watch)
    watch.kill()
    groups.wait_until_removed()
    assert groups_of(running.pid) == before
