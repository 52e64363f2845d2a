#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where the documents and the binary tell different stories: tools/check_docs.py build/tidegauge

Commands, options and exit codes are compared with what the binary and the code say; links between
documents must lead somewhere; a fenced block marked ```console run``` must print what it shows, where a
line that is only … stands for any lines and … inside a line for any text.
"""
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Binary:
    """What a built tidegauge says about itself."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        listed = self.help().partition("commands:\n")[2].partition("\n\n")[0]
        self.commands = re.findall(r"^  ([a-z-]+) ", listed, re.M)

    def help(self, *words: str) -> str:
        command = [self.path, *words, "--help"]
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60).stdout

    def options(self, command: str) -> set:
        """The long ones, as `tidegauge COMMAND --help` lists them; --help itself is everybody's."""
        starts = [re.match(r"\s+(?:-\w, ?)?(--[a-z][a-z0-9-]*)", line) for line in self.help(command).splitlines()]
        return {found[1] for found in starts if found} - {"--help"}


def documents() -> list:
    return sorted(path for place in (".", "docs", "examples/*") for path in ROOT.glob(f"{place}/*.md"))


def differences(where: str, what: str, found: set, expected: set) -> list:
    return [f"{where} names {what} {name}, which tidegauge does not have" for name in sorted(found - expected)] + [
        f"{where} does not name {what} {name}" for name in sorted(expected - found)
    ]


def check_commands(binary: Binary) -> list:
    """README.md and docs/commands.md have a row for each command."""
    wrong = []
    for name in ("README.md", "docs/commands.md"):
        rows = re.findall(r"^\| `tidegauge ([a-z-]+)", (ROOT / name).read_text(), re.M)
        wrong += differences(name, "the command", set(rows), set(binary.commands))
    return wrong


def check_man_page(binary: Binary) -> list:
    text = (ROOT / "docs/tidegauge.1").read_text()
    sections = dict(re.findall(r"^\.Ss ([a-z-]+)\n(.*?)(?=^\.S[sh] |\Z)", text, re.M | re.S))
    wrong = differences("docs/tidegauge.1", "the command", set(sections), set(binary.commands))
    for name in sections.keys() & set(binary.commands):
        found = {f"--{word}" for word in re.findall(r"^\.It .*?Fl -([a-z][a-z0-9-]*)", sections[name], re.M)}
        wrong += differences(f"docs/tidegauge.1, {name},", "the option", found, binary.options(name))
    return wrong


def check_exit_codes(_: Binary) -> list:
    code = (ROOT / "src/cli/exit_codes.h").read_text()
    expected = set(re.findall(r"^  k\w+ = (\d+),", code, re.M))
    text = (ROOT / "docs/commands.md").read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    return differences("docs/commands.md", "the exit code", set(re.findall(r"^\| (\d+) \|", text, re.M)), expected)


def anchor_of(heading: str) -> str:
    """As GitHub makes it: lower case, blanks to hyphens, no punctuation."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    kept = (c for c in plain if c in " -_" or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def check_links(_: Binary) -> list:
    wrong = []
    for path in documents():
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"", text):
            name, _, anchor = (target[0] or target[1]).partition("#")
            if re.match(r"[a-z]+:", name):
                continue
            there = (path.parent / name).resolve() if name else path
            if not there.exists():
                wrong.append(f"{path.relative_to(ROOT)} links to {name}, which is not there")
            elif anchor and there.suffix == ".md":
                headings = re.findall(r"^#+ (.*)$", there.read_text(), re.M)
                if anchor not in map(anchor_of, headings):
                    wrong.append(f"{path.relative_to(ROOT)} links to {name}#{anchor}, a heading that is not there")
    return wrong


def pattern_of(shown: str) -> re.Pattern:
    lines = ["(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + "\n" for line in shown.splitlines()]
    return re.compile("".join(lines))


def check_console_blocks(binary: Binary) -> list:
    wrong = []
    environment = {**os.environ, "PATH": f"{binary.path.parent}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    for path in documents():
        for block in re.findall(r"^```console run\n(.*?)^```", path.read_text(), re.M | re.S):
            for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, shown = step.partition("\n")
                done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True, timeout=120,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if not pattern_of(shown).fullmatch(done.stdout):
                    wrong.append(f"{path.relative_to(ROOT)} shows another output of `{command}` than this:\n{done.stdout}")
    return wrong


CHECKS = (check_commands, check_man_page, check_exit_codes, check_links, check_console_blocks)


def main() -> int:
    binary = Binary(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "tidegauge")
    if not binary.commands:
        print(f"{binary.path} --help lists no commands")
        return 1
    wrong = [problem for check in CHECKS for problem in check(binary)]
    print("\n".join(wrong) or f"{len(CHECKS)} checks: the documents agree with the binary")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
