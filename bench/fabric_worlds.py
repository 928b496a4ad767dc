"""Made-up machines with a known truth, for bench/fabrics.

A fabric has links with a rate (1: a node's link) and a latency in microseconds, and a route for each pair of nodes. u5 and d5 are the
link of n5 to and from its switch. A world is a fabric and the findings that an engineer with perfect knowledge would name."""
import random


class Fabric:
    def __init__(self, nodes, us):
        self.n, self.link, self.other_jobs, self.alias, self.extra, self.group = nodes, {}, {}, {}, {}, None
        self.inner = lambda a, b: []
        for i in range(nodes):
            self.add(f"u{i}", 1, us), self.add(f"d{i}", 1, us)

    def add(self, name, rate, us):
        self.link[name] = [rate, us]

    def route(self, a, b):
        route = [f"u{a}"] + self.inner(a, b) + [f"d{b}"] + self.extra.get((a, b), [])
        return list(dict.fromkeys(self.alias.get(x, x) for x in route))

    def grouped(self, by):
        """Names the groups: nodes of each, or a function of the node."""
        self.group = by if callable(by) else lambda i: i // by
        return self

    # ---- faults ----
    def scale(self, factor, *names):
        for name in names:
            self.link[name][0] *= factor
        return self

    def node(self, factor, *nodes):
        return self.scale(factor, *[x + str(i) for i in nodes for x in "ud"])

    def late(self, us, *names):
        for name in names:
            self.link[name][1] += us
        return self

    def pair(self, a, b, factor, us=0, one_way=False):
        for x, y in [(a, b)] + [(b, a)] * (not one_way):
            self.add(f"p{x}_{y}", factor, us)
            self.extra[x, y] = [f"p{x}_{y}"]
        return self

    def half_duplex(self, i):
        self.alias[f"d{i}"] = f"u{i}"
        return self

    def spread(self, sigma, seed):
        draw = random.Random(seed)
        for i in range(self.n):
            self.node(1 + draw.gauss(0, sigma), i)
        return self

    def traffic(self, low, period, *names):
        """Other jobs leave a random share, from `low` on, which changes each period."""
        for name in names:
            self.other_jobs[name] = low, period
        return self

    def text(self):
        """Returns the input of bench/fabric_model.c."""
        number = {name: i for i, name in enumerate(self.link)}
        lines = [str(self.n)] + [f"link {rate:.9g} {us * 1e-6:.9g}" for rate, us in self.link.values()]
        lines += [f"traffic {number[x]} {low} {period}" for x, (low, period) in self.other_jobs.items()]
        if self.group:
            lines += [f"group {i} s{self.group(i)}" for i in range(self.n)]
        for a in range(self.n):
            for b in range(self.n):
                if a != b:
                    lines.append(f"route {a} {b} " + " ".join(str(number[x]) for x in self.route(a, b)))
        return "\n".join(lines) + "\n"

    def xml(self):
        """Returns a platform of SimGrid, with nodes of 1000 MB/s."""
        out = ['<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
               '<platform version="4.1"><zone id="fabric" routing="Full">']
        out += [f'<host id="n{i}" speed="1Gf"/>' for i in range(self.n)]
        links = {**self.link, **{f"o{i}": [10, 0.5] for i in range(self.n)}}
        out += [f'<link id="{x}" bandwidth="{1000 * rate:.9g}MBps" latency="{us:.9g}us" sharing_policy="SHARED"/>' for x, (rate, us) in links.items()]
        for a in range(self.n):
            for b in range(self.n):
                route = "".join(f'<link_ctn id="{x}"/>' for x in (self.route(a, b) if a != b else [f"o{a}"]))
                out.append(f'<route src="n{a}" dst="n{b}" symmetrical="NO">{route}</route>')
        return "\n".join(out + ["</zone></platform>"]) + "\n"


# ---- fabrics ----

def star(nodes, us=5):
    return Fabric(nodes, us)


def places(sizes):
    return [leaf for leaf, size in enumerate(sizes) for _ in range(size)]


