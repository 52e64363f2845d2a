# SPDX-License-Identifier: Apache-2.0
"""The CPythons that are here, for tests that hold for every one of them."""
import functools
import glob
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

WHICH = """import sys, sysconfig
without_lock = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print(sys.version_info >= (3, 9), sys.implementation.name, "%d.%d.%d" % sys.version_info[:3] + without_lock)"""


class Python:
    """A CPython that can be run here; one in a folder of its own by chroot, as a container would."""

    def __init__(self, version, command, root=None):
        self.version, self.command, self.root = version, command, root

    def place(self, script):
        """Where that Python finds a script of ours."""
        if not self.root:
            return script
        copy = self.root / "tmp" / f"{os.getpid()}-{script.name}"
        shutil.copy(script, copy)
        copy.replace(self.root / "tmp" / script.name)  # in one piece: other tests start it meanwhile
        return f"/tmp/{script.name}"

    def file(self, folder, name):
        """A file that it can write: where it is for us, and for that Python."""
        if not self.root:
            return folder / name, folder / name
        return self.root / "tmp" / f"{os.getpid()}-{name}", f"/tmp/{os.getpid()}-{name}"


def cache_folder():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))) / "tidegauge"


def newest_pythons():
    """3.14 and 3.15 from Debian's development branch: where we are root, and they were unpacked or can be."""
    made = cache_folder() / "newest-pythons"
    if os.geteuid() != 0 or not (made / "ready").exists():
        return {}
    root = made / "root"
    found = {}
    for name in ("python3.14", "python3.15"):
        told = subprocess.run(["chroot", root, name, "-c", "import sys; print(sys.version.split()[0])"], capture_output=True, text=True)
        if told.returncode == 0:
            version = told.stdout.strip()
            found[version] = Python(version, ["chroot", str(root), name], root)
    return found


def free_threaded_pythons():
    """Programs without a global lock, which no package here has: named in an environment variable, on the path, or kept."""
    kept = cache_folder() / "free-threaded" / "*" / "bin" / "python3.*t"
    on_the_path = [shutil.which(f"python3.{minor}t") for minor in range(13, 17)]
    named = os.environ.get("TIDEGAUGE_FREE_THREADED_PYTHONS", "").split(":")
    return [path for path in [*named, *on_the_path, *sorted(glob.glob(str(kept)))] if path]


@functools.lru_cache(None)
def all_pythons():
    found = {}
    versions = os.path.expanduser("~/.pyenv/versions/*/bin/python3")
    for path in [sys.executable, "/usr/bin/python3", *sorted(glob.glob(versions)), *free_threaded_pythons()]:
        if not os.path.exists(path):
            continue
        told = subprocess.run([path, "-c", WHICH], capture_output=True, text=True)
        good, name, version = (told.stdout.split() + ["", "", ""])[:3]
        if good == "True" and name == "cpython":
            found.setdefault(version, Python(version, [path]))
    return {**found, **newest_pythons()}


def pythons():
    """Every CPython from 3.9 on that is here, each version once. `tools/newest_pythons` fetches 3.14 and 3.15; those without a
    global lock have a `t` behind their version, and are tested where there are some: see free_threaded_pythons."""
    return [pytest.param(python, id=version) for version, python in all_pythons().items()]


def of_different_kinds():
    """The first, the last, and one without a global lock if there is any."""
    free_threaded = [param for param in pythons() if param.id.endswith("t")]
    return [*pythons()[:1], *pythons()[-1:], *free_threaded[:1]]


def where_anybody_may_run(python, folder):
    """A copy of a Python with as much of its library as it needs to begin: its words, and its environment."""
    version = ".".join(python.version.split(".")[:2])
    said = subprocess.run([*python.command, "-c", "import sys; print(sys.executable, sys.base_prefix)"], capture_output=True, text=True)
    root = pathlib.Path(python.root or "/")
    program, prefix = ((root / path.lstrip("/")).resolve() for path in said.stdout.split())
    library = folder / "lib" / f"python{version}"
    library.mkdir(parents=True)
    (library / "lib-dynload").mkdir()
    for file in (prefix / "lib" / f"python{version}").glob("*.py"):
        if file.exists():
            shutil.copy(file, library)
    for package in "encodings", "re", "collections", "importlib":
        if (prefix / "lib" / f"python{version}" / package).exists():
            shutil.copytree(prefix / "lib" / f"python{version}" / package, library / package)
    (folder / "bin").mkdir()
    copy = folder / "bin" / f"python{version}"
    shutil.copy(program, copy)
    for shared in (prefix / "lib").glob(f"libpython{version}*.so.*"):
        shutil.copy(shared, folder / "lib")
    if not python.root:
        return copy, {"LD_LIBRARY_PATH": str(folder / "lib")}
    # One out of another root needs what it finds there: by a program of one line, as distributions have them.
    for name in "libc.so.6", "libm.so.6", "libz.so.1", "libexpat.so.1":
        shutil.copy(root / "usr/lib/x86_64-linux-gnu" / name, folder / "lib")
    shutil.copy(root / "lib64/ld-linux-x86-64.so.2", folder / "lib" / "ld.so")
    copy.rename(folder / "bin" / f"python{version}.real")
    copy.write_text(f'#!/bin/sh\nexec {folder}/lib/ld.so --library-path {folder}/lib {copy}.real "$@"\n')
    copy.chmod(0o755)
    return copy, {}
