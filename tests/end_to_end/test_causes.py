# SPDX-License-Identifier: Apache-2.0
"""`run` and `watch` look into a Python process that grows, and the verdict says what piles up and who holds it."""
import json
import subprocess
import sys

from test_marks import events_of

# Grows by 8 MB a tick and goes on until the recording holds a census; then it ends.
GROWS = """
import sys, time, pathlib
class Box:
    def __init__(self): self.load = bytearray(1 << 20)
kept = {"boxes": []}
def grow():
    for tick in range(600):
        if tick < 60: kept["boxes"].extend(Box() for _ in range(8))
        time.sleep(0.1)
        if tick > 100 and pathlib.Path(sys.argv[1]).exists(): break
grow()
"""


def held_in(recording):
    return [event for event in events_of(recording) if event["event"] == "held"]


def test_the_verdict_names_what_piles_up(call, tmp_path):
    recording, document = tmp_path / "r.tg", tmp_path / "v.json"
    done = call("run", "--interval", "100ms", "--record", recording, "--json", document, "--", sys.executable, "-c", GROWS, recording, timeout=120)
    assert done.returncode == 0, done.stderr
    held = held_in(recording)
    assert any("__main__.Box __main__.kept['boxes'][*]" in event["name"] for event in held), held
    causes = json.loads(document.read_text())["verdicts"][0]["causes"]
    assert causes and causes[0]["kind"].endswith("__main__.Box")
    assert causes[0]["retained_by"] == "__main__.kept['boxes'][*]"
    assert causes[0]["remedy"]
    assert "What piles up" in done.stderr
    again = json.loads(call("judge", "--json", recording).stdout)["verdicts"][0]["causes"]
    assert again == causes, "the recording says the same later"


def test_the_copy_is_no_part_of_the_job(call, tmp_path):
    recording = tmp_path / "r.tg"
    call("run", "--interval", "50ms", "--quiet", "--record", recording, "--", sys.executable, "-c", GROWS, recording, timeout=120)
    assert held_in(recording)
    text = subprocess.run(["zstdcat", recording], capture_output=True, text=True, check=True).stdout
    processes = {line["pid"] for line in map(json.loads, text.splitlines()) if line["kind"] == "process"}
    assert len(processes) == 1


def test_no_census_where_none_is_wanted(call, tmp_path):
    recording = tmp_path / "r.tg"
    done = call("run", "--no-census", "--interval", "100ms", "--record", recording, "--", sys.executable, "-c", GROWS, recording, timeout=120)
    assert done.returncode == 0 and not held_in(recording)
    assert "What piles up" not in done.stderr
