# SPDX-License-Identifier: Apache-2.0
"""What real training loops do to hooks: the job computes the same to the last bit, and its steps are the true ones."""
import json
import re
import subprocess
import sys

import pytest
from conftest import JOBS, environment


@pytest.fixture(scope="module")
def cases(record):
    """By case: its marks."""
    job = record("hostile.py")
    pids = json.loads((job.path.parent / "pids.json").read_text())
    return job, {case: [m for m in job.events if m.get("pid") == pid] for case, pid in pids.items()}


def test_results_output_and_exit_code_are_the_same(cases, tmp_path):
    job, _ = cases
    plain = subprocess.run(
        [sys.executable, JOBS / "hostile.py"], capture_output=True, text=True, cwd=tmp_path, env=environment()
    )
    assert plain.returncode == 0 and " 256\n" not in plain.stdout, plain.stdout + plain.stderr
    assert (job.done.stdout, job.done.returncode) == (plain.stdout, plain.returncode)
    assert without_times(job.done.stderr) == without_times(plain.stderr)


def without_times(text):
    """Without torch's log lines, which have time and pid in them."""
    return [line for line in text.splitlines() if not re.match(r"[VIWE]\d{4} ", line)]


@pytest.mark.parametrize(
    ("case", "steps"),
    [("plain", 30), ("closure", 30), ("nested", 30), ("one_per_parameter", 30), ("scaler_that_skips", 20),
     ("compiled_and_reset", 30), ("step_that_raises", 30), ("custom_compiled_whole", None), ("saved", None)],
)  # fmt: skip
def test_the_step_is_the_true_one(cases, case, steps):
    told = [m["value"] for m in cases[1][case] if m["event"] == "step" and m["source"] == "optimizer"]
    assert told == sorted(told)
    assert (told[-1] if told else None) == steps, "compiled steps give none; other sources take over"


def test_compilations_and_checkpoints_are_phases(cases):
    phases = {case: [m["name"] for m in marks if m["event"] == "phase_begin"] for case, marks in cases[1].items()}
    # Forward and, where it trains, what dynamo makes of it anew after each reset.
    assert phases["compiled_and_reset"].count("compile") >= 3
    assert phases["saved"] == ["save"]
    for case, marks in cases[1].items():
        begun = [m["name"] for m in marks if m["event"] == "phase_begin"]
        ended = [m["name"] for m in marks if m["event"] == "phase_end"]
        assert sorted(begun) == sorted(ended), case
