#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts measured numbers into docs/accuracy.md: what stands between `<!-- measured: NAME -->` and `<!-- end -->` is made anew
from out/bench/verdict.json and out/bench/programs.json, which tools/bench_verdict and tools/bench_programs leave there."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "bench"
DOCUMENT = ROOT / "docs" / "accuracy.md"
SUITES = {"a": "suite A", "twins": "twins", "ramps": "ramps", "world": "world", "mechanisms": "mechanisms"}


def percent(part, whole):
    if not whole:
        return "–"
    value = 100 * part / whole
    return f"{value:.1f}" if 0 < value < 10 or 99 < value < 100 else f"{value:.0f}"


def share(value):
    return "–" if value is None else f"{100 * value:.1f}"


def number(value, form):
    return "–" if value is None else format(value, form)


def pair(quantiles, form):
    return f"{number(quantiles['p50'], form)} / {number(quantiles['p90'], form)}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def comparison(report, suite):
    rows = []
    for judge in report["judges"]:
        if judge["suite"] != suite:
            continue
        done, alarm = judge["score"]["finished"], judge["score"]["alarm"]
        leaks, bounded, open_ = done["leaks"], done["bounded"], done["undecidable"]
        name = f"**{judge['judge']}**" if judge["judge"] == "tidegauge" else judge["judge"]
        rows.append([
            name, percent(leaks["leak"], leaks["series"]), percent(leaks["undecided"], leaks["series"]),
            percent(bounded["leak"], bounded["series"]), percent(open_["leak"], open_["series"]), number(done["auc"], ".4f"),
            share(done["found_at_1_percent"]), percent(alarm["found_at_last_look"], leaks["series"]),
            percent(alarm["bounded_ever_leak"], bounded["series"]), pair(alarm["delay_minutes"], ".0f"),
        ])
    head = ["judge", "leaks found %", "abstained %", "bounded called leak %", "undecidable called leak %", "AUC", "found at 1 % false",
            "alarm: found %", "alarm: ever false %", "delay p50 / p90 min"]
    return table(head, rows)


def suites(report):
    """The engine on each suite."""
    rows = []
    for judge in report["judges"]:
        if judge["judge"] != "tidegauge":
            continue
        score = judge["score"]
        done, alarm, rates, ends = score["finished"], score["alarm"], score["rates"], score["end_of_growth"]
        leaks, bounded, open_ = done["leaks"], done["bounded"], done["undecidable"]
        rows.append([
            SUITES[judge["suite"]], leaks["series"] + bounded["series"] + open_["series"],
            percent(leaks["leak"], leaks["series"]), percent(leaks["undecided"], leaks["series"]),
            percent(bounded["leak"], bounded["series"]), percent(bounded["undecided"], bounded["series"]),
            percent(open_["undecided"], open_["series"]), number(done["auc"], ".4f"),
            percent(alarm["found_at_last_look"], leaks["series"]), percent(alarm["bounded_ever_leak"], bounded["series"]),
            percent(rates["covered"], rates["stated"]), pair(ends["confirmed_after"], ".2f"),
        ])
    head = ["suite", "series", "leaks found %", "abstained %", "bounded called leak %", "bounded abstained %", "undecidable abstained %",
            "AUC", "alarm: found %", "alarm: ever false %", "rate intervals cover %", "end confirmed after p50 / p90"]
    return table(head, rows)


def goals(report):
    rows = [
        [goal["what"], f"{goal['measured']:.4g}", ("≥ " if goal["want"] == "at_least" else "≤ ") + f"{goal['bar']:g}", "yes" if goal["reached"] else "**no**"]
        for goal in report.get("goals", [])
    ]
    return table(["goal", "measured", "wanted", "reached"], rows)


def classes(report):
    rows = []
    for entry in report["classes"]:
        done, alarm, rates = entry["score"]["finished"], entry["score"]["alarm"], entry["score"]["rates"]
        truth = next(kind for kind in ("leaks", "bounded", "undecidable") if done[kind]["series"])
        tally, series = done[truth], done[truth]["series"]
        ever = {"leaks": alarm["called_before_onset"], "bounded": alarm["bounded_ever_leak"], "undecidable": alarm["undecidable_ever_leak"]}[truth]
        rows.append([
            f"`{entry['class']}`", {"leaks": "leak"}.get(truth, truth), series, percent(tally["leak"], series), percent(tally["undecided"], series),
            percent(ever, series), percent(alarm["found_at_last_look"], series) if truth == "leaks" else "",
            pair(alarm["delay_minutes"], ".0f") if truth == "leaks" else "", percent(rates["covered"], rates["stated"]) if truth == "leaks" else "",
        ])
    head = ["class", "truth", "series", "called leak %", "abstained %", "ever false %", "alarm: found %", "delay p50 / p90 min", "rates covered %"]
    return table(head, rows)


def reliability(report):
    rows = []
    for suite, entry in report["reliability"].items():
        for bin_ in entry["bins"]:
            if bin_["looks"]:
                rows.append([SUITES[suite], f"{bin_['low']:g} – {min(1, bin_['high']):g}", bin_["looks"],
                             f"{bin_['stated_sum'] / bin_['looks']:.3f}", f"{bin_['leaking'] / bin_['looks']:.3f}"])
    return table(["suite", "stated p_leak", "looks", "mean stated", "leak active"], rows)


def curve(report):
    rows = []
    for i, point in enumerate(next(iter(report["curve"].values()))):
        cells = [f"{100 * c[i]['found']:.1f} / {100 * c[i]['false_at_end']:.2f} / {100 * c[i]['ever_false']:.1f}" for c in report["curve"].values()]
        rows.append([f"{point['p_leak']:g}", *cells])
    return table(["p_leak", *(SUITES[suite] for suite in report["curve"])], rows)


def cost(report):
    spent = report["cost"]
    return (f"{spent['nanoseconds_per_sample']:.0f} ns a sample, {spent['milliseconds_per_verdict']:.2f} ms a verdict "
            f"(worst {spent['milliseconds_worst_verdict']:.1f} ms), {spent['kilobytes_per_series']:.0f} KiB a series "
            f"(largest {spent['kilobytes_largest']:.0f} KiB).")


def programs(rows):
    return table(["program", "truth", "verdict", "p_leak", "grade"],
                 [[f"`{row['program']}`", row["truth"], row["verdict"], f"{row['p_leak']:.3f}", row["grade"]] for row in rows])


def made_with(name):
    """First line of the text that goes with the numbers: commit, date and command."""
    return (OUT / name).read_text().splitlines()[0]


def main():
    parts = {}
    if (OUT / "verdict.json").exists():
        report = json.loads((OUT / "verdict.json").read_text())
        parts |= {"made": made_with("verdict.txt"), "baselines": comparison(report, "a"), "suites": suites(report), "goals": goals(report),
                  "classes": classes(report), "reliability": reliability(report), "cost": cost(report),
                  "baselines elsewhere": "\n\n".join(f"### {SUITES[suite]}\n\n{comparison(report, suite)}" for suite in SUITES if suite != "a")}
        if "curve" in report:
            parts["curve"] = curve(report)
    if (OUT / "programs.json").exists():
        rows = json.loads((OUT / "programs.json").read_text())
        parts |= {"programs made": made_with("programs.txt"), "programs": programs(rows)}
    text = DOCUMENT.read_text()
    for name, part in parts.items():
        text, count = re.subn(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{part}\n{found[2]}", text, flags=re.S)
        if count != 1:
            raise SystemExit(f"docs/accuracy.md has {count} places for '{name}'")
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
