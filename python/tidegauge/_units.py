# SPDX-License-Identifier: Apache-2.0
"""Sizes and times as the command line takes and shows them: "64KB" is 64,000 bytes, "64KiB" 65,536."""
from __future__ import annotations

import re
from typing import Union

_SIZES = {"": 1, "b": 1}
_SIZES.update({f"{letter}b": 1000 ** (n + 1) for n, letter in enumerate("kmgt")})
_SIZES.update({f"{letter}ib": 1024 ** (n + 1) for n, letter in enumerate("kmgt")})
_SIZES.update({letter: 1000 ** (n + 1) for n, letter in enumerate("kmgt")})
_TIMES = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def _parsed(value: Union[str, int, float], units: dict, what: str) -> float:
    if isinstance(value, (int, float)):
        return value
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", str(value))
    if found is None or found.group(2).lower() not in units:
        raise ValueError(f"{value!r} is no {what}")
    return float(found.group(1)) * units[found.group(2).lower()]


def size_of(value: Union[str, int, float]) -> int:
    """Bytes of "64KB", "1.5 GiB" or a number."""
    return int(_parsed(value, _SIZES, "size: write 64KB, 1.5GiB or a number of bytes"))


def seconds_of(value: Union[str, int, float]) -> float:
    """Seconds of "500ms", "30s", "2m" or a number."""
    return _parsed(value, _TIMES, "time: write 500ms, 30s, 2m or a number of seconds")


def shown(size: float) -> str:
    """1536 -> "1.50 KiB": three digits, as the reports show it."""
    if abs(size) < 1024:
        return f"{size:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if abs(size) < 1000:
            break
    else:
        size, unit = size / 1024, "TiB"
    digits = 2 if abs(size) < 10 else 1 if abs(size) < 100 else 0
    return f"{size:.{digits}f} {unit}"
