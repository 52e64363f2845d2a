# SPDX-License-Identifier: Apache-2.0
"""A collator (or any function that makes batches) that shows whether it keeps any of them.

    collate = tidegauge.retention.Checked(collate)
    loader = DataLoader(dataset, collate_fn=collate)
    …
    print(collate.report())        # "retains nothing: …", or what it keeps and where

Two things are looked at: whether the batches that it returned are gone some batches later, and whether what can be reached
from the function itself (its object, closure, defaults) grows. With DataLoader workers each process checks its own copy.
"""
from __future__ import annotations

import collections
import gc
import sys
import types
import weakref
from typing import Any, Callable, Iterator

from tidegauge._units import shown

# A loader hands out batches ahead of the loop, a loop may hold the last one or two.
LAG = 8
# A walk over what the function holds, at these numbers of batches and every doubling after.
FIRST_WALK = 8
MOST_OBJECTS = 200_000
# What a walk does not go into: these belong to the program, not to the function.
_OUTSIDE = (types.ModuleType, type, types.FrameType, types.CodeType, types.BuiltinFunctionType)


def _large(thing: Any) -> int:
    """Bytes of a tensor, array, image or buffer; 0 for anything else."""
    if isinstance(thing, (bytes, bytearray)):
        return len(thing)
    size = getattr(thing, "nbytes", None) if type(thing).__module__.split(".")[0] in ("torch", "numpy") else None
    if isinstance(size, int):
        return size
    if type(thing).__module__.startswith("PIL.") and hasattr(thing, "getbbox"):
        return thing.width * thing.height * 4
    return 0


def _leaves(batch: Any, depth: int = 0) -> Iterator[Any]:
    """Tensors, arrays and images of a batch, wherever they are in it."""
    if depth > 4:
        return
    if isinstance(batch, collections.abc.Mapping):
        for one in batch.values():
            yield from _leaves(one, depth + 1)
    elif isinstance(batch, (list, tuple)):
        for one in batch:
            yield from _leaves(one, depth + 1)
    elif _large(batch):
        yield batch


class _Batch:
    """Weak references to the large parts of one batch."""

    __slots__ = ("number", "parts")

    def __init__(self, number: int, batch: Any) -> None:
        self.number = number
        self.parts = []
        for leaf in _leaves(batch):
            try:
                self.parts.append(weakref.ref(leaf))
            except TypeError:
                pass  # bytes: nothing can watch them

    def alive(self) -> list:
        return [part for part in (reference() for reference in self.parts) if part is not None]


class Checked:
    """`function`, with an eye on what it keeps. Call report() or check() when the loop has ended."""

    def __init__(self, function: Callable[..., Any], lag: int = LAG) -> None:
        self.function = function
        self.lag = lag
        self.batches = 0
        self.walks: list = []  # (batches, bytes reachable from the function)
        self._young: collections.deque = collections.deque()
        self._old: list = []  # batches that outlived `lag` others
        self._next_walk = FIRST_WALK

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        batch = self.function(*args, **kwargs)
        self.batches += 1
        self._young.append(_Batch(self.batches, batch))
        if len(self._young) > self.lag:
            old = self._young.popleft()
            if old.alive():
                self._old.append(old)
        if self.batches == self._next_walk:
            self._next_walk *= 2
            self._old = [old for old in self._old if old.alive()]
            self.walks.append((self.batches, sum(size for size, _ in self._held().values())))
        return batch

    def __reduce__(self) -> tuple:  # a worker that is spawned checks for itself
        return (Checked, (self.function, self.lag))

    def retained(self) -> list:
        """(bytes, where) of what outlived its time, largest first; empty if nothing did."""
        out = []
        alive = [part for old in self._old for part in old.alive()]
        if alive:
            out.append((sum(map(_large, alive)), f"{len(alive)} parts of {len(self._old)} batches live on, held by {_holders(alive)}"))
        del alive
        held = {where: size for where, (size, _) in self._held().items()}
        now = sum(held.values())
        # Against the last walk but this moment's: a cache that filled up earlier is no matter.
        before = [size for batches, size in self.walks if batches <= 0.75 * self.batches]
        if before and now > before[-1]:
            where, size = max(held.items(), key=lambda one: one[1])
            out.append((now - before[-1], f"{where} of the function holds {shown(size)} and grows"))
        return sorted(out, key=lambda one: -one[0])

    def check(self) -> None:
        """AssertionError if it keeps anything: for a test."""
        if self.retained():
            raise AssertionError(self.report())

    def report(self) -> str:
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        if self.batches <= self.lag:
            return f"{name}: {self.batches} batches are too few to tell, {self.lag + 1} are needed"
        kept = self.retained()
        if not kept:
            return f"{name} retains nothing: {self.batches} batches, all gone after {self.lag} more; it holds nothing that grows"
        lines = [f"{name} retains memory, after {self.batches} batches:"]
        return "\n".join(lines + [f"  {shown(size)}: {where}" for size, where in kept])

    def _held(self) -> dict:
        """Large things that can be reached from the function: {where: (bytes, count)}."""
        found: dict = {}
        seen = {id(self), id(self.__dict__), id(self._old), id(self._young)}
        todo = collections.deque(_roots(self.function))
        while todo and len(seen) < MOST_OBJECTS:
            where, thing = todo.popleft()
            if id(thing) in seen or isinstance(thing, _OUTSIDE):
                continue
            seen.add(id(thing))
            size = _large(thing)
            if size:
                total, count = found.get(where, (0, 0))
                found[where] = (total + size, count + 1)
            elif isinstance(thing, types.FunctionType):
                todo.extend((where, part) for _, part in _roots(thing))
            elif isinstance(thing, dict) and thing is getattr(sys.modules.get("__main__"), "__dict__", None):
                continue
            else:
                todo.extend((where, part) for part in gc.get_referents(thing))
        return found


def _roots(function: Any) -> list:
    """What a function holds of its own, with names: attributes of its object, closure, defaults. Not its globals."""
    found = [(name, value) for name, value in getattr(function, "__dict__", {}).items()]
    owner = getattr(function, "__self__", None)
    if owner is not None:
        found += [(name, value) for name, value in getattr(owner, "__dict__", {}).items()]
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    for name, cell in zip(getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or ()):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:
            pass  # not filled yet
    found += [("a default", value) for value in getattr(function, "__defaults__", None) or ()]
    return found


def _holders(things: list) -> str:
    """Types that refer to the first of them, other than what looks at it here."""
    if not things:
        return "nobody"
    own = {id(things)}
    names = []
    for holder in gc.get_referrers(things[0]):
        if id(holder) in own or isinstance(holder, types.FrameType):
            continue
        names.append(f"a {type(holder).__name__}")
    return ", ".join(sorted(set(names))[:3]) or "native code"
