# SPDX-License-Identifier: Apache-2.0
"""The guard where rights are missing, or a part of it dies: the job is never harmed by that."""
import os
import shutil
import signal
import subprocess
import sys

import pytest
from guarded_jobs import JOB, PATIENCE, end_of, guard_line, guard_processes, let_go_on, with_our_package
from waiting import wait_for_end, wait_for_text


def test_without_special_rights_it_works_too(guarded, groups, tidegauge, home):
    """No real-time priority, no locked memory, no other limits to raise."""
    if not shutil.which("capsh"):
        pytest.skip("no capsh to drop rights with")
    words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--limit", "100MB", "--lend", "100MB", "--",
             sys.executable, JOB, home, "1", "1000"]  # fmt: skip
    done = subprocess.run(
        ["capsh", "--drop=cap_sys_nice,cap_ipc_lock,cap_sys_resource", "--", "-c", 'ulimit -l 64; exec "$@"', "sh", *map(str, words)],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join, env=with_our_package(),
    )  # fmt: skip
    assert done.returncode == 75 and "by the kernel" not in done.stderr, done.stderr


def test_the_twin_goes_on_for_a_killed_actor(guarded, home):
    gauge = guarded(1, 1000, "waits", options=("--lend", "100MB"))
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    os.kill(actor, signal.SIGKILL)
    assert any("its twin goes on" in line for line in gauge.stderr)
    let_go_on(home)
    code, out, errors = end_of(gauge)
    assert code == 75, errors


def test_a_job_that_was_frozen_when_the_actor_died_goes_on(guarded, groups, home):
    gauge = guarded(1, 40, "waits")
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    freezer = groups.freezer()
    (freezer / "cgroup.freeze").write_text("1")
    wait_for_text(freezer / "cgroup.events", lambda text: "frozen 1" in text)
    os.kill(actor, signal.SIGKILL)
    let_go_on(home)
    code, out, errors = end_of(gauge)
    assert code == 0 and out.endswith("done 40\n"), errors


def test_groups_of_a_gauge_that_was_killed_with_all_of_its_guard_go_with_the_next(guarded, groups, home, tidegauge):
    gauge = guarded(1, 40, "waits")
    assert gauge.stdout.readline().startswith("from 0")
    line = guard_line(gauge)
    for pid in (gauge.pid, *line):
        os.kill(pid, signal.SIGSTOP)  # or another would be started in the place of the first
    for pid in (*reversed(line), gauge.pid):
        os.kill(pid, signal.SIGKILL)
    let_go_on(home)
    wait_for_end(*groups.pids())
    left = groups.made()
    assert left
    for path in left:
        os.utime(path, (0, 0))
    subprocess.run([tidegauge, "run", "--no-record", "--guard", "--", "true"], preexec_fn=groups.join, check=True, capture_output=True)
    assert not set(left) & set(groups.made())


def test_the_job_outlives_the_gauge_and_its_groups_do_not_outlive_the_job(guarded, groups, tmp_path):
    gauge = guarded(command=["sh", "-c", "echo $$; read line < $0; echo $line > $1", fifo(tmp_path / "in"), fifo(tmp_path / "out")])
    int(gauge.stdout.readline())
    gauge.kill()
    gauge.wait()
    (tmp_path / "in").write_text("alive\n")
    assert (tmp_path / "out").read_text() == "alive\n"
    groups.wait_until_removed()


def fifo(path):
    os.mkfifo(path)
    return path


def test_there_is_no_second_guard(guarded, tidegauge):
    code, out, errors = end_of(guarded(command=[tidegauge, "run", "-q", "--no-record", "--guard", "--", "echo", "ran"]))
    assert (code, out) == (0, "ran\n") and "no second guard" in errors


def test_without_groups_the_job_runs_all_the_same(tidegauge, home, in_container):
    done = subprocess.run([*in_container, tidegauge, "run", "--no-record", "--guard", "--limit", "1GB", "--", "echo", "ran"],
                          capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert "no group that could be frozen" in done.stderr


@pytest.mark.parametrize("whose", ["the container's", "what was asked for"])
@pytest.mark.parametrize("manner, limit, code, said", [("", 420, 75, "asked it to save and end"), ("deaf", 150, 137, "killed it at")])
def test_without_groups_it_is_asked_and_else_stopped_and_killed(tidegauge, groups, home, in_container, whose, manner, limit, code, said):
    """The limit is that of the container, and the job is most of what is in it; or one that nobody but the gauge knows of."""
    words = [*in_container, tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--no-census", "--guard"]
    if whose == "the container's":
        (groups.folders[0] / "memory.limit_in_bytes").write_text(str(limit << 20))
    else:
        words += ["--limit", f"{limit}MiB", "--interval", "100ms"]
    words += ["--", sys.executable, JOB, home, 1, 1000, manner]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join,
                          env=with_our_package())  # fmt: skip
    assert done.returncode == code and said in done.stderr and "by the kernel" not in done.stderr, done.stderr
    groups.wait_until_left_by_all_but()
