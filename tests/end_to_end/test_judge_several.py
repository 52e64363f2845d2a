# SPDX-License-Identifier: Apache-2.0
"""Files of other tools, several files side by side, and what is kept of earlier runs."""
import json
import re
import stat
import sys

from conftest import ROOT

INCIDENT = ROOT / "tests" / "recordings" / "incident_to_step_240.csv"


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        yield document
        at += len(text[at:]) - len(text[at:].lstrip())


def test_an_mprof_file_is_judged_like_any_series(call, tmp_path):
    lines = [f"MEM {500 + 0.05 * second:.3f} {1700000000 + second}.0" for second in range(0, 14400, 5)]
    path = tmp_path / "mprofile_20240501.dat"
    path.write_text("CMDLINE python train.py\n" + "\n".join(lines) + "\n")
    done = call("judge", path, "--json")
    assert done.returncode == 1, done.stderr
    verdict = json.loads(done.stdout)["verdicts"][0]
    assert verdict["class"] == "leak"
    assert abs(verdict["growth"]["bytes_per_minute"]["value"] - 3 * 2**20) < 0.1 * 2**20


def test_json_that_is_no_series_is_told_what_was_expected(call, tmp_path):
    path = tmp_path / "answer.json"
    path.write_text('{"status": "success", "data": {}}')
    done = call("judge", path)
    assert done.returncode == 2
    assert "query" in done.stderr and "log_history" in done.stderr


def test_several_files_are_compared(call, tmp_path):
    other = tmp_path / "other.csv"
    rows = INCIDENT.read_text().splitlines()
    doubled = [row.split(",") for row in rows if row[0].isdigit()]
    other.write_text("step,rss_mb\n" + "".join(f"{step},{2 * float(size):g}\n" for step, size in doubled))
    done = call("judge", INCIDENT, other)
    assert "Side by side" in done.stdout
    assert "other.csv *" in done.stdout
    *verdicts, comparison = documents(call("judge", INCIDENT, other, "--json").stdout)
    assert [document["schema"] for document in verdicts] == ["tidegauge/verdict/1"] * 2
    assert comparison["schema"] == "tidegauge/comparison/1"
    assert comparison["by"] == "step"
    assert comparison["different"] == [1]


def test_steps_are_not_taken_for_seconds(call, tmp_path):
    files = []
    for clock in ("step", "time"):
        files.append(tmp_path / f"{clock}.csv")
        files[-1].write_text(f"{clock},rss_mb\n" + "".join(f"{i},{1000 + i}\n" for i in range(300)))
    sentence = f"Of {files[0]} only steps are known, of {files[1]} only seconds: they cannot be lined up."
    *verdicts, comparison = documents(call("judge", *files, "--json").stdout)
    assert len(verdicts) == 2
    assert comparison["evidence"][0] == sentence
    assert comparison["by"] is None
    assert comparison["rows"] == []
    markdown = tmp_path / "both.md"
    assert call("report", *files, "--markdown", "-o", markdown).returncode == 0
    assert "cannot be lined up" in markdown.read_text()
    assert "](<" not in markdown.read_text(), "there is no axis for a picture of both"
    assert "Side by side" in call("judge", *files).stdout


def test_a_run_is_remembered_for_its_owner_alone(call, home):
    call("run", "--no-history", "--no-record", "-q", "--", "true")
    history = home / "xdg_data_home" / "tidegauge" / "history"
    assert not history.exists()
    for _ in range(2):
        assert call("run", "--no-record", "-q", "--", "sleep", "0.4").returncode == 0
    lines = [json.loads(line) for line in history.read_text().splitlines()]
    assert [line["command"] for line in lines] == ["sleep 0.4"] * 2
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


SETTLES = """
import sys, time
sys.path.insert(0, sys.argv[1])
import tidegauge
kept = []
for step in range(1, 801):
    if step <= 83:
        kept.append(b"x" * (1 << 20))
    tidegauge.step(step)
    time.sleep(0.01)
"""


def test_the_fourth_run_is_told_how_the_last_three_settled(call, home):
    job = home / "job.py"
    job.write_text(SETTLES)
    # What a census touches in the job (64 KB of its libraries) is another matter.
    words = ("run", "--interval", "20ms", "--no-record", "--no-census", "--", sys.executable, "-S", job, ROOT / "python")
    for _ in range(3):
        done = call(*words)
        assert done.returncode == 0, done.stderr
        assert re.search(r"Growth ended at step [89]\d", done.stdout + done.stderr), done.stdout + done.stderr
    done = call(*words)
    told = " ".join((done.stdout + done.stderr).split())
    assert "The last 3 runs of this command settled at" in told, told
    assert re.search(r"settled at [^.]*\.?[^.]*\.?[^.]*, step [89]\d", told), told
