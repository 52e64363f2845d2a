# SPDX-License-Identifier: Apache-2.0
"""What a process's memory holds is read by a process of ours that has no rights: whoever watches, and wherever."""
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT
from test_steps_from_outside import AT_WORK
from test_watch import watch  # noqa: F401
from waiting import PATIENCE

NOBODY = 65534
READER = "tidegauge-read"
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

LARGE = """
import sys
kept = [[i, str(i)] for i in range(400_000)]
print("ready", flush=True)
for line in sys.stdin:
    print("alive", flush=True)
"""


def status_of(pid):
    with open(f"/proc/{pid}/status") as status:
        return dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def below(pid):
    found = []
    for child in children_of(pid):
        found += [child, *below(child)]
    return found


def reader_of(pid, is_over):
    """The one that reads for it, once it has given up its rights; None where it has ended meanwhile."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if is_over():
            return None
        try:
            for one in below(pid):
                status = status_of(one)
                if status["Name"] == READER and status["Seccomp"] == "2":
                    return one
        except (FileNotFoundError, ProcessLookupError):
            continue
    raise AssertionError("nobody reads")


def assert_has_no_rights(pid, user):
    status = status_of(pid)
    for rights in "CapInh", "CapPrm", "CapEff", "CapAmb":
        assert int(status[rights], 16) == 0, rights
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert status["Uid"].split() == [str(user)] * 4
    if os.geteuid() == 0 and user != 0:
        assert status["Gid"].split() == [str(user)] * 4 and status["Groups"].split() == []
    if os.geteuid() == 0:
        # What it has open: the line, the process's memory and pages, files of code, and /dev/null.
        opened = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
        strange = {path for path in opened if not path.endswith(("/mem", "/pagemap", "/maps")) and "ython" not in path and path != "/dev/null"}
        assert all(path.startswith("socket:") for path in strange) and len(strange) == 1, opened


@pytest.fixture
def ours(tidegauge, tmp_path_factory):
    """The program where every user may start it."""
    folder = tmp_path_factory.mktemp("ours")
    for place in [folder, *folder.parents][:4]:
        if place.stat().st_uid == os.geteuid() and str(place) != "/tmp":
            place.chmod(place.stat().st_mode | 0o055)
    shutil.copy(tidegauge, folder / "tidegauge")
    return folder / "tidegauge"


def as_user(user, *words):
    return [*words] if user == os.geteuid() else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]


WHO = [pytest.param(os.geteuid(), os.geteuid(), id="own")]
if os.geteuid() == 0 and shutil.which("setpriv"):
    WHO += [pytest.param(NOBODY, 0, id="another-users-by-root"), pytest.param(NOBODY, NOBODY, id="its-own-user")]


def users_of_reader(its_user, our_user):
    if our_user != 0:
        return our_user
    return NOBODY - 1 if its_user == NOBODY else NOBODY


def held_reader(started, words):
    """A census whose reader stands still in the middle of its work."""
    for _ in range(10):
        census = started([*words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        reader = reader_of(census.pid, lambda census=census: census.poll() is not None)
        if reader:
            try:
                os.kill(reader, signal.SIGSTOP)
                return census, reader
            except ProcessLookupError:
                pass
        census.communicate(timeout=PATIENCE)
    raise AssertionError("it is always done before it can be held")


@pytest.mark.parametrize("words", [[], ["--stream"]], ids=["copy", "stream"])
@pytest.mark.parametrize("its_user, our_user", WHO)
def test_the_process_that_reads_has_no_rights(ours, home, its_user, our_user, words, started, begin):
    program = begin(as_user(its_user, "/usr/bin/python3", "-c", LARGE))
    assert program.answer() == "ready"
    census, reader = held_reader(started, as_user(our_user, ours, "census", program.pid, *words))
    assert_has_no_rights(reader, users_of_reader(its_user, our_user))
    # Who may send it signals stops it for good: we do not wait for it, and nothing of ours stays.
    _, errors = census.communicate(timeout=PATIENCE)
    assert census.returncode == 3 and "ended before it had an answer" in errors
    assert not os.path.exists(f"/proc/{reader}")
    assert program.ask("are you?") == "alive" and children_of(program.pid) == []


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, signal.SIGSEGV])
def test_what_kills_the_reader_is_told_and_harms_nobody(tidegauge, home, signal_sent, started, begin):
    """As a fault in it would, or a lack of memory."""
    program = begin(["/usr/bin/python3", "-c", LARGE])
    assert program.answer() == "ready"
    census, reader = held_reader(started, [tidegauge, "census", str(program.pid)])
    os.kill(reader, signal_sent)
    os.kill(reader, signal.SIGKILL)
    _, errors = census.communicate(timeout=PATIENCE)
    assert census.returncode == 3 and "ended before it had an answer" in errors
    assert program.ask("are you?") == "alive" and children_of(program.pid) == []


def test_so_does_the_one_that_reads_steps(watch, begin):  # noqa: F811
    training = begin([sys.executable, AT_WORK])
    assert training.answer() == "ready" and training.ask("at 70 0.8434") == "done"
    gauge = watch(training.pid)
    assert gauge.event("step")["value"] == 70
    reader = reader_of(gauge.process.pid, lambda: gauge.process.poll() is not None)
    assert_has_no_rights(reader, users_of_reader(os.geteuid(), os.geteuid()))
    os.kill(reader, signal.SIGKILL)
    assert training.ask("at 90 1.0843") == "done"
    assert gauge.until(lambda line: line["type"] == "event" and line["event"] == "step" and line["value"] == 90)


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_it_reads_in_a_namespace_in_which_there_is_no_other_user(tidegauge, home):
    """Root of a user namespace, whose number is the only one there: it stays that one's, without a capability."""
    script = f"""
        {sys.executable} -c 'import sys; kept = [[i] for i in range(20000)]; print("ready", flush=True); sys.stdin.readline()' <fifo >said &
        exec 3>fifo
        until grep -q ready said; do kill -0 $! || exit 9; done
        {tidegauge} census $! && {tidegauge} census --stream $!
    """
    os.mkfifo(home / "fifo")
    words = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script]
    done = subprocess.run(words, cwd=home, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode == 1 and "unshare:" in done.stderr:
        pytest.skip(f"no namespaces here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "20,0" in done.stdout and "kept[*]" in done.stdout


@is_root
@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_a_process_in_namespaces_of_its_own_is_read_from_outside(tidegauge, home, call, begin):
    inside = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]
    program = begin([*inside, "/usr/bin/python3", "-c", LARGE])
    assert program.answer() == "ready"
    (pid,) = children_of(program.pid)
    done = call("census", pid)
    assert done.returncode == 0 and "__main__.kept[*]" in done.stdout, done.stderr
    assert program.ask("are you?") == "alive"
