# SPDX-License-Identifier: Apache-2.0
"""Images that are decoded when they are asked for, instead of once and for ever.

`PIL.Image.open` is lazy: it reads the header, and the pixels at the first use. They stay with the object from then on, so a
data set that holds its images grows by one decoded image for every example it sees for the first time, until the first
pass over the data has ended. It looks like a leak and is none. What helps is to hold the file and not the pixels:

    dataset = tidegauge.images.open_on_demand(dataset)      # finds the lists of images that it holds
    dataset.rows = tidegauge.images.LazyImages(dataset.rows)  # the same by hand

When it cannot help: images that were made in memory and have no file; pixels that somebody else keeps; a loop that is bound
by decoding, which is then done once an epoch (give it a cache).
"""
import collections
import threading
from collections.abc import MutableSequence

DEFAULT_CACHE_BYTES = 0


class _Cache:
    """Decoded images, the least recently used ones dropped so that their pixels stay within `most_bytes`."""

    def __init__(self, most_bytes):
        self.most_bytes = most_bytes
        self.bytes = 0
        self._images = collections.OrderedDict()
        self._lock = threading.Lock()

    def get(self, key):
        with self._lock:
            image = self._images.get(key)
            if image is not None:
                self._images.move_to_end(key)
            return image

    def put(self, key, image):
        size = _pixel_bytes(image)
        if size > self.most_bytes:
            return
        with self._lock:
            if key in self._images:
                return
            self._images[key] = image
            self.bytes += size
            while self.bytes > self.most_bytes:
                self.bytes -= _pixel_bytes(self._images.popitem(last=False)[1])

    def __reduce__(self):  # a worker starts with an empty one of the same size
        return (_Cache, (self.most_bytes,))


def _pixel_bytes(image):
    per_pixel = {"1": 1, "L": 1, "P": 1, "I;16": 2, "LA": 4, "PA": 4}.get(image.mode, 4)
    return image.width * image.height * per_pixel


def _file_of(image):
    """Where an image that nobody has decoded yet comes from; None if it cannot be opened again."""
    from PIL import ImageFile

    if not isinstance(image, ImageFile.ImageFile):
        return None
    name = getattr(image, "filename", None)
    return name or None


class LazyImages(MutableSequence):
    """A list of rows (images, or dicts, lists and tuples that hold some) whose images are opened anew at every access.

    Everything else about the list stays as it was: indexing, slicing, iteration, length, append. `cache` is the number of
    bytes of decoded pixels that may be kept, not a number of images.
    """

    def __init__(self, rows, cache=DEFAULT_CACHE_BYTES):
        self._rows = list(rows)
        self._cache = _Cache(cache) if cache else None

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, index):
        if isinstance(index, slice):
            lazy = LazyImages(self._rows[index])
            lazy._cache = self._cache
            return lazy
        return self._fresh(self._rows[index])

    def __setitem__(self, index, row):
        self._rows[index] = row

    def __delitem__(self, index):
        del self._rows[index]

    def insert(self, index, row):
        self._rows.insert(index, row)

    def __repr__(self):
        return f"<{len(self)} rows with images opened on demand>"

    def _fresh(self, value):
        if type(value) is dict:
            return {key: self._fresh(one) for key, one in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._fresh(one) for one in value)
        name = _file_of(value) if hasattr(value, "getbbox") else None
        return value if name is None else self._opened(name)

    def _opened(self, name):
        from PIL import Image

        if self._cache is None:
            return Image.open(name)
        image = self._cache.get(name)
        if image is None:
            image = Image.open(name)
            image.load()
            self._cache.put(name, image)
        return image


def _holds_images(rows):
    """Whether the first rows of a list hold images that have a file."""

    def found(value, depth=0):
        if depth > 2:
            return False
        if isinstance(value, dict):
            return any(found(one, depth + 1) for one in value.values())
        if isinstance(value, (list, tuple)):
            return any(found(one, depth + 1) for one in value[:4])
        return hasattr(value, "getbbox") and _file_of(value) is not None

    return any(found(row) for row in rows[:4])


def open_on_demand(dataset, cache=DEFAULT_CACHE_BYTES):
    """The data set with every list of images that it holds replaced by one that opens them on demand.

    A plain list is returned as a LazyImages; an object is changed in place and returned. ValueError if nothing was found:
    better than a remedy that does not act.
    """
    if isinstance(dataset, (list, tuple)):
        if not _holds_images(dataset):
            raise ValueError("these rows hold no PIL images that have a file to open again")
        return LazyImages(dataset, cache)
    replaced = []
    for name, value in list(vars(dataset).items()):
        if isinstance(value, (list, tuple)) and _holds_images(value):
            setattr(dataset, name, LazyImages(value, cache))
            replaced.append(name)
    if not replaced:
        raise ValueError(f"{type(dataset).__name__} holds no list of PIL images that have a file to open again")
    return dataset
