# SPDX-License-Identifier: Apache-2.0
"""Any file of at most 1 MB is read in at most 2 s of processor time and 200 MB of memory, whatever is in it. bench/readers/measure.py measures the same."""
import json
import os
import subprocess
import sys

import hostile_files
import pytest
from conftest import ROOT

SECONDS = 2
MEGABYTES = 200
PATIENCE = 60
WAYS = {
    "judge": ("judge",),
    "page": ("report", "-o", "-"),
    "markdown": ("report", "--markdown"),
    "text": ("report", "--text"),
}
# Those that cost too much once, or nearly.
DEAR = """
    a_chain_of_parents a_tree_that_falls blank_frames blank_lines_in_one_frame csv_of_many_pids csv_of_pids_that_come_back docker_of_many_names
    magics many_groups many_pids many_pids_of_which_one_changes many_pids_that_change many_series many_series_of_one_process mprof_of_many_children
    names_of_64_kb pids_that_come_and_go programs_one_after_the_other prometheus_of_sparse_series series_of_long_names the_same_sample the_same_step
""".split()
# Each of them in one way, for the time that it takes; all files in all ways by TIDEGAUGE_ALL_WAYS=1.
ALL = os.environ.get("TIDEGAUGE_ALL_WAYS") == "1"
CASES = [(name, way) for i, name in enumerate(hostile_files.FILES if ALL else DEAR) for k, way in enumerate(WAYS) if ALL or i % len(WAYS) == k]


def cost(words):
    """Exit code, processor seconds, peak megabytes, and what was said on stderr."""
    asked = [sys.executable, ROOT / "tests" / "programs" / "cost.py", PATIENCE, *words]
    found = json.loads(subprocess.run(list(map(str, asked)), capture_output=True, text=True, check=True).stdout)
    return found["code"], found["seconds"], found["megabytes"], found["said"]


def assert_cheap(words):
    code, seconds, megabytes, said = cost(words)
    assert code in (0, 1, 2), (code, said)
    assert seconds <= SECONDS and megabytes <= MEGABYTES, (seconds, megabytes, said)
    return code, said


@pytest.mark.parametrize("name, way", CASES)
def test_a_small_file_costs_little(tidegauge, home, name, way):
    ending, content = hostile_files.FILES[name]()
    assert len(content) <= hostile_files.MOST_BYTES
    path = home / f"hostile{ending}"
    path.write_bytes(content)
    code, said = assert_cheap([tidegauge, *WAYS[way], path])
    assert code != 2 or str(path) in said


def test_markers_and_a_census_cost_little_too(tidegauge, home):
    csv = home / "series.csv"
    csv.write_bytes(hostile_files.FILES["csv_of_sorted_rows"]()[1])
    markers = home / "markers.csv"
    markers.write_bytes(hostile_files.COMPANIONS["markers"])
    assert_cheap([tidegauge, "judge", csv, "--markers", markers])
    recording = home / "r.tg"
    recording.write_bytes((ROOT / "tests" / "recordings" / "incident_four_workers.tg").read_bytes())
    (home / "r.tg.census.json").write_bytes(hostile_files.COMPANIONS["census"])
    code, _ = assert_cheap([tidegauge, "report", recording, "-o", "-"])
    assert code == 0


def test_what_was_left_out_is_said(call, tmp_path):
    """More than a file of its size should hold is not read, and where that is, is said."""
    path = tmp_path / "bomb.tg"
    path.write_bytes(hostile_files.FILES["the_same_sample"]()[1])
    done = call("judge", path)
    assert done.returncode in (0, 1)
    assert "far more work than a file of its size should" in done.stderr
    assert " line " in done.stderr and " byte " in done.stderr
    done = call("report", path, "--text")
    assert done.returncode == 0 and "far more work than a file of its size should" in done.stderr
    # Without a single sample it is no recording.
    path.write_bytes(hostile_files.FILES["blank_frames"]()[1])
    done = call("judge", path)
    assert done.returncode == 2 and done.stdout == ""
    assert "this is no recording" in done.stderr


def test_a_recording_of_which_no_line_makes_sense_is_none(call, tmp_path):
    path = tmp_path / "senseless.jsonl"
    path.write_text(hostile_files.HEADER + hostile_files.sample(0, pids=["x"]) + hostile_files.sample(1))
    done = call("judge", path)
    assert done.returncode == 2 and "no sample" in done.stderr and "2 lines" in done.stderr


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_long_table_is_not_held(tidegauge, home, end):
    """Pieces of a table are read one after the other, and say the same as when they are read at once."""
    rows = [f'{t},"job, {t % 7}",{1000 + t % 50}' for t in range(120_000)]
    path = home / "long.csv"
    path.write_bytes(("# a comment" + end + "time,name,rss_mb" + end + end.join(rows) + end).encode())
    assert path.stat().st_size > 2 << 20
    _, _, megabytes, said = cost([tidegauge, "judge", path])
    assert megabytes < 60 and said.strip() == "", said
    # In the middle of a piece, at the end of one, or beyond: a mistake has its line.
    for line in (7, 119_999):
        text = path.read_bytes().split(b"\n")
        text[line - 1] = b"1,2,x6x\r" if end == "\r\n" else b"1,2,x6x"
        broken = home / "broken.csv"
        broken.write_bytes(b"\n".join(text))
        done = subprocess.run([tidegauge, "judge", broken], capture_output=True, text=True)
        assert done.returncode == 2 and f"line {line}: 'x6x'" in done.stderr, done.stderr
