# SPDX-License-Identifier: Apache-2.0
"""`tidegauge run` in scripts and pipes: the job's exit code and files are its own, our words come at the end."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
from terminal import Terminal
from test_marks import events_of, lines_of
from waiting import PATIENCE, wait_for_change, wait_for_recording, wait_for_text

BAR = "import sys\nfor i in range(41):\n    sys.stderr.write(f'\\r{100 * i // 40:3}%|##  | {i}/40 [00:10<01:13, 12.00it/s]'); sys.stderr.flush()\n"


def fifo(folder, name):
    path = folder / name
    os.mkfifo(path)
    return path


def begun_text_of(recording):
    """Of one that is being written: what can be read of it."""
    return subprocess.run(["zstd", "-dcq", recording], capture_output=True).stdout


def test_exits_as_the_job_did_and_keeps_its_output_apart(call):
    done = call("run", "--no-record", "--", "sh", "-c", "echo out; echo err >&2; exit 9")
    assert done.returncode == 9
    assert done.stdout == "out\n"
    assert done.stderr.startswith("err\n")
    ours = done.stderr.removeprefix("err\n")
    # So short a job may be over before anybody can look; then that is what is said.
    assert ours.startswith(("CANNOT TELL YET", "tidegauge run: the job ended before it could be looked at"))


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["tidegauge-no-such-command"], 127, "command not found"),
        (["/etc/passwd"], 126, "ermission denied"),
        (["sh", "-c", "kill -9 $$"], 137, ""),
        (["sh", "-c", "kill -INT $$"], 130, ""),
    ],
)
def test_exit_codes_are_those_of_a_shell(call, command, code, words):
    done = call("run", "--no-record", "--quiet", "--", *command)
    assert done.returncode == code
    assert words in done.stderr


def test_options_end_where_the_command_begins(call):
    done = call("run", "--no-record", "--quiet", "echo", "--limit", "--quiet", "--", "x")
    assert (done.returncode, done.stdout) == (0, "--limit --quiet -- x\n")
    assert call("run", "--no-record").returncode == 2
    done = call("run", "--frobnicate", "--", "true")
    assert done.returncode == 2 and "--frobnicate" in done.stderr


def test_the_job_reads_what_is_piped_to_us(call):
    done = call("run", "--no-record", "--quiet", "--", "cat", input="a line\n", stdin=None)
    assert done.stdout == "a line\n"


def test_the_job_finds_files_and_environment_as_if_we_were_not_there(call, tidegauge, tmp_path):
    look = "import os; print(sorted(os.listdir('/proc/self/fd')), os.getcwd(), sorted(os.environ.items()))"
    plain = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    under = call("run", "--record", tmp_path / "r.tg", "--", sys.executable, "-c", look).stdout
    new = {name: value for name, value in re.findall(r"\('(TIDEGAUGE_\w+|LD_PRELOAD)', '([^']*)'\), ", under)}
    assert sorted(new) == ["LD_PRELOAD", "TIDEGAUGE_ASK", "TIDEGAUGE_BINARY", "TIDEGAUGE_RECORDING", "TIDEGAUGE_RING"]
    assert re.fullmatch(r"/proc/\d+/fd/\d+", new["TIDEGAUGE_RING"])
    assert (new["TIDEGAUGE_BINARY"], new["TIDEGAUGE_RECORDING"]) == (str(tidegauge), str(tmp_path / "r.tg"))
    assert re.sub(r"\('(TIDEGAUGE_\w+|LD_PRELOAD)', '([^']*)'\), ", "", under) == plain.stdout
    assert call("run", "--no-marks", "--no-record", "-q", "--", sys.executable, "-c", look).stdout == plain.stdout


def test_a_preloaded_library_of_the_users_stays_first(call, tidegauge, tmp_path):
    look = [sys.executable, "-c", "import os; print(os.environ.get('LD_PRELOAD'))"]
    ours = call("run", "--no-record", "-q", "--", *look).stdout.strip()
    assert pathlib.Path(ours).exists()
    environment = {**os.environ, "LD_PRELOAD": "libm.so.6"}
    assert call("run", "--no-record", "-q", "--", *look, env=environment).stdout.strip() == f"libm.so.6:{ours}"
    nested = call("run", "--no-record", "-q", "--", tidegauge, "run", "--no-record", "-q", "--", *look)
    assert nested.stdout.strip() == ours
    assert call("run", "--no-hooks", "--no-record", "-q", "--", *look).stdout.strip() == "None"


def test_a_closed_output_stays_closed_and_takes_no_file_of_ours(tidegauge, home, tmp_path):
    # The job goes on only when the recording has begun: one that ends at once may not be seen at all.
    script = (
        "import os\n"
        "seen = [os.path.exists(f'/proc/self/fd/{fd}') for fd in range(3)]\n"
        "open('go').read()\n"
        "open('seen', 'w').write(str(seen))\n"
    )
    go = fifo(tmp_path, "go")
    for closed, seen in ((">&-", [True, False, True]), ("2>&-", [True, True, False]), ("<&- >&-", [False, False, True])):
        recording = tmp_path / f"{len(closed)}.tg"
        command = f'{tidegauge} run --record {recording} -- {sys.executable} -c "{script}" {closed}'
        with subprocess.Popen(["sh", "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as gauge:
            wait_for_recording(recording)
            go.write_text("go\n")
            gauge.communicate(timeout=PATIENCE)
        assert gauge.returncode == 0
        assert (tmp_path / "seen").read_text().strip() == str(seen), closed
        assert lines_of(recording)[0]["kind"] == "recording", "it holds nothing that was not written to it"


def test_readers_that_leave_do_not_change_the_exit_code(tidegauge, home):
    command = f"{{ {tidegauge} run --no-record -- sh -c 'exit 5'; echo $? >&3; }} 2>&1 >/dev/null | true"
    done = subprocess.run(["bash", "-c", f"exec 3>&1; {command}"], capture_output=True, text=True)
    assert done.stdout == "5\n"


def test_after_a_while_the_job_goes_on_unwatched(tidegauge, home, tmp_path):
    orders = fifo(tmp_path, "orders")
    process = subprocess.Popen(
        [tidegauge, "run", "--no-record", "--for", "100ms", "--interval", "20ms", "--json", tmp_path / "v.json", "--",
         "sh", "-c", f"cat {orders}; exit 3"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with open(orders, "w") as to_job:
        wait_for_text(tmp_path / "v.json", lambda text: text.endswith("}\n"))
        assert process.poll() is None
        to_job.write("still here\n")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (3, "still here\n")
    assert re.search(r"^watched    .*; the job went on unwatched$", err, re.M), err  # with the summary, once the job has ended
    assert json.loads((tmp_path / "v.json").read_text())["schema"] == "tidegauge/verdict/1"


def test_where_the_verdict_shall_go_is_checked_before_the_job_starts(call, tmp_path):
    done = call("run", "--json", tmp_path / "none" / "v.json", "--", "touch", tmp_path / "started")
    assert done.returncode == 3 and "none" in done.stderr
    assert not (tmp_path / "started").exists()


@pytest.fixture
def watched(tidegauge, home, tmp_path):
    """watched("read line"): a script that is being watched already, and its recording; a line on its stdin lets it go on."""

    def start(script):
        recording = tmp_path / "r.tg"
        words = [tidegauge, "run", "--record", recording, "--", "sh", "-c", script]
        # A group of its own: an orphan that outlives us must not be taken for another test's.
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_for_recording(recording)  # it begins before the first look, after which there is a job in it
        wait_for_change([tmp_path], lambda: b'"process"' in begun_text_of(recording), "the first look")
        return process, recording

    return start


def test_an_orphan_of_the_first_moment_is_the_jobs(watched, tmp_path):
    until = fifo(tmp_path, "until")
    process, recording = watched(f"(cat {until} 2> /dev/null &)\nread line")
    with open(until, "w"):  # once somebody reads it
        process.communicate("\n", timeout=PATIENCE)
    assert "cat" in {line["name"] for line in lines_of(recording) if line["kind"] == "process"}


@pytest.mark.parametrize(
    ("ending", "words", "value"), [("exit 3", "ended with status 3", 3), ("kill -9 $$", "killed by SIGKILL", 137)]
)
def test_how_the_job_ended_is_said_and_recorded(watched, ending, words, value):
    process, recording = watched(f"read line\n{ending}")
    _, errors = process.communicate("\n", timeout=PATIENCE)
    assert process.returncode == value
    assert f"job        {words}\n" in errors
    lines = lines_of(recording)
    job = next(line["pid"] for line in lines if line["kind"] == "process")
    ends = [line for line in lines if line.get("event") == "exited" and line["pid"] == job]
    assert [end["value"] for end in ends] == [value]


def test_signals_without_a_terminal(tidegauge, home):
    script = "trap 'echo got; exit 8' TERM; echo ready; while :; do read line; done"
    process = subprocess.Popen(
        [tidegauge, "run", "--no-record", "--quiet", "--", "sh", "-c", script],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.read() == "got\n"
    assert process.wait(timeout=30) == 8


def test_the_job_survives_a_killed_gauge_and_so_do_its_marks(tidegauge, home, tmp_path):
    orders = fifo(tmp_path, "orders")
    said = fifo(tmp_path, "said")
    job = f"echo $$ > {said}; read line < {orders}; {tidegauge} mark step=1; echo code $? > {said}"
    gauge = subprocess.Popen([tidegauge, "run", "--no-record", "--quiet", "--", "sh", "-c", job])
    assert int(said.read_text())
    gauge.kill()
    gauge.wait()
    orders.write_text("go\n")
    assert said.read_text() == "code 0\n"


def test_steps_are_guessed_on_a_terminal_and_only_there(call, tidegauge, home, tmp_path):
    words = ["run", "--interval", "20ms", "--record", tmp_path / "r.tg", "--", sys.executable, "-c", BAR]
    terminal = Terminal([tidegauge, *words])
    terminal.rest()
    assert terminal.exit_code() == 0
    steps = [event for event in events_of(tmp_path / "r.tg") if event["event"] == "step"]
    assert steps and steps[-1]["value"] == 40
    assert {event["source"] for event in steps} == {"output"}
    call(*words)
    assert not [event for event in events_of(tmp_path / "r.tg") if event["event"] == "step"]


def test_a_gauge_in_a_gauge(call, tidegauge, tmp_path):
    inner = [tidegauge, "run", "--no-record", "-q", "--", "sh", "-c", f"{tidegauge} mark --strict step=1; exit 4"]
    assert call("run", "--no-record", "-q", "--", *inner).returncode == 4


def test_the_live_view_needs_the_terminal_to_itself(tidegauge, home, tmp_path):
    refused = Terminal([tidegauge, "run", "--live", "--no-record", "--", "true"])
    assert b"needs the terminal to itself" in refused.rest()
    assert refused.exit_code() == 2
    orders = fifo(tmp_path, "orders")
    command = f"{tidegauge} run --live --no-record --interval 50ms -- cat {orders} >{tmp_path}/out 2>&1"
    live = Terminal(["sh", "-c", command], rows=30, columns=100, environment={**os.environ, "TERM": "xterm"})
    with open(orders, "w") as to_job:
        live.expect("cat")
        live.resize(40, 120)
        live.expect("cat")  # drawn again
        live.send("q")
        live.expect(rb"\x1b\[\?1049l")  # the view is gone, the job is not
        to_job.write("from the job\n")
    assert live.exit_code() == 0
    text = (tmp_path / "out").read_text()
    assert text.startswith("from the job\n")
    assert len(text) > 100, "the summary goes where stderr goes"


# A launcher that waits, a job that holds 200 MB for longer than it takes until a quiet process is hardly asked after.
LAUNCHED = """
import subprocess, sys
JOB = "import time; held = bytes([1]) * (200 << 20); time.sleep(8)"
sys.exit(subprocess.call([sys.executable, "-c", JOB]))
"""


def test_the_end_of_the_job_is_the_end_of_its_wrappers_too(call, tmp_path):
    recording = tmp_path / "r.tg"
    done = call("run", "--interval", "100ms", "--record", recording, "--", "sh", "-c", f"'{sys.executable}' -c '{LAUNCHED}'; exit 0")
    assert done.returncode == 0, done.stderr
    text = subprocess.run(["zstdcat", recording], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    roles = {line["pid"]: line["role"] for line in lines if line["kind"] == "process"}
    assert sorted(roles.values()) == ["main", "wrapper", "wrapper"], "a wrapper stays one when its job has ended"
    assert {event["pid"] for event in events_of(recording) if event["event"] == "exited"} == set(roles)
    # What is left while the wrappers notice is no fall of the job's memory.
    (total,) = re.findall(r"^total .*\s([0-9.]+)\sMiB\s*$", done.stderr, re.M)
    assert float(total) > 200
