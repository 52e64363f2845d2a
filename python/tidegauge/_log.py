# SPDX-License-Identifier: Apache-2.0
"""What the callbacks of all trainers do: read memory now and then, and sum it up at the end."""
from __future__ import annotations

import os
import tempfile
import time
from typing import Optional

from tidegauge import _verdict
from tidegauge._memory import Memory, logged, tensors
from tidegauge._readings import Readings
from tidegauge._units import shown

# With fewer readings than this even the engine says nothing.
FEWEST_READINGS = 12


class StepLog:
    """Memory of a training loop: what goes into its logs, and the lines that say at the end what became of it."""

    def __init__(self, count_tensors: bool = True) -> None:
        self.memory = Memory(count_tensors)
        self.steps_per_epoch: Optional[float] = None
        self.first: Optional[int] = None  # step that was logged
        self.last: Optional[int] = None
        self._kinds: dict = {}
        self._readings = Readings(with_gpu=False, with_time=True)

    def step(self, number: int) -> None:
        """A step has ended: 2 µs."""
        try:
            self._readings.take(number, time.monotonic())
        except OSError:  # no file may be opened any more: the job will see that itself
            pass

    def read(self, step: int) -> dict:
        """What goes into the trainer's log now."""
        now = self._note(step, self.memory.read())
        return logged(now, self.memory.tensor_counts())

    def _note(self, step: int, now: dict) -> dict:
        self.first = step if self.first is None else self.first
        self.last = step
        for name, value in now.items():
            self._kinds.setdefault(name, _Kind(step, value)).add(step, value)
        return now

    def summary(self, large_tensors: int = 5) -> list:
        """Lines for people: what grew, which tensors are large, and the verdict. Growth alone proves nothing."""
        if self.first is None or self.last is None:
            return []
        self._note(self.last, self.memory.read(at_any_cost=True))  # the last one of each kind is from now
        lines = [f"memory from step {self.first} to step {self.last}:"]
        for name in sorted(set(self._kinds) - {"peak"}):
            lines += self._kinds[name].line(name)
        return lines + _tensor_lines(large_tensors) + [f"  {line}" for line in self.verdict_lines()]

    def verdict_lines(self) -> list:
        found = _verdict.verdict()
        by = ""
        if found is None:
            found, by = self._own_verdict(), " (by the callback's own readings; `tidegauge run` sees more)"
        elif found.klass == "undecided":  # a gauge that looks once a second has seen little of a short training
            own = self._own_verdict()
            if own is not None and own.klass != "undecided":
                found, by = own, " (by the callback's own readings at every step; the gauge cannot tell yet)"
        if found is None:
            return ["no verdict: the run was too short, or the tidegauge program is not installed"]
        return [f"{found}{by}", *found.evidence[:3]]

    def _own_verdict(self) -> Optional[_verdict.Verdict]:
        if self._readings.count < FEWEST_READINGS:
            return None
        try:
            with tempfile.TemporaryDirectory(prefix="tidegauge-") as folder:
                path = os.path.join(folder, "steps.csv")
                self._readings.write(path)
                options = ["--steps-per-epoch", f"{self.steps_per_epoch:g}"] if self.steps_per_epoch else []
                return _verdict.judge(path, options)[0]
        except Exception as error:
            _verdict.warn(f"no verdict: {error}")
            return None


class _Kind:
    """One kind of memory: the first, the last and the largest that was read."""

    def __init__(self, step: int, value: int) -> None:
        self._first = self._last = (step, value)
        self._peak = value

    def add(self, step: int, value: int) -> None:
        self._last = (step, value)
        self._peak = max(self._peak, value)

    def line(self, name: str) -> list:
        (from_step, before), (to_step, after) = self._first, self._last
        if self._peak == 0:
            return []  # no swap, no shared memory
        steps = to_step - from_step
        rate = f", {shown((after - before) / steps)} a step" if steps > 0 else ""
        return [f"  {name:<14}{shown(before):>10} -> {shown(after):>10}, peak {shown(self._peak):>10}{rate}"]


def _tensor_lines(most: int) -> list:
    try:
        groups, devices = tensors(most)
    except Exception:
        return []
    if not devices:
        return []
    lines = ["  tensors: " + ", ".join(f"{count} on {device}" for device, count in sorted(devices.items()))]
    for device, dtype, shape, count, size in groups:
        lines.append(f"    {shown(size):>10} in {count} x {dtype}{list(shape)} on {device}")
    return lines
