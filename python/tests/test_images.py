# SPDX-License-Identifier: Apache-2.0
import collections
import io
import os
import pickle
import resource
import weakref

import pytest

pytest.importorskip("PIL")
from PIL import Image  # noqa: E402

from tidegauge.images import LazyImages, _Source, open_on_demand  # noqa: E402

EACH = 640 * 480 * 4


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


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_neither_pixels_nor_files_are_held(files):
    before = open_files()
    plain, lazy = Lazy(files), open_on_demand(Lazy(files))
    assert [plain[i] for i in range(8)] == [lazy[i] for i in range(8)]
    assert all(decoded(row["image"]) for row in plain.rows)
    assert all(type(row["image"]) is _Source for row in lazy.rows._rows)
    assert open_files() == before


def test_images_that_are_decoded_already_lose_their_pixels(files):
    plain = Lazy(files)
    expected = [plain[i] for i in range(8)]
    lazy = open_on_demand(plain)
    assert [lazy[i] for i in range(8)] == expected
    assert not decoded(lazy.rows[3]["image"])


def test_the_rest_of_the_data_set_is_untouched(files):
    lazy = open_on_demand(Lazy(files))
    assert lazy.name == "train" and len(lazy) == 8 and len(lazy.rows[2:5]) == 3
    assert lazy.rows[-1]["label"] == 7
    lazy.rows.append({"image": Image.open(files[0]), "label": 8})
    assert lazy[8] == ((0, 0, 0), 8) and type(lazy.rows._rows[8]["image"]) is _Source
    del lazy.rows[0]
    assert lazy[0][1] == 1


def test_rows_may_be_images_tuples_or_named_tuples(files):
    Row = collections.namedtuple("Row", "image label")
    images = [Image.open(file) for file in files]
    for rows, pixels in (
        (images, lambda row: row),
        ([(image, 1) for image in images], lambda row: row[0]),
        ([Row(image, 1) for image in images], lambda row: row.image),
        ([{"messages": [{"image": image}]} for image in images], lambda row: row["messages"][0]["image"]),
    ):
        lazy = open_on_demand(rows)
        assert [pixels(row).getpixel((0, 0)) for row in lazy] == [(n * 20, 0, 0) for n in range(8)]


def test_images_from_memory_keep_their_encoded_bytes(files):
    lazy = open_on_demand([Image.open(io.BytesIO(file.read_bytes())) for file in files])
    assert lazy[5].getpixel((0, 0)) == (100, 0, 0)
    assert isinstance(lazy._rows[5].file, bytes)


def test_a_path_does_not_depend_on_the_working_directory(files, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    lazy = open_on_demand([Image.open("3.png")])
    monkeypatch.chdir("/")
    assert lazy[0].getpixel((0, 0)) == (60, 0, 0)


def test_wrapped_data_sets_are_found(files):
    class Subset:
        def __init__(self, dataset):
            self.dataset = dataset

        def __getitem__(self, index):
            return self.dataset[index]

    class Concat(Subset):
        def __init__(self, *datasets):
            self.datasets = list(datasets)

    class Columns(Subset):
        def __init__(self, images):
            self.columns = {"image": images}

    lazy = open_on_demand(Subset(Lazy(files)))
    assert isinstance(lazy.dataset.rows, LazyImages)
    both = open_on_demand(Concat(Lazy(files), Lazy(files)))
    assert all(isinstance(one.rows, LazyImages) for one in both.datasets)
    columns = open_on_demand(Columns([Image.open(file) for file in files]))
    assert isinstance(columns.columns["image"], LazyImages)


def test_the_cache_is_bounded_in_bytes(files):
    lazy = LazyImages([Image.open(file) for file in files], cache=3 * EACH)
    for _ in range(2):
        for image in lazy:
            image.load()
    assert 0 < lazy._cache.bytes <= 3 * EACH
    assert lazy[7] is lazy[7] and lazy[6:8][1] is lazy[7]


def test_an_image_larger_than_the_cache_is_not_kept(files):
    lazy = LazyImages([Image.open(file) for file in files], cache=EACH - 1)
    assert lazy[0] is not lazy[0] and lazy._cache.bytes == 0


def test_a_cache_is_gone_with_its_list(files):
    lazy = LazyImages([Image.open(file) for file in files], cache="1GB")
    gone = weakref.ref(lazy._cache)
    lazy[0].load()
    del lazy
    assert gone() is None


def test_a_forked_worker_can_use_a_cache_that_was_locked(files):
    lazy = LazyImages([Image.open(file) for file in files], cache="1GB")
    with lazy._cache._lock:
        pid = os.fork()
        if pid == 0:
            os._exit(lazy[1].getpixel((0, 0))[0])
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 20


def test_a_remedy_that_cannot_act_says_so(files):
    for nothing in ([1, 2, 3], [Image.new("RGB", (4, 4))], object(), []):
        with pytest.raises(ValueError):
            open_on_demand(nothing)


def test_an_animation_is_left_alone(tmp_path):
    frames = [Image.new("RGB", (8, 8), (n * 80, 0, 0)) for n in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    image = Image.open(tmp_path / "a.gif")
    assert LazyImages([image])[0] is image


def test_a_file_that_has_gone_is_not_promised(files):
    image = Image.open(files[0])
    image.load()
    files[0].unlink()
    assert LazyImages([image])[0] is image


def test_workers_get_their_own(files):
    lazy = LazyImages([Image.open(file) for file in files], cache="1GB")
    lazy[0].load()
    copy = pickle.loads(pickle.dumps(lazy))
    assert len(copy) == 8 and copy._cache.bytes == 0 and copy[2].getpixel((0, 0)) == (40, 0, 0)


def test_memory_stays_flat_over_a_pass(files):
    lazy = open_on_demand(Lazy(files))
    for i in range(8):
        lazy[i]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5):
        for i in range(8):
            lazy[i]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 * EACH / 1024
