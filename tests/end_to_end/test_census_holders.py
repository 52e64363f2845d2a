# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` names who holds what: a variable of a function, of a module, of several modules."""
import sys

import pytest
from census_jobs import census_of

LOOKED_AT = """
import sys
class Image:
    def __init__(self): self.pixels = bytearray(1 << 20)
def look(image):
    print("ready", flush=True)
    sys.stdin.readline()
def main():
    rows = [{"image": Image()} for _ in range(500)]
    look(rows[7]["image"])
main()
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before 3.11 a frame is an object that holds its variables")
def test_what_a_function_looks_at_is_held_by_its_holder(call, begin):
    program = begin([sys.executable, "-c", LOOKED_AT])
    assert program.answer() == "ready"
    largest = census_of(call, program.pid)["retainers"][0]
    assert (largest["type"], largest["count"]) == ("__main__.Image", 500)
    assert largest["path"] == "<string>.main() local 'rows'[*]['image']"


BUFFER = """
import sys
kept = bytes(50 << 20)
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_module_level_buffer_has_its_name(call, begin):
    program = begin([sys.executable, "-c", BUFFER])
    program.answer()
    largest = census_of(call, program.pid)["retainers"][0]
    assert (largest["path"], largest["type"], largest["count"]) == ("__main__.kept", "bytes", 1)
    assert largest["retained_bytes"] == (50 << 20) + 33


SHARED_BY_MODULES = """
import sys, types
first, second = bytearray(50 << 20), bytearray(30 << 20)
sys.modules["other"] = other = types.ModuleType("other")
other.first, other.second = first, second
del other
print("ready", flush=True)
sys.stdin.readline()
"""


def test_variables_that_two_modules_share_keep_their_names(call, begin):
    program = begin([sys.executable, "-c", SHARED_BY_MODULES])
    program.answer()
    largest = census_of(call, program.pid)["retainers"][:2]
    assert [(one["path"].partition(".")[2], one["count"]) for one in largest] == [("first", 1), ("second", 1)], largest
