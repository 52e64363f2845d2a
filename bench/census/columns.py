# SPDX-License-Identifier: Apache-2.0
"""Whether a census sees what pandas' and pyarrow's tables keep: beside what these say of themselves.

    columns.py TIDEGAUGE
"""
import json
import subprocess
import sys

TABLES = """
import json, sys
import numpy, pandas, pyarrow
rows = 300_000
frame = pandas.DataFrame({"a": numpy.random.rand(rows), "b": numpy.random.rand(rows), "i": numpy.arange(rows)})
frame["text"] = pandas.array([f"row {i}" for i in range(rows)], dtype="string[pyarrow]")
table = pyarrow.table({
    "number": pyarrow.array([float(i) for i in range(rows)]),
    "text": pyarrow.array([f"text {i}" for i in range(rows)]),
    "kind": pyarrow.array(["a", "b"] * (rows // 2)).dictionary_encode(),
    "list": pyarrow.array([[1, 2]] * rows)})
part = table.slice(100, 1000)
batch = pyarrow.RecordBatch.from_arrays([pyarrow.array(list(range(rows)))], ["q"])
buffer = pyarrow.allocate_buffer(5_000_000)
numbers = numpy.arange(3 * rows)
lent = pyarrow.array(numbers)
told = {
    "pyarrow": pyarrow.total_allocated_bytes(),
    "numpy": sum(frame[name].to_numpy().nbytes for name in "abi") + numbers.nbytes,
    "versions": f"pandas {pandas.__version__}, pyarrow {pyarrow.__version__}, numpy {numpy.__version__}"}
print(json.dumps(told), flush=True)
sys.stdin.read()
"""
SMALL = 100_000  # what these libraries have beside


def main():
    target = subprocess.Popen([sys.executable, "-c", TABLES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    told = json.loads(target.stdout.readline())
    taken = subprocess.run([sys.argv[1], "census", str(target.pid), "--json"], stdout=subprocess.PIPE, check=True)
    target.kill()
    target.wait()
    census = json.loads(taken.stdout)
    print(told["versions"])
    wrong = census.get("incomplete") is not None
    for library in ("pyarrow", "numpy"):
        seen = sum(one.get("native_bytes", 0) for one in census["types"] if one["type"].startswith(library + "."))
        wrong = wrong or not 0 <= seen - told[library] <= SMALL
        print(f"{library}: {seen:,} bytes seen, {told[library]:,} by its own account")
    whole = next((one for one in census["retainers"] if one["path"] == "__main__.table"), None)
    print(f"the table is {'named' if whole else 'not named'}: {whole}")
    sys.exit(1 if wrong or not whole else 0)


main()