def leaves(sizes, taper, us=5):
    """Leaf switches under one core; U1 and D1 are the uplink of leaf 1. us: of each of the four links of a route."""
    f, at = Fabric(sum(sizes), us), places(sizes)
    for leaf, size in enumerate(sizes):
        f.add(f"U{leaf}", size / taper, us), f.add(f"D{leaf}", size / taper, us)
    f.inner = lambda a, b: [] if at[a] == at[b] else [f"U{at[a]}", f"D{at[b]}"]
    return f


def tree(pods, edges, hosts, aggs=2, cores=2, edge_taper=1, core_taper=1, us=1.5):
    """Three levels of switches with static routes by destination; each cable is a link. hosts: of an edge switch; cores: uplinks
    of an aggregation switch. E3_0u: from edge 3 to aggregation switch 0; P1_0_1d: from core 1 of aggregation 0 to pod 1."""
    f = Fabric(pods * edges * hosts, us)
    up = hosts / edge_taper / aggs
    top = edges * hosts / edge_taper / core_taper / (aggs * cores)
    for e in range(pods * edges):
        for g in range(aggs):
            f.add(f"E{e}_{g}u", up, us), f.add(f"E{e}_{g}d", up, us)
    for p in range(pods):
        for g in range(aggs):
            for c in range(cores):
                f.add(f"P{p}_{g}_{c}u", top, us), f.add(f"P{p}_{g}_{c}d", top, us)

    def inner(a, b):
        g, c, x, y = b % aggs, b // aggs % cores, a // hosts, b // hosts
        if x == y:
            return []
        core = [] if x // edges == y // edges else [f"P{x // edges}_{g}_{c}u", f"P{y // edges}_{g}_{c}d"]
        return [f"E{x}_{g}u"] + core + [f"E{y}_{g}d"]
    f.inner = inner
    return f


def torus(dims, rate=1, us=1):
    """Routes go along one dimension after the other. T5_0+: the cable of n5 in direction + of dimension 0."""
    n = 1
    for d in dims:
        n *= d
    f = Fabric(n, us)

    def at(i):
        c = []
        for d in dims:
            c.append(i % d)
            i //= d
        return c

    def number(c):
        i = 0
        for k in reversed(range(len(dims))):
            i = i * dims[k] + c[k]
        return i
    for i in range(n):
        for k in range(len(dims)):
            f.add(f"T{i}_{k}+", rate, us), f.add(f"T{i}_{k}-", rate, us)

    def inner(a, b):
        c, e, route = at(a), at(b), []
        for k, d in enumerate(dims):
            while c[k] != e[k]:
                up = (e[k] - c[k]) % d <= d // 2
                route.append(f"T{number(c)}_{k}{'+' if up else '-'}")
                c[k] = (c[k] + (1 if up else -1)) % d
        return route
    f.inner = inner
    return f


def dragonfly(groups, routers, hosts, local=1, far=1, us=1):
    """One cable between each two groups; minimal routes. L1_0_1: from router 0 to 1 of group 1; G1_3: from group 1 to 3."""
    f = Fabric(groups * routers * hosts, us)
    for g in range(groups):
        for x in range(routers):
            for y in range(routers):
                if x != y:
                    f.add(f"L{g}_{x}_{y}", local, us)
        for h in range(groups):
            if g != h:
                f.add(f"G{g}_{h}", far, 5 * us)

    def inner(a, b):
        g, h, x, y = a // (routers * hosts), b // (routers * hosts), a // hosts % routers, b // hosts % routers
        if g == h:
            return [] if x == y else [f"L{g}_{x}_{y}"]
        i, j = (h - (h > g)) % routers, (g - (g > h)) % routers
        return [f"L{g}_{x}_{i}"] * (x != i) + [f"G{g}_{h}"] + [f"L{h}_{j}_{y}"] * (j != y)
    f.inner = inner
    return f


# ---- worlds ----

W = {}


def world(name, fabric, truth="", may="", note=""):
    """truth: what must be found, such as "slow node: n5; latency: n3". may: what may be found as well, or instead. note: a part
    of a note that must be printed."""
    assert name not in W, name
    W[name] = fabric, truth, may, note


