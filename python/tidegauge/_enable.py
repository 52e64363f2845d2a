# SPDX-License-Identifier: Apache-2.0
"""For jobs whose launcher empties the environment (`env -i`, sudo, a scheduler): a line in this Python environment, written only
on request, that lets each Python process look for a gauge among its ancestors."""
import os
import sys

NAME = "tidegauge-enabled.pth"
# Runs in every Python process of the environment, and twice in some: short, silent, and the rest only below a gauge.
LINE = "import sys; exec('try:\\n from tidegauge import _enable; _enable.look_up()\\nexcept Exception: pass')\n"
MOST_ANCESTORS = 64


def _folder():
    """Where this package is installed, and where its line belongs."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _list_of_files():
    """The installer's list of this package's files, by which it uninstalls; None where the package was not installed."""
    import glob

    found = glob.glob(os.path.join(glob.escape(_folder()), "tidegauge-*.dist-info", "RECORD"))
    return found[0] if len(found) == 1 else None


def _is_read_at_start(folder):
    """Whether Python looks for .pth files there."""
    import site

    places = [*site.getsitepackages(), site.getusersitepackages()]
    return os.path.realpath(folder) in map(os.path.realpath, places)


def _entry():
    """Our file in the installer's list: its name, hash and size."""
    import base64
    import hashlib

    digest = base64.urlsafe_b64encode(hashlib.sha256(LINE.encode()).digest()).rstrip(b"=").decode()
    return f"{NAME},sha256={digest},{len(LINE)}\n"


def _write_list(path, entries):
    """Whole or not at all: half a list could not be uninstalled."""
    import shutil

    new = path + ".tidegauge"
    with open(new, "w", encoding="utf-8", newline="") as file:
        file.writelines(entries)
    shutil.copymode(path, new)
    os.replace(new, path)


def _others(path):
    """What the list names besides our file."""
    with open(path, encoding="utf-8", newline="") as file:
        entries = [line for line in file.read().splitlines(keepends=True) if not line.startswith(NAME + ",")]
    if entries and not entries[-1].endswith("\n"):
        entries[-1] += "\n"
    return entries


def enable():
    folder, files = _folder(), _list_of_files()
    if files is None:
        return f"tidegauge: {folder} has no list of this package's files, so that uninstalling would leave something behind: install it with pip"
    if not _is_read_at_start(folder):
        return f"tidegauge: Python does not look for .pth files in {folder}"
    try:
        # First the list: a name in it without a file does no harm, a file without a name would stay for ever.
        _write_list(files, [*_others(files), _entry()])
        with open(os.path.join(folder, NAME), "w", encoding="utf-8") as file:
            file.write(LINE)
    except OSError as error:
        return f"tidegauge: {error}"
    print(f"Every Python process that uses {folder} looks for a gauge above it from now on.")
    print("`python -m tidegauge disable` takes it back; so does uninstalling or upgrading the package.")
    return 0


def disable():
    try:
        os.unlink(os.path.join(_folder(), NAME))
    except FileNotFoundError:
        print("It was not enabled.")
    except OSError as error:
        return f"tidegauge: {error}"
    files = _list_of_files()
    try:
        if files is not None:
            _write_list(files, _others(files))
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
        ring = f"{folder}/{name}"
        # Any user can call a program tidegauge, and start ours by sudo: root tells nobody else what it does.
        if os.readlink(ring).startswith("/memfd:tidegauge-ring") and os.stat(ring).st_uid in (0, os.geteuid()):
            return ring
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
