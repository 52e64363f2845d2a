# SPDX-License-Identifier: Apache-2.0
"""Bad input gets a clear message with the place it is at, the documented exit code, and loses nothing."""
import json
import os
import pathlib
import subprocess
import sys

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


@pytest.mark.parametrize("words", [("--steps-per-epoch", "0"), ("--steps-per-epoch", "inf"), ("--limit", "0")])
def test_nothing_is_no_limit_and_no_epoch(call, tmp_path, words):
    path = tmp_path / "x.csv"
    path.write_text(f"time,rss_mb\n{ROWS}")
    done = call("judge", path, *words)
    assert done.returncode == 2
    assert "0" in done.stderr and len(done.stderr) < 300, done.stderr


@pytest.mark.parametrize("option", ["--leak-prior", "--leak-from", "--alarm-from", "--steps-per-epoch"])
def test_nan_is_no_number(call, tmp_path, option):
    path = tmp_path / "x.csv"
    path.write_text(f"time,rss_mb\n{ROWS}")
    done = call("judge", path, option, "nan")
    assert done.returncode == 2 and f"{option}: 'nan' is no number" in done.stderr, done.stderr


def test_a_folder_or_a_device_is_no_file(call, tmp_path):
    for path, words in ((tmp_path, "Is a directory"), ("/dev/zero", "neither a file nor a pipe")):
        done = call("judge", path)
        assert done.returncode == 3 and words in done.stderr, done.stderr


