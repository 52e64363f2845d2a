# SPDX-License-Identifier: Apache-2.0
"""Marks that a program sets itself. Where it does, they win over everything that is found without its help."""
import functools

from tidegauge import _channel

_functions = _channel.functions()

if _functions is None:

    def step(number=None, total=0):
        """The optimizer step `number` has ended (counted here where it is not given); there will be `total` of them."""

    def epoch(number, total=0):
        """Epoch `number` of `total` begins."""

    def mark(name, **values):
        """Something worth remembering happened: mark("curriculum", length=512)."""

    def _text(kind, source, words):
        pass

else:
    _mark, _text = _functions["mark"], _functions["text"]
    _count = 0

    def step(number=None, total=0):
        """The optimizer step `number` has ended (counted here where it is not given); there will be `total` of them."""
        global _count
        _count = _count + 1 if number is None else number
        _mark(_channel.STEP, _channel.EXPLICIT, _count, total)

    def epoch(number, total=0):
        """Epoch `number` of `total` begins."""
        _mark(_channel.EPOCH, _channel.EXPLICIT, number, total)

    def mark(name, **values):
        """Something worth remembering happened: mark("curriculum", length=512)."""
        words = " ".join([str(name), *(f"{key}={value}" for key, value in values.items())])
        _text(_channel.NOTE, _channel.EXPLICIT, words)


class phase:  # noqa: N801 -- used like a function, as a context manager and as a decorator
    """A part of the job that has a memory of its own: evaluation, saving, generating.

    with tidegauge.phase("eval"): …        or        @tidegauge.phase("eval")
    """

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = str(name)

    def __enter__(self):
        _text(_channel.PHASE_BEGIN, _channel.EXPLICIT, self.name)
        return self

    def __exit__(self, *error):
        _text(_channel.PHASE_END, _channel.EXPLICIT, self.name)
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside
