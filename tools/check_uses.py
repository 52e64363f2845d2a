#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a file under src/ includes a module that CMakeLists.txt does not let it use, or names /proc outside the sources proc and census,
or if two headers of a module give a type the same name: where both are never included together no compiler sees it, and the linker takes one's
functions for the other's."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent
RULE = re.compile(r"^module\((\w+)(?:\s+USES\s+([\w\s]+?))?(?:\s+LINKS\s+[^)]*)?\)", re.M)
INCLUDE = re.compile(r'^#include "(\w+)/', re.M)
TYPE = re.compile(r"^(?:enum class|enum|struct|class|union) (\w+)[^;\n]*\{", re.M)

uses = {name: set(names.split()) for name, names in RULE.findall((ROOT / "CMakeLists.txt").read_text())}
folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
wrong = [f"src/{name} is no module of CMakeLists.txt" for name in sorted(folders - uses.keys())]


def cycle(name: str, seen: tuple = ()) -> list:
    if name in seen:
        return [" -> ".join([*seen, name])]
    return [found for used in sorted(uses.get(name, ())) for found in cycle(used, (*seen, name))]


wrong += [f"modules use each other in a circle: {found}" for name in uses for found in cycle(name)][:1]
for module, allowed in uses.items():
    headers = {path.name: set(TYPE.findall(path.read_text())) for path in (ROOT / "src" / module).glob("*.h")}
    for name, times in sorted(collections.Counter(name for names in headers.values() for name in names).items()):
        if times > 1:
            where = " and ".join(sorted(header for header, names in headers.items() if name in names))
            wrong.append(f"src/{module} has two types that are called {name}, in {where}")
    for path in sorted((ROOT / "src" / module).glob("*.[ch]*")):
        text = path.read_text()
        where = path.relative_to(ROOT)
        wrong += [
            f"{where} includes {used}, which {module} does not use"
            for used in INCLUDE.findall(text)
            if used != module and used not in allowed
        ]
        code = re.sub(r"//[^\n]*", "", text)
        if module not in ("proc", "census") and not path.name.endswith("_test.cc") and '"/proc' in code:
            wrong.append(f'{where} names "/proc", which only the modules proc and census may open')
print("\n".join(wrong) or f"{len(uses)} modules use only what they may")
sys.exit(bool(wrong))
