# SPDX-License-Identifier: Apache-2.0
"""Marks that a program sets itself. Where it does, they win over everything that is found without its help."""
from __future__ import annotations

import functools
import os
import threading

from tidegauge import _channel

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

_ring = _channel.functions()
_listeners: tuple = ()  # watches that are open in this process
_awake = _ring is not None  # somebody listens: the one thing that a mark looks at where nobody does
_count = 0


def connect(functions: Optional[dict]) -> None:
    """A gauge that came later, and put its own way to it into this process."""
    global _awake, _ring
    _ring = functions
    _awake = _ring is not None or bool(_listeners)


def _told(kind: int, number: int, total: int) -> None:
    if _ring is not None:
        _ring["mark"](kind, _channel.EXPLICIT, number, total)
    for listener in _listeners:
        listener.number(kind, number, total)


def _said(kind: int, words: str) -> None:
    if _ring is not None:
        _ring["text"](kind, _channel.EXPLICIT, words)
    for listener in _listeners:
        listener.text(kind, words)


def step(number: Optional[int] = None, total: int = 0) -> None:
    """The optimizer step `number` has ended (counted here where it is not given); there will be `total` of them."""
    global _count
    if not _awake:
        return
    try:
        _count = _count + 1 if number is None else int(number)
        _told(_channel.STEP, _count, int(total))
    except Exception:  # a number that is none: a mark is not worth a job
        pass


def epoch(number: int, total: int = 0) -> None:
    """Epoch `number` of `total` begins."""
    if not _awake:
        return
    try:
        _told(_channel.EPOCH, int(number), int(total))
    except Exception:
        pass


def mark(name: str, **values: Any) -> None:
    """Something worth remembering happened: mark("curriculum", length=512)."""
    if not _awake:
        return
    try:
        _said(_channel.NOTE, " ".join([str(name), *(f"{key}={_short(value)}" for key, value in values.items())]))
    except Exception:
        pass


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class _Depths:
    """How often each phase is open: only the outermost begin and the last end are told."""

    def __init__(self) -> None:
        self.open: dict = {}
        self.lock = threading.Lock()

    def begin(self, name: str) -> None:
        with self.lock:
            self.open[name] = depth = self.open.get(name, 0) + 1
        if depth == 1:
            _said(_channel.PHASE_BEGIN, name)

    def end(self, name: str) -> None:
        with self.lock:
            depth = self.open.pop(name, 0) - 1
            if depth > 0:
                self.open[name] = depth
        if depth == 0:
            _said(_channel.PHASE_END, name)

    def renew(self) -> None:
        self.lock = threading.Lock()  # another thread of the parent may have held it


_depths = _Depths()
os.register_at_fork(after_in_child=_depths.renew)


class phase:  # noqa: N801 -- used like a function, as a context manager and as a decorator
    """A part of the job that has a memory of its own: evaluation, saving, generating.

    with tidegauge.phase("eval"): …        or        @tidegauge.phase("eval")

    Decorates functions, coroutines and generators; a generator's phase lasts from its first item to its end.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = str(name)

    def __enter__(self) -> phase:
        if _awake:
            try:
                _depths.begin(self.name)
            except Exception:
                pass
        return self

    def __exit__(self, *error: Any) -> None:
        if _awake:
            try:
                _depths.end(self.name)
            except Exception:
                pass

    def __call__(self, function: Function) -> Function:
        import inspect

        if inspect.isasyncgenfunction(function):
            inside = self._around_async_generator(function)
        elif inspect.iscoroutinefunction(function):
            inside = self._around_coroutine(function)
        elif inspect.isgeneratorfunction(function):
            inside = self._around_generator(function)
        else:
            inside = self._around_function(function)
        return functools.wraps(function)(inside)  # type: ignore[return-value]

    def _around_function(self, function: Callable) -> Callable:
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside

    def _around_generator(self, function: Callable) -> Callable:
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return (yield from function(*args, **kwargs))

        return inside

    def _around_coroutine(self, function: Callable) -> Callable:
        async def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return await function(*args, **kwargs)

        return inside

    def _around_async_generator(self, function: Callable) -> Callable:
        async def inside(*args: Any, **kwargs: Any) -> Any:
            items = function(*args, **kwargs)
            with self:
                try:
                    item = await items.__anext__()
                    while True:
                        try:
                            sent = yield item
                        except GeneratorExit:
                            raise
                        except BaseException as thrown:  # athrow(): the generator's to catch
                            item = await items.athrow(thrown)
                        else:
                            item = await items.asend(sent)
                except StopAsyncIteration:
                    return
                finally:
                    await items.aclose()

        return inside


def listen(listener: Any) -> None:
    """From now on `listener` hears every mark, until unlisten()."""
    global _awake, _listeners
    _listeners = (*_listeners, listener)
    _awake = True


def unlisten(listener: Any) -> None:
    global _awake, _listeners
    _listeners = tuple(one for one in _listeners if one is not listener)
    _awake = _ring is not None or bool(_listeners)
