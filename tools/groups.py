#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says which source files can be compiled as one: tools/groups.py SRC FILE... prints a line "GROUP FILE" for each.

Most of the time that a file takes to compile goes into headers that others include, too. The files of a group are
included into one file, one after the other, so the names that each keeps to itself, in an unnamed namespace, meet.
Two files come into one group only if no such name of the one is a word of the other, or of a header that only the
other includes: then nothing means something else than it does alone. What this overlooks does not compile.
"""
import functools
import pathlib
import re
import sys

MOST_FILES = 10  # more share little more, and leave one of two cores waiting at the end
# These define macros with everyday names.
KEEPS_ALONE = re.compile(r"#include <n?curses")

RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.M)
# clang-format leaves what a namespace declares at the start of the line.
TYPE = re.compile(r"^(?:enum class|enum|struct|class|union) ([A-Za-z_]\w*)", re.M)
ALIAS = re.compile(r"^using ([A-Za-z_]\w*) *=", re.M)
DEFINED_TYPE = re.compile(r"^(?:enum class|enum|struct|class|union) ([A-Za-z_]\w*)[^;\n]*\{", re.M)
NAME = re.compile(
    r"^(?![#}/\s)]|(?:TEST|namespace|template|using|struct|class|union|enum)\b)"
    r"[^\n]*?(?<![\w:])(?!const\b|noexcept\b|override\b)([A-Za-z_]\w*)\s*(?:\(|=|\{|\[|;|$)",
    re.M,
)


class Text:
    """A file's words, and what they say of it."""

    def __init__(self, path: pathlib.Path, src: pathlib.Path):
        text = RAW_TEXT.sub("", path.read_text(encoding="utf-8"))
        self.path = path
        self.keeps_alone = KEEPS_ALONE.search(text) is not None
        self.tests = {"_".join(names) for names in TEST.findall(text)}
        included = (src / name for name in INCLUDE.findall(text))
        self.includes = [header for header in included if header.exists()]
        bare = COMMENT_OR_TEXT.sub("", text)
        self.words = set(WORD.findall(bare))
        self.types = set(DEFINED_TYPE.findall(bare))
        declared = (TYPE, ALIAS, NAME)
        self.own = {name for part in UNNAMED.findall(text) for kind in declared for name in kind.findall(part)}


@functools.lru_cache(maxsize=None)
def text_of(path: pathlib.Path, src: pathlib.Path) -> Text:
    return Text(path, src)


@functools.lru_cache(maxsize=None)
def headers_of(path: pathlib.Path, src: pathlib.Path) -> frozenset:
    found = set()
    for header in text_of(path, src).includes:
        found |= {header} | headers_of(header, src)
    return frozenset(found)


def get_along(one: pathlib.Path, other: pathlib.Path, src: pathlib.Path) -> bool:
    texts = text_of(one, src), text_of(other, src)
    if texts[0].tests & texts[1].tests:
        return False
    types = []
    for mine, yours in (texts, texts[::-1]):
        only_yours = [text_of(header, src) for header in headers_of(yours.path, src) - headers_of(mine.path, src)]
        if any(mine.own & text.words for text in [yours, *only_yours]):
            return False
        types.append({name for text in only_yours for name in text.types})
    return not types[0] & types[1]


def may_join(file: pathlib.Path, group: list, src: pathlib.Path) -> bool:
    if len(group) >= MOST_FILES or any(text_of(each, src).keeps_alone for each in [file, *group]):
        return False
    return all(get_along(file, other, src) for other in group)


def grouped(files: list, src: pathlib.Path) -> list:
    groups = []
    for file in files:
        fitting = next((group for group in groups if may_join(file, group, src)), None)
        if fitting is None:
            groups.append([file])
        else:
            fitting.append(file)
    return groups


def main(src: str, *files: str) -> None:
    for number, group in enumerate(grouped([pathlib.Path(file) for file in files], pathlib.Path(src))):
        for file in group:
            print(number, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
