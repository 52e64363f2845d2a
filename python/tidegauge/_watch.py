# SPDX-License-Identifier: Apache-2.0
"""A gauge over a block of code, where none watches the whole job."""
from __future__ import annotations

import os
import threading
import time

from tidegauge import _channel, _marks
from tidegauge._verdict import Verdict, binary, environment, judge, of_process, warn

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    import subprocess
    import tempfile
    from typing import Any, Optional

# A loop of a million steps a second is told by a few of them: the reader keeps the first and last of each look anyway.
SECONDS_BETWEEN_STEPS = 0.01
MOST_MARKS = 200_000
STOP_SECONDS = 20
SAMPLE = b'{"type":"sample"'
MOST_POINTS = 4000


class _Marks:
    """Marks of this process, kept as the rows of `--markers`."""

    def __init__(self) -> None:
        self.rows: list = []
        self._last_step_at = 0.0

    def number(self, kind: int, number: int, total: int) -> None:
        now = time.time()
        if kind == _channel.STEP:
            row = [f"{now:.6f}", number, "", "step"]
            if now - self._last_step_at < SECONDS_BETWEEN_STEPS and self.rows and self.rows[-1][3] == "step":
                self.rows[-1] = row
                return
            self._last_step_at = now
            self._add(row)
        else:
            self._add([f"{now:.6f}", "", number, "epoch"])

    def text(self, kind: int, words: str) -> None:
        ending = {_channel.PHASE_BEGIN: "_start", _channel.PHASE_END: "_end"}.get(kind, "")
        self._add([f"{time.time():.6f}", "", "", words + ending])

    def _add(self, row: list) -> None:
        if len(self.rows) < MOST_MARKS:
            self.rows.append(row)

    def write(self, path: str) -> None:
        import csv

        with open(path, "w", newline="", encoding="utf-8", errors="replace") as file:
            out = csv.writer(file)
            out.writerow(["time", "step", "epoch", "event"])
            out.writerows(self.rows)


class watch:  # noqa: N801 -- `with tidegauge.watch() as w:`
    """Watches this process for a block of code, from outside.

    with tidegauge.watch() as w:
        work()
    print(w.verdict)

    Steps and phases that the block marks are known to the verdict. Where the program is missing or cannot look, the block
    runs all the same, `verdict` stays None and the log says why.
    """

    def __init__(self, interval: str = "200ms", record: Optional[str] = None) -> None:
        self.interval = interval
        self.record = record
        self.verdict: Optional[Verdict] = None
        self.looks = 0  # how often the gauge has looked so far
        self.series: list = []  # (seconds, bytes of anonymous memory), for a chart
        self._folder: Optional[tempfile.TemporaryDirectory] = None
        self._gauge: Optional[subprocess.Popen] = None
        self._reader: Optional[threading.Thread] = None
        self._marks = _Marks()
        self._pid = 0
        self._began = 0.0

    def __enter__(self) -> watch:
        self._pid = os.getpid()
        try:
            self._start()
        except Exception as error:
            warn(f"not watching: {error}")
            self._stop()
        return self

    def __exit__(self, *error: Any) -> None:
        if os.getpid() == self._pid:  # not in a child that was forked in the block
            self._finish()

    def look(self) -> Optional[Verdict]:
        """The verdict on what is in the recording so far, which is up to five seconds behind."""
        if self._gauge is None or self._folder is None:
            return self.verdict
        try:
            markers = os.path.join(self._folder.name, "markers.csv")
            self._marks.write(markers)
            options = ["--markers", markers] if self._marks.rows else []
            return of_process(judge(str(self.record), options), self._pid)
        except Exception as error:
            warn(f"no verdict: {error}")
            return None

    @property
    def phases(self) -> list:
        """(name, from, to) of the phases that the block has marked, on the clock of `series`."""
        out: list = []
        open_at: dict = {}
        for at, _, _, event in self._marks.rows:
            name, _, end = event.rpartition("_")
            if end == "start":
                open_at[name] = float(at) - self._began
            elif end == "end" and name in open_at:
                out.append((name, open_at.pop(name), float(at) - self._began))
        return out

    def _start(self) -> None:
        import subprocess
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="tidegauge-")
        if self.record is None:
            self.record = os.path.join(self._folder.name, "watch.tg")
        command = [binary(), "watch", str(self._pid), "--json", "--interval", self.interval, "--record", str(self.record)]
        with open(os.path.join(self._folder.name, "stderr"), "w+", encoding="utf-8", errors="replace") as words:
            self._gauge = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=words, env=environment(),
                start_new_session=True,  # Ctrl-C is for the job
            )  # fmt: skip
            # The first line says that the gauge has looked: what the block does from here on is seen.
            assert self._gauge.stdout is not None
            if not self._gauge.stdout.readline():
                status = self._gauge.wait()
                words.seek(0)
                raise RuntimeError(words.read().strip() or f"tidegauge watch ended with {status}")
        self._reader = threading.Thread(target=self._drain, args=(self._gauge.stdout,), name="tidegauge", daemon=True)
        self._reader.start()
        self._began = time.time()
        _marks.listen(self._marks)

    def _drain(self, lines: Any) -> None:
        """Lets the gauge write on; what it says is in the recording too."""
        import json

        every = 1
        for line in lines:
            if not line.startswith(SAMPLE):
                continue
            self.looks += 1
            if self.looks % every == 0:
                sample = json.loads(line)
                own: dict = next((one for one in sample["processes"] if one["pid"] == self._pid), {})
                if "anon_bytes" in own:
                    self.series.append((sample["seconds"], own["anon_bytes"]))
            if len(self.series) >= MOST_POINTS:
                del self.series[1::2]
                every *= 2

    def _finish(self) -> None:
        _marks.unlisten(self._marks)
        if self._gauge is None:
            return
        import signal

        try:
            self._gauge.send_signal(signal.SIGINT)
            self._gauge.wait(STOP_SECONDS)
            self.verdict = self.look()
        except Exception as error:
            warn(f"no verdict: {error}")
        finally:
            self._stop()

    def _stop(self) -> None:
        gauge, self._gauge = self._gauge, None
        if gauge is not None:
            if gauge.poll() is None:
                gauge.kill()
            gauge.wait()
            if self._reader is not None:
                self._reader.join()
            if gauge.stdout is not None:
                gauge.stdout.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
