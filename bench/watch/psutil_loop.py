# SPDX-License-Identifier: Apache-2.0
"""What people write when they watch a tree with psutil: psutil_loop.py PID info|full INTERVAL_SECONDS"""
import sys
import time

import psutil

root = psutil.Process(int(sys.argv[1]))
read = psutil.Process.memory_full_info if sys.argv[2] == "full" else psutil.Process.memory_info
interval = float(sys.argv[3])
while True:
    total = sum(read(process).rss for process in [root, *root.children(recursive=True)])
    print(total, flush=True)
    time.sleep(interval)