def nodes(*numbers):
    return ", ".join(f"n{i}" for i in numbers)


def slow(*numbers):
    return "; ".join(f"slow node: n{i}" for i in numbers)


def ups(names, way="UD"):
    return [x + str(i) for i in names for x in way]


def sixes(count=4, taper=2):
    return leaves([6] * count, taper)


def thin(count, size=4, taper=8):
    return leaves([size] * count, taper)


def far_leaf():
    return sixes().late(50, "U3", "D3")


def ring(group, far):
    return [f"G{a}_{b}" for a in range(5) for b in range(5) if a != b and group in (a, b) and (a in far or b in far)]


EDGE = dict(pods=3, edges=2, hosts=4, edge_taper=2)
CORE = dict(pods=3, edges=2, hosts=4, cores=1)
FULL = dict(pods=4, edges=2, hosts=4, aggs=4)
UNEQUAL = places([5, 7, 12])
TENS = places([10, 11, 12])

# Healthy. Other jobs are not a fault.
world("h-dragonfly", lambda: dragonfly(5, 2, 4))
world("h-dragonfly-groups", lambda: dragonfly(5, 2, 4).grouped(8))
world("h-dragonfly-thin", lambda: dragonfly(5, 2, 4, far=0.5))
world("h-dragonfly-thin-groups", lambda: dragonfly(5, 2, 4, far=0.5).grouped(8))
world("h-dragonfly-16", lambda: dragonfly(4, 2, 2))
world("h-tree-edge-taper", lambda: tree(**EDGE))
world("h-tree-core-taper", lambda: tree(**CORE, core_taper=4))
world("h-tree-core-taper-edges", lambda: tree(**CORE, core_taper=4).grouped(4))
world("h-tree-core-taper-pods", lambda: tree(**CORE, core_taper=4).grouped(8))
world("h-tree-thin-core-edges", lambda: tree(**FULL, cores=4).grouped(4))
world("h-tree-full-edges", lambda: tree(**FULL).grouped(4))
world("h-tree-full-pods", lambda: tree(**FULL).grouped(8))
world("h-tree-2-2-edges", lambda: tree(3, 3, 4, edge_taper=2, core_taper=2).grouped(4))
world("h-tree-edge-taper-edges", lambda: tree(**EDGE).grouped(4))
world("h-torus", lambda: torus([4, 4, 2]))
world("h-torus-thin", lambda: torus([4, 4, 2], 0.5))
world("h-torus-64-thin", lambda: torus([4, 4, 4], 0.5))
world("h-torus-rows", lambda: torus([4, 4, 2]).grouped(4))
world("h-unequal-leaves", lambda: leaves([5, 7, 12], 2))
world("h-unequal-leaves-groups", lambda: leaves([5, 7, 12], 2).grouped(UNEQUAL.__getitem__))
world("h-all-slow", lambda: star(16).node(0.5, *range(16)))
for seed in (1, 2, 3):
    world(f"h-spread-2-{seed}", lambda seed=seed: star(24).spread(0.02, seed), may="marginal node: *")
    world(f"h-spread-5-{seed}", lambda seed=seed: star(24).spread(0.05, seed), may="marginal node: *")
world("h-traffic", lambda: sixes(taper=1).traffic(0.1, 0.02, *ups(range(4))))
world("h-slow-traffic", lambda: sixes(taper=1).traffic(0.2, 0.5, *ups(range(4))).grouped(6))
world("h-heavy-traffic", lambda: sixes(taper=4).traffic(0.1, 0.5, *ups(range(4))))
world("h-spread-2-groups", lambda: sixes().spread(0.02, 7).grouped(6))
world("h-two", lambda: star(2))
world("h-three", lambda: star(3))
world("h-four", lambda: leaves([2, 2], 2))
world("h-48", lambda: leaves([12] * 4, 4))
world("h-48-groups", lambda: leaves([12] * 4, 4).grouped(12))
world("h-traffic-groups", lambda: sixes(taper=1).traffic(0.1, 0.02, *ups(range(4))).grouped(6))
world("h-far-leaf", lambda: far_leaf().grouped(6))
world("h-fast-rack", lambda: star(24).node(2, *range(18, 24)), note="two kinds of nodes")
world("h-fast-rack-of-8", lambda: star(24).node(2, *range(16, 24)), note="two kinds of nodes")
world("h-16-groups", lambda: thin(4, taper=2).grouped(4))

