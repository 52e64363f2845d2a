# SPDX-License-Identifier: Apache-2.0
"""`tidegauge run` at a real terminal, under a real shell: the job must live as if we were not there."""
import contextlib
import os
import pathlib
import re
import signal
import sys

import pytest

from terminal import Shell, Terminal
from waiting import best_of

LISTENER = pathlib.Path(__file__).resolve().parents[1] / "programs" / "listener.py"
JOB = f"{sys.executable} {LISTENER}"
TAPS = pytest.mark.parametrize("guess", ["", "--no-guess"], ids=["tapped", "untapped"])


@contextlib.contextmanager
def a_shell():
    shell = Shell(os.environ)
    try:
        yield shell
    finally:
        shell.close()


@pytest.fixture
def shell(home):
    with a_shell() as shell:
        yield shell


def once_in_time(count):
    """What count(shell) has counted, in a new shell. Of a signal for us all the companion has 50 ms to tell that it has it, too; where no core is
    free for it we cannot know, and pass it on once more: better twice than never. Then it is tried again."""

    def attempt():
        with a_shell() as shell:
            return count(shell)

    return best_of(attempt, lambda counted: b"=2" not in counted)


@pytest.fixture
def run(tidegauge):
    """The words that start a job quietly."""
    return lambda guess="": f"{tidegauge} run --no-record --quiet {guess} --"


def pids(shell):
    match = shell.expect(r"job (\d+) of (\d+)\r\n")
    return int(match[1]), int(match[2])


@TAPS
def test_the_shell_sees_the_jobs_exit_code(shell, run, guess):
    assert shell.line(f"{run(guess)} sh -c 'exit 7'; echo code $?").endswith("code 7\n")
    assert "code 139" in shell.line(f"{run(guess)} sh -c 'kill -SEGV $$'; echo code $?")


@TAPS
def test_the_job_reads_from_the_terminal(shell, run, guess):
    shell.begin(f"{run(guess)} {JOB}; echo code $?")
    pids(shell)
    shell.send("hello\n")
    shell.expect("heard hello")
    shell.send("exit 3\n")
    shell.expect("code 3")


@TAPS
def test_ctrl_c_comes_once(shell, run, guess):
    shell.begin(f"{run(guess)} {JOB}; echo code $?")
    pids(shell)
    shell.send("\x03")
    shell.expect("got SIGINT")
    shell.send("\x1c")
    shell.expect("got SIGQUIT")
    shell.send("count\n")
    assert shell.expect("counted (.*) end")[1] == b"SIGINT=1 SIGQUIT=1"
    shell.send("exit 0\n")
    shell.expect("code 0")


@TAPS
def test_ctrl_z_stops_it_and_fg_continues_it(home, run, guess):
    def count(shell):
        shell.begin(f"{run(guess)} {JOB}; echo code $?")
        pids(shell)
        shell.send("\x1a")
        shell.expect("Stopped")
        shell.expect(shell.PROMPT)
        assert "Stopped" in shell.line("jobs")
        shell.begin("fg")
        shell.expect("got SIGCONT")
        shell.send("still there\n")
        shell.expect("heard still there")
        shell.send("count\n")
        counted = shell.expect("counted (.*) end")[1]
        shell.send("exit 4\n")
        shell.expect(shell.PROMPT)
        assert shell.line("echo code $?").endswith("code 4\n")
        return counted

    assert once_in_time(count) == b"SIGCONT=1"


@TAPS
def test_in_the_background_it_stops_when_it_reads_the_terminal(shell, run, guess):
    shell.begin(f"{run(guess)} {JOB} &")
    pids(shell)
    while "Stopped" not in shell.line("jobs"):
        pass
    shell.begin("fg")
    shell.send("again\n")
    shell.expect("heard again")
    shell.send("exit 0\n")
    shell.expect(shell.PROMPT)


