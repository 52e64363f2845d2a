# SPDX-License-Identifier: Apache-2.0
"""Nothing of a process that is looked at is ever started by us: neither its program nor a copy of it, whatever it is called."""
import contextlib
import ctypes
import os
import shutil
import struct
import subprocess
import sys

import pytest
from conftest import ROOT
from pythons_here import pythons, where_anybody_may_run

NOBODY = 65534
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def reachable(tmp_path):
    """A folder that another user may look and write into."""
    for folder in [tmp_path, *tmp_path.parents][:4]:
        if folder.stat().st_uid == os.geteuid() and folder != folder.parent and str(folder) != "/tmp":
            folder.chmod(folder.stat().st_mode | 0o055)
    tmp_path.chmod(0o777)
    return tmp_path


class Impostor:
    """The words that start it, and how often it has been started."""

    def __init__(self, folder, root=None):
        self.witnesses = [folder / "witness"]
        self.path = folder / "python-evil"
        flags = ["-static"] if root else []
        source = ROOT / "tests" / "programs" / "python_impostor.c"
        subprocess.run(["cc", *flags, f'-DWITNESS="{self.witnesses[0]}"', "-o", self.path, source], check=True)
        if root:
            there = root / folder.relative_to("/")
            there.mkdir(parents=True)
            for place in (root, there):
                place.chmod(0o777)
            shutil.copy(self.path, root / "python-evil")
            self.path = "/python-evil"
            self.witnesses.append(there / "witness")

    def starts(self):
        return [line for witness in self.witnesses if witness.exists() for line in witness.read_text().splitlines()]


@pytest.fixture
def impostor(reachable):
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    return Impostor(reachable)


def as_user(user, *words):
    return [*words] if user == os.geteuid() else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]


# Whose program it is, and who looks at it.
PAIRS = [pytest.param(os.geteuid(), os.geteuid(), id="own")]
if os.geteuid() == 0 and shutil.which("setpriv"):
    PAIRS += [pytest.param(NOBODY, 0, id="another-users-by-root"), pytest.param(NOBODY, NOBODY, id="its-own-user")]


@pytest.fixture
def ours(tidegauge, reachable):
    """The program where every user may start it."""
    shutil.copy(tidegauge, reachable / "tidegauge")
    return reachable / "tidegauge"


def refused_by_census(ours, user, pid):
    for words in [], ["--stream"]:
        done = subprocess.run([*as_user(user, ours), "census", str(pid), *words], capture_output=True, text=True)
        assert done.returncode == 3 and "CPython 3.99.0 of which nothing is known here" in done.stderr, done.stderr


@pytest.mark.parametrize("its_user, our_user", PAIRS)
def test_a_program_that_poses_as_a_new_python_is_not_started(impostor, ours, home, its_user, our_user, begin):
    program = begin(as_user(its_user, impostor.path))
    assert program.answer() == "ready"
    assert impostor.starts() == [f"started as {program.pid} by {its_user}"]
    refused_by_census(ours, our_user, program.pid)
    assert impostor.starts() == [f"started as {program.pid} by {its_user}"]


@is_root
@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_nor_is_one_that_lives_in_a_container(reachable, ours, home, begin):
    root = reachable / "root"
    root.mkdir()
    try:
        impostor = Impostor(reachable, root)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs a C compiler and a static C library")
    inside = ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    program = begin([*inside, "chroot", f"--userspec={NOBODY}:{NOBODY}", root, impostor.path])
    assert program.answer() == "ready"
    (pid,) = children_of(program.pid)
    assert impostor.starts() == [f"started as 1 by {NOBODY}"]
    refused_by_census(ours, 0, pid)
    assert impostor.starts() == [f"started as 1 by {NOBODY}"]


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


