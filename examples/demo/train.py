# SPDX-License-Identifier: Apache-2.0
"""A training job whose memory grows, in miniature: is it a leak?

It learns to tell stripes from rings, on pictures that it draws itself. The data set opens its images
lazily and keeps them, as many do: an image costs nothing until it is read for the first time, and then its
decoded pixels stay. After one pass over the data about 1 GB has piled up. Nothing is ever lost, and a
look at the first minute cannot tell.

    python train.py [--images 112] [--epochs 3] [--seconds-per-step 0.6]

There is no GPU and no framework here; each step waits for as long as a small GPU would work.
"""
import argparse
import math
import pathlib
import random
import sys
import tempfile
import time

from PIL import Image, ImageDraw

SIDE = 1650  # pixels; decoded, Pillow keeps 4 bytes for each: 10.9 MB an image
THUMBNAIL = 16  # the model looks at 16x16 grey pixels
BATCH, ACCUMULATION = 2, 2  # 4 examples a step


def draw(kind: str, seed: int) -> Image.Image:
    """Stripes or rings, drawn small and enlarged, which is quicker."""
    dice, side = random.Random(seed), SIDE // 5
    image = Image.new("RGB", (side, side), tuple(dice.randrange(40, 120) for _ in range(3)))
    pen, ink = ImageDraw.Draw(image), tuple(dice.randrange(150, 250) for _ in range(3))
    if kind == "stripes":
        for x in range(dice.randrange(40), side, 80):
            pen.rectangle((x, 0, x + 40, side), fill=ink)
    else:
        for radius in range(side, 20, -40):
            box = [side / 2 - radius, side / 2 - radius, side / 2 + radius, side / 2 + radius]
            pen.ellipse(box, fill=ink if radius // 40 % 2 else 0)
    return image.resize((SIDE, SIDE), Image.Resampling.NEAREST)


def make_pictures(folder: pathlib.Path, count: int) -> list:
    """(path, label) for `count` JPEG files; label 1 is rings."""
    rows = []
    for number in range(count):
        kind = "rings" if number % 2 else "stripes"
        path = folder / f"{number:04}-{kind}.jpg"
        draw(kind, number).save(path, quality=80)
        rows.append((path, number % 2))
    return rows


class HeldImages:
    """The data set of the incident: images opened once, lazily, and kept in a list for ever."""

    def __init__(self, rows: list):
        self.rows = [{"image": Image.open(path), "label": label} for path, label in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple:
        row = self.rows[index]
        # The first look decodes the file into row["image"], which this list holds. That is all it takes.
        return features(row["image"]), row["label"]


def features(image: Image.Image) -> list:
    small = image.convert("L").resize((THUMBNAIL, THUMBNAIL))
    mean = sum(small.getdata()) / THUMBNAIL**2
    return [(value - mean) / 128 for value in small.getdata()]


class Model:
    """Logistic regression on the thumbnail."""

    def __init__(self):
        self.weights = [0.0] * THUMBNAIL**2
        self.gradient = [0.0] * THUMBNAIL**2

    def probability(self, inputs: list) -> float:
        return 1 / (1 + math.exp(-sum(w * x for w, x in zip(self.weights, inputs))))

    def learn_from(self, inputs: list, label: int) -> float:
        guess = self.probability(inputs)
        self.gradient = [g + (guess - label) * x for g, x in zip(self.gradient, inputs)]
        return -math.log(max(1e-9, guess if label else 1 - guess))

    def step(self, examples: int, rate: float = 0.02) -> None:
        self.weights = [w - rate * g / examples for w, g in zip(self.weights, self.gradient)]
        self.gradient = [0.0] * len(self.weights)


def evaluate(model: Model, rows: list) -> float:
    """Opens all held-out images at once, looks at them, and lets them go: a peak, each time."""
    images = [Image.open(path).convert("RGB") for path, _ in rows]
    right = sum((model.probability(features(image)) > 0.5) == bool(label) for image, (_, label) in zip(images, rows))
    time.sleep(1)
    return right / len(rows)


class Bar:
    """A progress bar in the manner of tqdm: redrawn on a terminal, a line per tenth elsewhere."""

    def __init__(self, total: int):
        self.total, self.began = total, time.monotonic()

    def show(self, step: int, words: str) -> None:
        seconds = time.monotonic() - self.began
        left = seconds / step * (self.total - step)
        filled = 20 * step // self.total
        line = (f"{100 * step // self.total:3}%|{'█' * filled}{' ' * (20 - filled)}| {step}/{self.total} "
                f"[{clock(seconds)}<{clock(left)}, {step / seconds:.2f}it/s, {words}]")
        if sys.stdout.isatty():
            print("\r" + line, end="", flush=True)
        elif step * 10 // self.total > (step - 1) * 10 // self.total:
            print(line, flush=True)

    def say(self, words: str) -> None:
        print(f"\r\033[K{words}" if sys.stdout.isatty() else words, flush=True)


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"


def train(rows: list, held_out: list, epochs: int, seconds_per_step: float) -> None:
    data, model = HeldImages(rows), Model()
    per_step = BATCH * ACCUMULATION
    steps_per_epoch = math.ceil(len(data) / per_step)
    bar, step = Bar(steps_per_epoch * epochs), 0
    for epoch in range(epochs):
        bar.say(f"epoch {epoch + 1}/{epochs}")
        order = random.Random(epoch).sample(range(len(data)), len(data))
        for first in range(0, len(order), per_step):
            began = time.monotonic()
            examples = [data[index] for index in order[first : first + per_step]]
            loss = sum(model.learn_from(*example) for example in examples) / len(examples)
            model.step(len(examples))
            time.sleep(max(0.0, seconds_per_step - (time.monotonic() - began)))  # the GPU's share
            step += 1
            bar.show(step, f"loss={loss:.3f}")
        bar.say(f"evaluation: {evaluate(model, held_out):.0%} of {len(held_out)} held-out pictures told right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--images", type=int, default=112)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seconds-per-step", type=float, default=0.6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegauge-demo-") as folder:
        print(f"drawing {options.images} pictures of {SIDE}x{SIDE} pixels", flush=True)
        rows = make_pictures(pathlib.Path(folder), options.images)
        held_out = rows[:: len(rows) // 16][:16]
        train([row for row in rows if row not in held_out], held_out, options.epochs, options.seconds_per_step)


if __name__ == "__main__":
    main()
