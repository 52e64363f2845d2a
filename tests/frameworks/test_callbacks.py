# SPDX-License-Identifier: Apache-2.0
"""The package's callbacks in real trainers: transformers and Lightning, on the CPU."""
import logging
import os
import pathlib
import re
import signal
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # an installed package comes after it, and is the same
sys.path.insert(0, str(ROOT / "tests" / "frameworks" / "jobs"))
os.environ.setdefault("TIDEGAUGE_BINARY", os.environ.get("TIDEGAUGE", str(ROOT / "build" / "tidegauge")))
os.environ["HF_HUB_OFFLINE"] = "1"

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # more would only wait for each other
transformers = pytest.importorskip("transformers")
lightning = pytest.importorskip("lightning.pytorch")

from small_training import BATCH, EPOCHS, EXAMPLES, Data, Model  # noqa: E402

import tidegauge.hf  # noqa: E402
import tidegauge.lightning  # noqa: E402
from tidegauge import checkpoint  # noqa: E402

STEPS = EXAMPLES // BATCH * EPOCHS


@pytest.fixture(autouse=True)
def signals():
    before = signal.getsignal(checkpoint.SIGNAL)
    yield
    checkpoint._catching = False
    checkpoint._asked.clear()
    signal.signal(checkpoint.SIGNAL, before)


class Reporter(transformers.TrainerCallback):
    """What TensorBoard or W&B would get."""

    def __init__(self):
        self.logged = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.logged.append(dict(logs))


class Kill(transformers.TrainerCallback):
    def __init__(self, at):
        self.at = at

    def on_step_begin(self, args, state, control, **kwargs):
        if state.global_step == self.at:
            os.kill(os.getpid(), checkpoint.SIGNAL)


def hf_trainer(folder, callbacks=(), **options):
    transformers.set_seed(1)
    options = {"logging_steps": 8, "save_strategy": "no", **options}
    arguments = transformers.TrainingArguments(
        output_dir=str(folder), num_train_epochs=EPOCHS, per_device_train_batch_size=BATCH, report_to=[], use_cpu=True,
        disable_tqdm=True, **options,
    )  # fmt: skip
    return transformers.Trainer(model=Model(), args=arguments, train_dataset=Data(), callbacks=list(callbacks))


def weights(trainer):
    return torch.cat([p.detach().flatten() for p in trainer.model.parameters()])


def test_hf_memory_is_in_the_trainers_own_logs(tmp_path):
    trainer = hf_trainer(tmp_path, [tidegauge.hf.MemoryCallback(say=lambda line: None)])
    trainer.train()
    with_loss = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert [entry["step"] for entry in with_loss] == list(range(8, STEPS + 1, 8))
    for entry in with_loss:
        assert 50 < entry["memory/anon_mib"] < entry["memory/rss_mib"] < 10_000
        if "memory/uss_mib" in entry:  # read now and then, and left out in between: never an old number
            assert entry["memory/anon_mib"] - 20 < entry["memory/uss_mib"] < entry["memory/rss_mib"] + 20
        assert not any("gpu" in name for name in entry)
    assert with_loss[0]["memory/uss_mib"] > 50 and with_loss[0]["memory/tensors_cpu"] >= 4


def test_hf_every_so_many_steps(tmp_path):
    trainer = hf_trainer(tmp_path, [tidegauge.hf.MemoryCallback(every=3, say=lambda line: None)], logging_strategy="no")
    trainer.train()
    steps = [entry["step"] for entry in trainer.state.log_history if "loss" in entry]
    assert steps == list(range(3, STEPS + 1, 3))


def test_hf_reporters_get_it_too_where_it_is_added_first(tmp_path):
    late, first = Reporter(), Reporter()
    trainer = hf_trainer(tmp_path / "a", [late, tidegauge.hf.MemoryCallback(say=lambda line: None)])
    trainer.train()
    assert not any("memory/rss_mib" in logs for logs in late.logged)
    trainer = hf_trainer(tmp_path / "b", [first])
    tidegauge.hf.MemoryCallback(say=lambda line: None).add_to(trainer)
    trainer.train()
    assert all("memory/rss_mib" in logs for logs in first.logged[:-1]) and len(first.logged) > 3


def test_hf_the_summary_has_growth_tensors_and_verdict(tmp_path):
    said = []
    hf_trainer(tmp_path, [tidegauge.hf.MemoryCallback(say=said.append)]).train()
    text = "\n".join(said)
    assert said[0] == f"memory from step 8 to step {STEPS}:"
    assert re.search(r"^  anon +\S+ [KMG]iB -> +\S+ [KMG]iB, peak .* a step$", text, re.M)
    assert re.search(r"^  tensors: \d+ on cpu$", text, re.M) and "float32[16, 8] on cpu" in text
    assert "(by the callback's own readings; `tidegauge run` sees more)" in text


def test_hf_training_is_the_same_to_the_last_bit(tmp_path):
    plain = hf_trainer(tmp_path / "plain")
    plain.train()
    watched = hf_trainer(
        tmp_path / "watched",
        [tidegauge.hf.MemoryCallback(say=lambda line: None), tidegauge.hf.CleanupCallback(every=5, say=lambda line: None)],
    )
    watched.train()
    assert torch.equal(weights(plain), weights(watched))
    losses = [[entry["loss"] for entry in t.state.log_history if "loss" in entry] for t in (plain, watched)]
    assert losses[0] == losses[1]


