#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy-14 over src/, as a build folder compiles it: tools/tidy.py BUILD [FILE...]

Files that are compiled as a group are looked at as one, which takes a quarter of the time. A group is looked at again only if
a file or header of ours in it, its flags or the checks have changed since it was last found clean; clean bills are kept in
the cache folder, by content.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
# Tests are left out: the macros of gtest cost most of the time and most of the false alarms.
LEFT_OUT = ("_test.cc", "_bench.cc")
LOOKED_AT = ROOT / "src"


def bills_folder() -> pathlib.Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(cache) / "tidegauge" / "tidy"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = ROOT / ".cache" / "tidy"
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def headers_by_object(build: pathlib.Path) -> dict:
    """What each object was made from, as ninja knows it from the last build."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    headers, current = {}, None
    for line in listing.splitlines():
        if line.startswith("    "):
            headers[current].append((build / line.strip()).resolve())
        elif ": #deps" in line:
            current = line.split(": #deps")[0]
            headers[current] = []
    return headers


def fingerprint(entry: dict, headers: list, salt: bytes) -> str:
    digest = hashlib.sha256(salt)
    digest.update(entry["command"].replace(str(ROOT), "").encode())
    ours = {path for path in headers if ROOT in path.parents}
    for path in sorted(ours | {pathlib.Path(entry["file"])}):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_group(path: str) -> bool:
    return pathlib.Path(path).parent.name == "Unity"


def is_ours(path: str) -> bool:
    if is_group(path):
        return not pathlib.Path(path).parent.parent.name.endswith("_test.dir")
    return LOOKED_AT in pathlib.Path(path).parents and not path.endswith(LEFT_OUT)


def look_at(build: pathlib.Path, path: str) -> tuple:
    command = [TIDY, "--quiet", "-p", str(build), path]
    # Flags that only g++ knows are no finding.
    command += ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-unused-command-line-argument"]
    if is_group(path):
        # Its files are included: that is what a group is, and they are to be analysed as if they were not.
        command += ["--checks=-bugprone-suspicious-include", "--extra-arg=-Xclang", "--extra-arg=-analyzer-opt-analyze-headers"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + (done.stderr if done.returncode else "")


def main() -> int:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    wanted = {str(pathlib.Path(name).resolve()) for name in sys.argv[2:]}
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    salt = version + (ROOT / ".clang-tidy").read_bytes()
    headers = headers_by_object(build)
    bills = bills_folder()
    due = {}
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    if not wanted:
        wanted = {path for path in entries if is_ours(path)}
    for path, entry in sorted(entries.items()):
        if path not in wanted:
            continue
        bill = bills / fingerprint(entry, headers.get(entry.get("output", ""), []), salt)
        if not bill.exists():
            due[path] = bill
    print(f"{len(wanted)} files, {len(due)} of them to look at", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(look_at, build, path): path for path in due}
        for count, done in enumerate(concurrent.futures.as_completed(running), 1):
            path = running[done]
            status, words = done.result()
            name = os.path.relpath(path, ROOT)
            if status == 0:
                due[path].touch()
                print(f"[{count}/{len(due)}] {name}", flush=True)
            else:
                failed += 1
                print(f"[{count}/{len(due)}] {name}: FAILED\n{words}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
