# SPDX-License-Identifier: Apache-2.0
"""The pictures, which the example draws itself, and the data set that holds them: the whole incident is in `HeldImages`."""
import pathlib
import random

import numpy
import torch
from PIL import Image, ImageDraw

from model import SIDE, TOKENS, WORDS

FILES = 16  # as many images may be opened of one file as one likes: each has its own pixels


def draw(seed: int, size: tuple) -> Image.Image:
    """Coloured boxes: drawn small and enlarged, which is quicker."""
    dice = random.Random(seed)
    image = Image.new("RGB", (64, 64))
    pen = ImageDraw.Draw(image)
    for _ in range(40):
        x, y = dice.randrange(64), dice.randrange(64)
        pen.rectangle((x, y, x + dice.randrange(24), y + dice.randrange(24)), fill=tuple(dice.randrange(256) for _ in range(3)))
    return image.resize(size, Image.Resampling.BICUBIC)


def make_pictures(folder: pathlib.Path, size: tuple) -> list:
    """Paths of JPEG files; those that are there already are used again."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:02}-{size[0]}x{size[1]}.jpg" for number in range(FILES)]
    for number, path in enumerate(paths):
        if not path.exists():
            draw(number, size).save(path, quality=80)
    return paths


def example_of(image: Image.Image, number: int) -> dict:
    """What the model reads: the picture, made small, and the words that it is to learn for it."""
    small = numpy.asarray(image.convert("RGB").resize((SIDE, SIDE)), dtype=numpy.float32)
    words = (torch.arange(TOKENS) * 7 + number) % WORDS
    return {"pixels": torch.from_numpy(small / 255).permute(2, 0, 1), "labels": words}


class HeldImages(torch.utils.data.Dataset):
    """Images opened once, lazily, and kept in a list: each keeps its pixels from the first time that it is read."""

    def __init__(self, paths: list, count: int):
        self.rows = [{"image": Image.open(paths[number % len(paths)]), "number": number} for number in range(count)]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict:
        row = self.rows[index]
        return example_of(row["image"], row["number"])


class OpenedAnew(torch.utils.data.Dataset):
    """For evaluation: each image opened when it is asked for, and let go."""

    def __init__(self, paths: list, count: int):
        self.paths = [paths[number % len(paths)] for number in range(count)]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> dict:
        with Image.open(self.paths[index]) as image:
            return example_of(image, index)
