# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census`: what is read from outside is what the process itself counts, on every Python that is here."""
import functools
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, Program

HEAP = ROOT / "tests" / "programs" / "heap.py"
WHICH = """import sys, sysconfig
without_lock = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print(sys.version_info >= (3, 9), sys.implementation.name, "%d.%d.%d" % sys.version_info[:3] + without_lock)"""


class Python:
    """A CPython that can be run here; one in a folder of its own by chroot, as a container would."""

    def __init__(self, version, command, root=None):
        self.version, self.command, self.root = version, command, root

    def place(self, script):
        """Where that Python finds a script of ours."""
        if not self.root:
            return script
        shutil.copy(script, self.root / "tmp" / script.name)
        return f"/tmp/{script.name}"

    def file(self, folder, name):
        """A file that it can write: where it is for us, and for that Python."""
        if not self.root:
            return folder / name, folder / name
        return self.root / "tmp" / f"{os.getpid()}-{name}", f"/tmp/{os.getpid()}-{name}"


def cache_folder():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))) / "tidegauge"


def newest_pythons():
    """3.14 and 3.15 from Debian's development branch: where we are root, and they were unpacked or can be."""
    made = cache_folder() / "newest-pythons"
    if os.geteuid() != 0 or not (made / "ready").exists():
        return {}
    root = made / "root"
    found = {}
    for name in ("python3.14", "python3.15"):
        told = subprocess.run(["chroot", root, name, "-c", "import sys; print(sys.version.split()[0])"], capture_output=True, text=True)
        if told.returncode == 0:
            version = told.stdout.strip()
            found[version] = Python(version, ["chroot", str(root), name], root)
    return found


def free_threaded_pythons():
    """Programs without a global lock, which no package here has: named in an environment variable, on the path, or kept."""
    kept = cache_folder() / "free-threaded" / "*" / "bin" / "python3.*t"
    on_the_path = [shutil.which(f"python3.{minor}t") for minor in range(13, 17)]
    named = os.environ.get("TIDEGAUGE_FREE_THREADED_PYTHONS", "").split(":")
    return [path for path in [*named, *on_the_path, *sorted(glob.glob(str(kept)))] if path]


@functools.lru_cache(None)
def all_pythons():
    found = {}
    versions = os.path.expanduser("~/.pyenv/versions/*/bin/python3")
    for path in [sys.executable, "/usr/bin/python3", *sorted(glob.glob(versions)), *free_threaded_pythons()]:
        if not os.path.exists(path):
            continue
        told = subprocess.run([path, "-c", WHICH], capture_output=True, text=True)
        good, name, version = (told.stdout.split() + ["", "", ""])[:3]
        if good == "True" and name == "cpython":
            found.setdefault(version, Python(version, [path]))
    return {**found, **newest_pythons()}


def pythons():
    """Every CPython from 3.9 on that is here, each version once. `tools/newest_pythons` fetches 3.14 and 3.15; those without a
    global lock have a `t` behind their version, and are tested where there are some: see free_threaded_pythons."""
    return [pytest.param(python, id=version) for version, python in all_pythons().items()]


@pytest.fixture
def heap(request):
    program = Program([*request.param.command, request.param.place(HEAP)])
    program.truth = json.loads(program.answer())
    program.known = {name: truth for name, truth in program.truth.items() if name != "collected"}
    yield program
    program.process.kill()
    program.process.wait()


