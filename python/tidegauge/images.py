# SPDX-License-Identifier: Apache-2.0
"""Images that are decoded when they are asked for, instead of once and for ever.

`PIL.Image.open` is lazy: it reads the header, and the pixels at the first use. They stay with the object from then on, so a
data set that holds its images grows by one decoded image for every example it sees for the first time, until the first
pass over the data has ended. It looks like a leak and is none. What helps is to hold the file and not the pixels:

    dataset = tidegauge.images.open_on_demand(dataset)        # finds the lists of images that it holds
    dataset.rows = tidegauge.images.LazyImages(dataset.rows)  # the same by hand

When it cannot help: images that were made in memory and have no file; pixels that somebody else keeps; a loop that waits for
decoding, which is then done in every epoch (more workers, smaller files, or a cache: cache="4GB").
"""
from __future__ import annotations

import collections
import io
import os
import threading
import weakref
from collections.abc import MutableSequence
from typing import Any, Iterable, Optional, Union

from tidegauge._units import size_of

Size = Union[str, int]
# How deep images may lie in a row, and lists of them in a data set.
DEPTH = 3
ROWS_LOOKED_AT = 16


class _Cache:
    """Decoded images, the least recently used ones dropped so that their pixels stay within `most_bytes`."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._images: collections.OrderedDict = collections.OrderedDict()
        self._lock = threading.Lock()
        _caches.add(self)

    def renew(self) -> None:
        self._lock = threading.Lock()  # a thread of the parent may have held it

    def get(self, key: Any) -> Any:
        with self._lock:
            image = self._images.get(key)
            if image is not None:
                self._images.move_to_end(key)
            return image

    def put(self, key: Any, image: Any) -> None:
        size = pixel_bytes(image)
        if size > self.most_bytes:
            return
        with self._lock:
            if key in self._images:
                return
            self._images[key] = image
            self.bytes += size
            while self.bytes > self.most_bytes:
                self.bytes -= pixel_bytes(self._images.popitem(last=False)[1])

    def __reduce__(self) -> tuple:  # a worker that is spawned starts with an empty one of the same size
        return (_Cache, (self.most_bytes,))


_caches: weakref.WeakSet = weakref.WeakSet()


def _after_fork() -> None:
    for cache in _caches:
        cache.renew()


os.register_at_fork(after_in_child=_after_fork)


def pixel_bytes(image: Any) -> int:
    """What Pillow takes for the pixels: one, two or four bytes each; RGB takes four."""
    per_pixel = {"1": 1, "L": 1, "P": 1, "I;16": 2}.get(image.mode, 4)
    return image.width * image.height * per_pixel


class _Source:
    """Where an image comes from, in its place in a row."""

    __slots__ = ("file",)

    def __init__(self, file: Union[str, bytes]) -> None:
        self.file = file  # a path, or the encoded bytes

    def open(self) -> Any:
        from PIL import Image

        return Image.open(io.BytesIO(self.file) if isinstance(self.file, bytes) else self.file)


def _source_of(image: Any) -> Optional[_Source]:
    """None if it cannot be opened again."""
    if not hasattr(image, "getbbox"):
        return None
    from PIL import ImageFile

    if not isinstance(image, ImageFile.ImageFile) or getattr(image, "n_frames", 1) != 1:
        return None  # made in memory, or one frame of many: opening it again would show the first
    name = getattr(image, "filename", None)
    if name:
        path = os.path.abspath(os.fsdecode(name))
        return _Source(path) if os.path.exists(path) else None
    file = getattr(image, "fp", None)
    return _Source(file.getvalue()) if isinstance(file, io.BytesIO) else None


def _mapped(value: Any, change: Any, depth: int = 0) -> Any:
    """`value` with change(leaf) in the place of each leaf of dicts, lists and tuples."""
    if depth < DEPTH:
        if type(value) is dict:
            return {key: _mapped(one, change, depth + 1) for key, one in value.items()}
        if type(value) in (list, tuple):
            return type(value)(_mapped(one, change, depth + 1) for one in value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(_mapped(one, change, depth + 1) for one in value))
    return change(value)


def _stored(value: Any) -> Any:
    return _source_of(value) or value


class LazyImages(MutableSequence):
    """A list of rows (images, or dicts, lists and tuples that hold some) whose images are opened anew at every access.

    Everything else about the list stays as it was: indexing, slicing, iteration, length, append. A row is handed out as a
    copy: to change one, assign it. `cache` is how many bytes of decoded pixels may be kept ("2GB"), not a number of images; with
    a cache the images of a row are decoded when the row is read.
    """

    def __init__(self, rows: Iterable, cache: Size = 0) -> None:
        self._rows = [_mapped(row, _stored) for row in rows]
        self._cache = _Cache(size_of(cache)) if size_of(cache) else None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            lazy = LazyImages(())
            lazy._rows, lazy._cache = self._rows[index], self._cache
            return lazy
        return _mapped(self._rows[index], self._opened)

    def __setitem__(self, index: Any, row: Any) -> None:
        self._rows[index] = [_mapped(one, _stored) for one in row] if isinstance(index, slice) else _mapped(row, _stored)

    def __delitem__(self, index: Any) -> None:
        del self._rows[index]

    def insert(self, index: int, row: Any) -> None:
        self._rows.insert(index, _mapped(row, _stored))

    def __repr__(self) -> str:
        return f"<{len(self)} rows with images opened on demand>"

    def _opened(self, value: Any) -> Any:
        if type(value) is not _Source:
            return value
        if self._cache is None:
            return value.open()
        key = id(value)  # the row's own: it lives as long as the row
        image = self._cache.get(key)
        if image is None:
            image = value.open()
            image.load()
            self._cache.put(key, image)
        return image


def _holds_images(rows: Any) -> bool:
    """Whether some rows of a list, looked at here and there, hold images that can be opened again."""
    found: list = []

    def look(value: Any) -> Any:
        if not found and _source_of(value) is not None:
            found.append(True)

    every = max(1, len(rows) // ROWS_LOOKED_AT)
    for row in rows[::every]:
        _mapped(row, look)
    return bool(found)


def open_on_demand(dataset: Any, cache: Size = 0) -> Any:
    """The data set with every list of images that it holds replaced by one that opens them on demand.

    A plain list is returned as a LazyImages; an object is changed in place and returned, and so are data sets that it wraps.
    ValueError if nothing was found: better than a remedy that does not act.
    """
    if isinstance(dataset, (list, tuple)):
        if not _holds_images(dataset):
            raise ValueError("these rows hold no PIL images that could be opened again")
        return LazyImages(dataset, cache)
    if not _replace_in(dataset, cache, 0, set()):
        raise ValueError(f"{type(dataset).__name__} holds no list of PIL images that could be opened again")
    return dataset


def _replace_in(holder: Any, cache: Size, depth: int, seen: set) -> bool:
    names = vars(holder) if hasattr(holder, "__dict__") else holder if isinstance(holder, dict) else {}
    if depth > DEPTH or id(holder) in seen:
        return False
    seen.add(id(holder))
    replaced = False
    for name, value in list(names.items()):
        if isinstance(value, (list, tuple)) and _holds_images(value):
            names[name] = LazyImages(value, cache)
            replaced = True
        elif isinstance(value, dict) or (hasattr(value, "__getitem__") and hasattr(value, "__dict__")):
            replaced |= _replace_in(value, cache, depth + 1, seen)
        elif isinstance(value, (list, tuple)):  # ConcatDataset.datasets
            for one in value[:ROWS_LOOKED_AT]:
                if hasattr(one, "__getitem__") and hasattr(one, "__dict__"):
                    replaced |= _replace_in(one, cache, depth + 1, seen)
    return replaced
