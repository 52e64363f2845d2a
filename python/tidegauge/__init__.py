# SPDX-License-Identifier: Apache-2.0
"""Tells a gauge that watches this process what it is doing, and asks it what it thinks.

    import tidegauge
    for n, batch in enumerate(loader):
        train(batch)
        tidegauge.step(n)
        with tidegauge.phase("eval"):
            evaluate()

Under `tidegauge run` most training loops need none of this: their steps are found without it. Without a gauge the marks
do nothing, at the cost of a call.
"""
from __future__ import annotations

from tidegauge._marks import epoch, mark, phase, step
from tidegauge._verdict import Verdict, verdict
from tidegauge._watch import watch

__all__ = ["Verdict", "checkpoint_requested", "epoch", "mark", "phase", "step", "verdict", "watch"]
__version__ = "0.1.0"


def checkpoint_requested():  # -> Optional[checkpoint.Request]
    """The request for a checkpoint that has come since the last time that this said so, or None; tidegauge.checkpoint has more."""
    from tidegauge import checkpoint

    return checkpoint.checkpoint_requested()


def load_ipython_extension(shell: object) -> None:
    """%load_ext tidegauge"""
    from tidegauge._notebook import register

    register(shell)
