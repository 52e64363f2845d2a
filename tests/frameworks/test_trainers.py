# SPDX-License-Identifier: Apache-2.0
"""Steps, epochs, evaluations, checkpoints and first passes of each framework, without a change to the job."""
import json

import pytest


class Told:
    """The marks of one process."""

    def __init__(self, marks):
        self.marks = marks

    def numbers(self, event, source):
        return [m["value"] for m in self.marks if m["event"] == event and m["source"] == source]

    def phases(self, name):
        begun = [m for m in self.marks if m["event"] == "phase_begin" and m["name"] == name]
        ended = [m for m in self.marks if m["event"] == "phase_end" and m["name"] == name]
        assert len(begun) == len(ended)
        return len(begun)

    def data_sets(self):
        return {m["total"] for m in self.marks if m["event"] == "distinct"}

    def seen(self):
        return max(m["value"] for m in self.marks if m["event"] == "distinct")


@pytest.fixture(scope="module")
def told(record):
    job = record("trainers.py")
    assert job.done.returncode == 0 and set(json.loads(job.done.stdout.splitlines()[-1]).values()) == {0}, job.done.stdout + job.done.stderr
    pids = json.loads((job.path.parent / "pids.json").read_text())
    return {name: Told([m for m in job.events if m.get("pid") == pid]) for name, pid in pids.items()}


def test_lightning(told):
    job = told["with_lightning"]
    assert job.numbers("step", "framework")[-1] == 24, "3 epochs of 16 batches, two to a step"
    assert job.numbers("epoch", "framework") == [1, 2, 3]
    assert job.numbers("epoch", "loader") == []
    assert job.phases("eval") == 4, "and one before training, to see whether it works"
    assert job.phases("save") >= 1
    assert (job.data_sets(), job.seen()) == ({64}, 64)


def test_accelerate(told):
    job = told["with_accelerate"]
    assert job.numbers("step", "optimizer")[-1] == 6, "10 batches, four to a step, the last of an epoch smaller"
    assert job.numbers("epoch", "loader") == [1, 2]
    assert (job.data_sets(), job.seen()) == ({40}, 40)


def test_hf_trainer(told):
    job = told["with_hf_trainer"]
    assert job.numbers("step", "framework")[-1] == 20
    assert job.numbers("epoch", "framework") == [1, 2]
    assert job.numbers("epoch", "loader") == []
    assert job.phases("eval") == 4
    assert job.phases("save") >= 2
    assert (job.data_sets(), job.seen()) == ({64}, 64)


def test_a_plain_loop(told):
    job = told["with_nothing"]
    assert job.numbers("step", "optimizer")[-1] == 48
    assert job.numbers("epoch", "loader") == [1, 2, 3], "of the loader that is trained on, not of the other one"
    assert job.phases("eval") == 12
    assert job.phases("save") == 3
    assert (job.data_sets(), job.seen()) == ({64}, 64)


def test_without_training_batches_are_the_steps(told):
    job = told["inference"]
    assert job.numbers("step", "loader")[-1] == 100
    assert job.numbers("epoch", "loader") == [1, 2]
    assert job.seen() == 100
