# SPDX-License-Identifier: Apache-2.0
"""A terminal with somebody at it, for the tests that need one."""
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

PATIENCE = 30  # seconds until something that does not come is a failure; nothing waits this long when all is well


class Terminal:
    """Runs a program on a terminal of its own. `seen` is all that came, in bytes."""

    def __init__(self, words, rows=24, columns=80, environment=None):
        self.seen = b""
        self.read_up_to = 0
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and children inherit
            os.execvpe(words[0], [str(word) for word in words], environment or os.environ)
        self.resize(rows, columns)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def modes(self):
        return termios.tcgetattr(self.master)

    def send(self, text):
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def read_some(self, until) -> bool:
        """False: nothing more will come."""
        ready, _, _ = select.select([self.master], [], [], max(until - time.monotonic(), 0))
        if not ready:
            raise AssertionError(f"nothing more within {PATIENCE} s; so far {self.seen[-2000:]!r}")
        try:
            piece = os.read(self.master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            piece = b""
        self.seen += piece
        return bool(piece)

    def expect(self, pattern):
        """Waits for `pattern` after what was expected last, and gives its match."""
        pattern = re.compile(pattern.encode() if isinstance(pattern, str) else pattern, re.S)
        until = time.monotonic() + PATIENCE
        while True:
            match = pattern.search(self.seen, self.read_up_to)
            if match:
                self.read_up_to = match.end()
                return match
            if not self.read_some(until):
                raise AssertionError(f"ended before {pattern.pattern!r} came; so far {self.seen[-2000:]!r}")

    def rest(self) -> bytes:
        """All that comes until the end, after what was expected last."""
        until = time.monotonic() + PATIENCE
        while self.read_some(until):
            pass
        rest = self.seen[self.read_up_to :]
        self.read_up_to = len(self.seen)
        return rest

    def exit_code(self) -> int:
        """As a shell says it."""
        return self._ended(os.waitpid(self.pid, 0)[1])

    def _ended(self, status):
        self.pid = None
        return os.waitstatus_to_exitcode(status)

    def hang_up(self):
        if self.master >= 0:
            os.close(self.master)
        self.master = -1

    def close(self):
        self.hang_up()
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            self._ended(os.waitpid(self.pid, 0)[1])


class Shell(Terminal):
    """An interactive bash."""

    PROMPT = "ready> "

    def __init__(self, environment):
        environment = {**environment, "PS1": self.PROMPT, "PS2": "", "TERM": "xterm", "HISTFILE": ""}
        # Without its line editor the shell leaves the terminal's modes alone.
        super().__init__(["bash", "--norc", "--noprofile", "--noediting", "-i"], environment=environment)
        self.expect(self.PROMPT)
        self.line("stty -echo")  # or what is typed would be found where output is expected

    def begin(self, command):
        self.send(command + "\n")

    def line(self, command) -> str:
        """What the shell says to a command, up to the next prompt."""
        start = self.read_up_to
        self.begin(command)
        match = self.expect(self.PROMPT)
        return self.seen[start : match.start()].decode(errors="replace").replace("\r\n", "\n")
