# SPDX-License-Identifier: Apache-2.0
"""The package on a GPU; skipped where there is none."""
import os
import pathlib
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ["HF_HUB_OFFLINE"] = "1"

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU that torch could use", allow_module_level=True)

from tidegauge._memory import Memory, tensors  # noqa: E402
from tidegauge._readings import NO_GPU, gpu_bytes  # noqa: E402


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, n):
        return {"x": torch.full((256,), n / 64), "labels": torch.tensor(float(n))}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1))

    def forward(self, x, labels):
        return {"loss": ((self.layer(x).squeeze(-1) - labels) ** 2).mean()}


def test_gpu_memory_is_read_by_kind():
    torch.cuda.init()
    kept = torch.zeros(64 << 20, dtype=torch.uint8, device="cuda")
    pinned = torch.zeros(8 << 20, dtype=torch.uint8).pin_memory()
    found = Memory().read()
    assert found["gpu_reserved"] >= found["gpu_allocated"] >= kept.nbytes
    assert found.get("pinned", pinned.nbytes) >= pinned.nbytes
    assert gpu_bytes() >= kept.nbytes and gpu_bytes() != NO_GPU
    groups, devices = tensors(5)
    assert devices["cuda:0"] >= 1 and any(device == "cuda:0" and size == kept.nbytes for device, *_, size in groups)


def test_the_counters_are_asked_once_a_second_at_most():
    torch.zeros(1, device="cuda")
    memory = Memory(count_tensors=False)
    memory.read()
    began = time.monotonic()
    first = memory.read()["gpu_allocated"]
    more = torch.zeros(32 << 20, dtype=torch.uint8, device="cuda")
    soon = memory.read()["gpu_allocated"]
    if time.monotonic() - began < 0.9:
        assert soon == first
    while time.monotonic() - began < 1.1:
        pass
    assert memory.read()["gpu_allocated"] >= first + more.nbytes


def test_the_trainers_log_has_it(tmp_path):
    transformers = pytest.importorskip("transformers")
    import tidegauge.hf

    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=2, per_device_train_batch_size=4, report_to=[], disable_tqdm=True,
        logging_steps=8, save_strategy="no",
    )  # fmt: skip
    said = []
    callback = tidegauge.hf.MemoryCallback(say=said.append)
    trainer = transformers.Trainer(model=Model(), args=arguments, train_dataset=Data(), callbacks=[callback])
    trainer.train()
    entries = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert len(entries) == 4
    for entry in entries:
        assert entry["memory/gpu_reserved_mib"] >= entry["memory/gpu_allocated_mib"] > 0
        assert entry["memory/tensors_cuda:0"] >= 4
    assert any("on cuda:0" in line for line in said) and any("gpu_allocated" in line for line in said)
    print("\n".join(said))


def test_what_logging_costs(capsys):
    """Numbers for the documents; fails only where it is out of all proportion."""
    torch.zeros(1, device="cuda")
    memory = Memory()
    memory.read()
    began, count = time.perf_counter(), 300
    for _ in range(count):
        memory.read()
        memory.tensor_counts()
    each = (time.perf_counter() - began) / count
    with capsys.disabled():
        print(f"\none reading for the log: {1e6 * each:.0f} µs")
    assert each < 0.01
