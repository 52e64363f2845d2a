# SPDX-License-Identifier: Apache-2.0
"""Starts a Python program and waits for it, as `uv run` and its like do: a process that is not the job."""
import signal
import subprocess
import sys

if __name__ == "__main__":
    job = subprocess.Popen([sys.executable, *sys.argv[1:]])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: job.send_signal(number))
    sys.exit(job.wait())
