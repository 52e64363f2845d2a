# SPDX-License-Identifier: Apache-2.0
"""%%tidegauge in a notebook: the memory of a cell as a chart, and the verdict on it, under the cell."""
from __future__ import annotations

from html import escape
from typing import Any, Optional

from tidegauge._units import shown
from tidegauge._verdict import Verdict
from tidegauge._watch import watch

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 70, 12, 10, 26  # room for the numbers on the axes
MOST_SVG_POINTS = 600
TONES = {"good": "#2b8a3e", "wait": "#b26a00", "bad": "#c92a2a"}
LINE, PHASE = "#3b7dd8", "#888888"
BARS = "▁▂▃▄▅▆▇█"


def card(verdict: Verdict) -> str:
    """The verdict's own words as HTML."""
    words = verdict.words
    colour = TONES.get(words.get("tone", ""), "inherit")
    facts = "".join(
        f'<tr><td style="text-align:left;opacity:.7">{escape(fact["label"])}</td>'
        f'<td style="text-align:left">{escape(fact["value"])}</td>'
        f'<td style="text-align:left;opacity:.7">{escape(fact.get("detail") or "")}</td></tr>'
        for fact in words.get("facts", ())
    )
    return (
        f'<div style="border-left:4px solid {colour};padding:.2em .8em;margin:.4em 0">'
        f'<strong style="color:{colour}">{escape(words["tag"])}</strong> {escape(words["headline"])}'
        f'<div style="opacity:.8">{escape(words.get("note") or "")} {escape(words.get("lead") or "")}</div>'
        f"<table>{facts}</table></div>"
    )


def thinned(series: list, most: int) -> list:
    """At most about `most` points, with the lowest and the highest of each stretch: spikes stay."""
    if len(series) <= most:
        return series
    width = 2 * len(series) // most + 1
    out = []
    for start in range(0, len(series), width):
        part = series[start : start + width]
        out.extend(sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])}))
    return out


def ticks(most: float, count: int = 4) -> list:
    """Round numbers from 0 up to `most`, in powers of two for sizes."""
    if most <= 0:
        return [0]
    step = 1.0
    while most / step > count:
        step *= 2
    return [n * step for n in range(int(most / step) + 1)]


def chart(series: list, phases: list = ()) -> str:  # type: ignore[assignment]
    """Memory over time as an SVG that needs nothing else."""
    if len(series) < 2:
        return ""
    points = thinned(series, MOST_SVG_POINTS)
    seconds = max(points[-1][0], 1e-3)
    top = max(size for _, size in points) * 1.05 or 1
    x = lambda t: LEFT + (WIDTH - LEFT - RIGHT) * min(max(t, 0), seconds) / seconds  # noqa: E731
    y = lambda size: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * size / top  # noqa: E731
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'style="max-width:100%" font-family="sans-serif" font-size="11" fill="currentColor">',
        f"<title>Memory over {seconds:.1f} s: {shown(points[0][1])} at the start, {shown(points[-1][1])} at the end</title>",
    ]
    for name, begin, end in phases:
        left, right = x(begin), max(x(end), x(begin) + 1)
        out.append(f'<rect x="{left:.1f}" y="{TOP}" width="{right - left:.1f}" height="{HEIGHT - TOP - BOTTOM}" fill="{PHASE}" fill-opacity=".25">'
                   f"<title>{escape(name)}</title></rect>")  # fmt: skip
    for size in ticks(top):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(size):.1f}" y2="{y(size):.1f}" stroke="currentColor" '
                   f'stroke-opacity=".15"/><text x="{LEFT - 6}" y="{y(size) + 4:.1f}" text-anchor="end">{shown(size)}</text>')  # fmt: skip
    for t in ticks(seconds, 6):
        out.append(f'<text x="{x(t):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{t:g} s</text>')
    line = " ".join(f"{x(t):.1f},{y(size):.1f}" for t, size in points)
    area = f"{x(points[0][0]):.1f},{y(0):.1f} {line} {x(points[-1][0]):.1f},{y(0):.1f}"
    out.append(f'<polygon points="{area}" fill="{LINE}" fill-opacity=".12"/>')
    out.append(f'<polyline points="{line}" fill="none" stroke="{LINE}" stroke-width="1.5"/></svg>')
    return "".join(out)


def sparkline(series: list, width: int = 60) -> str:
    if len(series) < 2:
        return ""
    sizes = [size for _, size in series]
    picked = [sizes[n * (len(sizes) - 1) // (width - 1)] for n in range(width)] if len(sizes) > width else sizes
    low, high = min(picked), max(picked)
    return "".join(BARS[int((size - low) / ((high - low) or 1) * (len(BARS) - 1))] for size in picked)


class CellMemory:
    """What %%tidegauge shows: a chart and words in a notebook, a line of bars and words in a terminal."""

    def __init__(self, verdict: Optional[Verdict], series: list, phases: list) -> None:
        self.verdict = verdict
        self.series = series
        self.phases = phases

    def _repr_html_(self) -> str:
        words = card(self.verdict) if self.verdict is not None else "<em>tidegauge could not watch this cell: see the log</em>"
        return f"<div>{chart(self.series, self.phases)}{words}</div>"

    def __repr__(self) -> str:
        if self.verdict is None:
            return "tidegauge could not watch this cell: see the log"
        ends = f" {shown(self.series[0][1])} -> {shown(self.series[-1][1])}\n" if self.series else ""
        return f"{sparkline(self.series)}{ends}{self.verdict}"


def register(shell: Any) -> None:
    from IPython.core.magic import Magics, cell_magic, magics_class, needs_local_scope
    from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

    @magics_class
    class TidegaugeMagics(Magics):
        @magic_arguments()
        @argument("--interval", default="100ms", help="time between two looks [100ms]")
        @argument("--record", default=None, help="keep the recording in this file")
        @argument("--into", default=None, help="put what is shown into this variable, too")
        @needs_local_scope
        @cell_magic
        def tidegauge(self, line: str, cell: str, local_ns: Any = None) -> None:
            """Runs the cell under the gauge, and shows its memory and the verdict on it."""
            from IPython.display import display

            options = parse_argstring(self.tidegauge, line)
            with watch(interval=options.interval, record=options.record) as gauge:
                result = self.shell.run_cell(cell)
            found = CellMemory(gauge.verdict, gauge.series, gauge.phases)
            if options.into:
                self.shell.user_ns[options.into] = found
            display(found)
            if not result.success:
                # The cell has failed and its traceback is shown; running on would hide that from "run all".
                from IPython.core.error import UsageError

                raise UsageError("the cell under %%tidegauge failed")

    shell.register_magics(TidegaugeMagics)