# Slow nodes.
world("node-dragonfly", lambda: dragonfly(5, 2, 4).node(0.6, 17), slow(17))
world("node-dragonfly-thin", lambda: dragonfly(5, 2, 4, far=0.5).node(0.4, 17), slow(17))
world("node-tree", lambda: tree(**EDGE).node(0.5, 9), slow(9))
world("node-torus", lambda: torus([4, 4, 2]).node(0.6, 13), slow(13))
world("node-torus-thin", lambda: torus([4, 4, 2], 0.5).node(0.3, 13), slow(13))
world("node-unequal-leaves", lambda: leaves([5, 7, 12], 2).node(0.6, 8), slow(8))
world("node-receives", lambda: leaves([8, 8], 2).scale(0.5, "d5"), slow(5))
world("node-sends", lambda: leaves([8, 8], 2).scale(0.5, "u5"), slow(5))
world("node-sends-80", lambda: leaves([8, 8], 2).scale(0.8, "u5"), slow(5), may="marginal node: n5")
for percent in (80, 75, 70):
    world(f"node-{percent}", lambda percent=percent: star(24).node(percent / 100, 7), slow(7), may="marginal node: n7")
for percent in (95, 90, 85, 83):
    world(f"node-{percent}", lambda percent=percent: star(24).node(percent / 100, 7), "marginal node: n7",
          may="slow node: n7" if percent == 83 else "")
world("node-90-spread", lambda: star(24).spread(0.01, 3).node(0.9, 7), "marginal node: n7")
world("node-leaf", lambda: sixes().node(0.5, *range(6, 12)), note="two kinds of nodes")
world("node-leaf-groups", lambda: sixes().node(0.5, *range(6, 12)).grouped(6), note="two kinds of nodes: 6 (group s1)")
world("node-third", lambda: star(24).node(0.5, *range(8)), note="two kinds of nodes")
world("node-10-of-24", lambda: star(24).node(0.5, *range(10)), note="two kinds of nodes")
world("node-two-kinds", lambda: star(24).node(0.5, *range(0, 24, 2)), note="two kinds of nodes")
world("node-old-and-slow", lambda: star(24).node(0.5, *range(12)).node(0.5, 3), slow(3), note="two kinds of nodes")
world("node-half-duplex", lambda: leaves([8, 8], 1).half_duplex(4), slow(4))
world("node-two", lambda: star(2).node(0.5, 1), note="two nodes have only each other")
world("node-three", lambda: star(3).node(0.5, 1), note="with 3 nodes")
world("node-four", lambda: star(4).node(0.5, 1), slow(1))
world("node-two-of-four", lambda: star(4).node(0.5, 1, 2), note="more than a third")
world("node-two-of-six", lambda: star(6).node(0.5, 1).node(0.7, 4), slow(1, 4))
world("node-48", lambda: leaves([12] * 4, 4).node(0.7, 30), slow(30))
world("node-five-of-48", lambda: leaves([12] * 4, 4).node(0.7, 0, 1, 13, 30, 47), slow(0, 1, 13, 30, 47))
world("node-thin", lambda: thin(6).node(0.4, 9), slow(9))
world("node-thin-groups", lambda: thin(6).node(0.4, 9).grouped(4), slow(9))
world("node-thin-70", lambda: thin(6).node(0.7, 9), slow(9))
world("node-thin-36", lambda: thin(9).node(0.3, 9), slow(9))
world("node-thin-40", lambda: thin(10).node(0.3, 9), slow(9))
world("node-thin-40-groups", lambda: thin(10).node(0.3, 9).grouped(4), slow(9))
world("node-thin-48", lambda: thin(6, 8, 16).node(0.3, 9), slow(9))
world("node-intermittent", lambda: star(16).traffic(0.2, 0.05, "u6", "d6"), "", may=slow(6) + "; marginal node: n6; slow pair: *")
world("node-traffic", lambda: sixes(taper=1).node(0.5, 9).traffic(0.1, 0.02, *ups(range(4))), slow(9))
world("node-75-16", lambda: thin(4, taper=2).node(0.75, 6), slow(6), may="marginal node: n6")

