# SPDX-License-Identifier: Apache-2.0
"""`judge` on the numbers of a real incident: a training job that five documents called a leak and its opposite."""
import json
import pathlib
import re

import pytest

# Memory of the main process in MiB at every tenth optimizer step; one pass over the data is 82.9 steps.
STOPPED_AT_70 = [5552, 7159, 8851, 10515, 12227, 13919, 15736]
WHOLE = [5434, 7017, 8721, 10375, 12000, 13757, 15559, 17412, 17658, 17693, 17694, 17694, 17437, 17437, 17437, 17378,
         17378, 17229, 17229, 17051, 17052, 17041, 17033, 17032]  # fmt: skip


def csv_of(values):
    return "step,rss_mb\n" + "".join(f"{10 * (i + 1)},{value}\n" for i, value in enumerate(values))


@pytest.fixture
def judged(call, tmp_path):
    def judge(values, *words):
        path = tmp_path / "series.csv"
        path.write_text(csv_of(values))
        done = call("judge", path, "--json", "--limit", "32GB", *words)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)["verdicts"][0]

    return judge


def test_at_step_70_nobody_can_know(judged):
    verdict = judged(STOPPED_AT_70)
    assert verdict["class"] == "undecided"
    assert 0.02 < verdict["p_leak"] < 0.9
    assert 160 < verdict["growth"]["bytes_per_step"]["value"] / 2**20 < 180
    assert verdict["needs"]["why"]


def test_with_the_length_of_an_epoch_it_says_when_to_look_again(judged):
    needs = judged(STOPPED_AT_70, "--steps-per-epoch", "82.9")["needs"]
    assert 83 <= needs["at_step"] <= 125


def test_the_whole_run_is_a_warm_up_that_ended_with_the_first_pass(judged):
    verdict = judged(WHOLE)
    assert verdict["class"] == "warm_up"
    assert 78 <= verdict["settled"]["at_step"] <= 92
    assert 16_000 < verdict["settled"]["level_bytes"] / 2**20 < 18_000
    assert verdict["p_leak"] < 0.1


@pytest.mark.parametrize("points", range(1, len(WHOLE) + 1))
def test_no_prefix_gets_a_confident_wrong_word(judged, points):
    verdict = judged(WHOLE[:points])
    assert verdict["class"] != "leak"
    if points <= 7:
        assert verdict["class"] in ("undecided", "steady") and verdict["p_leak"] > 0.01


def test_the_same_file_gives_the_same_words(call, tmp_path):
    path = tmp_path / "series.csv"
    path.write_text(csv_of(WHOLE))
    assert call("judge", path).stdout == call("judge", path).stdout


def test_text_says_it_in_words(call, tmp_path):
    path = tmp_path / "series.csv"
    path.write_text(csv_of(WHOLE))
    text = call("judge", path, "--limit", "32GB").stdout
    assert "not a leak" in text.lower()
    assert "step 8" in text
    assert "\x1b[" not in text  # no colour in a pipe


def test_a_leak_in_seconds_is_called_one_and_calls_for_action(call, tmp_path):
    path = tmp_path / "leak.csv"
    # Three hours at 10 MiB a minute, with a little noise that is the same everywhere.
    rows = "".join(f"{10 * i},{500 + 10 * i / 6 + (i * 7919 % 13) / 10:.1f}\n" for i in range(1080))
    path.write_text("time,rss_mb\n" + rows)
    done = call("judge", path, "--json", "--limit", "8GiB")
    verdict = json.loads(done.stdout)["verdicts"][0]
    assert done.returncode == 1
    assert verdict["class"] == "leak"
    assert 9.5 < verdict["growth"]["bytes_per_minute"]["value"] / 2**20 < 10.5
    assert verdict["forecast"]["limit_bytes"] == 8 * 2**30
    assert verdict["forecast"]["seconds"]["p5"] <= verdict["forecast"]["seconds"]["p50"]


@pytest.mark.parametrize("values", [STOPPED_AT_70, WHOLE])
def test_a_limit_that_was_passed_calls_for_action(call, tmp_path, values):
    path = tmp_path / "series.csv"
    path.write_text(csv_of(values))
    done = call("judge", path, "--limit", "4GB")
    assert done.returncode == 1, done.stdout
    assert "passed" in done.stdout
    assert "none in sight" not in done.stdout
    assert call("judge", path, "--limit", "32GB").returncode == 0


# Ten minutes at 500 MiB, the first five of them at 700, and the limit beside them.
HELD = [700] * 300 + [500] * 300
LIMITS_IN_FILES = {
    "a column": lambda limit: "time,rss_mb,limit_mb\n" + "".join(f"{i},{held},{limit}\n" for i, held in enumerate(HELD)),
    "processes": lambda limit: "time,pid,rss_mb,cgroup_limit_mb\n"
    + "".join(f"{i},{pid},{part},{limit}\n" for i, held in enumerate(HELD) for pid, part in ((1, 100), (2, held - 100))),
    "docker": lambda limit: "time,name,mem_usage\n" + "".join(f"{i},job,{held}MiB / {limit}MiB\n" for i, held in enumerate(HELD)),
}


