# SPDX-License-Identifier: Apache-2.0
"""What the callbacks of all trainers do: read memory now and then, and sum it up at the end."""
from tidegauge._memory import Memory, mib, tensors
from tidegauge._verdict import verdict


def _size(value):
    return f"{value / 2**30:.2f} GiB" if abs(value) >= 2**30 else f"{value / 2**20:.1f} MiB"


class StepLog:
    """Memory at every `every` steps, and the lines that say at the end what became of it."""

    def __init__(self, every):
        self.every = max(1, int(every))
        self.memory = Memory()
        self.first = None
        self.last = None
        self.peak = {}

    def due(self, step):
        return step % self.every == 0

    def read(self, step):
        now = self.memory.read()
        self.first = self.first or (step, now)
        self.last = (step, now)
        for name, value in now.items():
            self.peak[name] = max(value, self.peak.get(name, value))
        return mib(now)

    def summary(self, large_tensors=5):
        """Lines for people. The verdict comes from the gauge where one watches; growth alone proves nothing."""
        if self.first is None or self.last[0] <= self.first[0]:
            return []
        (from_step, before), (to_step, after) = self.first, self.last
        lines = [f"memory from step {from_step} to {to_step}:"]
        for name in sorted(set(before) & set(after)):
            rate = (after[name] - before[name]) / (to_step - from_step)
            lines.append(
                f"  {name:<14}{_size(before[name]):>12} -> {_size(after[name]):>12}, peak {_size(self.peak[name]):>12},"
                f" {_size(rate)} per step"
            )
        groups, devices = tensors(large_tensors)
        if devices:
            lines.append("  tensors " + ", ".join(f"{device}: {count}" for device, count in sorted(devices.items())))
            for device, dtype, shape, count, size in groups:
                lines.append(f"    {count:>6} x {dtype}{list(shape)} on {device}: {_size(size)}")
        return lines + self._verdict_lines()

    @staticmethod
    def _verdict_lines():
        try:
            found = verdict()
        except Exception:  # the gauge is gone, or its recording
            return []
        if found is None:
            return ["  no gauge watches this process: start it with `tidegauge run` for a verdict"]
        return [f"  {found.words['tag']}: {found.headline}"]
