# SPDX-License-Identifier: Apache-2.0
"""The live view in real terminals: tmux draws what it is sent, and says what can be read on it."""
import os
import re
import subprocess
import time
import unicodedata

import pytest
from terminal import Terminal
from waiting import wait_for_end

PATIENCE = 30


class Pane:
    """A terminal of that size and kind, in a tmux of its own."""

    def __init__(self, folder, columns, rows, words, environment):
        self.socket = folder / "tmux"
        settings = [f"{name}={value}" for name, value in environment.items()]
        self.call("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "env", "-u", "NO_COLOR", *settings, *words)

    def call(self, *words):
        environment = {name: value for name, value in os.environ.items() if name not in ("TMUX", "NO_COLOR")}
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *map(str, words)], capture_output=True, text=True, check=True, env=environment)
        return done.stdout

    def lines(self, *how):
        return self.call("capture-pane", "-p", *how).rstrip("\n").split("\n")

    def expect(self, pattern):
        """The screen, once `pattern` is on it: tmux does not tell when it has drawn, so it is asked again."""
        until = time.monotonic() + PATIENCE
        while True:
            lines = self.lines()
            if re.search(pattern, "\n".join(lines)):
                return lines
            assert time.monotonic() < until, "\n".join(lines)

    def press(self, *keys):
        self.call("send-keys", *keys)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def pane(tidegauge, home, tmp_path, start):
    job = start("obedient")
    assert job.answer() == "ready"
    made = []

    def begin(columns, rows, **environment):
        words = [tidegauge, "watch", job.pid, "--interval", "100ms"]
        made.append(Pane(tmp_path, columns, rows, words, {"LC_ALL": "C.UTF-8", **environment}))
        made[-1].job = job
        return made[-1]

    yield begin
    for one in made:
        one.close()


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|38;5;\d+|48;5;\d+|9[0-7]|10[0-7])(?:;\d+)*m")

TERMINALS = {
    "small": (80, 24, {}),
    "large": (200, 50, {}),
    "plain": (100, 30, {"NO_COLOR": "1"}),
    "ascii": (80, 24, {"LC_ALL": "C"}),
    "vt100": (80, 24, {"TERM": "vt100", "LC_ALL": "C"}),
    "tiny": (40, 10, {}),
}


@pytest.mark.parametrize("name", TERMINALS)
def test_the_answer_is_on_top_of_every_terminal(pane, name):
    columns, rows, environment = TERMINALS[name]
    view = pane(columns, rows, **environment)
    view.job.ask(f"grow {128 << 20}")
    lines = view.expect(r"obedient\.py[\s\S]*q quit")
    assert len(lines) <= rows and all(width(line) <= columns for line in lines)
    assert lines[0].startswith("tidegauge  obedient.py")
    assert re.match(r" (LOOKING|CANNOT TELL YET|STEADY|ONE JUMP|NOT A LEAK|LEAK)  \w", lines[1])
    assert lines[-1].startswith(" q quit")
    if "C" == environment.get("LC_ALL"):
        assert all(line.isascii() for line in lines), lines
    coloured = any(COLOUR.search(line) for line in view.lines("-e"))
    assert coloured == (name not in ("plain", "vt100"))


def test_keys_and_a_new_size(pane):
    view = pane(80, 24)
    view.expect(r"q quit")
    view.press("?")
    view.expect(r"(?i)zoom[\s\S]*report")
    view.press("?")
    view.expect(r"memory of the job")
    view.call("resize-window", "-x", 140, "-y", 40)
    lines = view.expect(r"kinds of memory")  # a panel of its own, where there is room
    assert any(width(line) > 100 for line in lines)
    view.press("r")
    view.expect(r"report written to ")
    view.expect(r"\n q quit")  # the keys come back
    watch = int(view.call("display-message", "-p", "#{pane_pid}"))
    view.press("q")
    wait_for_end(watch)


@pytest.mark.parametrize("kind", ["dumb", "", "no-such-terminal", "vt100"])
def test_what_a_terminal_cannot_do_is_not_asked_of_it(tidegauge, home, start, kind):
    job = start("obedient")
    assert job.answer() == "ready"
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": kind}
    terminal = Terminal([tidegauge, "watch", job.pid, "--for", "100ms", "--no-record"], environment=environment)
    seen = terminal.rest().decode()
    assert not COLOUR.search(seen), seen
    if kind != "vt100":
        assert "\x1b" not in seen, seen
        assert len(seen) < 8000 and "CANNOT TELL YET: " in seen, seen
