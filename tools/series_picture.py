#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws series of memory as SVG, for docs/verdicts.md: series_picture.py OUT.svg LEFT.csv RIGHT.csv

A chart for each file, side by side; the title is the file's name. Needs nothing but Python.
"""
import csv
import html
import pathlib
import sys

WIDTH, HEIGHT, MARGIN, GAP = 400, 150, 34, 20
INK, LINE, GRID, PAPER = "#30363d", "#0969da", "#d0d7de", "#ffffff"


def read(path):
    """Places and megabytes of the first series."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    clock, name = rows[0][0], rows[0][1]
    points = [(float(row[0]), float(row[1])) for row in rows[1:] if row[1]]
    return clock, name, points


def ticks(low, high):
    return low, (low + high) / 2, high


def chart(path, left):
    clock, _, points = read(path)
    x0, x1 = points[0][0], points[-1][0]
    low, high = min(y for _, y in points), max(y for _, y in points)
    room = max((high - low) * 0.08, high * 0.01)
    low, high = max(0, low - room), high + room
    scale = 60 if clock == "time" else 1
    place = lambda x, y: (left + MARGIN + (x - x0) / (x1 - x0) * (WIDTH - MARGIN), 20 + (high - y) / (high - low) * (HEIGHT - 40))  # noqa: E731
    out = [f'<text x="{left + MARGIN}" y="12" font-weight="600">{html.escape(pathlib.Path(path).stem.replace("_", " "))}</text>']
    for value in ticks(low, high):
        y = place(x0, value)[1]
        out.append(f'<path d="M{left + MARGIN} {y:.1f}H{left + WIDTH}" stroke="{GRID}"/>')
        out.append(f'<text x="{left + MARGIN - 4}" y="{y + 3:.1f}" text-anchor="end">{value:.0f}</text>')
    for value in ticks(x0, x1):
        x = place(value, low)[0]
        unit = "min" if clock == "time" else "step"
        label = f"{value / scale:.0f} {unit}" if unit == "min" else f"{unit} {value:.0f}"
        anchor = "start" if value == x0 else "end" if value == x1 else "middle"
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - 4}" text-anchor="{anchor}">{label}</text>')
    path_data = "".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(place(*point) for point in points))
    out.append(f'<path d="{path_data}" fill="none" stroke="{LINE}" stroke-width="1.2"/>')
    return out


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    width = len(sys.argv[2:]) * (WIDTH + GAP)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="9" fill="{INK}">',
             f'<rect width="{width}" height="{HEIGHT}" fill="{PAPER}"/>']
    for i, path in enumerate(sys.argv[2:]):
        lines += chart(path, i * (WIDTH + GAP))
    pathlib.Path(sys.argv[1]).write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
