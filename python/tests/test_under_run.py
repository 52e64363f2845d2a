# SPDX-License-Identifier: Apache-2.0
"""The package in a job under `tidegauge run`: marks go through the real ring, the verdict comes from the real recording."""
import json
import subprocess
import sys

import pytest

JOB = """
import os, sys, time, tidegauge
from tidegauge import _marks
assert _marks._awake
tidegauge.epoch(1, total=2)
for n in range(1, 31):
    tidegauge.step(n, total=60)
with tidegauge.phase("eval"):
    tidegauge.mark("accuracy", value=0.25)
pid = os.fork()
if pid == 0:
    with tidegauge.phase("save"):
        tidegauge.step(31)
    os._exit(0)
os.waitpid(pid, 0)
found = None
while found is None or found.duration_seconds in (None, 0):  # the recording is written every few seconds
    found = tidegauge.verdict()
print(found.klass)
"""


@pytest.fixture(scope="module")
def job(binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "job.tg"
    done = subprocess.run(
        [binary, "run", "--quiet", "--interval", "50ms", "--record", path, "--", sys.executable, "-c", JOB],
        capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True, text=True).stdout
    return done, [line for line in map(json.loads, text.splitlines()) if line["kind"] == "event"]


def test_marks_reach_the_recording(job):
    events = [one for one in job[1] if one.get("source") == "explicit"]
    steps = [one for one in events if one["event"] == "step"]
    assert (steps[0]["value"], steps[0]["total"]) in {(1, 60), (30, 60)}  # of each look the first and the last are kept
    assert {30, 31} <= {one["value"] for one in steps}
    assert [one["value"] for one in events if one["event"] == "epoch"] == [1]
    assert [one["name"] for one in events if one["event"] == "note"] == ["accuracy value=0.25"]


def test_phases_belong_to_the_process_that_marked_them(job):
    begun = {one["name"]: one.get("pid") for one in job[1] if one["event"] == "phase_begin"}
    ended = {one["name"]: one.get("pid") for one in job[1] if one["event"] == "phase_end"}
    assert set(begun) == set(ended) == {"eval", "save"}
    # The child's, or each of them that is read when it is gone, are the tree's.
    assert begun["eval"] == ended["eval"] and begun["eval"] not in (None, begun["save"], ended["save"])


def test_the_verdict_can_be_asked_for_in_the_job(job):
    assert job[0].stdout.strip() in {"undecided", "steady", "warm_up", "shift", "spikes", "leak", "sawtooth"}