@TAPS
def test_in_the_background_it_runs_to_its_end(shell, run, guess):
    shell.begin(f"{run(guess)} sh -c 'exit 5' & wait $!; echo code $?")
    shell.expect("code 5")


@TAPS
@pytest.mark.parametrize("way", ["kill %1", "kill -TERM -- -$(ps -o pgid= $gauge | tr -d ' ')", "kill $gauge"])
def test_a_termination_comes_once_to_whomever_it_was_sent(home, run, guess, way, tmp_path):
    orders = tmp_path / "orders"
    os.mkfifo(orders)

    def count(shell):
        shell.begin(f"{run(guess)} {JOB} {orders} & gauge=$!")
        with open(orders, "w") as to_job:
            pids(shell)
            shell.line("")
            shell.begin(way)
            shell.expect("got SIGTERM")
            # A second one would have been passed on before what is sent after it.
            shell.begin("kill -USR2 $gauge")
            shell.expect("got SIGUSR2")
            to_job.write("count\n")
            to_job.flush()
            counted = shell.expect("counted (.*) end")[1]
            to_job.write("exit 0\n")
        shell.line("wait")
        return counted

    assert once_in_time(count) == b"SIGTERM=1 SIGUSR2=1"


def test_a_stopped_job_of_its_own_group_stops_us_too(shell, run):
    # An interactive shell has a process group of its own; `suspend` stops only that.
    shell.begin(f"{run()} bash --norc --noprofile -i; echo code $?")
    shell.expect(shell.PROMPT)
    shell.begin("suspend")
    shell.expect("Stopped")
    shell.expect(shell.PROMPT)
    shell.begin("fg")
    shell.expect(shell.PROMPT)
    shell.begin("exit 6")
    shell.expect(shell.PROMPT)
    assert shell.line("echo code $?").endswith("code 6\n")


@TAPS
def test_in_a_pipeline(shell, run, guess):
    assert shell.line(f"{run(guess)} echo out | tr a-z A-Z").endswith("OUT\n")
    assert shell.line(f"echo in | {run(guess)} tr a-z A-Z").endswith("IN\n")
    assert shell.line(f"{run(guess)} yes | head -1").endswith("y\n")
    shell.begin(f"{run(guess)} {JOB} | cat")
    pids(shell)
    shell.send("die\n")
    shell.expect("mortal")
    shell.send("\x03")
    shell.expect(shell.PROMPT)
    assert shell.line("echo code ${PIPESTATUS[0]}") == "code 130\n"


@TAPS
def test_ctrl_c_ends_the_shells_loop_and_not_only_one_turn(shell, run, guess):
    shell.begin(f"for turn in 1 2 3; do {run(guess)} {JOB}; done; echo over")
    pids(shell)
    shell.send("die\n")
    shell.expect("mortal")
    shell.send("\x03")
    shell.expect(shell.PROMPT)
    assert b"over" not in shell.seen.rsplit(b"mortal", 1)[1]


@TAPS
def test_what_is_typed_ahead_is_for_the_shell(shell, run, guess, tmp_path):
    orders = tmp_path / "orders"
    os.mkfifo(orders)
    shell.begin(f"{run(guess)} {JOB} {orders}")
    with open(orders, "w") as to_job:
        pids(shell)
        shell.send("echo typed ahead\n")
        to_job.write("exit 0\n")
    shell.expect("typed ahead\r\n")


@TAPS
def test_closing_the_terminal_reaches_the_job(tidegauge, home, guess, tmp_path):
    # No shell in between: we are the leader of the session, as in `xterm -e`.
    log = tmp_path / "log"
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, lambda *_: (open(sys.argv[1], 'w').write('hup'), os._exit(0)))\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()\n"
    )
    options = ["--no-record", "--quiet", *guess.split()]
    terminal = Terminal([tidegauge, "run", *options, "--", sys.executable, "-c", script, log])
    terminal.expect("ready\r\n")
    terminal.hang_up()
    terminal.exit_code()
    assert log.read_text() == "hup"


