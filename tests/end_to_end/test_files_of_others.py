# SPDX-License-Identifier: Apache-2.0
"""Root reads recordings of other users with their rights, not with its own."""
import os
import subprocess
import tempfile

import pytest
from waiting import PATIENCE

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture
def others_file():
    """A table that belongs to nobody, in a folder that nobody can write to."""
    with tempfile.TemporaryDirectory(prefix="tg-others-", dir="/tmp") as folder:
        os.chown(folder, NOBODY, NOBODY)
        path = os.path.join(folder, "rss.csv")
        with open(path, "w") as table:
            table.write("time,rss_mb\n" + "".join(f"{i},{100 + i}\n" for i in range(300)))
        os.chown(path, NOBODY, NOBODY)
        os.chmod(path, 0o600)
        yield path


def rights_of(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return fields["Uid"].split(), fields["Groups"].split(), int(fields["CapPrm"], 16) | int(fields["CapEff"], 16), fields["NoNewPrivs"].strip()


@pytest.mark.parametrize("belongs_to, uids", [(NOBODY, [str(NOBODY)] * 4), (0, ["0"] * 4)])
def test_judge_has_the_rights_of_the_owner(tidegauge, others_file, belongs_to, uids):
    """The markers are a pipe: it waits there until somebody writes, and can be looked at."""
    os.chown(others_file, belongs_to, belongs_to)
    markers = os.path.join(os.path.dirname(others_file), "markers.csv")
    os.mkfifo(markers)
    os.chmod(markers, 0o644)
    process = subprocess.Popen([tidegauge, "judge", others_file, "--markers", markers], stdout=subprocess.PIPE, text=True)
    with open(markers, "w") as writer:  # opens when the other side does
        is_uids, groups, capabilities, no_new = rights_of(process.pid)
        writer.write("time,step,epoch,event\n10,1,,step\n")
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 1) and "MiB" in out, out
    assert is_uids == uids
    if belongs_to != 0:
        assert (groups, capabilities, no_new) in (([], 0, "1"), ([str(NOBODY)], 0, "1"))


def test_a_report_is_written_as_the_owner(tidegauge, others_file):
    done = subprocess.run([tidegauge, "report", others_file], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert os.stat(others_file + ".html").st_uid == NOBODY


def test_where_the_owner_may_not_write_it_is_said(tidegauge, others_file, tmp_path):
    to = tmp_path / "page.html"  # of root alone
    done = subprocess.run([tidegauge, "report", others_file, "-o", to], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3 and "rights of nobody" in done.stderr, done.stderr
    assert not to.exists()


def test_what_the_owner_may_not_read_is_not_read(tidegauge, others_file, tmp_path):
    """One file of another user, and one of root's that this user must not see."""
    secret = tmp_path / "secret.csv"
    secret.write_text("time,rss_mb\n0,1\n")
    done = subprocess.run([tidegauge, "judge", others_file, secret], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3 and "cannot be read by nobody" in done.stderr, done.stderr
