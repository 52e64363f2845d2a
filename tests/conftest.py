# SPDX-License-Identifier: Apache-2.0
"""What the tests of all folders share."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def tidegauge() -> pathlib.Path:
    """The binary under test: $TIDEGAUGE, or the one that `make build` leaves."""
    path = pathlib.Path(os.environ.get("TIDEGAUGE", ROOT / "build" / "tidegauge")).resolve()
    if not path.exists():
        pytest.exit(f"there is no {path}: run `make build`, or set TIDEGAUGE", returncode=2)
    return path


@pytest.fixture
def started():
    """started(words, stdout=subprocess.PIPE, …): a process that is ended with the test, whatever became of it, and its pipes closed."""
    processes = []

    def start(words, **options):
        processes.append(subprocess.Popen([str(word) for word in words], text=True, **options))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()
        for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
            pipe.close()


@pytest.fixture
def small_disk(tmp_path):
    """small_disk("64k"): a folder on a file system in memory with no more room than that; with full=True, not a byte of it is left.
    With files=4, there may be no more files than that."""
    mounted = []

    def make(size, full=False, files=None):
        place = tmp_path / f"disk {len(mounted)}"
        place.mkdir()
        options = f"size={size}" + (f",nr_inodes={files + 1}" if files else "")  # the folder is one, too
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], capture_output=True).returncode != 0:
            pytest.skip("no file system can be mounted here")
        mounted.append(place)
        if full:
            with pytest.raises(OSError), open(place / "stuff", "wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
        return place

    yield make
    for place in mounted:
        subprocess.run(["umount", place], check=True)