# Slow pairs, cables and switches.
world("pair", lambda: leaves([8, 8], 2).pair(3, 9, 0.2), "slow pair: n3-n9")
world("pair-star", lambda: star(24).pair(3, 9, 0.2), "slow pair: n3-n9")
world("cable-dragonfly", lambda: dragonfly(5, 2, 4).scale(0.25, "G1_3", "G3_1"), "slow pair: *")
world("cable-dragonfly-groups", lambda: dragonfly(5, 2, 4).scale(0.25, "G1_3", "G3_1").grouped(8), "slow link: s1-s3")
world("cable-local", lambda: dragonfly(5, 2, 4).scale(0.2, "L1_0_1", "L1_1_0"), "slow pair: *")
world("cable-torus", lambda: torus([4, 4, 2]).scale(0.2, "T5_0+", "T6_0-"), "slow pair: *")
world("cable-edge", lambda: tree(**EDGE).scale(0.3, "E3_0u", "E3_0d"), "slow pair: *")
world("cable-edge-groups", lambda: tree(**EDGE).scale(0.3, "E3_0u", "E3_0d").grouped(4), "slow pair: *", may="slow group: s3")
world("cable-core-switch", lambda: tree(**EDGE).scale(0.2, *[f"P{q}_0_0{x}" for q in range(3) for x in "ud"]), "slow pair: *")

# Slow groups and uplinks.
world("group-dragonfly", lambda: dragonfly(5, 2, 4).scale(0.4, *ring(2, range(5))), "shared link: " + nodes(*range(16, 24)))
world("group-dragonfly-groups", lambda: dragonfly(5, 2, 4).scale(0.4, *ring(2, range(5))).grouped(8), "slow group: s2")
world("group-3-of-4-cables", lambda: dragonfly(5, 2, 4).scale(0.4, *ring(2, (0, 1, 3))).grouped(8),
      "slow link: s0-s2; slow link: s1-s2; slow link: s2-s3", may="slow group: s2")
EDGE_3 = ["E3_0u", "E3_0d", "E3_1u", "E3_1d"]
world("group-edge", lambda: tree(**EDGE).scale(0.6, *EDGE_3), "shared link: " + nodes(*range(12, 16)))
world("group-edge-groups", lambda: tree(**EDGE).scale(0.6, *EDGE_3).grouped(4), "slow group: s3")
POD_1 = [f"P1_{g}_0{x}" for g in (0, 1) for x in "ud"]
world("group-pod", lambda: tree(**CORE, core_taper=2).scale(0.4, *POD_1), "shared link: " + nodes(*range(8, 16)))
world("group-pod-pods", lambda: tree(**CORE, core_taper=2).scale(0.4, *POD_1).grouped(8), "slow group: s1")
world("group-pod-edges", lambda: tree(**CORE, core_taper=2).scale(0.4, *POD_1).grouped(4), "shared link: " + nodes(*range(8, 16)), may="slow group: s2; slow group: s3")
world("group-unequal-groups", lambda: leaves([5, 7, 12], 2).scale(0.4, "U1", "D1").grouped(UNEQUAL.__getitem__), note="cannot be compared")
world("group-unequal", lambda: leaves([5, 7, 12], 2).scale(0.4, "U1", "D1"), note="")
world("group-2-of-4", lambda: sixes().scale(0.4, *ups([1, 2])).grouped(6), "slow group: s1; slow group: s2")
for count in (3, 4):  # most exchanges of a healthy group end in a weak one, so only the table by_group tells
    world(f"group-{count - 1}-of-{count}", lambda count=count: sixes(count).scale(0.4, *ups(range(count - 1))).grouped(6))
