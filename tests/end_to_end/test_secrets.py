# SPDX-License-Identifier: Apache-2.0
"""Secrets in the memory and in the command line of a job are in nothing that we write: no text, document, recording, page or message."""
import contextlib
import json
import os
import pathlib
import random
import re
import string
import subprocess
import sys
import time
import urllib.request

import pytest
from conftest import ROOT
from guarded_jobs import PATIENCE
from test_guard_telling import hooks
from waiting import best_of

PROGRAM = ROOT / "tests" / "programs" / "secret_keys.py"
LETTERS = string.ascii_letters + string.digits


class Planted:
    """Secrets of many shapes, other ones each time, and what of them must not be seen."""

    def __init__(self, folder):
        self.needles = []
        some = self.some
        self.texts = {
            "keys": [
                "ghp_" + some(36),
                "password=" + some(9),
                f"https://joe:{some(10)}@db.example.org/{some(8)}",
                f"{some(8)}@example.org",
                "AKIA" + some(16, string.ascii_uppercase + string.digits),
                "sk-proj-" + some(48),
                f"Bearer {some(24)}",
                f"eyJ{some(20)}.eyJ{some(40)}.{some(30)}",
                some(32, "0123456789abcdef"),
                f"/home/{some(8)}/taxes 2031.pdf",
                "+49 30 " + some(8, string.digits),
                f"Server=h;UID=joe;PWD={some(8)};",
                some(40) + "==",
                f"Session {some(12)} of Joe",
            ],
            "attribute": "hf_" + some(34),
            "class": f"token={some(12)}",
            "module": f"{some(10)}@example.org",
            "variable": "xoxb-" + some(24),
            "file": f"secret={some(12)}",
        }
        self.path = folder / "planted.json"
        self.path.write_text(json.dumps(self.texts))

    def some(self, length, letters=LETTERS):
        text = "".join(random.choices(letters, k=length))
        self.needles.append(text)
        return text

    def assert_none_in(self, what, text):
        assert len(text) > 40, f"{what} says nothing: {text}"
        seen = [needle for needle in self.needles if needle in text]
        assert not seen, f"{what} shows {seen}"


@pytest.fixture
def planted(tmp_path):
    return Planted(tmp_path)


def test_a_census_shows_no_key_that_is_data(call, begin, planted, tmp_path):
    program = begin([sys.executable, PROGRAM, planted.path])
    assert program.answer() == "ready"
    kept = tmp_path / "before.json"
    first = call("census", program.pid, "--lines", "100", "-o", kept)
    assert first.returncode == 0, first.stderr
    planted.assert_none_in("the census", first.stdout)
    planted.assert_none_in("the document that is kept", kept.read_text())
    assert "['rows']" in first.stdout, "a name of the program is shown"
    assert "[<str, 40 chars>]" in first.stdout, "a key that is data is shown as what it is"
    assert program.ask("") == "grown"
    for words in (("--json",), ("--stream",), ("--diff", kept), ("--diff", kept, "--json")):
        done = call("census", program.pid, "--lines", "100", *words)
        assert done.returncode == 0, done.stderr
        planted.assert_none_in(" ".join(map(str, words)), done.stdout)


def test_keys_are_shown_to_who_asks_for_them_and_secrets_are_not(call, begin, planted):
    program = begin([sys.executable, PROGRAM, planted.path])
    assert program.answer() == "ready"
    done = call("census", program.pid, "--lines", "100", "--show-keys")
    assert done.returncode == 0, done.stderr
    mail = planted.texts["keys"][3]
    assert f"['{mail}']" in done.stdout and "['password=***']" in done.stdout
    shown = {needle for needle in planted.needles if needle in done.stdout}
    data = {needle for key in (3, 8, 9, 10, 13) for needle in planted.needles if needle in planted.texts["keys"][key]}
    # What is no password: an address, a hash, a file, a number, a name; and the last part of a web address.
    assert shown <= data | {planted.needles[3]}, shown - data


