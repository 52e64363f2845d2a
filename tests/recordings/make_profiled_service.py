#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records tests/programs/profiled_service.py anew, with the profiles that it takes of itself: profiled_service.jsonl beside this file.

    tests/recordings/make_profiled_service.py build/tidegauge
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent / "programs" / "profiled_service.py"
SECONDS = 165


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def main():
    with tempfile.TemporaryDirectory() as folder:
        recording, profiles = pathlib.Path(folder, "service.tg"), pathlib.Path(folder, "profiles.jsonl")
        subprocess.run([sys.argv[1], "run", "--record", recording, "--", "python3", PROGRAM.name, profiles, str(SECONDS)],
                       cwd=PROGRAM.parent, check=True)
        lines = lines_of(subprocess.run(["zstdcat", recording], check=True, capture_output=True, text=True).stdout)
        began = lines[0]["started_unix_ns"]
        for line in lines:
            # Whose machine it was, and from where it was run, is nobody's business.
            line.update({key: value for key, value in {"host": "node7", "command": "python3 profiled_service.py"}.items() if key in line and line["kind"] == "recording"})
            if line["kind"] == "process" and PROGRAM.name in line["command"]:
                line["command"] = f"python3 {PROGRAM.name}"
        for line in lines_of(profiles.read_text(encoding="utf-8")):
            line["t"] = round((line["t"] - began) / 1e9, 6)
            for place in line["places"]:
                place["file"] = place["file"].replace(str(PROGRAM.parent), "/home/me")
            after = next((i for i, other in enumerate(lines) if other.get("t", -1) > line["t"]), len(lines))
            lines.insert(after, line)
    (HERE / "profiled_service.jsonl").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
