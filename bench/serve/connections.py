#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `tidegauge serve` takes to answer beside slow connections, and 1,000 at once: bench/serve/connections.py BINARY [--slow N] [--many N]

Slow ones have no token: a third sends nothing, a third half a request, a third asks for the page and takes none of it.
"""
import argparse
import pathlib
import socket
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "page"))
from server import Server  # noqa: E402

ANSWERS = 20


def begun(server, requests):
    lines = []
    for request in requests:
        line = socket.create_connection(("127.0.0.1", server.port), timeout=120)
        line.sendall(request)
        lines.append(line)
    return lines


def seconds(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--slow", type=int, default=300)
    parser.add_argument("--many", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(asked.binary, pathlib.Path(folder))
        print(f"alone: {max(seconds(lambda: server.ask('/metrics')) for _ in range(ANSWERS)):.3f} s at most of {ANSWERS} answers", flush=True)
        half = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode()
        try:
            slow = begun(server, [(b"G", half, half + b"\r\n")[i % 3] for i in range(asked.slow)])
            worst = max(seconds(lambda: server.ask("/metrics")) for _ in range(ANSWERS))
            print(f"beside {asked.slow} slow connections: {worst:.3f} s at most", flush=True)
            for line in slow:
                line.close()
        except OSError as error:
            print(f"beside {asked.slow} slow connections: {error}", flush=True)
        whole = f"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
        begin = time.monotonic()
        try:
            many = begun(server, [whole] * asked.many)
            good = sum(line.recv(12) == b"HTTP/1.1 200" for line in many)
            print(f"{good} of {asked.many} connections answered in {time.monotonic() - begin:.2f} s", flush=True)
        except OSError as error:
            print(f"{asked.many} connections: {error} after {time.monotonic() - begin:.1f} s", flush=True)
        server.stop()


if __name__ == "__main__":
    main()