world("group-two-of-6", lambda: sixes(6).scale(0.5, *ups([1])).scale(0.7, *ups([4])).grouped(6), "slow group: s1; slow group: s4")
world("group-80", lambda: sixes().scale(0.8, *ups([1])).grouped(6), "slow group: s1")
world("group-70-untapered", lambda: sixes(taper=1).scale(0.7, *ups([1])).grouped(6), "slow group: s1")
world("group-one-way", lambda: sixes().scale(0.3, "U2").grouped(6), "slow group: s2")
world("group-and-node-in-it", lambda: sixes().scale(0.4, *ups([1])).node(0.4, 8).grouped(6), "slow group: s1; slow node: n8")
world("group-and-node", lambda: sixes().scale(0.4, *ups([1])).node(0.4, 20).grouped(6), "slow group: s1; slow node: n20")
world("group-10-11-12", lambda: leaves([10, 11, 12], 2).scale(0.4, *ups([1])).grouped(TENS.__getitem__), "slow group: s1")
world("group-small", lambda: leaves([2] * 8, 1).scale(0.5, *ups([3])).grouped(2), "slow group: s3", may="shared link: n6, n7")
world("group-two-groups", lambda: leaves([8, 8], 2).scale(0.3, *ups([1])).grouped(8), note="cannot be compared")
world("group-60-16", lambda: thin(4, taper=2).scale(0.6, *ups([1])).grouped(4), "slow group: s1")

# Latencies.
world("late-1ms", lambda: leaves([8, 8], 2, 2.5).late(1000, "u5", "d5"), "latency: n5")
world("late-20us", lambda: leaves([8, 8], 2, 1).late(20, "u5", "d5"), "latency: n5")

