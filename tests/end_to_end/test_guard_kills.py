# SPDX-License-Identifier: Apache-2.0
"""Any of the guard's processes killed or stopped at any moment: the job does not stay frozen, and goes on or ends as docs/guard.md says."""
import os
import pathlib
import re
import signal
import subprocess
import sys

from guarded_jobs import PATIENCE, ROOT, end_of, guard_line, let_go_on, wait_until
from waiting import wait_for_text


def freeze(groups):
    """As the guard does."""
    group = groups.freezer()
    (group / "cgroup.freeze").write_text("1")
    wait_for_text(group / "cgroup.events", lambda text: "frozen 1" in text)


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]


def test_the_gauge_lets_a_frozen_job_go_on_whose_guard_is_dead(guarded, groups, home):
    gauge = guarded(1, 1000, "waits", options=("--lend", "100MB"))
    assert gauge.stdout.readline().startswith("from 0")
    freeze(groups)
    line = guard_line(gauge)
    gauge.send_signal(signal.SIGSTOP)  # so that it replaces nobody before all are dead
    wait_until(lambda: state_of(gauge.pid) == "T", "its stop")
    for pid in line:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: all(state_of(pid) == "Z" for pid in line), "their end")  # else it sees one after the other die, and says that
    gauge.send_signal(signal.SIGCONT)
    assert any("all processes of the guard have died" in line for line in gauge.stderr)
    wait_for_text(groups.freezer() / "cgroup.events", lambda text: "frozen 0" in text)
    let_go_on(home)
    code, out, errors = end_of(gauge)
    assert code == 75 and "asked it to save and end" in errors, errors


def test_doctor_finds_a_job_that_nobody_is_left_to_thaw(guarded, groups, call, home):
    gauge = guarded(1, 30, "waits")
    assert gauge.stdout.readline().startswith("from 0")
    line = guard_line(gauge)
    for pid in (gauge.pid, *reversed(line)):
        os.kill(pid, signal.SIGSTOP)
    freeze(groups)
    for pid in (gauge.pid, *line):
        os.kill(pid, signal.SIGKILL)
    gauge.wait()
    said = " ".join(call("doctor").stdout.split())
    lets_go_on = re.search(r"echo 0 \| tee \$\(find \S+ -path '\*/" + groups.freezer().name + r"/cgroup.freeze'\)", said)
    assert lets_go_on, said
    subprocess.run(["sh", "-c", lets_go_on[0]], check=True, stdout=subprocess.DEVNULL)
    let_go_on(home)
    assert gauge.stdout.read().endswith("done 30\n")


def test_whoever_of_ours_is_killed_or_stopped_the_job_goes_on(tidegauge, groups):
    """A sample of the table in docs/guard.md; bench/guard/kills.py --table tries all of it."""
    words = [sys.executable, ROOT / "bench" / "guard" / "kills.py", "--tidegauge", tidegauge, "--jobs", "5"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=2 * PATIENCE)
    assert done.returncode == 0 and done.stdout.endswith(" tried, 0 wrong\n"), done.stdout + done.stderr
