# SPDX-License-Identifier: Apache-2.0
"""The package's remedies with real torch: loaders with workers, ranks, tensors."""
import os
import pathlib
import re
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # more would only wait for each other
from PIL import Image  # noqa: E402
from torch.utils.data import DataLoader, Dataset, Subset  # noqa: E402

from tidegauge._memory import tensors  # noqa: E402
from tidegauge.images import LazyImages, open_on_demand  # noqa: E402
from tidegauge.loading import Watched  # noqa: E402
from tidegauge.retention import Checked  # noqa: E402


class Numbers(Dataset):
    def __init__(self, delay=0.0, grow=0):
        self.delay, self.grow, self.kept = delay, grow, []

    def __len__(self):
        return 64

    def __getitem__(self, n):
        if self.delay:
            end = time.process_time() + self.delay
            while time.process_time() < end:
                pass
        if self.grow:
            self.kept.append(bytearray(self.grow))
        return torch.full((1000,), float(n))


class Collator:
    def __init__(self, keep=False):
        self.keep, self.history = keep, []

    def __call__(self, rows):
        batch = {"x": torch.stack(rows)}
        if self.keep:
            self.history.append(batch["x"])
        return batch


def test_a_collator_is_checked_in_a_real_loader():
    for keep, words in ((False, "Collator retains nothing: 32 batches"), (True, "Collator retains memory")):
        checked = Checked(Collator(keep))
        for batch in DataLoader(Numbers(), batch_size=2, collate_fn=checked):
            batch["x"].sum()
        assert words in checked.report()


def test_a_checked_collator_works_in_workers():
    loader = DataLoader(Numbers(), batch_size=2, collate_fn=Checked(Collator()), num_workers=2)
    assert sum(int(batch["x"][0, 0]) for batch in loader) == sum(range(0, 64, 2))


def test_advice_from_measured_workers():
    loader = Watched(DataLoader(Numbers(grow=400_000), batch_size=2, num_workers=2, prefetch_factor=2))
    for _ in range(2):
        for _ in loader:
            pass
    text = loader.advice()
    assert re.search(r"a worker holds \S+ MiB of its own, so 2 of them", text)
    assert "batches that are loaded ahead take up to 31.2 KiB" in text
    assert "workers are started anew in each pass" in text
    assert loader.batches == 64 and loader.loader.num_workers == loader.num_workers == 2


class Waiting(Numbers):
    def __getitem__(self, n):
        time.sleep(0.01)
        return super().__getitem__(n)


def test_workers_that_wait_for_files_should_be_more():
    loader = Watched(DataLoader(Waiting(), batch_size=2, num_workers=2))
    for _ in range(2):
        for _ in loader:
            pass
    assert "more of them would help" in loader.advice()
    loader = Watched(DataLoader(Numbers(delay=0.01), batch_size=2, num_workers=2))
    for _ in range(2):
        for _ in loader:
            pass
    assert "more of them would help" not in loader.advice() and "held up" in loader.advice()


def test_idle_workers_should_be_fewer():
    loader = Watched(DataLoader(Numbers(delay=0.001), batch_size=8, num_workers=4, persistent_workers=True))
    for _ in range(2):
        for _ in loader:
            time.sleep(0.3)  # the step: so long that to take a batch from its queue is little of it
    assert re.search(r"num_workers=[12] would do", loader.advice()), loader.advice()


def test_advice_without_workers_for_slow_samples():
    loader = Watched(DataLoader(Numbers(delay=0.002), batch_size=2))
    for _ in loader:
        pass
    assert loader.wait_share > 0.5 and re.search(r"num_workers=\d+ would load", loader.advice())


class Pictures(Dataset):
    def __init__(self, folder):
        self.rows = []
        for n in range(12):
            Image.new("RGB", (64, 64), (n * 20, 0, 0)).save(folder / f"{n}.png")
            self.rows.append({"image": Image.open(folder / f"{n}.png")})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, n):
        return torch.tensor(self.rows[n]["image"].convert("RGB").getpixel((0, 0)))


@pytest.mark.parametrize("context", [None, "fork", "spawn"])
def test_images_on_demand_behind_a_subset_and_in_workers(tmp_path, context):
    dataset = open_on_demand(Subset(Pictures(tmp_path), range(12)), cache="1MB")
    assert isinstance(dataset.dataset.rows, LazyImages)
    workers = {} if context is None else {"num_workers": 2, "multiprocessing_context": context}
    batches = list(DataLoader(dataset, batch_size=4, **workers))
    assert torch.cat(batches)[:, 0].tolist() == [n * 20 for n in range(12)]


def test_tensors_are_grouped_and_views_counted_once():
    class Mine(torch.Tensor):
        pass

    base = torch.zeros(1000, 1000)
    views = [base[n] for n in range(10)]
    mine = torch.zeros(7, 7).as_subclass(Mine)
    groups, devices = tensors(10_000)
    found = {(dtype, shape): (count, size) for _, dtype, shape, count, size in groups}
    assert found["float32", (1000, 1000)][0] >= 1 and ("float32", (7, 7)) in found and len(views) + len(mine)
    both = found["float32", (1000, 1000)][1] + found["float32", (1000,)][1]
    assert 4_000_000 <= both < 8_000_000
    assert devices["cpu"] >= 12


def rank(number, file, out):
    import signal

    from tidegauge import checkpoint

    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=number, world_size=2)
    checkpoint.listen()
    answers = []
    for step in range(4):
        if number == 1 and step == 2:
            os.kill(os.getpid(), signal.SIGUSR2)
        answers.append(checkpoint.requested_anywhere() is not None)
    (pathlib.Path(out) / str(number)).write_text(repr(answers))
    torch.distributed.destroy_process_group()


def test_all_ranks_save_at_the_same_step(tmp_path):
    torch.multiprocessing.spawn(rank, (str(tmp_path / "rendezvous"), str(tmp_path)), nprocs=2)
    expected = repr([False, False, True, False])
    assert [(tmp_path / str(n)).read_text() for n in range(2)] == [expected, expected]


def test_a_training_step_is_stable_and_a_kept_graph_is_a_leak(monkeypatch):
    """What the pytest plugin runs, on real steps: warm-up of torch itself, then `total += loss` without .item()."""
    from tidegauge.stable import Stability

    monkeypatch.setenv("TIDEGAUGE_BINARY", os.environ.get("TIDEGAUGE", str(ROOT / "build" / "tidegauge")))
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(64, 256)

    def step():
        loss = model(data + torch.randn(64, 256)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        return loss

    run = Stability(per_step="16KB")
    for _ in run.steps():
        step()
    assert run.outcome == "stable", run.explanation()
    total = 0.0
    run = Stability(per_step="16KB")
    for _ in run.steps():
        total = total + step()
    assert run.outcome == "leak", run.explanation()
    assert run.verdict.bytes_per_step["value"] > 100_000
    assert "were not allocated by Python" in run.explanation()
