# SPDX-License-Identifier: Apache-2.0
"""Repeats a piece of code until the verdict engine can say whether its memory is stable. What the pytest plugin runs.

    from tidegauge.stable import Stability
    run = Stability(per_step="64KB")
    for _ in run.steps():
        train_one_step()
    print(run.outcome, run.explanation())
"""
from __future__ import annotations

import os
import tempfile
import time
from typing import Iterator, Optional, Union

from tidegauge._piles import Piles
from tidegauge._readings import Readings
from tidegauge._units import seconds_of, shown, size_of
from tidegauge._verdict import Verdict, judge

PER_STEP = "64KB"
BUDGET = "60s"
AT_MOST = "2GiB"
# Below these nobody asks the engine but when the budget is spent, and nothing is called stable: a leak may hide in noise there.
FEWEST_STEPS = 20
# An answer must stand when so much more has been seen: a rare event may be waiting behind the first few steps.
LOOK_AGAIN_AFTER = 1.5
SETTLED_STEPS = 100
SETTLED_SECONDS = 0.5
PILE_STEPS = 50
PILE_SECONDS = 5.0
BAD = ("leak", "too_large")

Size = Union[str, int]


class Stability:
    """One run of a body: steps() hands out steps until enough is known or the budget is spent.

    per_step: growth that is allowed; budget: time; at_most: growth at which to stop at once; longest: number of steps.
    """

    def __init__(self, per_step: Size = PER_STEP, budget: Union[str, float] = BUDGET, at_most: Size = AT_MOST,
                 longest: Optional[int] = None) -> None:  # fmt: skip
        self.per_step = size_of(per_step)
        self.budget = seconds_of(budget)
        self.at_most = size_of(at_most)
        self.longest = longest
        self.outcome = "undecided"  # stable, leak, too_large or undecided
        self.verdict: Optional[Verdict] = None
        self.why = ""
        self.steps_done = 0
        self.seconds = 0.0
        self.first_bytes = 0
        self.last_bytes = 0
        self.piles = Piles()

    def steps(self) -> Iterator[int]:
        """The numbers of the steps, from 1; ends by itself."""
        readings = Readings()
        try:
            with tempfile.TemporaryDirectory(prefix="tidegauge-") as folder:
                yield from self._measured(readings, os.path.join(folder, "steps.csv"))
        finally:
            readings.close()
        if self.outcome in BAD:
            yield from self._piling()

    def _measured(self, readings: Readings, path: str) -> Iterator[int]:
        began = time.monotonic()
        self.first_bytes = readings.now()
        look_at, earlier = FEWEST_STEPS, None
        while True:
            self.steps_done += 1
            yield self.steps_done
            clock = time.monotonic()
            self.seconds = clock - began
            readings.take(self.steps_done, clock)
            last = self._is_spent(readings)
            if self.steps_done < look_at and not last:
                continue
            self.last_bytes = readings.now()
            found = self._look(readings, path, last)
            look_took = time.monotonic() - clock
            settled = self.steps_done >= SETTLED_STEPS and self.seconds >= SETTLED_SECONDS and found == earlier
            if found is not None and (settled or last):
                self.outcome = found
            if last or self.outcome != "undecided":
                return
            earlier = found
            # Not more than a tenth of the time goes into looking, however fast the steps are.
            steps_a_second = self.steps_done / max(self.seconds, 1e-6)
            look_at = max(int(self.steps_done * LOOK_AGAIN_AFTER), self.steps_done + int(steps_a_second * look_took * 10))

    def _is_spent(self, readings: Readings) -> bool:
        if self.seconds >= self.budget:
            self.why = f"the budget of {self.budget:g} s is spent after {self.steps_done} steps"
        elif self.longest is not None and self.steps_done >= self.longest:
            self.why = f"no more than {self.longest} steps were allowed"
        elif readings.last() - self.first_bytes > self.at_most:
            self.why = f"it grew by more than {shown(self.at_most)} in {self.steps_done} steps"
        else:
            return False
        return True

    def _look(self, readings: Readings, path: str, last: bool) -> Optional[str]:
        """leak, too_large, stable, or None while nobody can tell."""
        readings.write(path)
        verdicts = judge(path)
        answers = [_answer(one, self.per_step, last) for one in verdicts]
        worst = min(range(len(verdicts)), key=lambda n: ("leak", None, "stable").index(answers[n]))
        self.verdict = verdicts[worst]
        if answers[worst] != "leak" and self.last_bytes - self.first_bytes > self.at_most:
            return "too_large"
        if answers[worst] == "stable" and self.steps_done < FEWEST_STEPS:
            return None
        return answers[worst]

    def _piling(self) -> Iterator[int]:
        """Some more steps, to see what they leave behind."""
        rate = max(1, (self.last_bytes - self.first_bytes) // max(1, self.steps_done))
        most = min(PILE_STEPS, self.at_most // 4 // rate)  # what is allowed for the whole run bounds this too
        self.piles.begin()
        until, done = time.monotonic() + PILE_SECONDS, 0
        while done < most and time.monotonic() < until:
            done += 1
            yield self.steps_done + done
        self.piles.end(done)

    def explanation(self) -> str:
        """What was found, in sentences."""
        grown = f"{shown(self.first_bytes)} -> {shown(self.last_bytes)} in {self.steps_done} steps ({self.seconds:.1f} s)"
        if self.verdict is None:
            return f"{grown}; {self.why}"
        rate = self.verdict.bytes_per_step
        lines = [self._first_line(rate), f"  {self.verdict}", f"  {grown}, {shown(self.per_step)} a step allowed"]
        if self.outcome != "stable":
            lines += [f"  {sentence}" for sentence in self.verdict.evidence]
        if self.outcome in BAD:
            piled = self.piles.lines(rate["value"] if rate else 0)
            lines += ["what piled up:", *piled] if piled else []
        return "\n".join(lines)

    def _first_line(self, rate: Optional[dict]) -> str:
        growth = "" if rate is None else f"{shown(rate['value'])} a step ({shown(rate['low'])} to {shown(rate['high'])})"
        if self.outcome == "leak":
            return f"memory is not stable: {growth}"
        if self.outcome == "too_large":
            return f"memory grows too much: {self.why}; nobody knows whether it would have ended"
        if self.outcome == "stable":
            slow = self.verdict is not None and self.verdict.is_leak
            return f"memory grows by less than is allowed: {growth}" if slow else "memory is stable"
        needs = (self.verdict.needs or {}).get("steps") if self.verdict is not None else None
        more = f"; about {needs:.0f} more would tell" if needs else ""
        return f"cannot tell whether memory is stable: {self.why}{more}"

    def properties(self) -> list:
        """(name, value) pairs for a test report."""
        out = [("tidegauge_outcome", self.outcome), ("tidegauge_steps", self.steps_done),
               ("tidegauge_seconds", round(self.seconds, 3)), ("tidegauge_per_step_allowed", self.per_step)]  # fmt: skip
        if self.verdict is not None:
            out += [("tidegauge_class", self.verdict.klass), ("tidegauge_confidence", round(self.verdict.confidence, 3)),
                    ("tidegauge_headline", self.verdict.headline)]  # fmt: skip
            if self.verdict.bytes_per_step:
                out += [(f"tidegauge_bytes_per_step{end}", round(self.verdict.bytes_per_step[key]))
                        for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))]  # fmt: skip
            if self.verdict.settled and self.verdict.settled.get("at_step") is not None:
                out.append(("tidegauge_settled_at_step", round(self.verdict.settled["at_step"])))
        return out


def _answer(verdict: Verdict, per_step: int, last: bool) -> Optional[str]:
    rate = verdict.bytes_per_step
    if rate is None:
        return None
    if verdict.klass == "leak":
        if rate["low"] > per_step or (last and rate["value"] > per_step):
            return "leak"
        return "stable" if rate["high"] <= per_step else None
    # Not "no leak was seen" but "a leak as large as that would have been seen".
    bound = rate["high"] if verdict.klass == "undecided" else verdict.not_excluded
    return "stable" if bound is not None and bound <= per_step else None
