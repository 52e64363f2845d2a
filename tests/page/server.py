# SPDX-License-Identifier: Apache-2.0
"""`tidegauge serve` and jobs for it, as a test needs them."""
import contextlib
import http.client
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading

# Holds 4 MiB more with every line on its stdin, and says so.
GROWER = "import sys\nheld = []\nprint('ready', flush=True)\nfor line in sys.stdin:\n held.append(bytearray(4 << 20)); print('grown', flush=True)"
# Grows by itself, 40 MiB a second.
LEAK = "import time\nheld = []\nwhile True: held.append(bytearray(4 << 20)); time.sleep(0.1)"


class Job:
    def __init__(self, code=GROWER):
        self.process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = self.process.pid
        if code == GROWER:
            assert self.process.stdout.readline() == "ready\n"

    def grow(self, times=1):
        for _ in range(times):
            self.process.stdin.write("\n")
            assert self.process.stdout.readline() == "grown\n"

    def end(self):
        self.process.kill()
        self.process.communicate()


class Server:
    """A running `tidegauge serve`. Restarting it keeps its port."""

    def __init__(self, tidegauge, folder, *arguments):
        self.tidegauge, self.folder, self.arguments = tidegauge, folder, arguments
        self.port = 0
        self.start()

    def start(self):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "XDG_STATE_HOME": str(self.folder / "state")}
        self.process = subprocess.Popen([self.tidegauge, "serve", "--port", str(self.port), *map(str, self.arguments)],
                                        stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"tidegauge serve: (http://127\.0\.0\.1:(\d+)/)#token=([0-9a-f]{32})\n", line)
        assert found, line
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    @property
    def page(self):
        return f"{self.address}#token={self.token}"

    @property
    def recordings(self):
        return self.folder / "data" / "tidegauge" / "recordings"

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=120)
        return self.process.returncode

    def ask(self, path, method="GET", token=True, host=None, **headers):
        """Status, headers and text of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        if token:
            connection.putheader("Authorization", f"Bearer {self.token if token is True else token}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def json(self, path, **more):
        status, _, text = self.ask(path, **more)
        assert status == 200, text
        return json.loads(text)

    @contextlib.contextmanager
    def stream(self, path="/api/stream", **headers):
        """Lines of a stream, as they come."""
        line = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n{more}\r\n".encode())
        file = line.makefile("r", encoding="utf-8", newline="\n")
        try:
            yield file
        finally:
            file.close()
            line.close()

    def keys(self):
        """Of its jobs, once there are any."""
        with self.stream() as lines:
            for line in lines:
                if line.startswith("data: "):
                    rows = json.loads(line[6:])["jobs"]
                    if rows:
                        return [row["key"] for row in rows]
        raise AssertionError("the stream ended")


class Replay:
    """The page of a server whose streams and documents are stored ones: what it shows is known, and stays as it is until say()."""

    def __init__(self, page, streams, documents):
        """`streams` and `documents`: what comes under which path."""
        news = self.news = threading.Condition()
        said = self.said = {path: [first] for path, first in streams.items()}
        self.over = False
        replay = self

        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                if self.path in said:
                    self.go_on(said[self.path])
                else:
                    self.wfile.write(json.dumps(documents[self.path]).encode() if self.path in documents else page.encode())
                self.close_connection = True

            def go_on(self, documents):
                sent = 0
                while not replay.over:
                    for document in documents[sent:]:
                        sent += 1
                        self.wfile.write(f"id: stored-{sent}\ndata: {json.dumps(document)}\n\n".encode())
                        self.wfile.flush()
                    with news:
                        news.wait_for(lambda: replay.over or len(documents) > sent)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/#token=stored"

    def say(self, path, document):
        with self.news:
            self.said[path].append(document)
            self.news.notify_all()

    def stop(self):
        with self.news:
            self.over = True
            self.news.notify_all()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
