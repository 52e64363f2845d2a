#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of a terminal, for the documents: what a command really shows, as SVG.

    $(tools/venv pictures) tools/picture.py OUT.svg [--size 100x30] [--after SECONDS] [--keys TEXT] -- COMMAND...

Without --after the picture is taken when the command has ended. Rows that are empty at the end are cut off.
"""
import argparse
import fcntl
import html
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 14
PAPER, INK = "#101418", "#d6dbe0"
NAMED = {"black": "#3a424a", "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "yellow": "#e3b341", "blue": "#79c0ff",
         "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#d6dbe0", "brightblack": "#7d8894", "brightred": "#ffa198",
         "brightgreen": "#a5f0b0", "brightbrown": "#f2cc60", "brightyellow": "#f2cc60", "brightblue": "#a5d6ff",
         "brightmagenta": "#e2c5ff", "brightcyan": "#a5f3f7", "brightwhite": "#ffffff"}


def hex_of(colour: str, default: str) -> str:
    if colour == "default":
        return default
    return NAMED.get(colour) or f"#{colour}"


def show(command: list, columns: int, rows: int, after, keys: str) -> pyte.Screen:
    """Runs `command` on a terminal of that size until it ends, or for `after` seconds."""
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8")
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    began = time.monotonic()
    while after is None or time.monotonic() - began < after:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        stream.feed(data)
        if keys:
            os.write(terminal, keys.encode())
            keys = ""
    os.kill(pid, signal.SIGHUP)
    os.close(terminal)
    os.waitpid(pid, 0)
    return screen


def runs_of(row, columns: int):
    """(first column, text, style) for stretches of a row that look the same."""
    start, text, style = 0, "", None
    for column in range(columns):
        cell = row[column]
        fore, back = hex_of(cell.fg, INK), hex_of(cell.bg, PAPER)
        if cell.reverse:
            fore, back = back, fore
        here = (fore, back, cell.bold)
        if here != style and text:
            yield start, text, style
            start, text = column, ""
        style = here
        text += cell.data
    yield start, text, style


def svg_of(screen: pyte.Screen) -> str:
    last = max((y for y in range(screen.lines) if screen.display[y].strip()), default=0)
    width = screen.columns * CELL_WIDTH + 2 * MARGIN
    height = (last + 1) * CELL_HEIGHT + 2 * MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-size="14" '
             'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" xml:space="preserve">',
             f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>']
    for y in range(last + 1):
        for column, text, (fore, back, bold) in runs_of(screen.buffer[y], screen.columns):
            x, top, wide = MARGIN + column * CELL_WIDTH, MARGIN + y * CELL_HEIGHT, len(text) * CELL_WIDTH
            if back != PAPER:
                parts.append(f'<rect x="{x:.1f}" y="{top}" width="{wide:.1f}" height="{CELL_HEIGHT}" fill="{back}"/>')
            words = text.strip()
            if words:
                x += (len(text) - len(text.lstrip())) * CELL_WIDTH
                weight = ' font-weight="bold"' if bold else ""
                parts.append(f'<text x="{x:.1f}" y="{top + 13.5}" fill="{fore}"{weight} '
                             f'textLength="{len(words) * CELL_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">'
                             f"{html.escape(words)}</text>")
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--size", default="100x30")
    parser.add_argument("--after", type=float)
    parser.add_argument("--keys", default="")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    screen = show(options.command, columns, rows, options.after, options.keys)
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(svg_of(screen))


if __name__ == "__main__":
    main()
