# SPDX-License-Identifier: Apache-2.0
"""What the guard says of what it does, and of who else has ended a job."""
import contextlib
import http.server
import json
import os
import queue
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading

import pytest
from guarded_jobs import JOB, PATIENCE, end_of, wait_until, with_our_package
from waiting import wait_for_text


def test_what_was_done_is_in_the_recording(tidegauge, groups, home, call):
    done = subprocess.run(
        [tidegauge, "run", "-q", "--no-history", "--no-hooks", "--record", home / "r.tg", "--guard", "--limit", "100MB", "--lend", "100MB",
         "--notify", f"echo \"$TIDEGAUGE_NEWS\" >> {home}/news", "--", sys.executable, JOB, home, "1", "1000"],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join, env=with_our_package(),
    )  # fmt: skip
    assert done.returncode == 75, done.stderr
    text = subprocess.run(["zstdcat", home / "r.tg"], capture_output=True, text=True).stdout
    assert "guard: asked it to save and end" in text and "guard: end of the job: ended by the guard" in text
    wait_for_text(home / "news", lambda text: "asked it to save and end" in text)
    judged = call("judge", home / "r.tg").stdout
    assert "What the guard did" in judged and re.search(r"end of the job: ended by the guard, at most .* of", judged), judged


class Hooks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.put((self.path, self.headers["Content-Type"], json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        pass


@contextlib.contextmanager
def hooks(tls=None):
    """A server that keeps what it was sent, with a certificate where it is given one."""
    with http.server.HTTPServer(("127.0.0.1", 0), Hooks) as server:
        server.bodies = queue.Queue()
        if tls:
            # The handshake is the business of whoever reads, not of the one that accepts.
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def certificate(home):
    """(path, context): a server's own, which nobody has signed."""
    paths = home / "cert.pem", home / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=hooks", "-addext", "subjectAltName=IP:127.0.0.1"]
    try:
        subprocess.run([*words, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*paths)
    return paths[0], context


def test_a_webhook_is_told_by_https(guarded, certificate, monkeypatch):
    path, context = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with hooks(context) as server:
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", f"https://127.0.0.1:{server.server_port}/hook?token=hidden")))
        path, kind, body = server.bodies.get(timeout=PATIENCE)
    assert (path, kind, body["schema"]) == ("/hook?token=hidden", "application/json", "tidegauge/guard/1")
    assert code == 75 and "hidden" not in errors and "hidden" not in json.dumps(body), errors


def test_a_server_that_cannot_prove_itself_is_told_nothing(guarded, certificate):
    """And the job does not suffer from that."""
    path, context = certificate
    with hooks(context) as server:
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", f"https://127.0.0.1:{server.server_port}/hook?token=hidden")))
        assert code == 75 and "hidden" not in errors, errors
        wait_until(lambda: not is_connected(server.server_port), "the end of those who tell")
        assert server.bodies.empty()


def is_connected(port):
    """Whether anybody has a connection to that port still."""
    wanted = f":{port:04X}"
    rows = [line.split() for line in open("/proc/net/tcp").read().splitlines()[1:]]
    return any(row[2].endswith(wanted) and row[3] != "06" for row in rows)


def test_a_webhook_is_told(guarded):
    with hooks() as server:
        url = f"http://127.0.0.1:{server.server_port}/hook?token=hidden"
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", url)))
        news = []
        while not news or "asked it to save and end" not in news[-1]["news"]:
            path, kind, body = server.bodies.get(timeout=PATIENCE)
            assert (path, kind, body["schema"]) == ("/hook?token=hidden", "application/json", "tidegauge/guard/1")
            news.append(body)
    assert code == 75 and "guarded.py" in news[0]["job"] and "hidden" not in errors, errors


def test_a_webhook_that_does_not_answer_holds_up_nobody(guarded):
    """Neither the job nor whoever reads what it says until the end of that: the last one to be told is still waiting for its answer then."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", f"http://127.0.0.1:{deaf.getsockname()[1]}/")))
        deaf.settimeout(PATIENCE)
        deaf.accept()[0].close()
        assert code == 75, errors


def test_the_desktop_is_told_where_there_is_one(guarded, home, monkeypatch):
    (home / "notify-send").write_text(f"#!/bin/sh\necho \"$@\" >> {home}/shown\n")
    (home / "notify-send").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--desktop")))
    assert code == 75
    wait_for_text(home / "shown", lambda text: "asked it to save and end" in text)


# Prints the message of its one entry if the words match it, as journalctl(1) has it: all fields of a group, or those of
# another group after a "+".
JOURNALCTL = """#!{python}
import sys
entry = {entry!r}
groups = [[]]
for word in sys.argv[1:]:
    name, is_match, value = word.partition("=")
    if word == "+":
        groups.append([])
    elif name == "--identifier":
        groups.append([entry.get("SYSLOG_IDENTIFIER") == value])
    elif is_match and not word.startswith("-"):
        groups[-1].append(entry.get(name) == value)
if any(group and all(group) for group in groups):
    print(entry["MESSAGE"])
"""


@pytest.fixture
def journal(home, monkeypatch):
    """journal({"MESSAGE": …}): the one entry that a stand-in for journalctl has."""
    program = home / "journalctl"

    def write(entry):
        program.write_text(JOURNALCTL.format(python=sys.executable, entry=entry))
        program.chmod(0o755)

    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    return write


EARLYOOM = {"SYSLOG_IDENTIFIER": "earlyoom", "_UID": "61234", "_SYSTEMD_UNIT": "earlyoom.service"}
OOMD = {"SYSLOG_IDENTIFIER": "systemd-oomd", "_UID": "997", "_SYSTEMD_UNIT": "systemd-oomd.service"}
BY_HAND = {"SYSLOG_IDENTIFIER": "earlyoom", "_UID": "0", "_SYSTEMD_UNIT": "ssh.service"}
# `logger -t earlyoom`, by anyone.
FORGED = {"SYSLOG_IDENTIFIER": "earlyoom", "_UID": "1000", "_SYSTEMD_UNIT": "user@1000.service"}


@pytest.mark.parametrize("fields, line, said", [
    (EARLYOOM, 'sending SIGKILL to process {pid} uid 0 "python": badness 812, VmRSS 90 MiB', "killed by earlyoom (sending SIGKILL"),
    (BY_HAND, 'sending SIGKILL to process {pid} uid 0 "python": badness 812, VmRSS 90 MiB', "killed by earlyoom (sending SIGKILL"),
    (FORGED, 'sending SIGKILL to process {pid} uid 0 "python": badness 812, VmRSS 90 MiB', "sender unknown"),
    (OOMD, "Killed {group} due to memory pressure for / being 80% > 50% for > 20s with reclaim activity", "killed by systemd-oomd (Killed"),
    (EARLYOOM, 'sending SIGKILL to process 1 uid 0 "init": badness 1, VmRSS 1 MiB', "sender unknown"),
])  # fmt: skip
def test_who_else_killed_it_is_said(kernel_kills_nobody, guarded, groups, journal, fields, line, said):
    gauge = guarded(1, 1000, "waits")
    pid = gauge.stdout.readline().split()[2]
    journal({**fields, "MESSAGE": line.format(pid=pid, group=f"/{groups.folders[1].name}")})
    os.kill(int(pid), signal.SIGKILL)
    code, out, errors = end_of(gauge)
    assert code == 137 and said in errors, errors


def test_exit_0_after_a_sigterm_from_outside_is_not_success(guarded):
    """As Lightning leaves."""
    gauge = guarded(1, 100000, "polite", options=("--restart-on-limit",))
    assert gauge.stdout.readline().startswith("from 0")
    gauge.terminate()
    code, out, errors = end_of(gauge)
    assert code == 143 and "SIGTERM from outside; it ended with exit code 0" in errors and "from " not in out, errors
