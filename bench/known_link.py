"""Prints the table of bench/known-link.

usage: known_link.py LINE RANKS_PER_HOST SLOW PLAN_OF_RANK... -- RUN.PROT...

LINE is the rate of a host's link in bytes/s. SLOW is a host that sends (n2) or receives (n2:in) at half this rate, or is empty.
The messages that leave or enter each host are counted from the neighbours in the plans. The link with the most messages
determines the time of a measurement. Its bandwidth is the number of its messages in an iteration, multiplied by the message size
and divided by the time of the iteration. Patterns that send nothing over a link are skipped. A ping-pong uses one link at a time,
so its iteration takes as long as its two messages. As in b_eff, the best record of each pattern and size in a pass is used, and
then the median over the passes.

At Lmax, the bandwidths are also compared with the rate that TCP leaves for data. In a packet of MTU bytes, 40 bytes are the headers
of IP and TCP, and 12 bytes are time stamps. The token bucket counts the 14 bytes of the Ethernet header in addition to the packet,
but neither the preamble nor the checksum.
"""
import json
import math
import statistics
import sys
from collections import defaultdict

ALLOWED = 0.03
MTU = 9000
PAYLOAD = (MTU - 40 - 12) / (MTU + 14)
line, ranks, (slow, _, entering) = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3].partition(":")
split = sys.argv.index("--")
plans = [json.load(open(path)) for path in sorted(sys.argv[4:split], key=lambda path: int(path.rsplit(".", 1)[1]))]


def cost(source, target):
    """Returns the cost of a message on the sender's and on the receiver's link: 1 at the full rate, 2 at half the rate."""
    return tuple(2 if host == int(slow[1:] or 0) - 1 and way == entering else 1 for host, way in ((source, ""), (target, "in")))


def fullest():
    """Returns the cost of the messages over the busiest link in one iteration of each rated pattern. For a ping-pong, returns the
    cost of all its messages, because they follow one another."""
    most = {}
    for place, pattern in enumerate(plans[0]["patterns"]):
        one_by_one = pattern["name"] == "pingpong"
        if not pattern["rated"] and not one_by_one:
            continue
        carried = defaultdict(int)
        for rank, plan in enumerate(plans):
            mine = plan["patterns"][place]
            for to in {*mine["left"], *mine["right"]}:  # in a ring of two, both neighbours are the same rank, which gets one message
                if to >= 0 and to // ranks != rank // ranks:
                    out, into = cost(rank // ranks, to // ranks)
                    carried[rank // ranks, "out"] += out
                    carried[to // ranks, "in"] += into
                    carried["all"] += max(out, into) if one_by_one else 0
        most[pattern["name"]] = max(carried.values(), default=0)
    return most


class Run:
    def __init__(self, path, messages):
        self.meta, passes, columns = {}, defaultdict(lambda: defaultdict(float)), []
        for text in open(path):
            if text.startswith("#: "):
                key, _, value = text[3:].rstrip("\n").partition(" = ")
                self.meta[key] = value
            elif text.startswith("# columns: "):
                columns = text[11:].split()
            elif not text.startswith("#"):
                row = dict(zip(columns, text.split("\t")))
                count, time = messages.get(row["pattern"], 0), float(row["t_max"])
                if count and time > 0:
                    rate = int(row["bytes"]) * count * int(row["loops"]) / time / line
                    best = passes[int(row["bytes"]), row["pattern"]]
                    best[row["pass"]] = max(best[row["pass"]], rate)
        best = {key: statistics.median(of.values()) for key, of in passes.items()}
        shares, kinds, largest = defaultdict(list), defaultdict(list), max(size for size, _ in best)
        for (size, pattern), share in best.items():
            kind = pattern.split("-")[0]
            if size == largest:
                kinds[kind].append(share / PAYLOAD)
            if kind != "pingpong":
                shares[size].append(share)
        self.kinds = {kind: math.exp(sum(map(math.log, of)) / len(of)) for kind, of in sorted(kinds.items())}
        self.mean = {size: math.exp(sum(map(math.log, of)) / len(of)) for size, of in shares.items()}
        self.most = {size: max(of) for size, of in shares.items()}
        self.time = float(self.meta["time_s"])
        rated = self.meta.get("result b_eff")
        self.rating = float(rated.split()[0]) if rated else math.nan


runs = [Run(path, fullest()) for path in sys.argv[split + 1 :]]
print("share of the line rate, mean over patterns (highest pattern)")
print("     bytes" + "".join(f"  T = {run.time:4.0f} s     " for run in runs))
for size in sorted(set().union(*(run.mean for run in runs))):
    print(f"{size:10d}" + "".join(
        f"  {run.mean[size]:6.3f} ({run.most[size]:6.3f})" if size in run.mean else "       -         " for run in runs))
print("b_eff MB/s" + "".join(f"  {run.rating:15.3f}" for run in runs))
print(f"share at Lmax of the {line * PAYLOAD / 1e6:.2f} MB/s that TCP leaves on a line of {line / 1e6:g} MB/s")
for kind in sorted(set().union(*(run.kinds for run in runs))):
    print(f"{kind:>10s}" + "".join(f"  {run.kinds.get(kind, math.nan):6.3f}         " for run in runs))
longest = max(runs, key=lambda run: run.time)
wrong = False
for run in runs:
    above = {size: share for size, share in run.mean.items() if share > 1 + ALLOWED}
    found = ", ".join(f"{size} B {share:.3f}" for size, share in sorted(above.items())) or "none"
    off = run.rating / longest.rating - 1
    far = [kind for kind, share in run.kinds.items() if abs(share - 1) > ALLOWED]
    wrong |= bool(above) or bool(far) or not abs(off) <= ALLOWED
    print(f"T = {run.time:g} s: sizes above the line by more than 3 %: {found}; off at Lmax: {', '.join(far) or 'none'}; b_eff {100 * off:+.1f} % relative to T = {longest.time:g} s")
sys.exit(wrong)
