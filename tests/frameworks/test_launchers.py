# SPDX-License-Identifier: Apache-2.0
"""Jobs that a launcher starts: the steps of each rank are heard, and each computes the same as without us."""
import importlib.util
import json
import subprocess
import sys

import pytest
from conftest import JOBS, environment

TORCHRUN = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0")
ACCELERATE = ("-m", "accelerate.commands.launch", "--cpu", "--num_processes", "1", "--num_machines", "1",
              "--mixed_precision", "no", "--dynamo_backend", "no")  # fmt: skip
EXAMPLES, BATCH, EPOCHS = 64, 4, 3


def rank_files(folder):
    return {int(path.stem.partition("-")[2]): json.loads(path.read_text()) for path in folder.glob("rank-*.json")}


@pytest.fixture
def launched(record, tmp_path):
    """launched(launcher, kind): {rank: its marks}; each rank's loss is that of a run without us."""

    def run(launcher, kind, ranks):
        plain = subprocess.run(
            [sys.executable, *launcher, JOBS / "ranks.py", kind], capture_output=True, text=True, cwd=tmp_path, env=environment()
        )
        assert plain.returncode == 0, plain.stdout + plain.stderr
        job = record("ranks.py", kind, python=launcher)
        assert job.done.returncode == 0, job.done.stdout + job.done.stderr
        with_us, without = rank_files(job.path.parent), rank_files(tmp_path)
        assert sorted(with_us) == sorted(without) == list(range(ranks))
        assert [rank["loss"] for rank in with_us.values()] == [without[number]["loss"] for number in with_us]
        marks = {number: [m for m in job.events if m.get("pid") == rank["pid"]] for number, rank in with_us.items()}
        return job, marks

    return run


def numbers(marks, event, source):
    return [m["value"] for m in marks if m["event"] == event and m["source"] == source]


@pytest.mark.parametrize("kind", ["ddp", "accelerate"])
def test_torchrun_with_two_ranks(launched, kind):
    job, marks = launched(TORCHRUN, kind, ranks=2)
    for rank in marks.values():
        assert numbers(rank, "step", "optimizer")[-1] == EXAMPLES // BATCH // 2 * EPOCHS
        assert numbers(rank, "epoch", "loader") == list(range(1, EPOCHS + 1))
        seen = [m for m in rank if m["event"] == "distinct"]
        assert {m["total"] for m in seen} == {EXAMPLES}
        assert EXAMPLES // 2 <= seen[-1]["value"] <= EXAMPLES, "its own half, another one in each epoch"


def test_accelerate_launch(launched):
    _, marks = launched(ACCELERATE, "accelerate", ranks=1)
    assert numbers(marks[0], "step", "optimizer")[-1] == EXAMPLES // BATCH * EPOCHS
    assert numbers(marks[0], "epoch", "loader") == list(range(1, EPOCHS + 1))
    assert max(numbers(marks[0], "distinct", "loader")) == EXAMPLES


@pytest.mark.skipif(importlib.util.find_spec("deepspeed") is None, reason="there is no DeepSpeed here: pip install deepspeed")
@pytest.mark.parametrize("ranks", [1, 2])
def test_deepspeed_counts_its_own_steps(launched, monkeypatch, ranks):
    monkeypatch.setenv("DS_ACCELERATOR", "cpu")
    launcher = tuple(str(ranks) if before == "--nproc-per-node" else word for before, word in zip(("", *TORCHRUN), TORCHRUN))
    _, marks = launched(launcher, "deepspeed", ranks=ranks)
    for rank in marks.values():
        steps = numbers(rank, "step", "framework")
        assert steps == sorted(steps) and steps[-1] == EXAMPLES // BATCH // 2 // ranks * EPOCHS, "two batches to a step"
        assert numbers(rank, "epoch", "loader")[-1] == EPOCHS
