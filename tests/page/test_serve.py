# SPDX-License-Identifier: Apache-2.0
"""Who may ask `tidegauge serve`, and what those get who send nonsense."""
import concurrent.futures
import json
import os
import socket
import subprocess
import time

import pytest
from prometheus_client.openmetrics import parser
from server import Job, Server


@pytest.fixture(scope="module")
def server(tidegauge, tmp_path_factory):
    job = Job()
    made = Server(tidegauge, tmp_path_factory.mktemp("serve"), job.pid)
    made.job = job
    until = time.monotonic() + 60
    while str(job.pid) not in made.ask("/metrics")[2]:
        assert time.monotonic() < until, "the job is not watched"
    yield made
    assert made.stop() == 0
    job.end()


def test_the_page_itself_holds_nothing(server):
    status, headers, text = server.ask("/", token=False)
    assert status == 200
    assert "connect-src 'self'" in text and "connect-src 'none'" not in text
    assert server.token not in text and str(server.job.pid) not in text
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in headers and "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("path", ["/metrics", "/api/stream", "/api/recordings", "/api/recordings/x", "/api/jobs/x/stream", "/nothing"])
def test_without_the_token_nothing_is_told(server, path):
    for token in (False, "0" * 32, server.token[:-1], server.token.upper() + "x"):
        status, _, text = server.ask(path, token=token)
        assert status == 401 and "token" in text
    assert server.ask(path, method="POST", token=False)[0] == 401


def test_other_names_and_other_sites_are_refused(server):
    assert server.ask("/metrics", host="evil.example")[0] == 421
    assert server.ask("/", token=False, host=f"127.0.0.1.evil.example:{server.port}")[0] == 421
    assert server.ask("/metrics", host=f"localhost:{server.port}")[0] == 200
    assert server.ask("/metrics", Origin="http://evil.example")[0] == 403
    assert server.ask("/metrics", Origin="null")[0] == 403
    assert server.ask("/metrics", Origin=f"http://127.0.0.1:{server.port}")[0] == 200
    assert server.ask("/metrics", Sec_Fetch_Site="cross-site")[0] == 403
    assert server.ask("/", token=False, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200


def test_only_what_there_is(server):
    for path in ("/api/recordings/..%2f..%2fetc%2fpasswd", "/api/recordings/../../etc/passwd", "/api/recordings/.", "/api/recordings/",
                 "/api/jobs/1-1/stream", "/api/jobs//census", "/favicon.ico", "/index.html"):
        assert server.ask(path)[0] == 404, path
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"):
        assert server.ask("/metrics", method=method)[0] == 405
    assert server.ask("/metrics", method="POST")[0] == 405


def test_only_this_machine_is_listened_to(server):
    addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()
    for address in [one for one in addresses if ":" not in one]:
        with pytest.raises(OSError):
            socket.create_connection((address, server.port), timeout=2)


def raw(server, request: bytes) -> bytes:
    """What is answered; empty where the connection is cut."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        try:
            line.sendall(request)
            return line.recv(65536)
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_huge_and_senseless_requests_are_cut(server):
    host = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    requests = {
        "address": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "header": b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n",
        "headers": b"GET / HTTP/1.1\r\n" + host + b"".join(b"X%d: y\r\n" % i for i in range(100_000)) + b"\r\n",
        "body": b"POST /api/jobs/x/census HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n" + b"a" * 1_000_000,
        "noise": os.urandom(4096),
        "nothing": b"\r\n\r\n",
        "zeros": b"\0" * 4096,
    }
    for name, request in requests.items():
        answer = raw(server, request)
        assert answer == b"" or not answer.startswith(b"HTTP/1.1 2"), name
    assert server.ask("/metrics")[0] == 200


def test_streams_are_counted_and_come_free_again(server):
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        lines = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(20)]
        request = f"GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()

        def first_line(line):
            line.sendall(request)
            return line.recv(12)

        answers = list(pool.map(first_line, lines))
    assert answers.count(b"HTTP/1.1 200") == 16
    assert answers.count(b"HTTP/1.1 503") == 4
    assert server.ask("/metrics")[0] == 200  # others are still answered
    for line in lines:
        line.close()
    # They are noticed to be gone when the next event cannot be sent.
    until = time.monotonic() + 60
    while one_event(server)[0] != 200:
        assert time.monotonic() < until, "no stream came free"


def one_event(server, **headers):
    with server.stream(**headers) as lines:
        status = int(lines.readline().split()[1])
        if status != 200:
            return status, None, None
        event = {}
        for line in lines:
            name, _, value = line.rstrip("\n").partition(": ")
            if name in ("id", "data"):
                event[name] = value
            if len(event) == 2:
                return status, event["id"], json.loads(event["data"])
    raise AssertionError("the stream ended")


def test_slow_clients_hold_nobody_up(server):
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]  # more than there are threads
    assert server.ask("/metrics")[0] == 200  # once the first of them have had their time
    for line in silent:
        line.close()


def test_ids_begin_with_a_word_of_this_start(server):
    _, first, _ = one_event(server)
    boot, number = first.rsplit("-", 1)
    _, second, _ = one_event(server, Last_Event_ID=first)
    assert second.rsplit("-", 1)[0] == boot and int(second.rsplit("-", 1)[1]) > int(number)
    # A number of another start does not keep anybody waiting for it.
    _, third, _ = one_event(server, Last_Event_ID="another-99999999")
    assert third.startswith(boot)


def test_metrics_are_openmetrics(server):
    """By the strict parser of Prometheus' own Python client."""
    status, headers, text = server.ask("/metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    families = {family.name: family for family in parser.text_string_to_metric_families(text)}
    kinds = {sample.labels["kind"]: sample.value for sample in families["tidegauge_memory_bytes"].samples}
    assert kinds["total"] > 1e6
    assert families["tidegauge_up"].samples[0].labels["pid"] == str(server.job.pid)
    assert sum(sample.value for sample in families["tidegauge_verdict"].samples) == 1


def test_a_census_is_taken_on_request(server):
    server.job.grow(20)
    (key,) = server.keys()
    assert server.ask(f"/api/jobs/{key}/census")[0] == 405
    census = server.json(f"/api/jobs/{key}/census", method="POST")
    assert census["schema"] == "tidegauge/census/1" and census["pid"] == server.job.pid
    assert any(one["type"] == "bytearray" and one["bytes"] >= 80 << 20 for one in census["types"])


def test_a_port_that_is_taken_is_said(server, tidegauge, tmp_path):
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    taken = subprocess.run([tidegauge, "serve", "--port", str(server.port)], capture_output=True, text=True, env=environment, timeout=120)
    assert taken.returncode == 3
    assert f"port {server.port}" in taken.stderr