# New ones, about each rule and its counterexamples.
world("new-pair-50", lambda: star(24).pair(3, 9, 0.5), "slow pair: n3-n9")
world("new-pair-one-way", lambda: star(16).pair(3, 9, 0.5, one_way=True), "slow pair: n3-n9")
world("new-pair-80", lambda: star(24).pair(3, 9, 0.8), "slow pair: n3-n9")
world("new-pair-late", lambda: leaves([8, 8], 2, 1).pair(3, 9, 1, 30), "latency: n3-n9")
world("new-pair-of-slow-node", lambda: star(24).pair(3, 9, 0.5).node(0.5, 3), slow(3))
world("new-pair-and-other-node", lambda: star(24).pair(3, 9, 0.4).node(0.6, 17), slow(17) + "; slow pair: n3-n9")
world("new-two-pairs", lambda: star(24).pair(3, 9, 0.5).pair(12, 20, 0.4), "slow pair: several pairs")
world("new-hub", lambda: star(24).pair(3, 9, 0.5).pair(3, 12, 0.5).pair(3, 20, 0.5), "slow pair: n3 and 3 others")
world("new-pair-thin-uplinks", lambda: thin(4, 8, 4).pair(3, 30, 0.3), "slow pair: n3-n30")
world("new-pair-128", lambda: star(128).pair(3, 90, 0.5), "slow pair: n3-n90")
world("new-cable-6-groups", lambda: dragonfly(6, 2, 4).scale(0.5, "G0_4", "G4_0").grouped(8), "slow link: s0-s4")
world("new-cable-one-way-groups", lambda: dragonfly(5, 2, 4).scale(0.3, "G1_3").grouped(8), "slow link: s1-s3")
world("new-two-cables-groups", lambda: dragonfly(6, 2, 4).scale(0.3, "G1_3", "G3_1", "G0_5", "G5_0").grouped(8), "slow link: s1-s3; slow link: s0-s5")
world("new-cable-and-node", lambda: dragonfly(5, 2, 4).scale(0.3, "G1_3", "G3_1").node(0.5, 36).grouped(8), "slow link: s1-s3; slow node: n36")
world("new-late-leaf-node", lambda: leaves([8, 8, 8], 2, 1).late(15, "u9", "d9").grouped(8), "latency: n9")
world("new-late-and-slow", lambda: star(16, 1).late(30, "u5", "d5").node(0.5, 11), "latency: n5; slow node: n11")
world("new-late-two", lambda: star(24, 1).late(25, "u5", "d5", "u20", "d20"), "latency: n5; latency: n20")
world("new-late-slow-same", lambda: star(16, 1).late(30, "u5", "d5").node(0.5, 5), "latency: n5; slow node: n5")
world("new-kinds-and-slow-new", lambda: star(24).node(0.5, *range(12)).node(0.4, 20), slow(20), note="two kinds of nodes")
world("new-kinds-pair", lambda: star(24).node(0.5, *range(12)).pair(15, 20, 0.3), "slow pair: n15-n20", note="two kinds of nodes")
world("new-kinds-groups", lambda: leaves([8, 8, 8], 1).node(0.5, *range(8, 16)).grouped(8), note="two kinds of nodes: 8 (group s1)")
world("new-marginal-two", lambda: star(32).spread(0.003, 5).node(0.95, 7, 21), "marginal node: n7; marginal node: n21")
world("new-marginal-tapered", lambda: leaves([8] * 3, 2).spread(0.003, 5).node(0.94, 7), "marginal node: n7")
world("new-marginal-far-node", lambda: star(24, 1).spread(0.003, 5).late(20, "u7", "d7"), "latency: n7")
world("new-marginal-and-pair", lambda: star(24).spread(0.003, 5).node(0.95, 7).pair(3, 9, 0.5), "marginal node: n7; slow pair: n3-n9")
world("new-group-latency", lambda: sixes().scale(0.4, *ups([1])).late(3, "U2", "D2").grouped(6), "slow group: s1")
world("new-group-8-of-16", lambda: leaves([16] * 8, 2).scale(0.5, *ups([5])).grouped(16), "slow group: s5")
world("new-group-odd", lambda: leaves([7] * 5, 2).scale(0.5, *ups([4])).grouped(7), "slow group: s4")
world("new-h-pods-of-three-levels", lambda: tree(4, 4, 4, core_taper=2).grouped(16))
world("new-h-dragonfly-96", lambda: dragonfly(6, 4, 4).grouped(16))
world("new-h-torus-125", lambda: torus([5, 5, 5]))
world("new-h-torus-planes", lambda: torus([4, 4, 4]).grouped(16))
world("new-h-taper-8", lambda: leaves([16] * 4, 8).grouped(16))
world("new-h-one-alone", lambda: leaves([8, 8, 1], 1))
world("new-h-two-far-nodes", lambda: star(24, 1).late(4, "u5", "d5", "u9", "d9"))
world("new-h-spread-2-groups-64", lambda: leaves([16] * 4, 2).spread(0.02, 9).grouped(16))
world("new-h-unequal-4", lambda: leaves([3, 9, 4, 8], 3))
world("new-h-thin-all", lambda: leaves([4] * 16, 8))
world("new-h-kinds-of-three", lambda: star(24).node(0.5, *range(8)).node(0.25, *range(8, 16)), may="*")
world("few-shared-link", lambda: leaves([5, 3], 1).scale(0.13, *ups([1])), "shared link: n5, n6, n7")
world("few-pair", lambda: star(4).pair(1, 3, 0.5), "slow pair: n1-n3")
for count in (5, 7, 12):  # two nodes on one host
    world(f"few-on-one-host-{count}", lambda count=count: leaves([2] + [1] * (count - 2), 1).node(4, *range(count)).node(0.125, 3), slow(3))
world("few-leaves-of-two", lambda: leaves([2] * 6, 4).node(0.7, 5), note="2 slower nodes (n4, n5) are not judged")
world("h-thin-large-leaf", lambda: leaves([10, 3, 3], 1).scale(0.06, *ups([0])).scale(0.2, *ups([1, 2])), note="3 sets of nodes")
