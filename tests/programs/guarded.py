# SPDX-License-Identifier: Apache-2.0
"""A training loop that leaks, for the guard's tests: guarded.py FOLDER MIB_PER_STEP STEPS [deaf|stubborn|healthy]

It saves when it is asked, and goes on from $TIDEGAUGE_RESUME. A deaf one does not listen, a stubborn one neither ends nor
minds SIGTERM, a healthy one holds its last step only. Says each tenth step.
"""
import json
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
if manner == "stubborn":
    signal.signal(signal.SIGTERM, lambda *_: print("terminated", flush=True))
begin = json.loads(pathlib.Path(os.environ["TIDEGAUGE_RESUME"]).read_text())["step"] if "TIDEGAUGE_RESUME" in os.environ else 0
print("from", begin, os.getpid(), flush=True)
held = []
for step in range(begin + 1, steps + 1):
    block = bytearray(mib << 20)
    block[::4096] = b"x" * len(block[::4096])
    if manner == "healthy":
        held = []
    held.append(block)
    del block
    time.sleep(0.01)  # the rest of a step
    if step % 10 == 0:
        print("step", step, flush=True)
    if manner == "deaf":
        continue
    request = tidegauge.checkpoint_requested()
    if request:
        path = folder / f"state-{step}.json"
        path.write_text(json.dumps({"step": step}))
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
