# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` of real training jobs, alive: what piles up, how much, and who holds it."""
import json
import subprocess
import sys

import pytest
from conftest import JOBS, environment

EXAMPLES = 663
PIXELS = 820 * 860 * 4


@pytest.fixture
def census(tidegauge, tmp_path):
    """census("incident.py", 83, ...): of the job after so many steps."""
    started = []

    def take(job, steps, *words):
        words = [sys.executable, JOBS / "paused.py", JOBS / job, steps, *words]
        process = subprocess.Popen([str(w) for w in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment())
        started.append(process)
        assert any(line == "ready\n" for line in process.stdout), "it ended before that"
        done = subprocess.run([tidegauge, "census", str(process.pid), "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    yield take
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_the_incident_is_named(census):
    document = census("incident.py", 90, "out")
    top = document["retainers"][0]
    assert top["path"].endswith(".rows[*]['image']"), top
    assert (top["type"], top["count"]) == ("PIL.JpegImagePlugin.JpegImageFile", EXAMPLES)
    assert top["retained_bytes"] == pytest.approx(EXAMPLES * PIXELS, rel=0.02)
    (images,) = [one for one in document["images"] if one["size"] == [820, 860]]
    assert images["count"] == EXAMPLES and images["bytes"] == pytest.approx(EXAMPLES * PIXELS, rel=0.02)
    assert document["incomplete"] is None


def test_a_collator_that_keeps_batches_is_named(census):
    top = census("collator_leak.py", 100, "out", 200)["retainers"][0]
    assert (top["path"], top["root"], top["type"]) == ("__main__.KEPT[*]", "module", "torch.Tensor")
    # accelerate takes a batch ahead; those in flight may be told as held by the variables of whoever works on them
    assert 97 <= top["count"] <= 104
    assert top["retained_bytes"] == pytest.approx(top["count"] * 4 * 4 * (1 << 15), rel=0.02)
