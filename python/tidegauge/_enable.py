# SPDX-License-Identifier: Apache-2.0
"""For jobs whose launcher empties the environment (`env -i`, sudo, a scheduler): a line in this Python environment, written only
on request, that lets each Python process look for a gauge among its ancestors."""
import os
import sys

NAME = "tidegauge-enabled.pth"
# Runs in every Python process of the environment, and twice in some: short, silent, and the rest only below a gauge.
LINE = "import sys; exec('try:\\n from tidegauge import _enable; _enable.look_up()\\nexcept Exception: pass')\n"
MOST_ANCESTORS = 64


def _place():
    import sysconfig

    return os.path.join(sysconfig.get_path("purelib"), NAME)


def enable():
    path = _place()
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(LINE)
    except OSError as error:
        return f"tidegauge: {error}"
    print(f"Every Python process that uses {os.path.dirname(path)} looks for a gauge above it from now on.")
    print("`python -m tidegauge disable` takes it back; uninstalling the package alone leaves that file, which then does nothing.")
    return 0


def disable():
    try:
        os.unlink(_place())
    except FileNotFoundError:
        print("It was not enabled.")
    except OSError as error:
        return f"tidegauge: {error}"
    return 0


def _parent(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name may hold anything, blanks and parentheses too; the fields follow the last one.
        return int(file.read().rpartition(b")")[2].split()[1])


def _ring_of(pid):
    """The ring of this process, if it is a gauge."""
    with open(f"/proc/{pid}/comm", "rb") as file:
        if file.read().strip() != b"tidegauge":
            return None
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        if os.readlink(f"{folder}/{name}").startswith("/memfd:tidegauge-ring"):
            return f"{folder}/{name}"
    return None


def find_ring():
    """The ring of the nearest gauge among our ancestors, or None."""
    pid = os.getppid()
    for _ in range(MOST_ANCESTORS):
        if pid <= 1:
            return None
        try:
            ring = _ring_of(pid)
            if ring is not None:
                return ring
            pid = _parent(pid)
        except (OSError, ValueError, IndexError):
            return None
    return None


def look_up():
    """Begins to listen to this process if a gauge is above it and has not reached it otherwise."""
    if os.environ.get("TIDEGAUGE_RING") or os.environ.get("TIDEGAUGE_NO_HOOKS"):
        return
    ring = find_ring()
    if ring is None:
        return
    os.environ["TIDEGAUGE_RING"] = ring  # its children need not look
    from tidegauge import _channel

    _channel.functions()
