# SPDX-License-Identifier: Apache-2.0
"""The kernel kills a job for lack of memory: nothing else about it matters more."""
import signal
import subprocess
import sys

import pytest

# Waits for a word, then takes more than its group may have.
HUNGRY = "import sys; sys.stdin.readline(); held = [b'x' * (1 << 20) for _ in range(400)]"


def test_watch_and_judge_say_that_the_kernel_killed(tidegauge, call, groups, home, started):
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(60 << 20))
    job = started([sys.executable, "-c", HUNGRY], stdin=subprocess.PIPE, preexec_fn=groups.join)
    recording = home / "r.tg"
    words = [tidegauge, "watch", job.pid, "--json", "--no-census", "--interval", "50ms", "--record", recording]
    watch = started(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while '"sample"' not in watch.stdout.readline():
        assert watch.poll() is None, watch.stderr.read()
    job.stdin.write("\n")
    job.stdin.close()
    lines, errors = watch.communicate(timeout=60)
    if job.wait(timeout=60) != -signal.SIGKILL:
        pytest.skip("there is so much swap here that nobody was killed")
    assert '"oom_kill"' in lines, errors
    assert watch.returncode == 1, errors
    done = call("judge", recording)
    assert done.returncode == 1, done.stderr
    said = " ".join(done.stdout.split("\n\n")[0].split())
    assert f"(pid {job.pid}): out of memory under the cgroup limit of 60.0 MiB" in said, done.stdout
