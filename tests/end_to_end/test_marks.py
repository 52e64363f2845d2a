# SPDX-License-Identifier: Apache-2.0
"""Marks from a script reach the recording, and nothing happens where nobody listens."""
import json
import subprocess


def lines_of(recording):
    text = subprocess.run(["zstd", "-dcq", recording], capture_output=True, check=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def events_of(recording):
    return [line for line in lines_of(recording) if line["kind"] == "event"]


def test_marks_of_a_script_are_recorded(call, tidegauge, home):
    script = f"{tidegauge} mark --strict step=12 epoch=1; {tidegauge} mark begin=eval; {tidegauge} mark end=eval note='half way'"
    done = call("run", "--interval", "50ms", "--record", home / "r.tg", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    marks = [event for event in events_of(home / "r.tg") if event.get("source", "kernel") == "explicit"]
    assert [(mark["event"], mark.get("value"), mark.get("name")) for mark in marks] == [
        ("step", 12, None), ("epoch", 1, None), ("phase_begin", None, "eval"), ("phase_end", None, "eval"),
        ("note", None, "half way"),
    ]  # fmt: skip


def test_without_a_gauge_nothing_happens(call):
    assert call("mark", "step=1").returncode == 0
    done = call("mark", "--strict", "step=1")
    assert done.returncode == 3 and "run" in done.stderr


def test_a_mark_that_makes_no_sense_is_refused(call):
    for word in ("step", "step=", "step=x", "step=-1", "speed=9", "begin="):
        assert call("mark", word).returncode == 2, word


def test_no_channel_where_none_is_wanted(call, tidegauge):
    done = call("run", "--no-marks", "--no-record", "-q", "--", str(tidegauge), "mark", "--strict", "step=1")
    assert done.returncode == 3
