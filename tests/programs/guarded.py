# SPDX-License-Identifier: Apache-2.0
"""A training loop that leaks, for the guard's tests: guarded.py FOLDER MIB_PER_STEP STEPS [MANNER]

It saves when it is asked, and goes on from $TIDEGAUGE_RESUME. Says each tenth step. Manners:
deaf: does not listen; stubborn: neither ends nor minds SIGTERM; healthy: holds its last step only; hangs: never comes back from
a save; slow: comes back from its last one when somebody writes to the pipe FOLDER/save; cuts: dies in the middle of its second save; full: has no disk left; leaves: ends by itself when it is told to; shares: holds
shared memory with a name; waits: until somebody writes to the pipe FOLDER/go; polite: ends with 0 after SIGTERM, and does not leak; large: writes
checkpoints of 1 MiB.
$GUARDED_OBJECTS: so many small ones it holds besides, which takes a while to look into.
"""
import errno
import json
import multiprocessing.shared_memory
import os
import pathlib
import signal
import sys
import time

folder, mib, steps = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
manner = sys.argv[4] if len(sys.argv) > 4 else ""
if manner != "deaf":
    import tidegauge

    tidegauge.checkpoint_requested()
if manner == "polite":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if manner == "stubborn":
    signal.signal(signal.SIGTERM, lambda *_: print("terminated", flush=True))
begin = json.loads(pathlib.Path(os.environ["TIDEGAUGE_RESUME"]).read_text())["step"] if "TIDEGAUGE_RESUME" in os.environ else 0
if manner == "waits" and not (folder / "go").exists():
    os.mkfifo(folder / "go")
if manner == "slow":
    os.mkfifo(folder / "save")
print("from", begin, os.getpid(), flush=True)
held, saves, slow = [], 0, False
ballast = [[n] for n in range(int(os.environ.get("GUARDED_OBJECTS", "0")))]
if manner == "waits":
    (folder / "go").read_text()
if manner == "shares":
    shared = multiprocessing.shared_memory.SharedMemory(create=True, size=1 << 20)
    print("shares", shared.name, flush=True)
for step in range(begin + 1, steps + 1):
    if manner in ("healthy", "polite"):
        held = []
    block = bytearray(mib << 20)
    block[::4096] = b"x" * len(block[::4096])
    held.append(block)
    del block
    # The rest of a step. Who is to be caught at an edge by others goes there slowly.
    time.sleep(0.05 if (manner in ("shares", "deaf") and step > 50) or slow else 0.01)
    if step % 10 == 0:
        print("step", step, flush=True)
    if manner == "deaf":
        continue
    request = tidegauge.checkpoint_requested()
    if request:
        saves += 1
        path = folder / f"state-{step}.json"
        if manner == "hangs":
            request.saving(step)
            time.sleep(600)
        if manner == "slow" and request.stop:
            request.saving(step)
            print("saving", step, flush=True)
            (folder / "save").read_text()
        if manner == "full":
            request.failed(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), step=step)
            slow = True
            continue
        if manner == "leaves" and request.stop:
            sys.exit(7)
        if manner == "cuts" and saves == 2:
            path.write_text("")
            os.kill(os.getpid(), signal.SIGSEGV)
        try:
            path.write_text(json.dumps({"step": step}) + " " * (1 << 20 if manner == "large" else 0))
        except OSError as error:
            path.unlink(missing_ok=True)
            print("could not save", step, error.strerror, flush=True)
            request.failed(error, step=step)
            slow = True
            continue
        request.saved(path, step=step)
        if request.stop and manner != "stubborn":
            print("stopped", step, flush=True)
            break
        if request.stop:
            held = held[:1]
            while True:  # has heard, and does as it likes
                time.sleep(0.05)
else:
    print("done", steps, flush=True)
