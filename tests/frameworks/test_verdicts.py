# SPDX-License-Identifier: Apache-2.0
"""Jobs of known truth, made of real frameworks: their marks, and what is said of them."""
import pytest

# How sure one can be depends on what else the machine does just then: these may be undecided, but never the opposite.
# Recordings that must be decided are judged in tests/end_to_end.
MAY_LEAK = ("leak", "undecided")

KEPT_PER_STEP = 4 * 4 * (1 << 15)  # a batch of 4 rows


def test_a_collator_that_keeps_its_batches_is_a_leak_per_step(record):
    job = record("collator_leak.py", "out", 3000)
    assert (job.done.returncode, job.done.stdout.splitlines()[-1]) == (0, "3000"), job.done.stderr
    assert job.numbers("step", "framework")[-1] == 3000
    assert job.numbers("epoch", "framework")[-1] == 100
    (verdict, *_) = job.verdicts(until=job.at_step(3000))
    assert verdict["class"] in MAY_LEAK, verdict["words"]
    # 512 KiB are kept; malloc adds up to a fifth, as it happens to find room between them.
    kept = (job.anon_at(job.at_step(3000)) - job.anon_at(job.at_step(100))) / 2900
    assert 0.95 * KEPT_PER_STEP < kept < 1.3 * KEPT_PER_STEP
    assert verdict["growth"]["bytes_per_step"]["value"] == pytest.approx(kept, rel=0.1)


def test_evaluations_that_need_memory_are_spikes(record):
    job = record("eval_spikes.py", 200)
    assert job.done.returncode == 0, job.done.stderr
    assert job.numbers("step", "optimizer")[-1] == 200 * 8
    assert job.numbers("epoch", "loader") == list(range(1, 201))
    assert len(job.phases("eval")) == 20
    (verdict, *_) = job.verdicts(until=job.at_step(1600, "optimizer"))
    # The imports before the first step grow and end: that is starting up, and not what the steps do.
    assert verdict["class"] in ("spikes", "undecided"), verdict["words"]
    assert verdict["spikes"]["tied_to"] == "eval", verdict["words"]
    assert verdict["spikes"]["count"] == pytest.approx(20, abs=3)


def test_a_graph_that_is_kept_is_a_leak(record):
    job = record("graph_kept.py", 120)
    assert job.done.returncode == 0, job.done.stderr
    assert job.numbers("step", "optimizer")[-1] == 960
    assert job.numbers("distinct", "loader")[-1] == 2048
    (verdict, *_) = job.verdicts(until=job.at_step(960, "optimizer"))
    assert verdict["class"] in MAY_LEAK, verdict["words"]
    cause = verdict["causes"][0]
    assert cause["retained_by"] == "__main__.total.grad_fn" and "torch.autograd.graph.Node" in cause["kind"], cause
    assert "loss.item()" in cause["remedy"]
