# SPDX-License-Identifier: Apache-2.0
"""Somebody asks for a checkpoint: by SIGUSR2, from a batch system, a person, or a guard.

    if tidegauge.checkpoint_requested():
        save()
        break

The first call makes this process catch the signal, which would end it otherwise; whoever asks sees in SigCgt of
/proc/PID/status whether it does. The callbacks for transformers and Lightning use the same.
"""
from __future__ import annotations

import signal
import sys
import threading
from typing import Any

SIGNAL = signal.SIGUSR2  # SIGUSR1 is Lightning's under SLURM, SIGTERM the launchers'

_asked = threading.Event()
_listening = False


def _heard(number: int, frame: Any) -> None:
    _asked.set()


def listen() -> bool:
    """Catches the signal from now on. False where that cannot be: another thread, or somebody else's handler."""
    global _listening
    if _listening:
        return True
    try:
        if signal.getsignal(SIGNAL) not in (signal.SIG_DFL, None):
            return False  # it is the program's own
        signal.signal(SIGNAL, _heard)
    except ValueError:  # not in the main thread
        return False
    _listening = True
    return True


def checkpoint_requested() -> bool:
    """Whether a checkpoint was asked for since the last time that this said so."""
    listen()
    if not _asked.is_set():
        return False
    _asked.clear()
    return True


def requested_anywhere() -> bool:
    """The same for all ranks of a distributed job at once: they must save together. Every rank has to call it."""
    asked = checkpoint_requested()
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return asked
    if distributed.get_world_size() == 1:
        return asked
    on_gpu = distributed.get_backend() == "nccl"
    flag = torch.tensor(int(asked), device=torch.device("cuda", torch.cuda.current_device()) if on_gpu else "cpu")
    distributed.all_reduce(flag, op=distributed.ReduceOp.MAX)
    return bool(flag.item())
