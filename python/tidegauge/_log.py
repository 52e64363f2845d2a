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
        self.first: Optional[tuple] = None
        self.last: Optional[tuple] = None
        self.peak: dict = {}
        self._readings = Readings(with_gpu=False, with_time=True)

    def step(self, number: int) -> None:
        """A step has ended: 2 µs."""
        try:
            self._readings.take(number, time.monotonic())
        except OSError:  # no file may be opened any more: the job will see that itself
            pass

    def read(self, step: int) -> dict:
        """What goes into the trainer's log now."""
        now = self.memory.read()
        self.first = self.first or (step, now)
        self.last = (step, now)
        for name, value in now.items():
            self.peak[name] = max(value, self.peak.get(name, value))
        return logged(now, self.memory.tensor_counts())

    def summary(self, large_tensors: int = 5) -> list:
        """Lines for people: what grew, which tensors are large, and the verdict. Growth alone proves nothing."""
        if self.first is None or self.last is None:
            return []
        (from_step, before), (to_step, after) = self.first, self.last
        lines = [f"memory from step {from_step} to step {to_step}:"]
        for name in sorted(set(before) & set(after) - {"peak"}):
            if before[name] == after[name] == 0:
                continue  # no swap, no shared memory
            steps = to_step - from_step
            rate = f", {shown((after[name] - before[name]) / steps)} a step" if steps > 0 else ""
            peak = shown(self.peak[name])
            lines.append(f"  {name:<14}{shown(before[name]):>10} -> {shown(after[name]):>10}, peak {peak:>10}{rate}")
        return lines + _tensor_lines(large_tensors) + [f"  {line}" for line in self.verdict_lines()]

    def verdict_lines(self) -> list:
        found = _verdict.verdict()
        by = ""
        if found is None:
            found, by = self._own_verdict(), " (by the callback's own readings; `tidegauge run` sees more)"
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
