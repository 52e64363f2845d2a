# SPDX-License-Identifier: Apache-2.0
"""A job whose limit is that of a group which it shares with us, as in a container: nothing can be lent to it, and what we take ourselves is taken from it."""
import contextlib
import re
import subprocess
import sys
import time

import pytest
from guarded_jobs import children_called, end_of, wait_until
from waiting import best_of

# Each call populates 75 MiB inside the kernel, at 2 GB/s: MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE.
POPULATES = "import mmap; held = [mmap.mmap(-1, 75 << 20, flags=0x8022) for _ in range(40)]"
FILLS = "held = [b'x' * (1 << 20) for _ in range(2000)]"
# Writes to each of its pages again and again, as Python does when it merely reads: each has counts of who refers to it.
READS = """
import os, resource
held = []
while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 150 << 10:
    held.extend([float(n)] for n in range(20000))
while not os.path.exists("go"):
    for one in held:
        one[0]
print("done")
"""
WITHIN_CGROUPS_OF_ITS_OWN = """
umount -R /sys/fs/cgroup && mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory &&
mount -t cgroup -o ro,memory none /sys/fs/cgroup/memory && exec "$@"
"""


@pytest.fixture
def memory(groups):
    """The memory group that gauge and job are in."""
    return groups.folders[0]


@pytest.fixture
def run(tidegauge, groups, home, started):
    def start(code, *options, words=(), **more):
        command = [*words, tidegauge, "run", "--no-record", "--no-history", "--no-hooks", *options, "--", sys.executable, "-c", code]
        return started(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=groups.join, **more)

    return start


@pytest.mark.parametrize("where", ["in groups of its own", "where groups can only be read"])
def test_who_fills_memory_inside_system_calls_is_killed_before_the_kernel_does(run, memory, kernel_may_kill, in_container, where):
    words = in_container if "read" in where else ()
    (memory / "memory.limit_in_bytes").write_text(str(420 << 20))

    def attempt():
        return end_of(run(POPULATES, "--guard", words=words))

    code, _, errors = best_of(attempt, lambda result: "ended by the guard" in result[2])
    assert code == 137 and "ended by the guard" in errors, errors
    if not words:
        assert memory.joinpath("memory.failcnt").read_text() == "0\n", "it never came to the limit"


def in_a_container(memory, limit):
    """Words before a command: in a group of its own below `memory`, of which nothing can be seen from inside."""
    inner = memory / "tidegauge-container"
    inner.mkdir()  # removed with what guards make
    if limit:
        (inner / "memory.limit_in_bytes").write_text(str(limit << 20))
    words = ["sh", "-c", f"echo 0 > {inner}/cgroup.procs && exec unshare --mount --cgroup sh -c '{WITHIN_CGROUPS_OF_ITS_OWN}' sh \"$@\"", "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount or cgroup namespace can be made here")
    return words


OWN, ABOVE = "for the memory limit of its group;", "for the memory limit of a group above it;"
# Limits in MiB of the group that both are in, and of a container in it; options; who is said to have killed.
CASES = {
    "its own limit": (300, None, ["--limit", "120MB"], OWN),
    "the limit of a group above": (200, None, [], ABOVE),
    "the limit of a group above that is less than its own": (200, None, ["--limit", "225MB"], ABOVE),
    "the limit of a group that is both's and can only be read": (200, "read only", [], OWN),
    "the limit of a container": (None, 200, [], OWN),
    "the limit of a group that no container sees": (200, 0, [], ABOVE),
}


@pytest.mark.parametrize("case", CASES)
def test_whose_limit_it_was_is_said(run, memory, kernel_may_kill, in_container, case):
    """While the machine has gigabytes left."""
    limit, container, options, said = CASES[case]
    if limit:
        (memory / "memory.limit_in_bytes").write_text(str(limit << 20))
    words = in_container if container == "read only" else in_a_container(memory, container) if container is not None else ()
    code, _, errors = end_of(run(FILLS, "--guard", "--guard-without", "kill,lend", *options, words=words))
    (end,) = re.findall("^guard +(.*)", errors, re.M)
    assert code == 137 and end.startswith(f"killed by the kernel {said}"), errors


def test_a_stranger_of_the_same_group_that_the_kernel_kills_is_not_the_job(run, groups, memory, kernel_may_kill, started):
    """A signal 9 from elsewhere, and a kill of the kernel's elsewhere, make no kill of the job by the kernel."""
    (memory / "memory.limit_in_bytes").write_text(str(200 << 20))
    gauge = run("import os, time; print(os.getpid(), flush=True); time.sleep(600)", "--guard", "--guard-without", "kill")
    job = int(gauge.stdout.readline())
    hungry = started([sys.executable, "-c", FILLS], preexec_fn=groups.join)
    assert hungry.wait() == -9
    subprocess.run(["kill", "-9", str(job)], check=True)
    code, _, errors = end_of(gauge)
    assert code == 137 and "killed by signal 9, sender unknown" in errors, errors


def wait_for_a_while(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def test_a_healthy_job_is_not_brought_to_its_limit_by_our_census(run, memory, home):
    """That takes memory beside the job, and in it for each page that the job writes to meanwhile."""
    (memory / "memory.limit_in_bytes").write_text(str(300 << 20))
    gauge = run(READS, cwd=home)
    server = []

    def is_ended_or(true):
        return lambda: gauge.poll() is not None or true()

    def takes_one():
        server[:] = children_called("tidegauge-censu", gauge.pid)
        return server and children_called("tidegauge-censu", server[0])

    with contextlib.suppress(TimeoutError):  # there may be too little room for one: then none is taken
        wait_for_a_while(is_ended_or(takes_one))
    wait_until(is_ended_or(lambda: not takes_one()), "the end of the census")
    (home / "go").write_text("")
    code, out, errors = end_of(gauge)
    assert (code, out) == (0, "done\n"), errors
    assert int((memory / "memory.failcnt").read_text()) == 0, "the limit was hit"
