# SPDX-License-Identifier: Apache-2.0
"""Recordings for the page, written as text (docs/recording-format.md): what they show is known."""
import json
import math
import pathlib
import re

MIB = 1024  # in KiB, as the file has it
GIB = 1024 * MIB


def document_of(page):
    """The report in a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S).group(1))


class Recording:
    def __init__(self, command="python train.py", interval=1.0, host="node7"):
        self.lines = [
            {"tidegauge": 1, "kind": "recording", "frame": 0, "tool": "tidegauge 0.1.0", "host": host, "command": command,
             "clock": "seconds", "started_unix_ns": 1_700_000_000_000_000_000, "ticks_per_second": 100, "page_bytes": 4096,
             "interval_seconds": interval}
        ]

    def process(self, pid, name, command, role="other", parent=1, at=0.0):
        self.lines.append({"kind": "process", "t": at, "pid": pid, "start": pid, "parent_pid": parent, "parent_start": parent, "name": name,
                           "command": command, "role": role})

    def event(self, at, event, **more):
        self.lines.append({"kind": "event", "t": at, "event": event, **more})

    def mark(self, at, event, **more):
        self.event(at, event, source="framework", **more)

    def sample(self, at, processes, total_kib=32 * GIB):
        """`processes`: pid -> (anon, file, shmem) in KiB."""
        pids = list(processes)
        kinds = {name: [round(processes[pid][i]) for pid in pids] for i, name in enumerate(("anon", "file", "shmem"))}
        held = sum(sum(values) for values in processes.values())
        self.lines.append({
            "kind": "sample", "t": round(at, 6), "pids": pids, "starts": pids, **kinds, "swap": [0] * len(pids),
            "page_tables": [round(processes[pid][0] / 512) for pid in pids], "state": "S" * len(pids),
            "machine": {"total": total_kib, "available": max(0, round(total_kib - held - GIB))},
        })

    def write(self, path: pathlib.Path) -> pathlib.Path:
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines), encoding="utf-8", errors="surrogatepass")
        return path


def incident(seconds=420, cause=True) -> Recording:
    """The incident: each picture is kept from the first time it is read, for one pass; one evaluation; 20 compile workers."""
    out = Recording("uv run train.py")
    per_step, first, last_growing, eval_at, eval_takes = 2.7, 12, 83, 100, 32
    out.process(490, "uv", "uv run train.py", "wrapper")
    out.process(494, "python3", "python3 train.py --epochs 2", "main", 490)
    workers = range(600, 620)
    for pid in workers:
        out.process(pid, "python3", "python3 -m torch._inductor.compile_worker", "compile_worker", 494)
    eval_begin = first + per_step * eval_at

    def step_at(second):
        if second > eval_begin:
            second = max(eval_begin, second - eval_takes)
        return max(0, int((second - first) / per_step))

    step, holder = 0, "PIL.JpegImagePlugin.JpegImageFile train.Lazy.rows[*]['image']"
    for second in range(seconds + 1):
        while step < step_at(second):
            step += 1
            out.mark(second, "step", value=step)
            if step % last_growing == 0:
                out.mark(second, "epoch", value=step // last_growing)
        if second == int(eval_begin):
            out.mark(second, "phase_begin", name="eval")
        if second == int(eval_begin) + eval_takes + 1:
            out.mark(second, "phase_end", name="eval")
        into = second - eval_begin
        held = 215 * min(step, last_growing)
        spike = 4096 * into / eval_takes if 0 < into <= eval_takes else 0
        if cause and second in (100, 200, 300, 400):
            out.event(second, "held", pid=494, start=494, value=held * 1048576 * 0.93, total=8 * min(step, last_growing), name=holder)
        processes = {490: (20 * MIB, 10 * MIB, 0), 494: ((200 + held + spike) * MIB, 320 * MIB, 24 * MIB)}
        processes.update({pid: (38 * MIB, 9 * MIB, 0) for pid in workers})
        out.sample(second, processes)
    return out


def killed(seconds=190) -> Recording:
    """The incident in a cgroup of its own, with a limit that it reaches: the kernel kills it before anybody could tell what it was."""
    out = incident(seconds)
    for line in out.lines:
        if line["kind"] == "sample":
            held = sum(sum(line[kind]) for kind in ("anon", "file", "shmem", "page_tables"))
            line["cgroups"] = [{"path": "/job", "version": 2, "exclusive": True, "limit": 15 * GIB + 256 * MIB, "current": held, "oom_kill": 0}]
    end = seconds + 1
    for pid in (494, *range(600, 620), 490):
        out.event(end, "exited", pid=pid, start=pid, **({"value": 137} if pid == 494 else {}))
    out.event(end, "oom_kill", name="/job", value=1)
    out.sample(end, {})
    return out


def on_demand(seconds=420) -> Recording:
    """The incident with its remedy: pictures are opened when they are needed. Nothing is kept, and a step takes a little longer."""
    out = Recording("uv run train.py --open-on-demand")
    out.process(490, "uv", "uv run train.py --open-on-demand", "wrapper")
    out.process(494, "python3", "python3 train.py --epochs 2 --open-on-demand", "main", 490)
    step, first, per_step = 0, 12, 3.3
    for second in range(seconds + 1):
        while first + per_step * (step + 1) <= second:
            step += 1
            out.mark(round(first + per_step * step, 3), "step", value=step)
        out.sample(second, {490: (20 * MIB, 10 * MIB, 0), 494: ((1400 + 60 * math.sin(second / 3)) * MIB, 320 * MIB, 24 * MIB)})
    return out


def holders() -> Recording:
    """The incident, with more that censuses found: several ways through the same variable, and another process."""
    out = incident()
    for second, share in ((399, 0.5), (420, 1.0)):
        for name, bytes_held, count in (
            ("PIL.JpegImagePlugin.JpegImageFile train.Lazy.rows[*]['image']", 17e9, 664),
            ("dict train.Lazy.rows[*]['labels']", 300e6, 664),
            ("numpy.ndarray train.Lazy.rows[*]['labels']", 200e6, 1300),
            ("torch.Tensor trainer.Trainer.train() local 'self'.optimizer.state[*]", 700e6, 20),
            ("str C code: str", 5e6, 90_000),
        ):
            out.event(second, "held", pid=494, start=494, value=share * bytes_held, total=count, name=name)
        out.event(second, "held", pid=600, start=600, value=share * 40e6, total=3, name="list torch._inductor.pool[*]")
    return out


def profiled(seconds=math.inf) -> Recording:
    """A real one, with profiles: tests/programs/profiled_service.py, recorded by tests/recordings/make_profiled_service.py."""
    out = Recording()
    stored = pathlib.Path(__file__).resolve().parents[1] / "recordings" / "profiled_service.jsonl"
    lines = (json.loads(line) for line in stored.read_text(encoding="utf-8").splitlines())
    out.lines = [line for line in lines if line.get("t", 0) <= seconds]
    return out


def leak() -> Recording:
    """Grows by 40 MiB a minute for two hours, with spikes every ten minutes."""
    out = Recording("python serve.py", interval=5)
    out.process(77, "python3", "python3 serve.py", "main")
    for i in range(1440):
        at = 5.0 * i
        spike = 900 * MIB if i % 120 in (60, 61, 62) else 0
        out.sample(at, {77: (600 * MIB + 40 * MIB * at / 60 + spike + 3 * MIB * math.sin(i), 90 * MIB, 0)}, total_kib=16 * GIB)
    return out


def interrupted() -> Recording:
    """The machine sleeps for four minutes; then the job dies and is started again."""
    out = Recording("python train.py")
    out.process(50, "python3", "python3 train.py", "main")
    for second in list(range(300)) + list(range(540, 700)):
        out.sample(second, {50: ((900 + min(second, 100)) * MIB, 60 * MIB, 0)})
    out.event(700, "exited", pid=50, start=50, value=137)
    out.process(90, "python3", "python3 train.py", "main", at=702)
    for second in range(702, 1000):
        out.sample(second, {90: ((300 + min(second - 702, 60) * 9) * MIB, 60 * MIB, 0)})
    return out


EVIL = {
    "markup": "</script><img src=x onerror=\"window.pwned=1\"><!--<b>",
    "bidi": "safe\u202egnp.exe\u2066\u2029\u2028",
    "control": "a\u001b[31m\u0007\u0000b\r\nc",
    "long": "w" * 10_000,
    "spaces": "x " * 3000,
    "template": "{{policy}}$&${window.pwned=1}",
}


def hostile() -> Recording:
    """Every name that a stranger can choose is one that would like to do harm."""
    out = Recording(EVIL["markup"] + EVIL["long"], host=EVIL["markup"])
    out.process(10, EVIL["markup"], EVIL["markup"] + " " + EVIL["long"], "main")
    for i, text in enumerate(EVIL.values()):
        out.process(20 + i, text, text + str(i), "other", 10)
    for second in range(200):
        if second % 10 == 0:
            out.mark(second, "step", value=second // 10)
        if second == 50:
            out.mark(second, "phase_begin", name=EVIL["markup"] + EVIL["long"])
        if second == 90:
            out.mark(second, "phase_end", name=EVIL["markup"] + EVIL["long"])
        if second in (60, 120):
            out.event(second, "note", name=EVIL["markup"] + EVIL["bidi"])
        if second in (100, 180):
            out.lines.append({"kind": "profile", "t": second, "pid": 10, "start": 10, "sampler": EVIL["markup"], "sampled_every": 512,
                              "places": [{"function": text, "file": text, "line": i} for i, text in enumerate(EVIL.values())],
                              "sites": [{"stack": list(range(len(EVIL))), "live": second * 9000}, *({"stack": [i], "live": second * 100} for i in range(len(EVIL)))]})
        if second in (150, 190):
            out.event(second, "held", pid=10, start=10, value=second * 9e6, total=12, name=f"{EVIL['markup'].replace(' ', '')}{EVIL['long']} {EVIL['bidi']}{EVIL['markup']}")
        processes = {10: ((200 + second * 10) * MIB, 30 * MIB, 0)}
        processes.update({20 + i: (50 * MIB, 5 * MIB, 0) for i in range(len(EVIL))})
        out.sample(second, processes)
    return out
