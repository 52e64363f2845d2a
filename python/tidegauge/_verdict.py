# SPDX-License-Identifier: Apache-2.0
"""Asking the gauge: the program itself, and what it says of a recording."""
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Any, Optional, Sequence

# Judging a day's recording takes a second or two; something is wrong with one that takes longer than this.
JUDGE_SECONDS = 120


def warn(words: str) -> None:
    """Into the job's log: a warning of the warnings module may be an error there."""
    import logging

    logging.getLogger("tidegauge").warning("tidegauge: %s", words)


def binary() -> str:
    """The tidegauge program: $TIDEGAUGE_BINARY, the package's own, the one beside this python, or the one on PATH."""
    import shutil

    own = os.path.join(os.path.dirname(__file__), "bin", "tidegauge")
    beside = os.path.join(os.path.dirname(sys.executable or ""), "tidegauge")
    for path in (os.environ.get("TIDEGAUGE_BINARY"), own, beside, shutil.which("tidegauge")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("the tidegauge program is not installed: pip install tidegauge, or set TIDEGAUGE_BINARY")


def environment() -> dict:
    """For a gauge that we start: it is not a part of the job that is being watched."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TIDEGAUGE_") and name != "LD_PRELOAD"}


class Verdict:
    """One verdict of the document that `tidegauge judge --json` prints: its fields are attributes, save `class`: `klass`."""

    def __init__(self, fields: dict) -> None:
        self.fields = fields

    @property
    def klass(self) -> str:
        """leak, warm_up, spikes, sawtooth, steady, shift or undecided."""
        return self.fields["class"]

    @property
    def is_leak(self) -> bool:
        return self.klass == "leak"

    @property
    def headline(self) -> str:
        return self.fields["words"]["headline"]

    @property
    def bytes_per_step(self) -> Optional[dict]:
        """value, low and high of the growth now; None where steps are not known."""
        return self.fields["growth"]["bytes_per_step"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "fields":
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return f"<tidegauge verdict: {self.klass}. {self.headline}>"

    def __str__(self) -> str:
        return f"{self.fields['words']['tag']}: {self.headline}"

    def _repr_html_(self) -> str:
        from tidegauge._notebook import card

        return card(self)


def judge(path: str, options: Sequence[str] = ()) -> list:
    """The verdicts on a recording or CSV file, the most important first. OSError or RuntimeError where there are none."""
    import json
    import subprocess

    command = [binary(), "judge", "--json", *options, path]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
        env=environment(), timeout=JUDGE_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"tidegauge judge ended with {done.returncode}")
    return [Verdict(fields) for fields in json.loads(done.stdout)["verdicts"]]


def of_process(verdicts: Sequence[Verdict], pid: int) -> Verdict:
    """The verdict on `pid`, or on its tree where that process has none of its own."""
    for one in verdicts:
        process = one.subject.get("process")
        if process and process["pid"] == pid:
            return one
    return verdicts[0]


def verdict() -> Optional[Verdict]:
    """What the gauge says of this process now; None where no gauge keeps a recording of it.

    Reads the recording anew, which is up to five seconds behind: fit for the end of an epoch, not for every step.
    """
    path = os.environ.get("TIDEGAUGE_RECORDING")
    if not path or not os.path.exists(path):
        return None
    try:
        return of_process(judge(path), os.getpid())
    except Exception as error:  # the gauge or its recording is gone: no reason to stop a job
        warn(f"no verdict: {error}")
        return None
