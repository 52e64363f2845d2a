# SPDX-License-Identifier: Apache-2.0
import pickle
import resource

import pytest

pytest.importorskip("PIL")
from PIL import Image  # noqa: E402

from tidegauge.images import LazyImages, open_on_demand  # noqa: E402


@pytest.fixture
def files(tmp_path):
    for n in range(8):
        Image.new("RGB", (640, 480), (n * 20, 0, 0)).save(tmp_path / f"{n}.png")
    return [tmp_path / f"{n}.png" for n in range(8)]


class Lazy:
    def __init__(self, files):
        self.rows = [{"image": Image.open(file), "label": n} for n, file in enumerate(files)]
        self.name = "train"

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        return row["image"].convert("RGB").getpixel((0, 0)), row["label"]


def decoded(image):
    return vars(image).get("_im", vars(image).get("im")) is not None  # the name changed in Pillow 11


def test_held_images_stay_undecoded(files):
    plain, lazy = Lazy(files), open_on_demand(Lazy(files))
    assert [plain[i] for i in range(8)] == [lazy[i] for i in range(8)]
    assert all(decoded(row["image"]) for row in plain.rows)
    assert not any(decoded(row["image"]) for row in lazy.rows._rows)


def test_the_rest_of_the_data_set_is_untouched(files):
    lazy = open_on_demand(Lazy(files))
    assert lazy.name == "train" and len(lazy) == 8 and len(lazy.rows[2:5]) == 3
    assert lazy.rows[-1]["label"] == 7


def test_a_list_of_images_is_a_list_of_images(files):
    lazy = open_on_demand([Image.open(file) for file in files])
    assert [image.getpixel((0, 0)) for image in lazy] == [(n * 20, 0, 0) for n in range(8)]


def test_the_cache_is_bounded_in_bytes(files):
    each = 640 * 480 * 4
    lazy = LazyImages([Image.open(file) for file in files], cache=3 * each)
    for _ in range(2):
        for image in lazy:
            image.load()
    assert lazy._cache.bytes <= 3 * each
    assert lazy[7] is lazy[7]


def test_a_remedy_that_cannot_act_says_so(files):
    with pytest.raises(ValueError):
        open_on_demand([1, 2, 3])
    with pytest.raises(ValueError):
        open_on_demand([Image.new("RGB", (4, 4))])


def test_workers_get_their_own(files):
    lazy = pickle.loads(pickle.dumps(LazyImages([str(file) for file in files], cache=1 << 20)))
    assert len(lazy) == 8


def test_memory_stays_flat_over_a_pass(files):
    lazy = open_on_demand(Lazy(files))
    for i in range(8):
        lazy[i]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5):
        for i in range(8):
            lazy[i]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 * 1228  # KiB; two images
