# SPDX-License-Identifier: Apache-2.0
"""Root believes nothing that another user can have written: no gauge above it, no checkpoint to go on from."""
import ctypes
import os
import signal

import pytest

from tidegauge import _enable, checkpoint

NOBODY = 65534
PR_SET_NAME = 15
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be two users")


def seen_of(user):
    """The ring that is found in a process of this user that calls itself a gauge."""
    told, tells = os.pipe()
    gauge = os.fork()
    if gauge == 0:
        os.setresuid(user, user, user)
        ctypes.CDLL(None).prctl(PR_SET_NAME, b"tidegauge", 0, 0, 0)
        os.memfd_create("tidegauge-ring")
        os.write(tells, b"ready")
        signal.pause()
    try:
        os.read(told, 5)
        return _enable._ring_of(gauge)
    finally:
        os.kill(gauge, signal.SIGKILL)
        os.waitpid(gauge, 0)
        os.close(told)
        os.close(tells)


@needs_root
def test_root_speaks_to_no_gauge_of_another_user():
    assert seen_of(0) is not None
    assert seen_of(NOBODY) is None


@needs_root
@pytest.mark.parametrize("written_by_another", ["file", "folder", "file in a folder", "nothing"])
def test_root_goes_on_from_its_own_checkpoints_alone(written_by_another, tmp_path, monkeypatch):
    path = tmp_path / "checkpoint-8"
    inside = path / "optimizer.pt"
    if written_by_another == "file":
        path.write_text("weights")
    else:
        path.mkdir()
        inside.write_text("weights")
    if written_by_another != "nothing":
        os.chown(inside if written_by_another == "file in a folder" else path, NOBODY, NOBODY)
    monkeypatch.setenv("TIDEGAUGE_RESUME", str(path))
    monkeypatch.setattr(checkpoint, "_went_on", False)
    assert checkpoint.take_resume_path() == (str(path) if written_by_another == "nothing" else "")
    assert checkpoint.take_resume_path() == "", "once"