def test_no_surface_of_a_run_shows_one(call, planted, home):
    """Recording, verdict, page, Markdown, summary, messages and what is found while the job is frozen; nor a command line or the environment."""
    secret, recording = planted.some(30), home / "r.tg"
    news = home / "news.txt"
    variables = {**os.environ, "API_TOKEN": planted.some(12), "SOMETHING": planted.some(12)}

    def attempt():
        recording.unlink(missing_ok=True)
        news.unlink(missing_ok=True)
        with hooks() as server:
            done = call("run", "--interval", "100ms", "--record", recording, "--json", home / "v.json", "--guard", "--guard-without", "ask",
                        "--limit", "700MB", "--grace", "200ms", "--look-time", "5s", "--webhook", f"http://127.0.0.1:{server.server_port}/",
                        "--notify", f"echo \"$TIDEGAUGE_NEWS\" >> {news}; env | grep -a ^TIDEGAUGE >> {news}", "--",
                        sys.executable, PROGRAM, planted.path, "grow", "--db-password", secret, env=variables, timeout=PATIENCE)  # fmt: skip
            told = [json.dumps(server.bodies.get(timeout=PATIENCE))]
            while not server.bodies.empty():
                told.append(json.dumps(server.bodies.get()))
        return done, told, subprocess.run(["zstdcat", recording], capture_output=True, text=True, check=True).stdout

    # A machine that has no core for whoever looks into the frozen job is tried again.
    done, told, text = best_of(attempt, lambda result: "while it stood still" in result[2] + result[0].stderr)
    assert '"held"' in text and re.search(r"\[<str, \d+ chars>\]", text), "a census was taken, and found what piles up"
    assert "while it stood still" in text + done.stderr, "the job was looked into at its limit"
    assert call("report", recording).returncode == 0
    for what, found in {
        "the recording": text,
        "the summary": done.stderr,
        "the verdict": (home / "v.json").read_text(),
        "the page": pathlib.Path(f"{recording}.html").read_text(),
        "the message": news.read_text(),
        "the web hook": "\n".join(told),
        "Markdown": call("report", recording, "--markdown").stdout,
        "the text": call("report", recording, "--text").stdout,
        "judge": call("judge", recording).stdout,
        "judge --json": call("judge", recording, "--json").stdout,
    }.items():
        planted.assert_none_in(what, found)


def test_no_live_surface_shows_one(tidegauge, call, begin, started, planted, home):
    """Lines of `watch --json`, and all that `serve` answers: its streams, metrics, a census that is asked for, the page."""
    program = begin([sys.executable, PROGRAM, planted.path])
    assert program.answer() == "ready"
    watch = started([tidegauge, "watch", program.pid, "--json", "--interval", "50ms", "--no-record", "--for", "4s"], stdout=subprocess.PIPE)
    for _ in range(12):
        assert program.ask("") == "grown"
    lines, _ = watch.communicate(timeout=PATIENCE)
    planted.assert_none_in("watch --json", lines)

    serve = started([tidegauge, "serve", program.pid, "--port", "0", "--interval", "100ms"], stderr=subprocess.PIPE)
    address, token = re.fullmatch(r"tidegauge serve: (http://\S+/)#token=(\w+)\n", serve.stderr.readline()).groups()

    def ask(path, method="GET", until=None):
        request = urllib.request.Request(address + path, method=method, headers={"Authorization": f"Bearer {token}"})
        with contextlib.closing(urllib.request.urlopen(request, timeout=PATIENCE)) as answer:
            if until is None:
                return answer.read().decode()
            heard, grown, end = "", 0, time.monotonic() + PATIENCE
            while until not in heard:
                heard += answer.readline().decode()
                assert time.monotonic() < end, heard[-2000:]
                if heard.count("\n\n") > grown and grown < 60:
                    grown += 1
                    program.ask("")
            return heard

    jobs = ask("api/stream", until='"key":"')
    planted.assert_none_in("the jobs", jobs)
    key = re.search(r'"key":"([^"]+)"', jobs)[1]
    census = ask(f"api/jobs/{key}/census", "POST")
    planted.assert_none_in("the census by POST", census)
    told = ask(f"api/jobs/{key}/stream", until="chars>")
    planted.assert_none_in("the job's stream", told)
    planted.assert_none_in("the metrics", ask("metrics"))
    planted.assert_none_in("the job's page", ask(f"api/jobs/{key}/page"))
