# SPDX-License-Identifier: Apache-2.0
"""A service that forgets nothing it has answered, and tells where its memory was allocated: from time to time it appends what tracemalloc
knows to a file, as profile lines of a recording (docs/recording-format.md) whose `t` is the wall clock in nanoseconds.

    python profiled_service.py PROFILES SECONDS
"""
import json
import os
import sys
import time
import tracemalloc

MOST_SITES = 40
PROFILE_EVERY_S = 14
ANSWER_EVERY_S = 0.1


class Answers:
    """The leak: a cache by request, and no two requests are the same."""

    def __init__(self):
        self.kept = {}

    def remember(self, key, answer):
        self.kept[key] = answer, bytearray(60_000)


def fetch(number):
    return json.dumps({"id": number, "rows": [{"name": f"row {i} of {number}" * 60, "score": i * 0.5} for i in range(24)]})


def parse(text):
    return json.loads(text)


def handle(number, answers):
    answer = parse(fetch(number))
    answers.remember(f"/item?id={number}", answer)
    return len(answer["rows"])


def load_model():
    """What a service loads once, and keeps."""
    return [bytearray(1 << 20) for _ in range(48)]


def profile():
    numbers, places, sites = {}, [], []
    for trace in tracemalloc.take_snapshot().statistics("traceback")[:MOST_SITES]:
        stack = []
        for frame in trace.traceback:
            key = frame.filename, frame.lineno
            if key not in numbers:
                numbers[key] = len(places)
                places.append({"function": function_of(*key), "file": frame.filename, "line": frame.lineno})
            stack.append(numbers[key])
        sites.append({"stack": stack, "live": trace.size / 1024, "live_count": trace.count})
    return {"kind": "profile", "t": time.time_ns(), "pid": os.getpid(), "start": start_ticks(), "sampler": "tracemalloc", "sampled_every": 0,
            "places": places, "sites": sites}


def function_of(file, line):
    """tracemalloc knows lines, not functions: the `def` that the line is indented below is the one."""
    try:
        with open(file, encoding="utf-8") as source:
            lines = source.readlines()[:line]
    except OSError:
        return ""
    indent = len(lines[-1]) - len(lines[-1].lstrip())
    for text in reversed(lines):
        depth = len(text) - len(text.lstrip())
        if text.isspace() or depth >= indent:
            continue
        if text.lstrip().startswith("def "):
            return text.split("def ", 1)[1].split("(", 1)[0]
        indent = depth
    return "<module>"


def start_ticks():
    with open("/proc/self/stat", encoding="utf-8") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[19])


def serve(out, seconds, answers):
    began = last = time.monotonic()
    number = 0
    while (now := time.monotonic()) - began < seconds:
        handle(number, answers)
        number += 1
        if now - last >= PROFILE_EVERY_S:
            last = now
            out.write(json.dumps(profile()) + "\n")
            out.flush()
        time.sleep(ANSWER_EVERY_S)


def main():
    tracemalloc.start(16)
    model = load_model()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        serve(out, float(sys.argv[2]), Answers())
    return len(model)


if __name__ == "__main__":
    main()
