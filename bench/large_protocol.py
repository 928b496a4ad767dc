#!/usr/bin/env python3
"""Writes a protocol of a given size by repeating the records of a sample.

usage: bench/large_protocol.py beff_report SAMPLE OUTPUT MEGABYTES

For beff, repeats the records of pass 1 as further passes. For imb_compat, repeats the records of individual repetitions.
Multiplies the times of each copy by a different factor, which is within 1 % of 1, and computes the bandwidths from these times.
Takes the values of the result lines from the output of beff_report. In a protocol of beff, the numbers of loops do not follow
from the changed times, so `beff_report verify` reports faults.
"""
import json
import subprocess
import sys


def fnv1a(data, value=0xCBF29CE484222325):
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def seal(path, head, value, tail):
    value = fnv1a(tail, value)
    with open(path, "wb") as file:
        file.write(head + tail + f"#: checksum = {value:016x}\n".encode())


report, source, target, size = sys.argv[1], sys.argv[2], sys.argv[3], int(float(sys.argv[4]) * 1e6)
lines = open(source + "/run.prot").read().splitlines()
names = next(line for line in lines if line.startswith("# columns:")).split()[2:]
records = [dict(zip(names, line.split("\t"))) for line in lines if not line.startswith("#")]
raw = "repetition" in names
keep = [line for line in lines if line.startswith("#") and not line.startswith(
    ("#: result", "#: end", "#: checksum", "#: finished", "#: elapsed_s", "#: started", "#@discarded"))]
keep.insert(2, "#: started = 2026-01-01T00:00:00Z")
middle = next(i for i, line in enumerate(keep) if line.startswith("# columns:")) + 1
out, busy, turn, length = keep[:middle], 0.0, 0, 0
if raw:
    out += ["\t".join(r.values()) for r in records if r["repetition"] == "0"]
while length < size:
    factor = 1 + (turn * 7919 % 20011 / 10005.5 - 1) / 100
    for record in records:
        r = dict(record)
        if raw and r["repetition"] == "0":
            continue
        if not raw and (r["pass"] != "1" or (turn and not r["pattern"].startswith(("ring-", "random-")))):
            continue
        for name in names:
            if name.startswith("t_"):
                r[name] = repr(float(r[name]) * factor)
        if raw:
            r["repetition"] = str(turn * 1000 + int(r["repetition"]))
            for name in "bandwidth", "msg_rate":
                r[name] = repr(float(r[name]) / factor)
        else:
            r["pass"] = str(turn + 1)
            r["bandwidth"] = repr(int(r["bytes"]) * int(r["messages"]) * int(r["loops"]) / float(r["t_max"]) / 1e6)
            busy += float(r["t_max"])
        out.append("\t".join(r.values()))
        length += len(out[-1]) + 1
    turn += 1
seconds = max(int(1.1 * busy), 60)
out += keep[middle:] + [f"#: finished = 2026-01-{1 + seconds // 86400:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:"
                        f"{seconds % 60:02d}Z", f"#: elapsed_s = {seconds}"]
head = ("\n".join(out) + "\n").encode()
value = fnv1a(head)
seal(target, head, value, b"#: end = complete\n")
shown = subprocess.run([report, "show", "--format", "json", target], check=True, capture_output=True, text=True).stdout
values = json.loads(shown)["result"]
results = []
for line in lines:
    if line.startswith("#: result "):
        name, unit = line.split()[2], line.split()[5:]
        results.append(f"#: result {name} = {values[name]!r} {' '.join(unit)}")
seal(target, head, value, ("\n".join(results) + "\n#: end = complete\n").encode())
