# SPDX-License-Identifier: Apache-2.0
"""`run --guard` and real trainers that leak: they save, end, go on, and end with the weights that they would have had."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import JOBS, PATIENCE_SECONDS, ROOT, environment

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
def test_a_leaking_training_ends_with_the_same_weights(tidegauge, kind, tmp_path, join):
    words = [sys.executable, str(JOBS / "asked.py"), kind]
    variables = {**environment(), "PYTHONPATH": str(ROOT / "python")}
    with subprocess.Popen([*words, "whole", str(tmp_path / "whole")], stdout=subprocess.PIPE, text=True, env=variables) as job:
        whole = job.stdout.read()
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
    assert job.returncode == 0
    held = used.ru_maxrss // 1024
    done = subprocess.run(
        [str(word) for word in (tidegauge, "run", "--no-record", "--no-history", "--no-census", "--guard", "--limit", f"{held}MiB", "--restart-on-limit",
                                "--", *words, "leaks", tmp_path)],
        capture_output=True, text=True, env=variables, preexec_fn=join, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == whole.splitlines()[-1], "the weights, to the last bit"
    lives = [int(step) for step in re.findall(r"^end (\d+) ", done.stdout, re.M)]
    assert len(lives) > 1 and lives == sorted(lives), "it was stopped on its way"
    resumed = re.findall(r"^tidegauge: resumed from (.*)$", done.stdout, re.M)
    assert len(resumed) == len(lives) - 1 and "not bit-equal" not in done.stdout, "each life found its checkpoint by itself"
    assert "by the kernel" not in done.stderr and "killed it" not in done.stderr
