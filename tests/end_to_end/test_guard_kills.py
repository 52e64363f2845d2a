# SPDX-License-Identifier: Apache-2.0
"""Any of the guard's processes killed or stopped at any moment: the job does not stay frozen, and goes on or ends as docs/guard.md says."""
import os
import signal

from guarded_jobs import end_of, guard_line, let_go_on
from waiting import wait_for_text


def freeze(groups):
    """As the guard does."""
    group = groups.freezer()
    (group / "cgroup.freeze").write_text("1")
    wait_for_text(group / "cgroup.events", lambda text: "frozen 1" in text)


def test_the_gauge_lets_a_frozen_job_go_on_whose_guard_is_dead(guarded, groups, home):
    gauge = guarded(1, 1000, "waits", options=("--lend", "100MB"))
    assert gauge.stdout.readline().startswith("from 0")
    freeze(groups)
    line = guard_line(gauge)
    gauge.send_signal(signal.SIGSTOP)  # so that it replaces nobody before all are dead
    for pid in line:
        os.kill(pid, signal.SIGKILL)
    gauge.send_signal(signal.SIGCONT)
    assert any("all processes of the guard have died" in line for line in gauge.stderr)
    wait_for_text(groups.freezer() / "cgroup.events", lambda text: "frozen 0" in text)
    let_go_on(home)
    code, out, errors = end_of(gauge)
    assert code == 75 and "asked it to save and end" in errors, errors
