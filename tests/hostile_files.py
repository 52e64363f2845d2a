# SPDX-License-Identifier: Apache-2.0
"""Files that are made to cost whoever reads them much more time or memory than their size suggests.

Each function of FILES gives (ending, bytes) of at most 1 MB, the same bytes every time. Run as a program it writes them all:

    python3 tests/hostile_files.py FOLDER
"""
import json
import pathlib
import subprocess
import sys

MOST_BYTES = 1_000_000
HEADER = '{"tidegauge":1,"kind":"recording","frame":0,"tool":"tidegauge 0.1.0","host":"h","command":"job","clock":"seconds","started_unix_ns":0}\n'
FILES = {}


def hostile(function):
    FILES[function.__name__] = function
    return function


def packed(text, level=1) -> bytes:
    """One zstd frame."""
    text = text if isinstance(text, bytes) else text.encode()
    out = subprocess.run(["zstd", "-cq", f"-{level}", "--single-thread"], input=text, capture_output=True, check=True).stdout
    assert len(out) <= MOST_BYTES, len(out)
    return out


def frame_of_one_byte(first: bytes, byte: bytes, blocks: int) -> bytes:
    """A frame whose text is `first`, and then 128 KiB of one byte for every four bytes of the frame."""
    header = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"  # no checksum, no size, a window of 128 KiB
    raw = (len(first) << 3).to_bytes(3, "little") + first
    one = ((128 << 10) << 3 | 1 << 1).to_bytes(3, "little") + byte
    end = (1 | 1 << 3 | 1 << 1).to_bytes(3, "little") + byte
    return header + raw + one * blocks + end


def sample(t, **fields):
    return json.dumps({"kind": "sample", "t": t, **fields}, separators=(",", ":")) + "\n"


def process(pid, parent=0, name="p", **fields):
    fields = {"kind": "process", "t": 0, "pid": pid, "start": 1, "parent_pid": parent, "parent_start": 1, "name": name, **fields}
    return json.dumps(fields, separators=(",", ":")) + "\n"


def tree(pids, **columns):
    columns = columns or {"anon": [1000] * len(pids)}
    return {"pids": pids, "starts": [1] * len(pids), **columns}