def test_what_has_no_memory_is_not_watched(call):
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    done = call("watch", ended.pid)
    ended.wait()
    assert done.returncode == 3 and "has ended; its parent has not asked how yet" in done.stderr
    kernel = pathlib.Path("/proc/2/comm")
    if kernel.exists() and kernel.read_text() == "kthreadd\n":
        done = call("watch", 2)
        assert done.returncode == 3 and "a part of the kernel" in done.stderr


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "memory.csv"
    path.write_text("time,rss_mb\n" + ROWS)
    return path


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["judge", "CSV"], ["judge", "CSV", "--json"], ["report", "--text", "CSV"],
              ["report", "-o", "-", "CSV"], ["doctor"], ["watch", "PID", "--for", "100ms", "--no-record"]],
    ids=lambda words: " ".join(words),
)
def test_words_that_do_not_arrive_are_an_error(tidegauge, home, csv, words):
    words = [{"CSV": str(csv), "PID": str(os.getpid())}.get(word, word) for word in words]
    with open("/dev/full", "w") as full:
        done = subprocess.run([tidegauge, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 3
    assert done.stderr.endswith("tidegauge: cannot write to standard output: No space left on device\n")


def test_a_reader_that_has_left_is_no_error(tidegauge, home, csv):
    reader, writer = os.pipe()
    os.close(reader)
    # This process ignores SIGPIPE, and so does what it starts this way.
    done = subprocess.run([tidegauge, "judge", csv], stdout=writer, stderr=subprocess.PIPE, restore_signals=False, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_hostile_names_do_not_reach_the_terminal(call, tmp_path):
    path = tmp_path / "a\x1b[31m.csv"
    done = call("judge", path)
    assert done.returncode == 3
    assert "\x1b" not in done.stderr


RED = "\x1b[31m"


@pytest.mark.parametrize(
    "words",
    [[RED], ["judge", RED], ["report", RED], ["watch", RED], ["watch", "1", "--" + RED], ["watch", "--name", RED], ["watch", "--cgroup", RED],
     ["run", RED], ["run", "--", RED], ["run", "--" + RED], ["run", "--limit", RED, "--", "true"], ["run", "--json", RED + "/x", "--", "true"],
     ["run", "--record", RED + "/x", "--", "true"], ["run", "--guard-config", RED, "--", "true"], ["census", RED], ["census", "1", "--diff", RED],
     ["census", "1", "-o", RED + "/x"], ["serve", RED], ["ask", RED], ["mark", RED], ["report", "/dev/null", "-o", RED + "/x"]],
    ids=lambda words: " ".join(words).replace(RED, "RED"),
)  # fmt: skip
def test_what_was_typed_does_not_reach_the_terminal(call, words):
    done = call(*words)
    assert done.returncode not in (0, 1), done.stderr
    assert "\x1b" not in done.stdout + done.stderr


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
    assert "watching goes on" not in done.stderr, "it is over when it is said"
    assert sorted(os.listdir(disk)) == ["filler", "r.tg"], "no half of a report"


def test_a_disk_that_is_full_from_the_beginning_is_said_once(call, begin, small_disk):
    disk = small_disk("64k", full=True)
    job = [sys.executable, "-c", "import time; print('started'); time.sleep(0.5)"]
    done = call("run", "--record", disk / "r.tg", "--json", disk / "v.json", "--", *job)
    assert (done.returncode, done.stdout) == (0, "started\n")
    assert done.stderr.count("r.tg: No space left on device; watching goes on") == 1
    assert "no recording is kept" in done.stderr and "Memory of the job" in done.stderr
    job = begin([sys.executable, "-c", "print(input())"])
    done = call("watch", job.pid, "--record", disk / "w.tg", "--for", "200ms", "--interval", "50ms")
    assert done.returncode == 0
    assert done.stderr.count("w.tg: No space left on device; watching goes on") == 1
    assert os.listdir(disk) == ["stuff"], "nothing that is empty or half done"


JOB = [sys.executable, "-c", "import time; print('started'); time.sleep(0.5)"]


def test_a_disk_without_room_for_a_file_is_said_once(call, begin, small_disk):
    disk = small_disk("1m", files=1)
    (disk / "only").touch()
    done = call("run", "--record", disk / "r.tg", "--", *JOB)
    assert (done.returncode, done.stdout) == (0, "started\n")
    assert done.stderr.count("No space left on device") == 1, done.stderr
    assert "recorded once there is room" in done.stderr and "there never was room for it: no recording is kept" in done.stderr
    job = begin([sys.executable, "-c", "print(input())"])
    done = call("watch", job.pid, "--record", disk / "w.tg", "--for", "200ms", "--interval", "50ms")
    assert (done.returncode, done.stderr.count("No space left on device")) == (0, 1), done.stderr
    assert os.listdir(disk) == ["only"]


def test_a_disk_with_room_for_a_file_at_last_is_recorded_to(call, small_disk):
    disk = small_disk("1m", files=2)
    for name in ("one", "other"):
        (disk / name).touch()
    job = [sys.executable, "-c", f"import os, time; time.sleep(0.5); os.unlink({str(disk / 'one')!r}); os.unlink({str(disk / 'other')!r})"]
    done = call("run", "--record", disk / "r.tg", "--", *job)
    assert done.returncode == 0 and "recorded once there is room" in done.stderr, done.stderr
    assert f"recording  {disk / 'r.tg'}" in done.stderr and "no recording is kept" not in done.stderr
    assert call("judge", disk / "r.tg").returncode == 0


def test_a_read_only_disk_is_said_before_the_job_starts(call, begin, small_disk):
    disk = small_disk("1m")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for option, name in (("--record", "r.tg"), ("--json", "v.json")):
        done = call("run", option, disk / name, "--", "echo", "started")
        assert (done.returncode, done.stdout) == (3, ""), done.stderr
        assert done.stderr == f"tidegauge run: {disk / name}: Read-only file system\n"
    job = begin([sys.executable, "-c", "print(input())"])
    done = call("watch", job.pid, "--record", disk / "r.tg", "--for", "200ms")
    assert (done.returncode, done.stdout) == (3, ""), done.stderr


def test_a_report_for_which_there_is_no_room_leaves_the_one_before(call, recording, small_disk):
    disk = small_disk("4m", files=1)
    assert call("report", recording, "-o", disk / "r.html").returncode == 0
    before = (disk / "r.html").read_bytes()
    done = call("report", recording, "-o", disk / "r.html")
    assert done.returncode == 3 and "No space left on device" in done.stderr
    assert (disk / "r.html").read_bytes() == before


def test_a_page_of_others_stays_beside_a_recording(call, tmp_path):
    page = tmp_path / "r.tg.html"
    page.write_text("<!doctype html><title>My thesis</title>")
    done = call("run", "--record", tmp_path / "r.tg", "--", *JOB)
    assert done.returncode == 0 and f"{page} is there already and is no page" in done.stderr, done.stderr
    assert page.read_text() == "<!doctype html><title>My thesis</title>"
    page.unlink()
    for _ in range(2):
        done = call("run", "--record", tmp_path / "r.tg", "--", *JOB)
        assert f"report     {page}" in done.stderr, done.stderr


def test_markdown_that_the_shell_kept_is_known_again(call, recording, tmp_path):
    for runs in ([recording], [recording, recording]):
        markdown = tmp_path / "r.md"
        markdown.write_text(call("report", *runs, "--markdown").stdout)
        done = call("report", *runs, "--markdown", "-o", markdown)
        assert done.returncode == 0, done.stderr


def test_markdown_is_not_written_over_its_picture(call, recording, tmp_path):
    done = call("report", recording, "--markdown", "-o", tmp_path / "y.svg")
    assert done.returncode == 2 and "is where the picture goes" in done.stderr, done.stderr
    assert not (tmp_path / "y.svg").exists()
    (tmp_path / "y.svg").touch()
    (tmp_path / "y.md").symlink_to("y.svg")
    done = call("report", recording, "--markdown", "-o", tmp_path / "y.md")
    assert done.returncode == 2 and (tmp_path / "y.svg").read_bytes() == b"", done.stderr


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


def test_an_output_never_replaces_what_is_read(call, recording, tmp_path):
    before = recording.read_bytes()
    csv = tmp_path / "run1.csv"
    csv.write_text(f"time,rss_mb\n{ROWS}")
    for words in ([recording, "-o", recording], [recording, "--markdown", "-o", recording], [csv, "-o", csv]):
        done = call("report", *words)
        assert done.returncode == 2, (words, done.stderr)
        assert "name another file" in done.stderr
    assert recording.read_bytes() == before
    assert csv.read_text() == f"time,rss_mb\n{ROWS}"


def test_an_output_replaces_nothing_but_one_of_its_own_kind(call, recording, tmp_path):
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\nsleep 2\n")
    for words in (["run", "--json", script, "--", "true"], ["report", recording, "-o", script]):
        done = call(*words)
        assert done.returncode == 2, (words, done.stderr)
        assert f"{script} is there already" in done.stderr
    assert script.read_text() == "#!/bin/sh\nsleep 2\n"
    for words in (["-o", "r.html"], ["--markdown", "-o", "r.md"], ["--text", "-o", "r.txt"]):
        for _ in range(2):
            done = call("report", recording, *words, cwd=tmp_path)
            assert done.returncode == 0, (words, done.stderr)
    assert (tmp_path / "r.html").stat().st_mode & 0o777 == recording.stat().st_mode & 0o777 == 0o600


def test_two_outputs_are_two_files_and_an_option_is_none(call, tmp_path):
    one = tmp_path / "both"
    done = call("run", "--record", one, "--json", one, "--", "true")
    assert done.returncode == 2 and "name another file" in done.stderr, done.stderr
    assert not one.exists()
    done = call("run", "--record", "--no-record", "--", "true", cwd=tmp_path)
    assert done.returncode == 2 and "looks like an option" in done.stderr, done.stderr
    assert not (tmp_path / "--no-record").exists()


def test_what_was_given_twice_is_said_in_words(call):
    done = call("watch", "1", "--for", "1s", "--for", "2s")
    assert done.returncode == 2
    assert "--for was given 2 times; once is enough" in done.stderr
