# SPDX-License-Identifier: Apache-2.0
"""`tidegauge ask` and real trainers: the checkpoint is where they say, and training ends as if nobody had asked."""
import json
import os
import subprocess
import sys

import pytest
from conftest import JOBS, ROOT, with_package

STEPS, ASKED_AT = 48, 8
KINDS = pytest.mark.parametrize("kind", ["hf", "lightning"])


def command(*words):
    return [sys.executable, str(JOBS / "asked.py"), *map(str, words)]


def last_line(*words):
    done = subprocess.run(command(*words), capture_output=True, text=True, env=with_package(), stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def steps_of(line):
    word, steps, _weights = line.split()
    assert word == "end"
    return int(steps)


def asked(tidegauge, kind, folder, *words):
    """(the answer, the last line: steps and weights at the end) of a job that was asked."""
    gauge = subprocess.Popen(
        [tidegauge, "run", "-q", "--no-record", "--", *command(kind, "asked", folder)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True, env=with_package(),
    )  # fmt: skip
    try:
        while (line := gauge.stdout.readline()) != "ready\n":
            assert line, "it ended before it was ready"
        done = subprocess.run([tidegauge, "ask", str(gauge.pid), "--json", *words], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        (answer,) = json.loads(done.stdout)["answers"]
        rest = gauge.stdout.read()
        assert gauge.wait() == 0
        return answer, rest.splitlines()[-1]
    finally:
        gauge.kill()
        gauge.wait()
        gauge.stdout.close()


def expected_path(kind, folder):
    return str(folder / (f"checkpoint-{ASKED_AT}" if kind == "hf" else f"tidegauge-step={ASKED_AT}.ckpt"))


@KINDS
def test_save_and_go_on(tidegauge, whole, kind, tmp_path):
    answer, end = asked(tidegauge, kind, tmp_path)
    assert (answer["path"], answer["step"], answer["saved"]) == (expected_path(kind, tmp_path), ASKED_AT, True)
    assert answer["bytes"] > 1000
    assert end == whole(kind).last_line, "asking has changed nothing"


@KINDS
def test_save_and_stop_and_resume_to_the_same_end(tidegauge, whole, kind, tmp_path):
    answer, end = asked(tidegauge, kind, tmp_path, "--stop")
    assert steps_of(end) == ASKED_AT and os.path.exists(answer["path"]) and answer["path"] == expected_path(kind, tmp_path)
    assert last_line(kind, "resume", tmp_path, answer["path"]) == whole(kind).last_line, "the weights, to the last bit"
    assert steps_of(whole(kind).last_line) == STEPS


def test_places_in_the_data():
    sys.path.insert(0, str(ROOT / "python"))
    from tidegauge.resume import ResumableLoader

    def passes(loader, count):
        return [[batch.tolist() for batch in loader] for _ in range(count)]

    examples = list(range(10))
    first, second, third = passes(ResumableLoader(examples, batch_size=3, seed=5), 3)
    assert sorted(sum(first, [])) == sorted(sum(second, [])) == examples and first != second
    assert passes(ResumableLoader(examples, batch_size=3, shuffle=False), 1) == [[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]]
    for workers in (0, 2):
        before = ResumableLoader(examples, batch_size=3, seed=5, num_workers=workers)
        passes(before, 1)
        for place, _ in enumerate(before, start=1):
            if place == 2:
                break
        after = ResumableLoader(examples, batch_size=3, seed=5, num_workers=workers)
        after.load_state_dict(before.state_dict())
        assert len(after) == 4 and passes(after, 2) == [second[2:], third]
    broken_off = ResumableLoader(examples, batch_size=3, seed=5)
    for _ in zip(range(2), broken_off):
        pass
    assert broken_off.state_dict() == {"epoch": 0, "given": 2} and passes(broken_off, 1) == [second], "the next pass, not the rest of the last"
    with pytest.raises(ValueError):
        ResumableLoader(examples, persistent_workers=True, num_workers=1)
