# SPDX-License-Identifier: Apache-2.0
"""`run --guard` and real trainers that leak: they save, end, go on, and end with the weights that they would have had."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import JOBS, PATIENCE_SECONDS, with_package

GROUPS = [pathlib.Path(f"/sys/fs/cgroup/{name}/tg_trainers_{os.getpid()}") for name in ("memory", "unified")]


@pytest.fixture
def join():
    """Into groups of the test's own."""
    try:
        for group in GROUPS:
            group.mkdir()
    except OSError as error:
        pytest.skip(f"no control groups of version 1 with memory can be made here: {error}")
    yield lambda: [(group / "cgroup.procs").write_text("0") for group in GROUPS]
    (GROUPS[1] / "cgroup.kill").write_text("1")
    for group in GROUPS:
        while group.exists():
            try:
                group.rmdir()
            except OSError:
                pass  # until the last process is gone


@pytest.mark.parametrize("kind", ["hf", "lightning"])
def test_a_leaking_training_ends_with_the_same_weights(tidegauge, whole, kind, tmp_path, join):
    done = subprocess.run(
        [str(word) for word in (tidegauge, "run", "--no-record", "--no-history", "--no-census", "--guard", "--limit", f"{whole(kind).most_mib}MiB", "--restart-on-limit",
                                "--", sys.executable, JOBS / "asked.py", kind, "leaks", tmp_path)],
        capture_output=True, text=True, env=with_package(), preexec_fn=join, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == whole(kind).last_line, "the weights, to the last bit"
    lives = [int(step) for step in re.findall(r"^end (\d+) ", done.stdout, re.M)]
    assert len(lives) > 1 and lives == sorted(lives), "it was stopped on its way"
    resumed = re.findall(r"^tidegauge: resumed from (.*)$", done.stdout, re.M)
    assert len(resumed) == len(lives) - 1 and "not bit-equal" not in done.stdout, "each life found its checkpoint by itself"
    assert "by the kernel" not in done.stderr and "killed it" not in done.stderr


def test_ranks_are_asked_and_terminated_and_their_launcher_is_not(tidegauge, tmp_path, join):
    """torchrun gives its ranks 30 seconds once it gets SIGTERM itself, and then kills them; it never gets it."""
    steps = 36  # 1.1 GiB: it does not get through in one life
    done = subprocess.run(
        [str(word) for word in (tidegauge, "run", "--no-record", "--no-history", "--no-census", "--guard", "--limit", "1200MiB", "--restart-on-limit", "--grace", "5s", "--",
                                sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", JOBS / "leaking_ranks.py", tmp_path, steps)],
        capture_output=True, text=True, env={**with_package(), "OMP_NUM_THREADS": "1"}, preexec_fn=join,
        timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    state = 1
    for step in range(1, steps + 1):
        state = (state * 31 + 3 * step) % 1_000_003
    assert sorted(re.findall(r"rank \d end .*", done.stdout)) == [f"rank {rank} end {steps} {state}" for rank in (0, 1)]
    stopped = re.findall(r"rank (\d) stopped (\d+)", done.stdout)
    assert stopped and sorted(step for rank, step in stopped if rank == "0") == sorted(step for rank, step in stopped if rank == "1")
    assert "sent SIGTERM" in done.stderr and "death signal" not in done.stderr, "torchrun says so when it gets SIGTERM"
    assert "by the kernel" not in done.stderr and "killed it" not in done.stderr


def test_lightning_that_leaves_with_0_after_sigterm_is_not_done(tidegauge, tmp_path, join):
    gauge = subprocess.Popen(
        [str(word) for word in (tidegauge, "run", "--no-record", "--no-history", "--no-census", "--guard", "--restart-on-limit", "--",
                                sys.executable, JOBS / "asked.py", "lightning", "terminated", tmp_path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=with_package(), preexec_fn=join,
    )  # fmt: skip
    try:
        assert gauge.stdout.readline() == "ready\n"
        gauge.terminate()
        out, errors = gauge.communicate(timeout=PATIENCE_SECONDS)
    finally:
        gauge.kill()
        gauge.wait()
    assert gauge.returncode == 143 and "SIGTERM from outside; it ended with exit code 0" in errors, errors
    assert "SIGTERM ended this training at step 8: it is not done" in out
