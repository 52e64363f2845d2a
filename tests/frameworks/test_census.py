# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` of real training jobs, alive: what piles up, how much, and who holds it."""
import json
import subprocess
import sys

import pytest
from conftest import JOBS, environment

EXAMPLES = 663
PIXELS = 410 * 430 * 4


@pytest.fixture
def start(tmp_path, started):
    def a_job(*words):
        return started([sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env=environment())

    return a_job


def census_of(tidegauge, process):
    done = subprocess.run([tidegauge, "census", str(process.pid), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def census(tidegauge, start):
    """census("incident.py", 83, ...): of the job after so many steps."""

    def take(job, steps, *words):
        process = start(JOBS / "paused.py", JOBS / job, steps, *words)
        assert any(line == "ready\n" for line in process.stdout), "it ended before that"
        return census_of(tidegauge, process)

    return take


def test_the_incident_is_named(census):
    document = census("incident.py", 90, "out")
    top = document["retainers"][0]
    assert top["path"].endswith(".rows[*]['image']"), top
    assert (top["type"], top["count"]) == ("PIL.JpegImagePlugin.JpegImageFile", EXAMPLES)
    assert top["retained_bytes"] == pytest.approx(EXAMPLES * PIXELS, rel=0.02)
    (images,) = [one for one in document["images"] if one["size"] == [410, 430]]
    assert images["count"] == EXAMPLES and images["bytes"] == pytest.approx(EXAMPLES * PIXELS, rel=0.02)
    assert document["incomplete"] is None


def test_a_collator_that_keeps_batches_is_named(census):
    top = census("collator_leak.py", 100, "out", 200)["retainers"][0]
    assert (top["path"], top["root"], top["type"]) == ("__main__.KEPT[*]", "module", "torch.Tensor")
    # accelerate takes a batch ahead; those in flight may be told as held by the variables of whoever works on them
    assert 97 <= top["count"] <= 104
    assert top["retained_bytes"] == pytest.approx(top["count"] * 4 * 4 * (1 << 15), rel=0.02)


def test_a_loss_that_is_added_up_is_named_with_its_graph(census):
    document = census("graph_kept.py", 100, 60)
    top = document["retainers"][0]
    assert (top["path"], top["root"], top["type"]) == ("__main__.total.grad_fn", "module", "torch.autograd.graph.Node")
    # Of each of 99 steps: the batch, and what came out of two of the layers.
    assert top["retained_bytes"] == pytest.approx(99 * 3 * 256 * 512 * 4, rel=0.02)
    # add, mean, abs; for each of the two layers its product and its weight's transpose; relu
    assert top["count"] == pytest.approx(99 * 8, abs=8)


def test_tensors_arrays_images_and_graphs_are_those_of_the_process(tidegauge, start):
    process = start(JOBS / "natives.py")
    truth = json.loads(process.stdout.readline())
    document = census_of(tidegauge, process)
    types = {entry["type"]: entry for entry in document["types"]}
    assert document["incomplete"] is None
    assert types["torch.autograd.graph.Node"]["count"] == truth["nodes"]
    assert sum(one["bytes"] for one in document["tensors"]) == truth["storage_bytes"] + truth["gradient_bytes"]
    counted = {(one["dtype"], str(one["shape"]), one["requires_grad"], one["grad_fn"]): one["count"] for one in document["tensors"]}
    # What is only C++'s: what relu keeps for itself, and two gradients.
    expected = {tuple(one[:4]): one[4] for one in truth["tensors"]}
    for kind, count in ((("float32", "[16, 32]", False, False), 200), (("float32", "[32, 64]", False, False), 1), (("float32", "[32]", False, False), 1)):
        expected[kind] = expected.get(kind, 0) + count
    assert counted == expected
    # Libraries have one or two arrays of their own.
    assert truth["arrays"] <= sum(one["bytes"] for one in document["arrays"]) <= truth["arrays"] + 64
    images = document["images"]
    assert (sum(one["count"] for one in images), sum(one["bytes"] for one in images)) == (truth["images"], truth["pixels"])
    (graph,) = [one for one in document["retainers"] if one["type"] == "torch.autograd.graph.Node"]
    assert (graph["path"], graph["count"]) == ("natives.main() local 'total'.grad_fn", truth["nodes"])
