# SPDX-License-Identifier: Apache-2.0
"""Asking the gauge: the verdict on this process so far, and a watch over a block of code."""
import json
import os
import shutil
import subprocess
import tempfile


def binary():
    """The tidegauge program: $TIDEGAUGE_BINARY, the package's own, or the one on PATH."""
    own = os.path.join(os.path.dirname(__file__), "bin", "tidegauge")
    for path in (os.environ.get("TIDEGAUGE_BINARY"), own, shutil.which("tidegauge")):
        if path and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("the tidegauge program is not installed: pip install tidegauge, or set TIDEGAUGE_BINARY")


class Verdict:
    """One verdict of the document that `tidegauge judge --json` prints; every field of it is an attribute's name away."""

    def __init__(self, fields):
        self.fields = fields

    @property
    def klass(self):
        """leak, warm_up, spikes, sawtooth, steady, shift or undecided."""
        return self.fields["class"]

    @property
    def is_leak(self):
        return self.klass == "leak"

    @property
    def headline(self):
        return self.fields["words"]["headline"]

    def __getattr__(self, name):
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<tidegauge verdict: {self.klass}. {self.headline}>"


def _judge(path, pid=None):
    """The verdict on `pid` in a recording, or on its tree where that process has none of its own."""
    done = subprocess.run([binary(), "judge", "--json", path], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"tidegauge judge ended with {done.returncode}")
    verdicts = json.loads(done.stdout)["verdicts"]
    for fields in verdicts:
        process = fields["subject"].get("process")
        if pid is not None and process and process["pid"] == pid:
            return Verdict(fields)
    return Verdict(verdicts[0])


def verdict():
    """What the gauge would say of this process now; None where no gauge keeps a recording of it."""
    path = os.environ.get("TIDEGAUGE_RECORDING")
    if not path or not os.path.exists(path):
        return None
    return _judge(path, os.getpid())


class watch:  # noqa: N801 -- `with tidegauge.watch() as w:`
    """Watches this process for a block of code, from outside.

    with tidegauge.watch(interval="100ms") as w:
        work()
    print(w.verdict)
    """

    def __init__(self, interval="200ms", record=None):
        self.interval = interval
        self.record = record
        self.verdict = None
        self._folder = None
        self._gauge = None

    def __enter__(self):
        if self.record is None:
            self._folder = tempfile.TemporaryDirectory(prefix="tidegauge-")
            self.record = os.path.join(self._folder.name, "watch.tg")
        command = [binary(), "watch", str(os.getpid()), "--json", "--interval", self.interval, "--record", self.record]
        self._gauge = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        # The first line says that the gauge has looked: what the block does from here on is seen.
        if not self._gauge.stdout.readline():
            raise RuntimeError(f"tidegauge watch ended with {self._gauge.wait()}")
        self._drain()
        return self

    def _drain(self):
        """Lets the gauge write on; its lines are in the recording too."""
        import threading

        self._reader = threading.Thread(target=lambda: [None for _ in self._gauge.stdout], daemon=True)
        self._reader.start()

    def __exit__(self, *error):
        import signal

        self._gauge.send_signal(signal.SIGINT)
        self._gauge.wait()
        self._reader.join()
        self._gauge.stdout.close()
        try:
            self.verdict = _judge(self.record, os.getpid())
        finally:
            if self._folder is not None:
                self._folder.cleanup()
        return False