def repeated(first: str, line: str, megabytes: int) -> bytes:
    """`line` again and again, some `megabytes` of it, in frames of a few."""
    frame = packed(HEADER + first + line * max(1, 4_000_000 // len(line)))
    return (frame * (megabytes // 4))[:MOST_BYTES]


@hostile
def many_pids():
    pids = list(range(1, 200_001))
    return ".tg", packed(HEADER + sample(0, **tree(pids)) + "".join(sample(t) for t in range(1, 20_001)), 9)


@hostile
def many_pids_that_change():
    pids = list(range(1, 20_001))
    lines = [sample(1, anon=[i % 7 + even for i in pids]) for even in (0, 1)]
    return ".tg", repeated(sample(0, **tree(pids)), "".join(lines), 400)


@hostile
def many_pids_of_which_one_changes():
    pids = list(range(1, 8_001))
    lines = [sample(1, anon=[1000 + even] + [1000] * 7_999) for even in (0, 1)]
    return ".tg", repeated(sample(0, **tree(pids)), "".join(lines), 400)


@hostile
def another_pid_in_every_sample():
    return ".tg", packed(HEADER + "".join(sample(t, **tree([t + 1])) for t in range(150_000)), 9)


@hostile
def pids_that_come_and_go():
    some = list(range(1, 2_001))
    lines = sample(1, **tree(some)) + sample(1, **tree([i + 5_000 for i in some]))
    return ".tg", repeated("", lines, 400)


@hostile
def a_tree_that_falls():
    """What may be the end of a job is kept until it is known not to be."""
    pids = list(range(1, 8_001))
    text = HEADER + "".join(sample(t, **tree(pids, anon=[1000 - 2 * t] * 8_000)) for t in range(300))
    return ".tg", packed(text)


@hostile
def many_processes_told():
    return ".tg", packed(HEADER + "".join(f'{{"kind":"process","pid":{i},"start":1}}\n' for i in range(400_000)) + sample(1, **tree([1])))


@hostile
def a_chain_of_parents():
    n = 20_000
    pids = list(range(1, n + 1))
    text = HEADER + "".join(process(i, i - 1) for i in pids) + sample(0, **tree(pids, anon=[9_000] * n)) + "".join(sample(t) for t in range(1, 999))
    return ".tg", packed(text, 9)


@hostile
def processes_that_start_and_exit():
    started = "".join(f'{{"kind":"event","t":1,"event":"started","pid":{i},"start":1}}\n' for i in range(60_000))
    exited = "".join(f'{{"kind":"event","t":2,"event":"exited","pid":{i},"start":1}}\n' for i in reversed(range(60_000)))
    return ".tg", packed(HEADER + sample(0, **tree([1])) + started + exited + sample(3, **tree([1])), 9)


@hostile
def processes_described_and_gone():
    lines = "".join(process(i) + f'{{"kind":"event","t":2,"event":"exited","pid":{i},"start":1}}\n' for i in range(60_000))
    return ".tg", packed(HEADER + sample(0, **tree([1])) + lines, 9)


@hostile
def blank_frames():
    frame = frame_of_one_byte(b"\n", b"\n", 30_000)
    return ".tg", packed(HEADER) + frame * 8


@hostile
def blank_lines_in_one_frame():
    return ".tg", frame_of_one_byte(HEADER.encode() + sample(0, **tree([1])).encode(), b"\n", 240_000)


@hostile
def a_line_without_end():
    return ".tg", frame_of_one_byte(HEADER.encode() + b'{"kind":"note","x":"', b"a", 240_000)


@hostile
def a_long_blank_line():
    return ".jsonl", HEADER.encode() + b" " * 990_000


@hostile
def the_same_sample():
    return ".tg", repeated(sample(0, **tree([1])), sample(1), 1_000)


@hostile
def the_same_step():
    return ".tg", repeated(sample(0, **tree([1])), '{"kind":"event","t":1,"event":"step","source":"explicit","value":1}\n', 1_000)


@hostile
def steps_and_samples():
    line = '{"kind":"event","t":%d,"event":"step","source":"explicit","value":%d}\n'
    return ".tg", packed(HEADER + "".join(line % (t, t) + sample(t, **tree([1])) for t in range(60_000)), 9)


@hostile
def phases_of_many_names():
    line = '{"kind":"event","t":%d,"event":"phase_begin","source":"explicit","name":"n%d"}\n'
    return ".tg", packed(HEADER + sample(0, **tree([1])) + "".join(line % (t, t) for t in range(200_000)) + sample(200_000), 9)


@hostile
def notes_of_many_names():
    line = '{"kind":"event","t":%d,"event":"note","source":"explicit","name":"n%d"}\n'
    return ".tg", packed(HEADER + sample(0, **tree([1])) + "".join(line % (t, t) for t in range(200_000)) + sample(200_000), 9)


@hostile
def marks_of_many_processes():
    line = '{"kind":"event","t":%d,"event":"step","source":"explicit","pid":%d,"start":1,"value":%d}\n'
    return ".tg", packed(HEADER + sample(0, **tree([1])) + "".join(line % (t, t, t) for t in range(150_000)) + sample(200_000), 9)


@hostile
def holders_of_many_names():
    line = '{"kind":"event","t":%d,"event":"held","pid":1,"start":1,"name":"dict n%d","value":%d,"total":7}\n'
    return ".tg", packed(HEADER + sample(0, **tree([1])) + "".join(line % (t // 40, t, t * 999) for t in range(150_000)) + sample(200_000), 9)


@hostile
def kernel_kills():
    line = '{"kind":"event","t":%d,"event":"oom_kill","name":"/g%d","value":%d}\n{"kind":"event","t":%d,"event":"exited","pid":1,"start":%d}\n'
    return ".tg", packed(HEADER + sample(0, **tree([1])) + "".join(line % (t, t, t, t, t) for t in range(100_000)) + sample(200_000), 9)


@hostile
def programs_one_after_the_other():
    return ".tg", repeated(sample(0, **tree([1])), '{"kind":"event","t":1,"event":"exec","pid":1,"start":1}\n', 400)


@hostile
def many_series():
    series = [{"name": f"s{i}", "bytes": i} for i in range(50_000)]
    return ".tg", packed(HEADER + sample(0, series=series) + "".join(sample(t) for t in range(1, 5_001)), 9)


@hostile
def many_series_of_one_process():
    series = [{"name": f"s{i}", "bytes": i} for i in range(50_000)]
    return ".tg", packed(HEADER + sample(0, **tree([1], others=[series])) + "".join(sample(t) for t in range(1, 5_001)), 9)


@hostile
def series_of_long_names():
    series = [{"name": "x" * 60_000 + str(i), "bytes": i} for i in range(200)]
    return ".tg", packed(HEADER + sample(0, series=series) + "".join(sample(t) for t in range(1, 20_001)), 9)


@hostile
def many_groups():
    groups = [{"path": f"/g{i}", "limit": 1000} for i in range(40_000)]
    return ".tg", packed(HEADER + sample(0, **tree([1]), cgroups=groups) + "".join(sample(t, threads=[t]) for t in range(1, 10_001)), 9)


@hostile
def many_gpus():
    gpus = [{"index": i, "used": 1000, "total": 2000} for i in range(40_000)]
    return ".tg", packed(HEADER + sample(0, **tree([1]), gpus=gpus) + "".join(sample(t, threads=[t]) for t in range(1, 10_001)), 9)


@hostile
def many_limits():
    lines = "".join(sample(t, cgroups=[{"path": f"/{t}", "limit": 1000 + t, "current": 10}]) for t in range(60_000))
    return ".tg", packed(HEADER + sample(0, **tree([1])) + lines, 9)


@hostile
def names_of_64_kb():
    lines = "".join(process(i, name="n" * 65_536, command="c" * 65_536) for i in range(1, 600))
    return ".tg", packed(HEADER + lines + sample(0, **tree(list(range(1, 600)))))


@hostile
def a_name_that_is_the_file():
    return ".jsonl", (HEADER + process(1, name="\\u001b" * 80_000 + "€" * 100_000)[:-2] + '"}\n' + sample(0, **tree([1]))).encode()[:MOST_BYTES]


@hostile
def deep_json():
    return ".jsonl", (HEADER + '{"kind":"sample","t":0,"x":' + "[" * 400_000 + "]" * 400_000 + "}\n" + sample(1, **tree([1]))).encode()


@hostile
def deep_json_of_nobody():
    return ".json", b'{"a":' * 160_000


@hostile
def huge_numbers():
    far = "".join(sample(t * 90_000_000, **tree([1], anon=[18_014_398_509_481_983 - t])) for t in range(100))
    strange = "".join(sample(9e9, **tree([i], anon=["9" * 300])) for i in range(50))
    return ".jsonl", (HEADER + far + HEADER + strange + HEADER + "".join(sample(t, **tree([1], anon=[t * 10**12])) for t in range(5_000))).encode()


@hostile
def times_all_over():
    lines = "".join(sample((t * 7_919) % 100_003 * 10 ** (t % 5), **tree([1 + t % 3])) for t in range(15_000))
    return ".jsonl", (HEADER + lines).encode()[:MOST_BYTES]


@hostile
def a_profile_of_many_places():
    places = [{"function": f"f{i}", "file": f"/x/{i}.py", "line": i} for i in range(60_000)]
    sites = [{"stack": [i, (i * 7) % 60_000], "live": i, "live_count": 1} for i in range(60_000)]
    profile = {"kind": "profile", "t": 1, "pid": 1, "start": 1, "sampler": "tracemalloc", "places": places, "sites": sites}
    return ".tg", packed(HEADER + sample(0, **tree([1])) + json.dumps(profile) + "\n", 9)


@hostile
def a_profile_of_empty_sites():
    profile = {"kind": "profile", "t": 1, "pid": 1, "start": 1, "sampler": "tracemalloc", "places": [{}] * 200_000, "sites": [{}] * 3_000_000}
    return ".tg", packed(HEADER + sample(0, **tree([1])) + json.dumps(profile, separators=(",", ":")) + "\n", 3)


@hostile
def a_profile_of_empty_sites_in_a_text():
    profile = {"kind": "profile", "t": 1, "pid": 1, "start": 1, "sampler": "tracemalloc", "places": [{}], "sites": [{}] * 320_000}
    return ".jsonl", (HEADER + sample(0, **tree([1])) + json.dumps(profile, separators=(",", ":")) + "\n").encode()


@hostile
def profiles_of_deep_stacks():
    places = [{"function": f"f{i}", "file": "/x.py", "line": i} for i in range(1_024)]
    sites = [{"stack": [(i + k) % 1_024 for k in range(1_024)], "live": i, "live_count": 1} for i in range(400)]
    profile = json.dumps({"kind": "profile", "t": 1, "pid": 1, "start": 1, "sampler": "tracemalloc", "places": places, "sites": sites})
    return ".tg", packed(HEADER + sample(0, **tree([1])) + (profile + "\n") * 12, 9)


@hostile
def magics():
    return ".tg", packed(HEADER + sample(0, **tree([1])))[:-6] + b"\x28\xb5\x2f\xfd" * 240_000


@hostile
def magics_of_long_frames():
    """Each looks like a frame that goes on for 128 KiB, and all of them share these."""
    one = b"\x28\xb5\x2f\xfd\x00\x38" + ((128 << 10) << 3).to_bytes(3, "little") + b'{"tidegauge":1'
    return ".tg", packed(HEADER) + one * (990_000 // len(one))


@hostile
def frames_of_a_header():
    return ".tg", packed(HEADER + sample(0, **tree([1]))) * 6_000


@hostile
def csv_of_many_columns():
    row = ",".join(["1"] * 9_999)
    return ".csv", ("time," + ",".join(f"c{i}_mb" for i in range(9_999)) + "\n" + "".join(f"{t},{row}\n" for t in range(40))).encode()


@hostile
def csv_of_empty_cells():
    return ".csv", ("time," + ",".join(f"c{i}_mb" for i in range(4_000)) + "\n" + "".join(f"{t},1{',' * 3_999}\n" for t in range(220))).encode()


@hostile
def csv_of_short_rows():
    return ".csv", ("time,rss_mb\n" + "".join(f"{t % 10},1\n" for t in range(245_000))).encode()


@hostile
def csv_of_sorted_rows():
    return ".csv", ("t,rss_mb\n" + "".join(f"{t},1\n" for t in range(115_000))).encode()


@hostile
def csv_of_rows_backwards():
    return ".csv", ("t,rss_mb\n" + "".join(f"{t},1\n" for t in reversed(range(115_000)))).encode()


@hostile
def csv_of_many_pids():
    return ".csv", ("t,pid,rss_mb\n" + "".join(f"{t % 9},{t},1\n" for t in range(90_000))).encode()


@hostile
def csv_of_pids_that_come_back():
    few = "".join(f"0,{i},1\n" for i in range(35_000)) + "".join(f"{t},0,1\n" for t in range(1, 20_000)) + "".join(f"20000,{i},1\n" for i in range(35_000))
    return ".csv", ("t,pid,rss_mb\n" + few).encode()[:MOST_BYTES]


@hostile
def csv_of_pids_with_columns():
    return ".csv", ("t,pid," + ",".join(f"c{i}_mb" for i in range(400)) + "\n" + "".join(f"{t // 10},{t % 10}{',1' * 400}\n" for t in range(1_200))).encode()[:MOST_BYTES]


@hostile
def csv_of_one_cell():
    return ".csv", b'time,rss_mb\n1,"' + b'""' * 490_000 + b'"\n'


@hostile
def csv_of_open_quotes():
    return ".csv", b'time,name,rss_mb\n' + b'1,"a\n' * 190_000


@hostile
def csv_of_steps_and_epochs():
    return ".csv", ("time,step,epoch,rss_mb\n" + "".join(f"{t},{t},{t},1\n" for t in range(48_000))).encode()


@hostile
def a_text_without_lines():
    return ".csv", b"a" * 999_000


@hostile
def prometheus_of_many_series():
    result = [{"metric": {"pod": f"p{i}", "x": f"y{i}"}, "values": [[i, "1"]]} for i in range(999)]
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    return ".json", text.encode()


@hostile
def prometheus_of_sparse_series():
    result = [{"metric": {"pod": f"p{i}"}, "values": [[i * 50 + k, "1"] for k in range(48)]} for i in range(990)]
    return ".json", json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":")).encode()


@hostile
def prometheus_of_many_labels():
    metric = {f"l{i}": "x" for i in range(50_000)}
    return ".json", json.dumps({"data": {"result": [{"metric": {**metric, "a": k}, "values": [[1, "2"]]} for k in "a"]}}, separators=(",", ":")).encode()


@hostile
def mprof_of_many_children():
    return ".dat", ("MEM 1.0 1600000000.0\n" + "".join(f"CHLD {t % 990} 1 {1600000000 + t}\n" for t in range(42_000))).encode()


@hostile
def docker_of_many_names():
    return ".csv", ("time,name,mem_usage\n" + "".join(f"{t},n{t % 990},1MiB / 2MiB\n" for t in range(40_000))).encode()[:MOST_BYTES]


@hostile
def trainer_of_many_keys():
    rows = [{"step": t, f"k{t % 990}_mb": 1} for t in range(35_000)]
    return ".json", json.dumps({"log_history": rows}, separators=(",", ":")).encode()[:MOST_BYTES]


# Beside a recording, or given with it.
COMPANIONS = {
    "markers": ("time,step,epoch,event\n" + "".join(f"{t},,,e{t}\n" for t in range(60_000))).encode(),
    "census": b'{"schema":"tidegauge/census/1","x":' + b"[" * 400_000 + b"]" * 400_000 + b"}",
}


def write_all(folder: pathlib.Path):
    for name, make in FILES.items():
        ending, content = make()
        assert len(content) <= MOST_BYTES, (name, len(content))
        (folder / f"{name}{ending}").write_bytes(content)


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    write_all(out)
