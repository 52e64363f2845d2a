#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command costs: cost.py LIMIT_SECONDS COMMAND… prints its exit code, processor seconds, peak megabytes and stderr as JSON.

A small process of its own: what a process is started from counts as its own peak.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading


def cost(words, limit):
    """The same from Python that holds little itself; of a command that was killed after `limit` seconds the code is -9."""
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        timer = threading.Timer(limit, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read().decode(errors="replace")
    return {"code": child.returncode, "seconds": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024, "said": said}


if __name__ == "__main__":
    print(json.dumps(cost(sys.argv[2:], float(sys.argv[1]))))
