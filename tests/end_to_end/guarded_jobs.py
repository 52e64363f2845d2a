# SPDX-License-Identifier: Apache-2.0
"""What the guard's tests share: control groups of their own, and how a guarded job ends."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from waiting import PATIENCE, wait_for_change, wait_for_end

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = ROOT / "tests" / "programs" / "guarded.py"
TOPS = (pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup/unified"))
FREEZER = pathlib.Path("/sys/fs/cgroup/freezer")  # of version 1


def wait_until(true, what):
    """For what nobody tells: the name that a process gives itself, a connection of others that is gone."""
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
            for path, _, _ in os.walk(folder):  # whoever is removed meanwhile is left out
                with contextlib.suppress(OSError):
                    found |= {int(pid) for pid in (pathlib.Path(path) / "cgroup.procs").read_text().split()}
        return found

    def wait_until_left_by_all_but(self, *left):
        while others := self.pids() - set(left):
            wait_for_end(*others)

    def wait_until_removed(self):
        """Those that a guard has made."""
        wait_for_change(self.folders, lambda: not self.made(), "the end of the groups")

    def remove(self):
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.wait_until_left_by_all_but()
        for path in self.made() + self.folders:
            path.rmdir()


def with_our_package():
    """The environment of a job that imports tidegauge."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python")}


def let_go_on(folder):
    """One that waits, and has said where it begins. Who writes waits until it is read."""
    (folder / "go").write_text("go\n")


def end_of(gauge):
    out, errors = gauge.communicate(timeout=PATIENCE)
    return gauge.returncode, out, errors


def children_called(name, parent):
    """The pids of the processes of that name and parent."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            its_name, its_parent = re.match(r"\d+ \((.*)\) \S (\d+)", pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace"), re.S).groups()
            if (its_name, int(its_parent)) == (name, parent):
                found.append(int(pid))
    return found


def guard_processes(gauge):
    """(actor, twin), by their names."""
    (actor,) = children_called("tg-guard", gauge.pid)
    (twin,) = children_called("tg-guard-twin", gauge.pid)
    return actor, twin


def guard_line(gauge):
    """All that may thaw the job but the gauge, in the order in which they act."""
    found = []

    def are_there():  # each gives itself its name when it gets a core
        found[:] = [pid for name in ("tg-guard", "tg-guard-twin", "tg-keeper") for pid in children_called(name, gauge.pid)]
        return len(found) == 3

    wait_until(are_there, "the guard's line")
    return found


def groups_of(pid):
    return pathlib.Path(f"/proc/{pid}/cgroup").read_text()


def shut_off(*tops):
    """Words before a command: these hierarchies can only be read."""
    shut = " && ".join(f"mount -o bind,ro {top} {top}" for top in tops if top.exists())
    words = ["unshare", "--mount", "sh", "-c", f"{shut or 'true'} && exec \"$@\"", "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespace can be made here")
    return words


def look_in(journal):
    """What the guard found in a job that stood still: (bytearrays, who holds them), from the lines of a recording. None: it did not look.
    Other censuses may have been taken before."""
    held = []
    for line in journal.splitlines():
        entry = json.loads(line)
        if entry.get("event") == "held" and entry["name"].startswith("bytearray "):
            held.append((entry["t"], entry["total"], entry["name"].split(" ", 1)[1]))
        if "while it stood still" in entry.get("name", ""):
            # One that is being made is nobody's yet but C's: the most of the last census.
            return max(one for one in held if one[0] == held[-1][0])[1:]
    return None