def test_hf_a_checkpoint_that_is_asked_for_can_be_resumed_to_the_same_end(tmp_path):
    whole = hf_trainer(tmp_path / "whole")
    whole.train()
    said = []
    stopped = hf_trainer(tmp_path / "stopped", [Kill(7), tidegauge.hf.MemoryCallback(say=said.append)])
    stopped.train()
    assert stopped.state.global_step == 8 and "tidegauge: a checkpoint was asked for at step 8" in said
    resumed = hf_trainer(tmp_path / "stopped")
    resumed.train(resume_from_checkpoint=str(tmp_path / "stopped" / "checkpoint-8"))
    assert resumed.state.global_step == STEPS and torch.equal(weights(whole), weights(resumed))


def test_hf_save_without_stopping_or_leave_the_signal_alone(tmp_path):
    saving = hf_trainer(tmp_path, [Kill(7), tidegauge.hf.MemoryCallback(on_request="save", say=lambda line: None)])
    saving.train()
    assert saving.state.global_step == STEPS and (tmp_path / "checkpoint-8" / "trainer_state.json").exists()
    signal.signal(checkpoint.SIGNAL, signal.SIG_DFL)
    checkpoint._catching = False
    hf_trainer(tmp_path / "none", [tidegauge.hf.MemoryCallback(on_request=None, say=lambda line: None)]).train()
    assert signal.getsignal(checkpoint.SIGNAL) == signal.SIG_DFL
    with pytest.raises(ValueError):
        tidegauge.hf.MemoryCallback(on_request="stop")


def test_hf_cleanup_reports_its_cost(tmp_path):
    said = []
    hf_trainer(tmp_path, [tidegauge.hf.CleanupCallback(every=10, say=said.append)]).train()
    assert len(said) == 1 and re.match(rf"cleanup: {STEPS // 10} times, \d+\.\d ms each \(\d+\.\d % of the time\)", said[0])


def test_hf_a_verdict_knows_how_long_an_epoch_is(tmp_path):
    callback = tidegauge.hf.MemoryCallback(say=lambda line: None)
    hf_trainer(tmp_path, [callback]).train()
    assert callback.memory.steps_per_epoch == STEPS / EPOCHS


# ---- Lightning


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.inner = Model()
        self.automatic_optimization = True

    def training_step(self, batch, index):
        return self.inner(**batch)["loss"]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


class KillLightning(lightning.Callback):
    def __init__(self, at):
        self.at = at

    def on_train_batch_start(self, trainer, module, batch, index):
        if trainer.global_step == self.at:
            os.kill(os.getpid(), checkpoint.SIGNAL)


def fit(folder, *callbacks, logger=False, **options):
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    lightning.seed_everything(1, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=EPOCHS, accelerator="cpu", default_root_dir=str(folder), callbacks=list(callbacks), logger=logger,
        enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False, **options,
    )  # fmt: skip
    module = Module()
    trainer.fit(module, torch.utils.data.DataLoader(Data(), batch_size=BATCH))
    return trainer, module


def test_lightning_memory_goes_to_the_loggers(tmp_path):
    from lightning.pytorch.loggers import CSVLogger

    said = []
    logger = CSVLogger(str(tmp_path), name="", version="")
    fit(tmp_path, tidegauge.lightning.MemoryCallback(every=10, say=said.append), logger=logger, log_every_n_steps=10)
    header, *rows = (tmp_path / "metrics.csv").read_text().splitlines()
    names = header.split(",")
    values = [dict(zip(names, row.split(","))) for row in rows]
    memory = [row for row in values if row["memory/rss_mib"]]
    assert [int(row["step"]) for row in memory] == list(range(10, STEPS + 1, 10))
    assert float(memory[0]["memory/uss_mib"]) > 50
    assert said[0] == f"memory from step 10 to step {STEPS}:" and any("own readings" in line for line in said)


def test_lightning_training_is_the_same_to_the_last_bit(tmp_path):
    _, plain = fit(tmp_path)
    quiet = {"say": lambda line: None}
    _, watched = fit(tmp_path, tidegauge.lightning.MemoryCallback(every=5, **quiet), tidegauge.lightning.CleanupCallback(**quiet))
    for a, b in zip(plain.parameters(), watched.parameters()):
        assert torch.equal(a, b)


def test_lightning_accumulation_counts_real_steps(tmp_path):
    callback = tidegauge.lightning.MemoryCallback(every=1, say=lambda line: None)
    fit(tmp_path, callback, accumulate_grad_batches=4)
    assert callback.memory.last == STEPS // 4 and callback.memory.steps_per_epoch == STEPS / EPOCHS / 4


def test_lightning_saves_and_stops_when_asked(tmp_path):
    said = []
    trainer, _ = fit(tmp_path, KillLightning(7), tidegauge.lightning.MemoryCallback(say=said.append))
    assert trainer.global_step == 8 and any("asked for at step 8" in line for line in said)
    saved = torch.load(tmp_path / "tidegauge-step=8.ckpt", weights_only=False)
    assert saved["global_step"] == 8 and saved["state_dict"]
