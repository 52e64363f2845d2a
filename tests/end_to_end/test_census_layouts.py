# SPDX-License-Identifier: Apache-2.0
"""A CPython of a version that is not known: searched through, or learned from a program that a person names."""
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from pythons_here import pythons, where_anybody_may_run
from test_census_runs_nothing import children_of

HEAP = ROOT / "tests" / "programs" / "heap.py"
CHECKER = ROOT / "build" / "program_census_layout"
NOBODY = 65534
needs_checker = pytest.mark.skipif(not CHECKER.exists(), reason=f"there is no {CHECKER}: it is built with the tests")
# The versions before tell nothing of themselves, and all of them are known.
NEW = [param for param in pythons() if tuple(map(int, param.id.rstrip("t").split(".")[:2])) >= (3, 13)]


@pytest.fixture
def public(tmp_path_factory):
    """A folder that every user may look into."""
    folder = tmp_path_factory.mktemp("public")
    for place in [folder, *folder.parents][:4]:
        if place.stat().st_uid == os.geteuid() and str(place) != "/tmp":
            place.chmod(place.stat().st_mode | 0o055)
    return folder


def checked(pid, *words, **environment):
    done = subprocess.run([CHECKER, str(pid), *map(str, words)], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done


def differing(told):
    """Lines of types, arrays and holders whose numbers differ: COUNT COUNT BYTES BYTES NAME."""
    lines = [line.split("\t") for line in told.stdout.splitlines()]
    assert len(lines) > 50, told.stdout + told.stderr
    return [line for line in lines if line[0] != line[1] or line[2] != line[3]]


@needs_checker
@pytest.mark.parametrize("python", NEW)
def test_without_knowing_the_version_a_census_finds_the_same(python, public, home, begin):
    program = begin([*python.command, python.place(HEAP), "300"])
    program.answer()
    assert differing(checked(program.pid, "census")) == []
    named, environment = where_anybody_may_run(python, public / "python")
    told = checked(program.pid, "from", named, **environment)
    assert told.stdout.split() == ["fits:", "true"], told.stdout + told.stderr
    assert differing(checked(program.pid, "census", named, **environment)) == []


@needs_checker
def test_what_was_learned_is_used_for_that_build_and_no_longer_when_it_does_not_fit(tidegauge, public, home, begin):
    python = NEW[0].values[0] if NEW else pytest.skip("needs a Python from 3.13 on")
    named, environment = where_anybody_may_run(python, public / "python")
    program = begin([*python.command, python.place(HEAP), "10"])
    program.answer()
    assert checked(program.pid, "learn").stdout.split()[-1] == "searched"
    done = subprocess.run([tidegauge, "census", str(program.pid), "--layout-from", named], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    (kept,) = (home / "xdg_cache_home" / "tidegauge" / "pythons").iterdir()
    if python.root is None:
        # What is kept is of the library, which is the same file.
        assert checked(program.pid, "learn").stdout.split() == ["learned"]
        kept.write_text(kept.read_text().replace("interp_modules 7", "interp_modules 6"))
        assert checked(program.pid, "learn").stdout.split()[-1] == "searched"


# What the program that is named is asked for; it has 200 characters to say it.
QUESTIONS = {
    "rights": "status('Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapAmb', 'NoNewPrivs')",
    "bounds": "status('CapBnd')",
    "environment": "sorted(os.environ)",
    "place": "os.getcwd()",
    "session": "os.getsid(0) == os.getpid()",
    "terminal": "could(lambda: os.open('/dev/tty', os.O_RDWR))",
    "descriptors": "sorted(os.listdir('/proc/self/fd'))",
    "writing": "could(lambda: os.write(os.open('/tmp/tidegauge-from-' + str(os.getpid()), os.O_CREAT | os.O_WRONLY), b'x'))",
    "starting": "could(os.fork)",
}
ANSWERS = """#!{python} -IS
import os, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def status(*names):
    lines = dict(line.rstrip().split(":", 1) for line in open("/proc/self/status"))
    return [lines[name].split() for name in names]
def could(what):
    try:
        return "could: " + str(what())
    except OSError as error:
        return type(error).__name__ + " " + str(error.errno)
print({question})
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("sudo", [None, "1234"])
def test_the_program_that_is_named_runs_with_everything_dropped(tidegauge, public, home, sudo, started, begin):
    target = begin(["/usr/bin/python3", HEAP, "10"])
    target.answer()

    def asked(question):
        named = public / "python-asked"
        named.unlink(missing_ok=True)
        named.write_text(ANSWERS.format(python="/usr/bin/python3", question=QUESTIONS[question]))
        named.chmod(0o755)
        environment = {**os.environ, "SECRET": "x", "PYTHONPATH": "/", **({"SUDO_UID": sudo, "SUDO_GID": sudo} if sudo else {})}
        done = subprocess.run([tidegauge, "census", str(target.pid), "--layout-from", named], capture_output=True, text=True, env=environment)
        assert done.returncode == 3 and "does not answer as a Python does" in done.stderr, done.stderr
        return done.stderr.strip().split("as a Python does: ")[1]

    user = [sudo or str(NOBODY)] * 4
    none = ["0000000000000000"]
    assert asked("rights") == repr([user, user, [], none, none, none, none, ["1"]])
    assert asked("bounds") == repr([none])
    assert asked("environment") == repr(["LC_ALL", "PATH"])
    assert asked("place") == "/" and asked("session") == "True"
    assert asked("terminal") == "OSError 6"
    assert asked("descriptors") == repr(["0", "1", "2", "3"])  # 3 is the folder that is listed
    assert asked("writing") == "OSError 27" and asked("starting") == "BlockingIOError 11"


def test_a_program_that_is_no_python_is_refused(call, begin):
    target = begin(["/usr/bin/python3", HEAP, "10"])
    target.answer()
    for program, why in ("/bin/true", "does not answer as a Python does"), ("/nowhere/python", "No such file"), ("/etc/passwd", "Permission denied"):
        done = call("census", target.pid, "--layout-from", program)
        assert done.returncode == 3 and f"--layout-from: {program}" in done.stderr and why in done.stderr, done.stderr


WHO = [pytest.param(os.geteuid(), os.geteuid(), id="own")]
if os.geteuid() == 0 and shutil.which("setpriv"):
    WHO += [pytest.param(NOBODY, 0, id="another-users-by-root"), pytest.param(NOBODY, NOBODY, id="its-own-user")]
NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]


@pytest.mark.parametrize("inside", [[], NAMESPACES], ids=["", "in-namespaces"])
@pytest.mark.parametrize("its_user, our_user", WHO)
def test_a_real_python_of_another_name_is_read(tidegauge, public, home, its_user, our_user, inside, begin):
    renamed = public / "myserver"
    shutil.copy(os.path.realpath("/usr/bin/python3"), renamed)
    shutil.copy(tidegauge, public / "tidegauge")
    if inside and subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespaces here")

    def as_user(user, *words):
        return [*words] if user == os.geteuid() else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]

    says = "import sys; kept = [[i] for i in range(20000)]; print('ready', flush=True); sys.stdin.readline()"
    program = begin(as_user(its_user, *inside, renamed, "-IS", "-c", says))
    assert program.answer() == "ready"
    pid = children_of(program.pid)[0] if inside else program.pid
    done = subprocess.run(as_user(our_user, public / "tidegauge", "census", str(pid)), capture_output=True, text=True)
    assert done.returncode == 0 and "__main__.kept[*]" in done.stdout, done.stderr
    assert os.readlink(f"/proc/{pid}/exe") == str(renamed) and sys.platform == "linux"
