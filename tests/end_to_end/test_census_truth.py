# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` against what the process knows of itself, and against hostile content."""
import json
import os
import shutil
import subprocess
import sys
import sysconfig

import pytest
from census_jobs import census_of
from conftest import ROOT
from pythons_here import pythons

PROGRAMS = ROOT / "tests" / "programs"


@pytest.mark.parametrize("python", pythons())
def test_references_are_those_that_the_collector_knows(python, tmp_path, begin):
    checker = ROOT / "build" / "program_census_edges"
    if not checker.exists():
        pytest.skip(f"there is no {checker}: it is built with the tests")
    truth, there = python.file(tmp_path, "referents")
    try:
        program = begin([*python.command, python.place(PROGRAMS / "referents.py"), there])
        program.answer()
        done = subprocess.run([checker, str(program.pid), truth], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert seen["edges"] > 50_000 and seen["gone"] < seen["edges"] / 1000
        assert seen["found"] >= 0.999 * seen["edges"], seen
    finally:
        truth.unlink(missing_ok=True)


def differing_facts(begin, python, *words, **environment):
    """Of a version whose row of facts is taken away: which ones come out differently, and how they were found."""
    checker = ROOT / "build" / "program_census_layout"
    if not checker.exists():
        pytest.skip(f"there is no {checker}: it is built with the tests")
    program = begin([*python.command, python.place(PROGRAMS / "heap.py"), "10"])
    program.answer()
    done = subprocess.run([checker, str(program.pid), *words], capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout.split()


def is_before(python, *version):
    return tuple(map(int, python.version.split(".")[:2])) < version


@pytest.mark.parametrize("python", pythons())
def test_of_a_version_that_is_not_known_the_process_is_searched_through(python, begin):
    told = differing_facts(begin, python)
    if is_before(python, 3, 13):
        assert told == ["nothing"]  # these do not tell their first offsets, and all of them are known
    else:  # all but whether the collector is at work
        assert told == ["gc_collecting", "fits:", "true"] or python.version.endswith("t"), told


HELD_BY_C = r"""
#include <Python.h>
static PyObject *kept[1000];
static Py_ssize_t count;
static PyObject *keep(PyObject *self, PyObject *object) {
  Py_INCREF(object);
  if (count < 1000) kept[count++] = object;
  Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"keep", keep, METH_O, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "holder", "", -1, methods};
PyMODINIT_FUNC PyInit_holder(void) { return PyModule_Create(&definition); }
"""

LEAKS_IN_C = """
import sys
sys.path.insert(0, sys.argv[1])
import holder
class Parcel:
    def __init__(self): self.load = bytearray(20000)
for _ in range(300): holder.keep(Parcel())
print("ready", flush=True)
sys.stdin.readline()
"""


def test_what_only_c_code_holds_is_said_to_be_so(call, tmp_path, begin):
    headers = sysconfig.get_paths()["include"]
    if not shutil.which("cc") or not os.path.exists(os.path.join(headers, "Python.h")):
        pytest.skip("needs a C compiler and Python's headers")
    (tmp_path / "holder.c").write_text(HELD_BY_C)
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{headers}", "-o", tmp_path / "holder.so", tmp_path / "holder.c"], check=True)
    program = begin([sys.executable, "-c", LEAKS_IN_C, tmp_path])
    program.answer()
    top = census_of(call, program.pid)["retainers"][0]
    assert (top["root"], top["type"], top["count"]) == ("native", "__main__.Parcel", 300)
    assert top["retained_bytes"] == pytest.approx(300 * 20_150, rel=0.02)
    assert "C code: __main__.Parcel" in call("census", program.pid).stdout


HOSTILE = r"""
import sys
names = ["red\x1b[31m\nline\ttab\x07", "x" * 1_000_000, "half \ud800 pair \udcff", "\u540d\u524d", "a\u202eb", ""]
kept = []
for number, name in enumerate(names):
    one = type("hostile", (), {"__module__": "evil\x1b]0;title\x07" + str(number)})
    one.__qualname__ = name  # which takes more than a name would
    kept.append([one() for _ in range(1000)])
fake = type("ndarray", (), {"__module__": "numpy", "__slots__": ("a", "b", "c", "d", "e", "f", "g", "h")})
kept.append([fake() for _ in range(7)])
weird = {"key \x1b[2J \ud800": {("no", "text"): [bytearray(5000) for _ in range(1000)]}}
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("words", [[], ["--stream"]])
def test_hostile_names_are_shown_safely(tidegauge, home, words, begin):
    program = begin([sys.executable, "-c", HOSTILE])
    program.answer()
    done = subprocess.run([tidegauge, "census", str(program.pid), "--lines", "100", *words], capture_output=True)
    assert done.returncode == 0
    text = done.stdout.decode("utf-8")  # it is text
    assert not [one for one in text if ord(one) < 32 and one != "\n" or 127 <= ord(one) < 160]
    assert max(map(len, text.splitlines())) < 500
    done = subprocess.run([tidegauge, "census", str(program.pid), "--json", *words], capture_output=True)
    types = {entry["type"]: entry["count"] for entry in json.loads(done.stdout)["types"]}
    assert list(types.values()).count(1000) >= 6
    assert max(map(len, types)) < 1000
    assert any(name.endswith("\u540d\u524d") for name in types)
    if not words:
        document = json.loads(done.stdout)
        assert "7" in document["incomplete"] and "could not be read" in document["incomplete"]


LARGE = """
import sys, os
big = bytearray(700 << 20)
for page in range(0, len(big), 4096): big[page] = 1
rows = [[i] for i in range(200000)]
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0: os._exit(sum(big[::1 << 20]) % 251)
    print(os.waitpid(child, 0)[1] >> 8, sum(big[::1 << 20]) % 251, flush=True)
"""


def test_what_is_left_out_of_the_copy_stays_in_later_forks(call, begin):
    program = begin([sys.executable, "-c", LARGE])
    program.answer()
    document = census_of(call, program.pid)
    types = {entry["type"]: entry for entry in document["types"]}
    assert types["bytearray"]["bytes"] > 700 << 20
    assert [entry["path"] for entry in document["retainers"] if entry["type"] == "list"] == ["__main__.rows[*]"]
    told, truth = program.ask("fork").split()
    assert told == truth
