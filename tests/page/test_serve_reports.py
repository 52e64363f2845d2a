# SPDX-License-Identifier: Apache-2.0
"""Reports that `tidegauge serve` makes of recordings, whatever is in these, and whoever is slow: nobody waits for another."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import hostile_files
import pytest
from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
AT_ONCE = 1.0  # seconds: what nothing hostile may hold up
TRIES = 3  # a busy machine may be late once
PATIENCE = 60


@pytest.fixture
def server(tidegauge, tmp_path):
    made = Server(tidegauge, tmp_path)
    assert made.json("/api/recordings")["recordings"] == []  # and its folder is made
    good = made.recordings / "good.tg"
    shutil.copy(ROOT / "tests" / "recordings" / "incident_four_workers.tg", good)
    yield made
    made.stop()


def seconds(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def assert_at_once(action):
    taken = [seconds(action) for _ in range(TRIES)]
    assert min(taken) < AT_ONCE, taken


def reports_of(server):
    """Processes that make a report for this server."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True, check=True).stdout
    parents, names = {}, {}
    for line in listed.splitlines()[1:]:
        pid, parent, name = line.split(None, 2)
        parents[int(pid)], names[int(pid)] = int(parent), name

    def is_ours(pid):
        while pid in parents and pid != server.process.pid:
            pid = parents[pid]
        return pid == server.process.pid

    return [pid for pid, name in names.items() if name == "tidegauge-repor" and is_ours(pid) and parents[pid] not in (1, server.process.pid)
            and names.get(parents[pid]) == "tidegauge-repor"]  # fmt: skip


@pytest.fixture
def hostile(server):
    """The name of a recording that takes nearly a minute, and a request for it that is under way."""
    content = hostile_files.FILES["many_pids_that_change"]()[1]
    (server.recordings / "hostile.tg").write_bytes(content * (24_000_000 // len(content)))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        server.asked = [pool.submit(server.ask, "/api/recordings/hostile.tg")]
        until = time.monotonic() + PATIENCE
        while not reports_of(server):
            assert time.monotonic() < until
        server.pool = pool
        yield "hostile.tg"
        server.stop()  # and with it everything that was asked


def test_others_do_not_wait_for_a_hostile_recording(server, hostile):
    assert_at_once(lambda: server.json("/api/recordings/good.tg"))
    assert_at_once(lambda: server.json("/api/recordings"))
    assert_at_once(lambda: server.ask("/", token=False))
    assert not server.asked[0].done()
    # Of the same one only a few wait, and the others hear so at once.
    more = [server.pool.submit(server.ask, f"/api/recordings/{hostile}") for _ in range(5)]
    done, _ = concurrent.futures.wait(more, timeout=PATIENCE, return_when=concurrent.futures.FIRST_COMPLETED)
    status, headers, text = done.pop().result()
    assert status == 503 and headers["Retry-After"] and "try again" in text
    assert_at_once(lambda: server.json("/api/recordings/good.tg"))


def test_a_report_is_made_without_rights_and_its_end_is_told(server, hostile):
    (maker,) = reports_of(server)
    until = time.monotonic() + PATIENCE
    while True:  # it has given up its rights a moment after it began
        said = dict(re.findall(r"^(\w+):\t(.*)$", pathlib.Path(f"/proc/{maker}/status").read_text(), re.M))
        if said["NoNewPrivs"] == "1":
            break
        assert time.monotonic() < until
    assert int(said["CapEff"], 16) == int(said["CapPrm"], 16) == 0
    assert "0" not in said["Uid"].split()
    limits = pathlib.Path(f"/proc/{maker}/limits").read_text()
    assert re.search(r"Max cpu time +60 ", limits) and re.search(r"Max file size +0 ", limits)
    assert said["Seccomp"] == "2" and len(os.listdir(f"/proc/{maker}/fd")) <= 6
    assert not re.search(r"Max data size +unlimited", limits)
    os.kill(maker, signal.SIGKILL)  # as the kernel does at a limit
    status, _, text = server.asked[0].result(timeout=PATIENCE)
    assert status == 504 and "60 s" in text and "1024 MiB" in text


def test_small_hostile_recordings_are_told_with_what_was_left_out(server):
    (server.recordings / "small.tg").write_bytes(hostile_files.FILES["many_pids_that_change"]()[1])
    report = server.json("/api/recordings/small.tg")
    assert any("far more work" in note for note in report["notes"])


def test_links_are_not_followed_and_nothing_is_quoted(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0:hunter2\n")
    (server.recordings / "link.tg").symlink_to(secret)
    shutil.copy(secret, server.recordings / "text.tg")
    shutil.copy(ROOT / "tests" / "recordings" / "incident_four_workers.tg", tmp_path / "outside.tg")
    (server.recordings / "outside.tg").symlink_to(tmp_path / "outside.tg")
    os.mkfifo(server.recordings / "pipe.tg")
    names = [one["name"] for one in server.json("/api/recordings")["recordings"]]
    assert sorted(names) == ["good.tg", "text.tg"]
    for name in ("link.tg", "outside.tg", "pipe.tg"):
        for what in ("", "/page"):
            assert server.ask(f"/api/recordings/{name}{what}")[0] == 404
    status, _, text = server.ask("/api/recordings/text.tg")
    assert status == 422 and "no recording" in text
    assert "hunter2" not in text and "root" not in text


def connected(server, count):
    return [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(count)]


def test_slow_connections_hold_nobody_up(server):
    """Without a token: some send nothing, some half a request, some ask for the page and take none of it."""
    half = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode()
    taken = []
    for _ in range(TRIES):  # others each time: of those that were slow for long the server has let go
        lines = connected(server, 300)
        for i, line in enumerate(lines):
            line.sendall([b"G", half, half + b"\r\n"][i % 3])
        taken.append(seconds(lambda: server.ask("/metrics")))
        for line in lines:
            line.close()
    assert min(taken) < AT_ONCE, taken


def test_more_connections_than_are_taken_at_once_are_all_answered(server):
    """1,000 of them: bench/serve/connections.py."""
    lines = connected(server, 400)
    for line in lines:
        line.sendall(f"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode())
    assert {line.recv(12) for line in lines} == {b"HTTP/1.1 200"}
    for line in lines:
        line.close()


def test_no_other_port_is_taken_by_itself(tidegauge, tmp_path):
    """Whoever was told the usual one would show the token to the program that has it."""
    with socket.socket() as taken:
        try:
            taken.bind(("127.0.0.1", 8433))
            taken.listen()
        except OSError:
            pass  # somebody has it already
        done = subprocess.run([tidegauge, "serve"], env={**os.environ, "XDG_STATE_HOME": str(tmp_path)}, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3
    assert "port 8433" in done.stderr and "--port 0" in done.stderr and "token" in done.stderr
    assert "http://" not in done.stderr
