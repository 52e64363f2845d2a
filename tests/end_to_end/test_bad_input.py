# SPDX-License-Identifier: Apache-2.0
"""Bad input gets a clear message with the place it is at, the documented exit code, and loses nothing."""
import json
import subprocess

import pytest

ROWS = "".join(f"{i},{100 + i}\n" for i in range(5))


@pytest.mark.parametrize(
    "name, text, words",
    [
        ("a broken line", f"time,rss_mb\n{ROWS}5,x6x\n", ["line 7", "x6x", "rss_mb"]),
        ("nothing at all", "", ["empty"]),
        ("a header alone", "time,rss_mb\n", []),
        ("no clock", "a,b\n1,2\n", ["time", "step"]),
        ("no series", "time\n1\n2\n", []),
        ("noise", "\x01\x02" * 999, []),
        ("infinity", f"time,rss_mb\n{ROWS}5,inf\n", ["line 7"]),
    ],
)
def test_a_csv_that_makes_no_sense(call, tmp_path, name, text, words):
    path = tmp_path / "x.csv"
    path.write_text(text)
    done = call("judge", path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert str(path) in done.stderr
    for word in words:
        assert word in done.stderr


def test_what_is_not_there(call, tmp_path):
    for words in (["judge", tmp_path / "nowhere.csv"], ["report", tmp_path / "no.tg"], ["watch", 4194303]):
        done = call(*words)
        assert done.returncode == 3, (words, done.stderr)
        assert len(done.stderr) > 10


def test_wrong_words(call):
    for words in (["frobnicate"], ["watch"], ["judge"], ["watch", "abc"], ["judge", "--limit", "many", "x"], ["run"]):
        done = call(*words)
        assert done.returncode == 2, (words, done.stderr)
        assert "Try" in done.stderr or "Give" in done.stderr, done.stderr
    assert "did you mean 'watch'" in call("wacth").stderr


def test_a_folder_is_no_file(call, tmp_path):
    assert call("judge", tmp_path).returncode in (2, 3)


def test_hostile_names_do_not_reach_the_terminal(call, tmp_path):
    path = tmp_path / "a\x1b[31m.csv"
    done = call("judge", path)
    assert done.returncode == 3
    assert "\x1b" not in done.stderr


@pytest.fixture
def recording(call, tmp_path):
    path = tmp_path / "r.tg"
    done = call("run", "--interval", "50ms", "--record", path, "--", "python3", "-c", "import time; time.sleep(1)")
    assert done.returncode == 0, done.stderr
    return path


def test_a_cut_recording_reads_to_where_it_was_cut(call, recording, tmp_path):
    whole = recording.read_bytes()
    cut = tmp_path / "cut.tg"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    done = call("judge", cut, "--json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["verdicts"]
    assert "cut" in done.stderr


def test_a_recording_of_the_future_says_so(call, recording, tmp_path):
    plain = subprocess.run(["zstd", "-dcq", recording], capture_output=True, check=True).stdout.decode()
    first, rest = plain.split("\n", 1)
    header = json.loads(first)
    assert header["tidegauge"] == 1
    header["tidegauge"] = 7
    future = tmp_path / "future.tg"
    packed = subprocess.run(["zstd", "-cq"], input=(json.dumps(header) + "\n" + rest).encode(), capture_output=True)
    future.write_bytes(packed.stdout)
    done = call("judge", future)
    assert done.returncode == 2
    assert "7" in done.stderr and "update" in done.stderr


def test_a_full_disk_does_not_end_the_watch(call, small_disk):
    disk = small_disk("64k")
    (disk / "filler").write_bytes(b"x" * 60_000)
    code = "import time, random; a = []\nfor i in range(30): a.append(bytearray(random.randrange(10**6))); time.sleep(0.05)\n"
    done = call("run", "--interval", "20ms", "--record", disk / "r.tg", "--", "python3", "-c", code + "print('done')")
    assert done.returncode == 0
    assert done.stdout == "done\n"
    assert "No space left" in done.stderr


def test_a_recording_that_cannot_be_written_is_said_before_the_job_starts(call, tmp_path):
    done = call("run", "--record", tmp_path / "no" / "such" / "folder" / "r.tg", "--", "sh", "-c", "echo started")
    assert done.returncode == 3
    assert "started" not in done.stdout


def test_a_file_that_is_no_recording_is_not_recorded_over(call, tmp_path):
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    done = call("run", "--record", thesis, "--", "sh", "-c", "echo started")
    assert (done.returncode, done.stdout) == (3, "")
    assert "is no recording" in done.stderr and ".tg" in done.stderr
    assert thesis.read_text() == "years of work"


def test_noise_that_is_called_a_recording_makes_way(call, tmp_path):
    noise = tmp_path / "r.tg"
    noise.write_bytes(bytes(range(256)))
    assert call("run", "--quiet", "--record", noise, "--", "sleep", "0.2").returncode == 0
    assert call("judge", noise).returncode == 0
    assert (tmp_path / "r.tg.old").read_bytes() == bytes(range(256))
