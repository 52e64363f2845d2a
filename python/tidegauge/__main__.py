# SPDX-License-Identifier: Apache-2.0
"""The tidegauge command of this package: `tidegauge …` or `python -m tidegauge …`.

Everything is the program's own business but two words, which are about this Python environment:
    python -m tidegauge enable      let every Python process of this environment look for a gauge above it
    python -m tidegauge disable     take that back
"""
import os
import sys

from tidegauge import _enable
from tidegauge._verdict import binary


def main():
    words = sys.argv[1:]
    if words[:1] == ["enable"]:
        sys.exit(_enable.enable())
    if words[:1] == ["disable"]:
        sys.exit(_enable.disable())
    # The package's own comes first, or this command might find itself.
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tidegauge")
    if not os.access(program, os.X_OK):
        try:
            program = binary()
        except FileNotFoundError as error:
            sys.exit(f"tidegauge: {error}")
        if os.path.realpath(program) == os.path.realpath(sys.argv[0]):
            sys.exit("tidegauge: this installation lacks its program")
    os.execv(program, ["tidegauge", *words])


if __name__ == "__main__":
    main()
