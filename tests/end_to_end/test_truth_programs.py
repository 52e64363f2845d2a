# SPDX-License-Identifier: Apache-2.0
"""The programs of known truth can be built and run; bench/programs judges them at length."""
import argparse
import concurrent.futures
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


def failure_of(program, folder):
    """Why a program cannot be built and run, or nothing."""
    command = judge_programs.built(program, folder)
    done = subprocess.run([*command, "0.3", "1"], capture_output=True, text=True, timeout=60)
    return f"{program} ended with {done.returncode}: {done.stderr}" if done.returncode != 0 else None


def test_programs_run_to_their_end(tmp_path):
    programs = [entry["program"] for entry in ENTRIES]
    if importlib.util.find_spec("numpy") is None:  # tools/bench_programs makes a Python that has it
        programs = [program for program in programs if "numpy" not in (TRUTH / program).read_text()]
    assert len(programs) >= 20
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert [why for why in pool.map(lambda program: failure_of(program, tmp_path), programs) if why] == []


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


@pytest.mark.timeout(180)
def test_a_leak_is_found_and_what_is_none_is_not(tidegauge, home, tmp_path):
    """Four programs, fifteen seconds each and at the same time; the whole table is tools/bench_programs."""
    options = argparse.Namespace(tidegauge=tidegauge, out=tmp_path, seconds=15.0, interval=0.05, again=False)
    chosen = ["malloc_never_freed.c", "first_pass.cc", "spikes.c", "pools_one_by_one.c"]
    entries = [next(entry for entry in ENTRIES if entry["program"] == name) for name in chosen]
    with concurrent.futures.ThreadPoolExecutor(len(entries)) as pool:
        rows = list(pool.map(lambda entry: judge_programs.one(options, entry, seed=1), entries))
    said = {row["program"]: row["verdict"] for row in rows}
    assert said["malloc_never_freed.c"] == "leak", rows[0]["evidence"]
    assert "leak" not in [said[name] for name in chosen[1:]], rows
