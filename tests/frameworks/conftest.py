# SPDX-License-Identifier: Apache-2.0
"""Real frameworks under the gauge: what the tests share. Run with the environment of tools/requirements/frameworks.txt."""
import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Importing torch and transformers alone takes seconds; on a busy machine, a minute.
PATIENCE_SECONDS = 400
JOBS = pathlib.Path(__file__).resolve().parent / "jobs"


# Trainings that several tests look at, and files that import torch and all that is built on it: what xdist keeps together.
SHARED = ("incident", "with_workers", "cases", "told", "results", "hf", "lightning")
IMPORTING = ("test_callbacks", "test_package_remedies")


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.timeout(2 * PATIENCE_SECONDS))
        kind = getattr(item, "callspec", None) and item.callspec.params.get("kind")
        used = [name for name in SHARED if name in (*item.fixturenames, kind)]
        if used or item.module.__name__ in IMPORTING:
            item.add_marker(pytest.mark.xdist_group(used[0] if used else item.module.__name__))


class Recorded:
    """A job that ran under the gauge: what it printed, and what was recorded of it."""

    def __init__(self, tidegauge, done, path):
        self.tidegauge, self.done, self.path = tidegauge, done, path
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True, text=True).stdout
        self.lines = [json.loads(line) for line in text.splitlines()]
        self.events = [line for line in self.lines if line["kind"] == "event"]

    def marks(self, event, source=None):
        return [m for m in self.events if m["event"] == event and source in (None, m.get("source", "kernel"))]

    def numbers(self, event, source):
        return [m["value"] for m in self.marks(event, source)]

    def phases(self, name):
        """[(begin, end), …] in seconds."""
        begun = [m["t"] for m in self.marks("phase_begin") if m["name"] == name]
        ended = [m["t"] for m in self.marks("phase_end") if m["name"] == name]
        return list(zip(begun, ended))

    def at_step(self, number, source="framework"):
        """When that step had ended."""
        return next(m["t"] for m in self.marks("step", source) if m["value"] >= number)

    def anon_at(self, seconds):
        """Bytes of all processes, in the last sample before that."""
        held = [line["anon"] for line in self.lines if line["kind"] == "sample" and line["t"] <= seconds and "anon" in line]
        return 1024 * sum(filter(None, held[-1]))

    def verdicts(self, until=None):
        """As they would have been at `until` seconds; without it, at the end."""
        path = self.path.with_suffix(".cut.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines if until is None or line.get("t", 0) <= until))
        done = subprocess.run([self.tidegauge, "judge", "--json", path], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)["verdicts"]


@pytest.fixture(scope="session")
def record(tidegauge, tmp_path_factory):
    """record("incident.py", "--workers", 4): runs the job under the gauge to its end."""

    def run(job, *words, options=(), python=(), timeout=PATIENCE_SECONDS):
        folder = tmp_path_factory.mktemp("job")
        path = folder / "recording.tg"
        done = subprocess.run(
            [str(w) for w in (tidegauge, "run", "--interval", "100ms", "--record", path, "--quiet", *options, "--",
                              sys.executable, *python, JOBS / job, *words)],
            capture_output=True, text=True, timeout=timeout, cwd=folder, stdin=subprocess.DEVNULL, env=environment(),
        )  # fmt: skip
        return Recorded(tidegauge, done, path)

    return run


class Whole:
    """How the training of asked.py ends where nobody asks it for anything."""

    def __init__(self, kind, folder):
        words = [sys.executable, str(JOBS / "asked.py"), kind, "whole", str(folder)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=with_package(), check=True)
        *_, peak, self.last_line = done.stdout.splitlines()
        self.most_mib = int(peak.removeprefix("peak_mib "))


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """whole("hf"): trained once, for all tests of that kind (they are in one group)."""
    return functools.lru_cache(maxsize=None)(lambda kind: Whole(kind, tmp_path_factory.mktemp(kind)))


def with_package():
    """An environment in which our Python package can be imported, too."""
    return {**environment(), "PYTHONPATH": str(ROOT / "python")}


def environment():
    """Without what would make a job ask the network or warn about the machine."""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONWARNINGS": "ignore"}