def test_a_new_size_of_the_window_reaches_the_job(shell, run):
    shell.begin(f"{run()} {JOB}")
    pids(shell)
    shell.send("size\n")
    shell.expect("size 24 80\r\n")
    shell.resize(40, 132)
    shell.expect("got SIGWINCH")
    # The kernel's own word may come before the size does; ours comes after it.
    while True:
        shell.send("size\n")
        if shell.expect(r"size (\d+ \d+)\r\n")[1] == b"40 132":
            break
    shell.send("exit 0\n")
    shell.expect(shell.PROMPT)


def test_the_terminals_modes_are_never_touched(shell, run):
    # Asked by stty, so that the modes are those of programs and not those of the shell's prompt.
    before = shell.line("stty -g")
    shell.begin(f"{run()} {JOB}")
    pids(shell)
    during = shell.modes()
    shell.send("exit 0\n")
    shell.expect(shell.PROMPT)
    assert shell.line("stty -g") == before
    shell.begin("cat")
    shell.send("x\n")
    shell.expect("x\r\n")
    assert shell.modes() == during
    shell.send("\x04")
    shell.expect(shell.PROMPT)


CURSES = """
import curses, sys
def main(screen):
    screen.addstr(0, 0, 'press'); screen.refresh()
    key = screen.getch()
    return key
key = curses.wrapper(main)
print('key', key)
"""


def test_a_full_screen_program_gets_its_keys_one_by_one(shell, run, tmp_path):
    script = tmp_path / "full_screen.py"
    script.write_text(CURSES)
    before = shell.line("stty -g")
    shell.begin(f"{run()} {sys.executable} {script}")
    shell.expect("press")
    shell.send("q")  # no newline
    shell.expect("key 113")
    shell.expect(shell.PROMPT)
    assert shell.line("stty -g") == before


def test_a_pager_has_the_real_terminal(shell, run, tmp_path):
    """It reads keys from the terminal that its stderr is."""
    for name in ("less", "train"):
        (tmp_path / name).write_text("#!/bin/sh\necho on $(tty <&2)\n")
        (tmp_path / name).chmod(0o755)
    real = shell.line("tty").strip()
    assert shell.line(f"{run()} {tmp_path}/less").strip() == f"on {real}"
    assert f"on {real}\n" not in shell.line(f"{run()} {tmp_path}/train")


BYTES = rb"""import os
os.write(1, b'plain\nwith return\r 12%|\xe2\x96\x88\xe2\x96\x8f | 120/1000 [00:10<01:13, 12.0it/s]\r\n')
os.write(2, b'\x1b[31mred\x1b[0m\ttab \xff\xfe not utf-8 \x00 nul\n')
os.write(1, b''.join(b'%d\n' % i for i in range(20000)))
"""


def test_bytes_pass_unchanged_and_in_full(tidegauge, home, tmp_path):
    script = tmp_path / "bytes.py"
    script.write_bytes(BYTES)
    plain = Terminal([sys.executable, script])
    expected = plain.rest()
    assert len(expected) > 100000
    plain.exit_code()
    tapped = Terminal([tidegauge, "run", "--no-record", "--quiet", "--", sys.executable, script])
    assert tapped.rest() == expected
    assert tapped.exit_code() == 0


@TAPS
def test_the_job_survives_our_death(shell, run, guess, tmp_path):
    orders = tmp_path / "orders"
    os.mkfifo(orders)
    shell.begin(f"{run(guess)} {JOB} {orders}")
    with open(orders, "w") as to_job:
        _, gauge = pids(shell)
        os.kill(gauge, signal.SIGKILL)
        shell.expect("Killed")
        shell.expect(shell.PROMPT)
        to_job.write("are you there\n")
        to_job.flush()
        shell.expect("heard are you there")
        to_job.write("exit 0\n")
    shell.line("")
    assert re.search(rb"heard are you there", shell.seen)
