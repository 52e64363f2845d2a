# SPDX-License-Identifier: Apache-2.0
"""Writes a recording of a week with 40 processes and a sample a second, as text, to the file named: a trainer that leaks a little, with
evaluations; 20 processes that rest; 16 that rise and fall; three that flutter. The same every time.

  week.py FILE [SECONDS]
"""
import random
import sys

MIB = 1024  # in KiB
WEEK = 7 * 86400


def main(path, seconds):
    dice = random.Random(7)
    pids = list(range(100, 140))
    saws = [(dice.randrange(300, 4000), dice.randrange(50, 600) * MIB) for _ in range(16)]
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"tidegauge":1,"kind":"recording","frame":0,"tool":"bench","host":"","command":"python train.py","clock":"seconds",'
                  '"started_unix_ns":0,"ticks_per_second":100,"page_bytes":4096,"interval_seconds":1}\n')
        for pid in pids:
            role = "main" if pid == 100 else "other"
            out.write(f'{{"kind":"process","t":0,"pid":{pid},"start":{pid},"parent_pid":100,"parent_start":100,"name":"p{pid}",'
                      f'"command":"python part{pid}.py","role":"{role}"}}\n')
        resting = [200 * MIB + 1024 * i for i in range(20)]
        for t in range(seconds):
            if t % 21600 == 3600:
                out.write(f'{{"kind":"event","t":{t},"event":"phase_begin","source":"framework","name":"eval"}}\n')
            if t % 21600 == 4200:
                out.write(f'{{"kind":"event","t":{t},"event":"phase_end","source":"framework","name":"eval"}}\n')
            if t % 10 == 0:
                out.write(f'{{"kind":"event","t":{t},"event":"step","source":"framework","value":{t // 10}}}\n')
            spike = 3000 * MIB if 3600 <= t % 21600 < 4200 else 0
            trainer = 8000 * MIB + t * 20 + spike + dice.randrange(4096)
            teeth = [100 * MIB + (t % period) * height // period for period, height in saws]
            flutter = [150 * MIB + dice.randrange(40 * MIB) for _ in range(3)]
            anon = ",".join(map(str, [trainer, *resting, *teeth, *flutter]))
            if t == 0:
                zeros = ",".join("0" * len(pids))
                known = f',"pids":{pids},"starts":{pids},"file":[{zeros}],"shmem":[{zeros}],"swap":[{zeros}],"machine":{{"total":33554432,"available":20000000}}'
            else:
                known = ""
            out.write(f'{{"kind":"sample","t":{t}{known},"anon":[{anon}]}}\n')


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else WEEK)
