# SPDX-License-Identifier: Apache-2.0
"""The training job that five documents called a leak, or not, of four causes: HF Trainer over lazily opened images.

    python train.py                          a tenth of it: 663 images of 820 x 860, 1.9 GB of pixels, no GPU needed
    python train.py --size 2600x2700 --device cuda         the whole of it: 17.8 GB of pixels
    python train.py --open-on-demand         with the remedy
    python train.py --variant collator       one thing changed; see variants.py

Nothing here knows of a gauge: no mark, no callback, no hint.
"""
import argparse
import gc
import json
import os
import pathlib
import resource
import time

COMPILE_WORKERS = 4
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", str(COMPILE_WORKERS))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from transformers import TrainerCallback, TrainingArguments, default_data_collator  # noqa: E402

import variants  # noqa: E402
from model import Captioner  # noqa: E402
from pictures import HeldImages, OpenedAnew, make_pictures  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def size_of(text: str) -> tuple:
    width, height = text.split("x")
    return int(width), int(height)


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--images", type=int, default=663)
    parser.add_argument("--size", type=size_of, default=(820, 860), help="of an image in pixels; decoded, 4 bytes each")
    parser.add_argument("--held-out", type=int, default=48, help="images for evaluation")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--eval-every", type=int, default=40, help="steps")
    parser.add_argument("--workers", type=int, default=0, help="of the data loader")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--variant", choices=variants.NAMES, default="as_it_was")
    parser.add_argument("--clean-every", type=int, default=0, help="steps: what one of the documents recommends")
    parser.add_argument("--open-on-demand", action="store_true", help="the remedy")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("out/incident/job"))
    return parser.parse_args()


class Diary(TrainerCallback):
    """Loss and time of each step, to compare runs: the loss to the last bit."""

    def __init__(self):
        self.losses, self.seconds, self.last = [], [], None

    def on_step_end(self, args, state, control, **others):
        now = time.perf_counter()
        if self.last is not None:
            self.seconds.append(now - self.last)
        self.last = now

    def on_evaluate(self, args, state, control, **others):
        self.last = None  # the step after an evaluation is not like the others

    def on_log(self, args, state, control, logs=None, **others):
        if logs and "loss" in logs:
            self.losses.append(logs["loss"])

    def write(self, path):
        path.write_text(json.dumps({"losses": self.losses, "seconds_per_step": self.seconds}))


class Cleaner(TrainerCallback):
    """Gradients set to none, garbage collected, caches emptied, every so many steps."""

    def __init__(self, every):
        self.every = every

    def on_step_end(self, args, state, control, model=None, **others):
        if state.global_step % self.every == 0:
            model.zero_grad(set_to_none=True)
            gc.collect()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()


def share_right(prediction) -> dict:
    logits = prediction.predictions[0]
    return {"right": float((logits.argmax(-1) == prediction.label_ids).mean())}


def data_of(options, paths):
    data = HeldImages(paths, options.images)
    if options.open_on_demand:
        from tidegauge.images import open_on_demand

        data = open_on_demand(data)
    return variants.CachesAugmented(data) if options.variant == "augment_cache" else data


def trainer_of(options, data, held_out, diary, epochs):
    collate = variants.collate_and_keep if options.variant == "collator" else default_data_collator
    arguments = TrainingArguments(
        output_dir=str(options.folder), per_device_train_batch_size=2, gradient_accumulation_steps=4,
        num_train_epochs=epochs, eval_strategy="steps", eval_steps=options.eval_every, logging_steps=1, save_strategy="no",
        report_to=[], use_cpu=options.device == "cpu", torch_compile=not options.no_compile, seed=0,
        dataloader_num_workers=options.workers, dataloader_persistent_workers=options.workers > 0,
        remove_unused_columns=False, label_names=["labels"], disable_tqdm=True,
    )  # fmt: skip
    return variants.trainer_of(options.variant)(
        Captioner(), arguments, train_dataset=data, eval_dataset=held_out, data_collator=collate,
        compute_metrics=share_right, callbacks=[diary, *([Cleaner(options.clean_every)] if options.clean_every else [])],
    )  # fmt: skip


def main():
    options = options_of()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # an image that was not read yet keeps its file open
    torch.manual_seed(0)
    torch.set_num_threads(1)
    paths = make_pictures(options.folder / "pictures", options.size)
    held_out = OpenedAnew(paths, options.held_out)
    diary = Diary()
    halves = 2 if options.variant == "second_data_set" else 1
    data_sets = []
    for _ in range(halves):
        data_sets.append(data_of(options, paths))
        trainer_of(options, data_sets[-1], held_out, diary, options.epochs // halves).train()
    diary.write(options.folder / "diary.json")


if __name__ == "__main__":
    main()
