# SPDX-License-Identifier: Apache-2.0
"""Somebody asks for a checkpoint: through the gauge (`tidegauge ask`, a guard), or by SIGUSR2 (a batch system, a person).

    request = tidegauge.checkpoint_requested()
    if request:
        save(path)
        request.saved(path, step=n)
        if request.stop:
            break

The first call makes this process listen: it takes a place on the gauge's page (docs/asking.md) and catches the signal, which would end
it otherwise; whoever sends that sees in SigCgt of /proc/PID/status whether it is caught. The callbacks for transformers and
Lightning use the same.
"""
from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any, Optional

from tidegauge import _marks
from tidegauge._verdict import warn

SIGNAL = signal.SIGUSR2  # SIGUSR1 is Lightning's under SLURM, SIGTERM the launchers'
SAVING, SAVED, NOT_SAVED = 2, 3, 4
SAVE_AND_STOP = 2
BY_SIGNAL = 1  # a request without a number

_asked = threading.Event()  # by the signal
_catching = False
_has_place = False
_seen = 0  # number of the last request of the page that was taken


_went_on = False


def resume_path() -> str:
    """The whole checkpoint that this life of a guarded job is to go on from; empty: from the beginning."""
    return os.environ.get("TIDEGAUGE_RESUME", "")


def take_resume_path() -> str:
    """The same for a trainer that goes on by itself: the first one of the process, once."""
    global _went_on
    path = "" if _went_on else resume_path()
    _went_on = _went_on or bool(path)
    if path and not _is_by_us(path):
        warn(f"not resumed from {path}: root loads no checkpoint that another user may have written")
        return ""
    return path


def _is_by_us(path: str) -> bool:
    """Loading a checkpoint can run code of whoever wrote it. Any process of the job may have told its path."""
    if os.geteuid() != 0:
        return True
    import tempfile

    try:
        # On a network disk that is shared, root's files may belong to somebody else.
        with tempfile.TemporaryFile(dir=os.path.dirname(path)) as file:
            ours = {0, os.fstat(file.fileno()).st_uid}
        inside = [entry.path for entry in os.scandir(path)] if os.path.isdir(path) else []
        return all(os.stat(one).st_uid in ours for one in (path, *inside))
    except OSError as error:
        warn(f"whose {path} is cannot be told: {error}")
        return False


class Request:
    """A checkpoint that was asked for. Whoever asked waits to hear what became of it: call saved() or failed().

    stop: whether the job should end once it has saved; None if nobody said (by signal).
    """

    __slots__ = ("number", "stop")

    def __init__(self, number: int, stop: Optional[bool]) -> None:
        self.number = number  # 0: nobody waits for an answer
        self.stop = stop

    def __repr__(self) -> str:
        return f"<checkpoint request {self.number or 'by signal'}, stop={self.stop}>"

    def saving(self, step: int = -1) -> None:
        """It was heard, and saving begins."""
        self._answer(SAVING, step)

    def saved(self, path: Any = "", step: int = -1) -> None:
        """The checkpoint is complete, in this file or folder."""
        where = os.path.abspath(os.fspath(path)) if path else ""
        self._answer(SAVED, step, where, size_of(where))

    def failed(self, why: Any, step: int = -1) -> None:
        """It could not be saved; `why` is an exception or a word about it."""
        self._answer(NOT_SAVED, step, str(why) or type(why).__name__, error=getattr(why, "errno", None) or 0)

    def _answer(self, state: int, step: int, text: str = "", size: int = 0, error: int = 0) -> None:
        if self.number and _marks._ring is not None:
            _marks._ring["ask_answer"](state, self.number, int(step), size, error, text)


def size_of(path: str) -> int:
    """Bytes of a file, or of all files below a folder; 0 where that cannot be told."""
    try:
        if not os.path.isdir(path):
            return os.path.getsize(path) if path else 0
        return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)
    except OSError:
        return 0


def _catch() -> None:
    global _catching
    try:
        if signal.getsignal(SIGNAL) in (signal.SIG_DFL, None):  # else it is the program's own
            signal.signal(SIGNAL, lambda number, frame: _asked.set())
            _catching = True
    except ValueError:  # not in the main thread
        pass


def _take_place() -> None:
    global _has_place, _seen
    with open("/proc/self/stat", "rb") as file:
        start_ticks = int(file.read().rpartition(b")")[2].split()[19])
    if _marks._ring["ask_listen"](start_ticks):
        _has_place = True
        _seen = _marks._ring["asked"]() >> 32  # what was asked of others before is none of ours


def listen() -> bool:
    """Listens from now on, to the gauge and to the signal. False where neither can be: no gauge, and another thread or
    somebody else's handler."""
    if not _has_place and _marks._ring is not None:
        try:
            _take_place()
        except Exception:
            pass  # a request that is not heard is not worth a job
    if not _catching:
        _catch()
    return _catching or _has_place


def _forked() -> None:
    global _has_place
    _has_place = False  # the place is the parent's
    _asked.clear()


os.register_at_fork(after_in_child=_forked)


def _pending() -> int:
    """0, BY_SIGNAL, or a request of the page: its number above what is wanted."""
    if _has_place:
        latest = _marks._ring["asked"]()
        if latest >> 32 != _seen:
            return latest
    return BY_SIGNAL if _asked.is_set() else 0


def _take(latest: int) -> Optional[Request]:
    """What to do about `latest`, which may be another rank's: its page can be another one, or may have been looked at later."""
    global _seen
    if not latest:
        return None
    own = _pending() >> 32
    _asked.clear()
    if own:
        _seen = own
    by_signal = latest == BY_SIGNAL
    return Request(own, None if by_signal else latest & 0xFFFFFFFF == SAVE_AND_STOP)


def checkpoint_requested() -> Optional[Request]:
    """The request for a checkpoint that has come since the last time that this said so, or None."""
    listen()
    return _take(_pending())


def requested_anywhere() -> Optional[Request]:
    """The same for all ranks of a distributed job at once: they must save together. Every rank has to call it."""
    listen()
    latest = _pending()
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return _take(latest)
    if distributed.get_world_size() == 1:
        return _take(latest)
    on_gpu = distributed.get_backend() == "nccl"
    device = torch.device("cuda", torch.cuda.current_device()) if on_gpu else "cpu"
    flag = torch.tensor(latest, dtype=torch.int64, device=device)
    distributed.all_reduce(flag, op=distributed.ReduceOp.MAX)
    return _take(int(flag.item()))
