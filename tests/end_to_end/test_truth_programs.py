# SPDX-License-Identifier: Apache-2.0
"""The programs of known truth can be built and run; bench/programs judges them at length."""
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "tests" / "programs" / "truth"
ENTRIES = json.loads((TRUTH / "truth.json").read_text())
CLASSES = {"leak", "warm_up", "spikes", "sawtooth", "steady", "shift"}

sys.path.insert(0, str(ROOT / "bench" / "programs"))
import judge_programs  # noqa: E402


def test_every_program_has_its_truth():
    programs = {path.name for path in TRUTH.iterdir() if path.suffix in (".c", ".cc", ".py")} - {"pace.py"}
    assert {entry["program"] for entry in ENTRIES} == programs
    for entry in ENTRIES:
        assert {entry["truth"], *entry.get("also", [])} <= CLASSES
        assert "leak" not in entry.get("also", []), "a leak is a leak and nothing else"
    assert len(ENTRIES) >= 20


@pytest.mark.parametrize("program", [entry["program"] for entry in ENTRIES])
def test_program_runs_as_long_as_it_is_told(program, tmp_path):
    if "numpy" in (TRUTH / program).read_text() and importlib.util.find_spec("numpy") is None:
        pytest.skip("this Python has no numpy; tools/bench_programs makes one that has")
    command = judge_programs.built(program, tmp_path)
    done = subprocess.run([*command, "0.5", "1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("truth", "also", "said", "expected"),
    [
        ("leak", [], "leak", "right"),
        ("leak", [], "warm_up", "MISSED LEAK"),
        ("leak", [], "undecided", "abstained"),
        ("warm_up", ["shift"], "shift", "right"),
        ("warm_up", [], "leak", "FALSE ALARM"),
        ("warm_up", [], "steady", "other word"),
    ],
)
def test_grades(truth, also, said, expected):
    assert judge_programs.grade({"truth": truth, "also": also}, {"class": said}) == expected
