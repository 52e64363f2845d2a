# SPDX-License-Identifier: Apache-2.0
"""`judge` on the numbers of a real incident: a training job that five documents called a leak and its opposite."""
import json
import pathlib

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