@pytest.mark.parametrize("its_user, our_user", PAIRS)
def test_nor_by_watch_when_it_grows(impostor, ours, home, its_user, our_user, started, begin):
    program = begin(as_user(its_user, impostor.path))
    assert program.answer() == "ready"
    watch = started([*as_user(our_user, ours), "watch", "--name", "python-evil", "--no-live", "--no-record", "--interval", "200ms"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    program.process.stdin.write("grow\n")
    program.process.stdin.flush()
    watch.communicate(timeout=120)
    assert impostor.starts() == [f"started as {program.pid} by {its_user}"]


class Starts:
    """How often the kernel has opened a file to start it (fanotify's FAN_OPEN_EXEC), whoever did it in whatever namespace."""

    FAN_NONBLOCK, FAN_MARK_ADD, FAN_OPEN_EXEC, AT_FDCWD = 0x2, 0x1, 0x1000, -100

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.fanotify_init(self.FAN_NONBLOCK, os.O_RDONLY)
        mask = ctypes.c_uint64(self.FAN_OPEN_EXEC)
        if self.fd < 0 or self.libc.fanotify_mark(self.fd, self.FAN_MARK_ADD, mask, self.AT_FDCWD, os.fsencode(path)) != 0:
            pytest.skip(f"no fanotify here: {os.strerror(ctypes.get_errno())}")

    def since_then(self):
        """The pids that have started it."""
        pids = []
        with contextlib.suppress(BlockingIOError):
            while events := os.read(self.fd, 4096):
                while events:
                    size, _, _, _, _, fd, pid = struct.unpack_from("=IBBHQii", events)
                    os.close(fd)
                    pids.append(pid)
                    events = events[size:]
        return pids

    def end(self):
        os.close(self.fd)


def learned(our_user, folder, pid):
    """What is found of a process whose version is taken away from what is known: the words of program_census_layout."""
    checker = ROOT / "build" / "program_census_layout"
    if not checker.exists():
        pytest.skip(f"there is no {checker}: it is built with the tests")
    shutil.copy(checker, folder / "checker")
    environment = {**os.environ, "XDG_CACHE_HOME": "/nowhere"}  # nothing was learned before
    done = subprocess.run(as_user(our_user, folder / "checker", str(pid), "learn"), capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@is_root
@pytest.mark.parametrize("its_user, our_user", PAIRS)
@pytest.mark.parametrize("python", pythons())
def test_nor_is_a_real_python_of_an_unknown_version(python, reachable, its_user, our_user, begin):
    """A copy of its program under another name, whose version is taken away from those that are known."""
    environment = []
    if python.root:
        said = subprocess.run([*python.command, "-c", "import sys; print(sys.executable, sys.base_prefix)"], capture_output=True, text=True)
        program, prefix = said.stdout.split()
        renamed, there = python.root / "tmp" / f"python-evil-{os.getpid()}", f"/tmp/python-evil-{os.getpid()}"
        shutil.copy((python.root / program.lstrip("/")).resolve(), renamed)
        environment = [f"PYTHONHOME={prefix}"]
        words = ["chroot", f"--userspec={its_user}:{its_user}", str(python.root), there]
    else:
        named, needed = where_anybody_may_run(python, reachable / "python")
        renamed = named.rename(named.parent / "python-evil")
        environment = [f"{name}={value}" for name, value in needed.items()]
        words = as_user(its_user, renamed)
    words = ["env", *environment, *words]
    try:
        subprocess.run([*words, "-S", "-c", ""], check=True)
        running = begin([*words, "-S", "-c", SAYS_READY])
        assert running.answer() == "ready"
        starts = Starts(renamed)
        found = learned(our_user, reachable, running.pid)
        assert starts.since_then() == []
        assert "learned" not in found
        # What is seen there is seen by itself: here is one.
        subprocess.run([*words, "-S", "-c", ""], check=True)
        assert len(starts.since_then()) == 1
        starts.end()
    finally:
        renamed.unlink()


SAYS_READY = "import sys; print('ready', flush=True); sys.stdin.readline()"
