# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: a home of their own, and programs that wait for words, not for time."""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import guarded_jobs
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A shell starts what it puts into the background with SIGINT ignored, and so would be all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def home(tmp_path, monkeypatch) -> pathlib.Path:
    """A home of the test's own, so that recordings land nowhere else."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.fixture
def call(tidegauge, home):
    """Runs tidegauge to its end: call("judge", path) gives returncode, stdout and stderr."""

    def run(*words, timeout=60, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(
            [str(tidegauge), *map(str, words)], capture_output=True, text=True, timeout=timeout, **options
        )

    return run


class Program:
    """A program that obeys lines on stdin and answers each with a line on stdout."""

    def __init__(self, words):
        # A group of its own, as a shell gives it: an orphan of the group may be the job's, and other tests have some.
        self.process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        self.pid = self.process.pid

    def answer(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the program ended with {self.process.wait()} instead of answering")
        return line.rstrip("\n")

    def ask(self, line: str) -> str:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def begin():
    """begin([sys.executable, "-c", …]): a Program, ended with the test."""
    programs = []

    def a_program(words):
        programs.append(Program(words))
        return programs[-1]

    yield a_program
    for program in programs:
        program.end()


@pytest.fixture
def start(begin):
    """start("tree", 20): a program of tests/programs, by its built name or as a Python file, ended with the test."""

    def a_program(name, *words):
        script = ROOT / "tests" / "programs" / f"{name}.py"
        built = ROOT / "build" / f"program_{name}"
        command = [sys.executable, script] if script.exists() else [built]
        return begin([*command, *words])

    return a_program


@pytest.fixture
def groups():
    try:
        made = guarded_jobs.Groups()
    except OSError as error:
        pytest.skip(f"no control groups of version 1 with memory can be made here: {error}")
    yield made
    made.remove()


@pytest.fixture
def guarded(tidegauge, groups, home, started):
    """guarded(200, "leak", …): the guarded job, begun."""

    def start(*job, limit="100MB", options=(), command=None):
        command = command or [sys.executable, guarded_jobs.JOB, home, *job]
        words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--limit", limit, *options, "--", *command]
        return started(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=groups.join,
                       env=guarded_jobs.with_our_package())  # fmt: skip

    return start


@pytest.fixture
def in_container():
    """Words before a command: control groups can only be read, as in a container."""
    return guarded_jobs.shut_off(*guarded_jobs.TOPS, guarded_jobs.FREEZER)


def kernel_kills(how):
    """While it lasts, others of this user do not do what does not go with it: the kernel counts its kills for lack of memory for the whole machine."""
    with open(pathlib.Path(tempfile.gettempdir()) / f"tidegauge-tests-kernel-kills-{os.getuid()}", "w") as file:
        fcntl.flock(file, how)
        yield


@pytest.fixture
def kernel_may_kill():
    """For a test that lets the kernel kill somebody for lack of memory."""
    yield from kernel_kills(fcntl.LOCK_EX)


@pytest.fixture
def kernel_kills_nobody():
    """For a test in which the kernel must not have killed anybody for lack of memory, in whatever group."""
    yield from kernel_kills(fcntl.LOCK_SH)


@pytest.fixture
def limited(groups):
    """The test's own memory group has a limit that is not the guard's."""
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(420 << 20))
    return groups


@pytest.fixture
def watched(tidegauge, started):
    """watched(812): a guard of that process and its children."""

    def start(pid, *words):
        return started([tidegauge, "watch", pid, "--guard", "--no-record", "--no-live", *words], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    return start
