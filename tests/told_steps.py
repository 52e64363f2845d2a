# SPDX-License-Identifier: Apache-2.0
"""For tests that know which steps a job has told."""


def without_steps_between(marks):
    """Of each look the gauge keeps the first step and the last, so which ones of those between are kept depends on when it looks: they
    are left out here. One that comes twice, or after a later one, is not between two others, and stays."""
    by_source = {}
    for mark in marks:
        if mark["event"] == "step":
            by_source.setdefault(mark["source"], []).append(mark)
    between = {
        id(mark)
        for steps in by_source.values()
        for before, mark, after in zip(steps, steps[1:], steps[2:])
        if before["value"] < mark["value"] < after["value"]
    }
    return [mark for mark in marks if id(mark) not in between]


def steps_of(marks):
    return [mark["value"] for mark in without_steps_between(marks) if mark["event"] == "step"]