def census_of(call, pid, *words):
    done = call("census", pid, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_the_collectors_are_all_there(types, heap):
    for name, truth in heap.truth["collected"].items():
        if truth["count"]:
            assert (types[name]["count"], types[name]["bytes"]) == (truth["count"], truth["bytes"]), name


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_counts_and_bytes_are_those_of_the_process(call, heap):
    document = census_of(call, heap.pid)
    assert document["schema"] == "tidegauge/census/1" and document["mode"] == "snapshot"
    types = {entry["type"]: entry for entry in document["types"]}
    assert_the_collectors_are_all_there(types, heap)
    for name, truth in heap.known.items():
        assert types[name]["count"] == truth["count"], name
        # What an instance keeps beside itself is counted to it; sys.getsizeof leaves it out.
        assert types[name]["bytes"] >= truth["bytes"], name
        if name not in ("__main__.Plain", "__main__.Outer.Inner", "__main__.MyDict", "__main__.MyList"):
            assert types[name]["bytes"] == truth["bytes"], name
    assert (types["mmap.mmap"]["count"], types["mmap.mmap"]["native_bytes"]) == (2, 3 << 20)


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_holders_are_named(call, heap):
    retainers = {entry["type"]: entry for entry in reversed(census_of(call, heap.pid)["retainers"])}
    assert retainers["__main__.Slots"]["path"] == "__main__.store.rows[*]['image']"
    assert retainers["__main__.Slots"]["root"] == "module"
    assert retainers["__main__.Slots"]["count"] == heap.truth["__main__.Slots"]["count"]
    inner = retainers["__main__.Outer.Inner"]
    assert inner["path"] == "heap.held_by_a_function() local 'mine'['inner'][*]"
    assert inner["root"] == "frame"
    plain = retainers["__main__.Plain"]
    assert plain["path"] == "heap.held_by_a_function() local 'kept'[*]"
    assert plain["retained_bytes"] > heap.truth["__main__.Plain"]["bytes"]


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_the_unstopped_count_agrees(call, heap):
    document = census_of(call, heap.pid, "--stream")
    assert document["mode"] == "streaming" and document["pause_ms"] == 0 and document["retainers"] == []
    types = {entry["type"]: entry for entry in document["types"]}
    assert_the_collectors_are_all_there(types, heap)
    for name, truth in heap.known.items():
        assert types[name]["count"] == truth["count"], name
    for name in ("__main__.Blob", "__main__.Row", "bytearray", "array.array"):  # more than 512 bytes: outside the arenas
        assert types[name]["bytes"] == heap.truth[name]["bytes"], name


def of_different_kinds():
    """The first, the last, and one without a global lock if there is any."""
    free_threaded = [param for param in pythons() if param.id.endswith("t")]
    return [*pythons()[:1], *pythons()[-1:], *free_threaded[:1]]


@pytest.mark.parametrize("python", of_different_kinds())
def test_what_a_debugging_allocator_keeps_is_counted(call, python, monkeypatch):
    """It puts something before every block, as with -X dev."""
    monkeypatch.setenv("PYTHONMALLOC", "debug")
    program = Program([*python.command, python.place(HEAP)])
    try:
        truth = json.loads(program.answer())
        for words in [], ["--stream"]:
            types = {entry["type"]: entry for entry in census_of(call, program.pid, *words)["types"]}
            for name in ("__main__.Slots", "__main__.Pair", "__main__.Plain", "__main__.Blob", "__main__.Row"):
                assert types[name]["count"] == truth[name]["count"], name
            assert types["__main__.Pair"]["bytes"] == truth["__main__.Pair"]["bytes"]
    finally:
        program.end()


CHURN = """
import random, sys
class Values(list): __slots__ = ()
class Number(float): __slots__ = ()
class Sample:
    def __init__(self, i): self.name = "sample %012.6f" % i; self.values = Values((Number(i * 1.5), Number(i * 2.5)))
class Fixed: __slots__ = ("a",)
samples = [Sample(i) for i in range(300000)]
kept = [Fixed() for _ in range(50000)]
print(len(samples), len(kept), flush=True)
while True:
    samples[random.randrange(len(samples))] = Sample(random.random())
    sum(range(100))  # it does something else, too
"""


@pytest.fixture
def apart():
    """Puts a process on a core of its own, so that it runs while it is read: on one core the two would take turns."""
    cores = sorted(os.sched_getaffinity(0))

    def on_its_own(pid):
        os.sched_setaffinity(pid, cores[:1])
        os.sched_setaffinity(0, cores[1:] or cores)

    yield on_its_own
    os.sched_setaffinity(0, cores)


@pytest.mark.parametrize("python", pythons())
def test_the_unstopped_count_of_a_busy_process_is_close(call, python, apart):
    program = Program([*python.command, "-c", CHURN])
    try:
        samples, kept = map(int, program.answer().split())
        apart(program.pid)
        for _ in range(5):
            types = {entry["type"]: entry["count"] for entry in census_of(call, program.pid, "--stream")["types"]}
            assert types["__main__.Fixed"] == kept
            for name, truth in (("Sample", samples), ("Values", samples), ("Number", 2 * samples)):
                assert types["__main__." + name] == pytest.approx(truth, rel=0.002), name
    finally:
        program.end()


SEVERAL_INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:  # up to 3.12
    import _xxsubinterpreters as interpreters
FILL = "class Crate:\\n    __slots__ = ('load',)\\nkept = [Crate() for _ in range(%d)]\\nlarge = bytearray(%d << 10)"
exec(FILL % (1000, 100))
others = [interpreters.create(), interpreters.create()]  # with memory of its own each, from 3.12 on
interpreters.run_string(others[0], FILL % (2000, 2000))
interpreters.run_string(others[1], FILL % (3000, 3000))
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("python", pythons())
def test_what_other_interpreters_hold_is_counted(call, python):
    program = Program([*python.command, "-c", SEVERAL_INTERPRETERS])
    try:
        assert program.answer() == "ready"
        for words in [], ["--stream"]:
            document = census_of(call, program.pid, *words)
            types = {entry["type"]: entry for entry in document["types"]}
            assert types["__main__.Crate"]["count"] == 6000, words
            assert types["bytearray"]["bytes"] >= 5100 << 10
            assert document["garbage"]["count"] < 100
        held = {entry["path"]: entry["count"] for entry in census_of(call, program.pid)["retainers"]}
        assert held["__main__.large"] == 3 and held["__main__.kept[*]"] >= 5000  # each in its own __main__
    finally:
        program.end()


THREADS = """
import sys, threading
class Crate:
    __slots__ = ("load",)
    def __init__(self, load): self.load = load
kept = [[] for _ in range(4)]
def make(mine):
    mine.extend(Crate("load %d" % i) for i in range(20_000))
threads = [threading.Thread(target=make, args=(mine,)) for mine in kept]
for one in threads: one.start()
for one in threads: one.join()
for mine in kept: del mine[::2]  # which another thread has made
busy = threading.Event()
def hold():
    inner = [Crate(i) for i in range(5000)]
    busy.set()
    threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
busy.wait()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("python", pythons())
def test_what_threads_have_made_is_counted_whether_they_live_or_not(call, python):
    program = Program([*python.command, "-c", THREADS])
    try:
        assert program.answer() == "ready"
        for words in [], ["--stream"]:
            types = {entry["type"]: entry["count"] for entry in census_of(call, program.pid, *words)["types"]}
            assert types["__main__.Crate"] == 45_000, words
        held = {(entry["path"], entry["type"]): entry["count"] for entry in census_of(call, program.pid)["retainers"]}
        assert held["<string>.hold() local 'inner'[*]", "__main__.Crate"] == 5000
    finally:
        program.end()


LET_GO_ELSEWHERE = """
import sys, threading
class Crate: __slots__ = ()
kept = [Crate() for _ in range(10_000)]
def let_go():
    sum(range(1_000_000))  # meanwhile the main thread begins to wait
    kept.clear()
    print("ready", flush=True)
    sys.stdin.readline()
other = threading.Thread(target=let_go)
other.start()
other.join()
"""


@pytest.mark.parametrize("python", [param for param in pythons() if param.id.endswith("t")])
def test_what_waits_for_the_thread_that_made_it_is_held_by_nobody(call, python):
    program = Program([*python.command, "-c", LET_GO_ELSEWHERE])
    try:
        assert program.answer() == "ready"
        document = census_of(call, program.pid)
        waiting = sum(entry["count"] for entry in document["types"] if entry["type"] == "__main__.Crate")
        assert document["garbage"]["count"] >= waiting  # how many are left is up to the thread
        assert not [entry for entry in document["retainers"] if entry["type"] == "__main__.Crate"]
    finally:
        program.end()


@pytest.mark.parametrize("heap", pythons()[:1], indirect=True)
def test_the_process_goes_on_and_keeps_no_child(call, heap):
    for _ in range(3):
        census_of(call, heap.pid)
    with open(f"/proc/{heap.pid}/task/{heap.pid}/children") as children:
        assert children.read() == ""
    heap.process.stdin.write("end\n")
    heap.process.stdin.close()
    assert heap.process.wait(timeout=20) == 0


@pytest.mark.parametrize("heap", pythons()[:1], indirect=True)
def test_the_words(call, heap):
    done = call("census", heap.pid)
    assert done.returncode == 0, done.stderr
    assert "Who holds what" in done.stdout and "__main__.store.rows[*]['image']" in done.stdout
    assert "it stood still for" in done.stdout


def test_what_cannot_be_read_is_said(call):
    done = call("census", "abc")
    assert done.returncode == 2 and "'abc' is no process id" in done.stderr
    done = call("census", 2**22 + 1)
    assert done.returncode == 3 and str(2**22 + 1) in done.stderr
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        done = call("census", sleeper.pid)
        assert done.returncode == 3 and "sleep, in which no CPython can be found" in done.stderr
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize(
    "name, program",
    [
        ("PyPy", "pypy3"),
        ("MicroPython", "micropython"),
        ("GraalPy", "graalpy"),
        ("CPython 2.7", os.path.expanduser("~/.pyenv/versions/2.7.*/bin/python")),
        ("CPython 3.6", os.path.expanduser("~/.pyenv/versions/3.6.*/bin/python")),
        ("CPython 3.8", os.path.expanduser("~/.pyenv/versions/3.8.*/bin/python")),
    ],
)
def test_another_python_is_refused_by_its_name(call, name, program):
    found = shutil.which(program) or next(iter(glob.glob(program)), None)
    if not found:
        pytest.skip(f"there is no {program} here")
    other = Program([found, "-c", "import sys; print('ready'); sys.stdout.flush(); sys.stdin.readline()"])
    try:
        assert other.answer() == "ready"
        for words in [], ["--stream"]:
            done = call("census", other.pid, *words)
            assert done.returncode == 3 and f"runs {name} (" in done.stderr and "CPython from 3.9 on" in done.stderr, done.stderr
    finally:
        other.end()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_another_users_process_is_refused_with_advice(call, tidegauge, tmp_path):
    program = Program([sys.executable, HEAP, "10"])
    try:
        program.answer()
        shutil.copy(tidegauge, tmp_path / "tidegauge")
        os.chmod(tmp_path, 0o755)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tmp_path / "tidegauge", "census", str(program.pid)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 3 and "root" in done.stderr, done.stderr
    finally:
        program.process.kill()
        program.process.wait()


GROWS = """
import sys
class Box: __slots__ = ("load",)
kept = []
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(int(line)):
        box = Box()
        box.load = bytearray(5000)
        kept.append(box)
    print(len(kept), flush=True)
"""


@pytest.fixture
def grower():
    program = Program([sys.executable, "-c", GROWS])
    program.answer()
    yield program
    program.end()


def test_two_censuses_tell_what_grew_and_who_holds_it(call, grower, tmp_path):
    grower.ask("1000")
    before = tmp_path / "before.json"
    census_of(call, grower.pid, "-o", before)
    grower.ask("2000")
    growth = census_of(call, grower.pid, "--diff", before)["growth"]
    types = {entry["type"]: entry for entry in growth["types"]}
    assert types["__main__.Box"]["count"] == 2000 and types["bytearray"]["count"] == 2000
    assert growth["types"][0]["type"] == "bytearray" and growth["types"][0]["bytes"] >= 2000 * 5000
    top = growth["retainers"][0]
    assert (top["type"], top["path"], top["count"]) == ("__main__.Box", "__main__.kept[*]", 2000)
    assert top["retained_bytes"] == pytest.approx(2000 * 5100, rel=0.02)
    text = call("census", grower.pid, "--diff", before).stdout
    assert "Who holds more" in text and "+2,000" in text and "__main__.kept[*]" in text


def test_what_is_no_census_is_no_basis(call, grower, tmp_path):
    (tmp_path / "no.json").write_text("{}")
    done = call("census", grower.pid, "--diff", tmp_path / "no.json")
    assert done.returncode == 2 and "no.json" in done.stderr and "census" in done.stderr
    done = call("census", grower.pid, "--diff", tmp_path / "missing.json")
    assert done.returncode == 3 and "missing.json" in done.stderr
    done = call("census", grower.pid, "-o", tmp_path / "no" / "folder")
    assert done.returncode == 3 and "folder" in done.stderr


def test_following_says_what_grows_until_it_is_told_to_end(tidegauge, home, grower):
    process = subprocess.Popen([tidegauge, "census", str(grower.pid), "--follow", "50ms"], stdout=subprocess.PIPE, text=True)
    lines = iter(process.stdout.readline, "")
    assert any("without stopping it" in line for line in lines)
    grower.ask("3000")
    assert any("+3,000" in line and "__main__.Box" in line for line in lines)
    process.terminate()
    process.stdout.read()
    assert process.wait(timeout=20) == 0
    assert grower.ask("1") == "3001"


def test_following_ends_with_the_process(tidegauge, home, grower):
    process = subprocess.Popen([tidegauge, "census", str(grower.pid), "--follow", "50ms"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    grower.end()
    process.stdout.read()
    assert process.wait(timeout=20) == 0


LOOKED_AT = """
import sys
class Image:
    def __init__(self): self.pixels = bytearray(1 << 20)
def look(image):
    print("ready", flush=True)
    sys.stdin.readline()
def main():
    rows = [{"image": Image()} for _ in range(500)]
    look(rows[7]["image"])
main()
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before 3.11 a frame is an object that holds its variables")
def test_what_a_function_looks_at_is_held_by_its_holder(call):
    job = subprocess.Popen([sys.executable, "-c", LOOKED_AT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert job.stdout.readline() == "ready\n"
        largest = census_of(call, job.pid)["retainers"][0]
    finally:
        job.kill()
        job.communicate()
    assert (largest["type"], largest["count"]) == ("__main__.Image", 500)
    assert largest["path"] == "<string>.main() local 'rows'[*]['image']"


BUFFER = """
import sys
kept = bytes(50 << 20)
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_module_level_buffer_has_its_name(call):
    program = Program([sys.executable, "-c", BUFFER])
    try:
        program.answer()
        largest = census_of(call, program.pid)["retainers"][0]
        assert (largest["path"], largest["type"], largest["count"]) == ("__main__.kept", "bytes", 1)
        assert largest["retained_bytes"] == (50 << 20) + 33
    finally:
        program.end()


SHARED_BY_MODULES = """
import sys, types
first, second = bytearray(50 << 20), bytearray(30 << 20)
sys.modules["other"] = other = types.ModuleType("other")
other.first, other.second = first, second
del other
print("ready", flush=True)
sys.stdin.readline()
"""


def test_variables_that_two_modules_share_keep_their_names(call):
    program = Program([sys.executable, "-c", SHARED_BY_MODULES])
    try:
        program.answer()
        largest = census_of(call, program.pid)["retainers"][:2]
        assert [(one["path"].partition(".")[2], one["count"]) for one in largest] == [("first", 1), ("second", 1)], largest
    finally:
        program.end()