@pytest.mark.parametrize("form", LIMITS_IN_FILES)
def test_a_limit_in_the_file_is_what_binds(call, tmp_path, form):
    path = tmp_path / "series.csv"
    path.write_text(LIMITS_IN_FILES[form](600))
    done = call("judge", path, "--json")
    assert done.returncode == 1, done.stdout
    assert json.loads(done.stdout)["verdicts"][0]["limit"] == {"kind": "given", "bytes": 600 * 2**20}
    text = call("judge", path).stdout
    assert "passed" in text
    assert "charged" not in text
    path.write_text(LIMITS_IN_FILES[form](800))
    assert call("judge", path).returncode == 0
    assert call("judge", path, "--limit", "600MiB").returncode == 1


@pytest.mark.parametrize("clock", ["own", "since 1970"])
def test_markers_go_with_a_recording_too(call, tmp_path, clock):
    recording = pathlib.Path(__file__).parents[1] / "recordings" / "demo_until_its_end.jsonl"
    began = json.loads(recording.read_text().splitlines()[0])["started_unix_ns"] / 1e9 if clock == "since 1970" else 0
    markers = tmp_path / "markers.csv"
    markers.write_text("time,step,event\n" + "".join(f"{began + n / 2:.3f},{n},step\n" for n in range(1, 400)))
    judged = [call("judge", "--json", recording, *words) for words in ((), ("--markers", markers))]
    plain, marked = (json.loads(done.stdout)["verdicts"][0] for done in judged)
    assert plain["growth"]["bytes_per_step"] is None
    per_minute = marked["growth"]["bytes_per_minute"]["value"]  # of 120 steps
    assert marked["growth"]["bytes_per_step"]["value"] == pytest.approx(per_minute / 120, rel=0.05)


def killed_recording(path):
    """A job that the kernel killed for lack of memory, as `run` records it."""
    lines = [
        {"tidegauge": 1, "kind": "recording", "frame": 0, "tool": "x", "host": "", "command": "python oom.py", "clock": "seconds",
         "started_unix_ns": 1, "ticks_per_second": 100, "page_bytes": 4096, "interval_seconds": 1},
        {"kind": "process", "t": 0, "pid": 77, "start": 1, "parent_pid": 1, "parent_start": 1, "name": "python",
         "command": "python oom.py", "role": "main"},
    ]  # fmt: skip
    for second in range(4):
        lines.append({"kind": "sample", "t": second, "pids": [77], "starts": [1], "anon": [15000 * second], "file": [0], "shmem": [0]})
    lines.append({"kind": "event", "t": 4, "event": "exited", "pid": 77, "start": 1})
    lines.append({"kind": "event", "t": 4, "event": "oom_kill", "name": "/job", "value": 1})
    lines.append({"kind": "sample", "t": 4, "pids": [], "starts": []})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_kill_for_lack_of_memory_is_said_first_and_calls_for_action(call, tmp_path):
    path = killed_recording(tmp_path / "oom.tg")
    said = "The kernel killed oom.py (pid 77): out of memory, at the end."
    done = call("judge", path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[1] == said, done.stdout
    for form in ("--text", "--markdown"):
        text = call("report", path, form).stdout
        assert said in text.replace("\\", "")[:400], text
        both = call("report", path, path, form).stdout
        assert both.count("The kernel killed oom.py (pid 77)") == 2, both


def test_in_a_pipe_blanks_are_blanks(call, tmp_path):
    path = tmp_path / "series.csv"
    path.write_text(csv_of(WHOLE))
    for words in (["judge", path], ["judge", path, "--explain"], ["report", path, "--markdown"], ["report", path, "--text"],
                  ["judge", path, path], ["report", path, path, "--text"]):  # fmt: skip
        done = call(*words)
        assert " %" in done.stdout and "\u00a0" not in done.stdout, (words, done.stdout)


def test_the_floor_beneath_spikes_is_not_within_one(call, tmp_path):
    """A short run that ends within a spike."""
    path = tmp_path / "series.csv"
    values = [500] * 6 + [592.6] + [500] * 9 + [592.6] * 2 + [500] * 4 + [592.6] * 3
    path.write_text("time,rss_mb\n" + "".join(f"{at},{value}\n" for at, value in enumerate(values)))
    text = call("judge", path).stdout
    assert "the floor stays at 500 MiB" in text.splitlines()[0], text
    row = next(line for line in text.splitlines() if re.match(r"rss .*MiB.*MiB.*MiB", line))
    assert re.split(r"\s{2,}", row)[4] == "500 MiB", text  # FLOOR
