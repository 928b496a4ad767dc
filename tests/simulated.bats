#!/usr/bin/env bats
# beff on a simulated machine, where every result is known exactly.
# shellcheck disable=SC2154 # bats sets status, output, stderr

BATS_TEST_TIMEOUT=900
load helpers

setup_file() {
    ! command -v smpirun > /dev/null || make -s -C "$BATS_TEST_DIRNAME/.." BUILD="${BUILD:-build}" simulated >&2
}

needs_simgrid() {
    command -v smpirun > /dev/null || skip "libsimgrid-dev is not installed"
}

# simulated PROCESSES ARGUMENT...: runs beff on links of 125 MB/s and 50 microseconds, or LINK, for at most LIMIT seconds.
simulated() {
    # shellcheck disable=SC2086 # word splitting is intended
    timeout --kill-after=5 "${LIMIT:-300}" "$TESTS/worlds/simulated" "$1" ${LINK:-125 50} "${@:2}"
}

# exact DIR PROCESSES: checks that rings and polygons take the time that follows from the links. No two processes share a link.
# With Alltoallv, processes wait for each other in pairs, and a formula exists only for the smallest messages.
exact() {
    local rate latency
    read -r rate latency <<<"${LINK:-125 50}"
    inspect "$1/run.prot" "(rated := [r for r in p.records if re.match('ring|random', r['pattern'])])" \
        "all(abs(r['t_max'] / {
            'Sendrecv': lambda n, one: n * (2e-6 * $latency + one),
            'nonblocking': lambda n, one: 2e-6 * $latency + n * one,
            'Alltoallv': lambda n, one: ($2 - 1) * (2e-6 * $latency + 16 / ${rate}e6) + n / ${rate}e6,
            }[r['method']](r['messages'] / $2, (r['bytes'] + 16) / ${rate}e6) - 1) < 1e-3
            for r in rated if r['method'] != 'Alltoallv' or r['bytes'] == 1)" \
        "all(r['t_max'] - r['t_min'] < 1e-3 * r['t_max'] for r in rated if r['method'] != 'Alltoallv')"
}

@test "16 simulated processes: exact to 0.1 %, and never valid" {
    needs_simgrid
    simulated 16 --clock simulated --memory 16 --polygons 2 --output out > summary
    exact out 16
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' 'p.meta["nodes"] == "16"' 'p.meta["option_clock"] == "simulated"' \
        'len({r["pattern"] for r in p.records}) == 29' 'abs(p.results["pingpong_lmax"] / (131072 / (100 + 131088 / 125)) - 1) < 1e-6'
    holds summary 'NOT VALID' 'FAIL  a real machine (simulated by SMPI' '16 PEs with 16 MB/PE on a SIMULATED machine'
    # No message meets another one, so a pair alone is as fast; the plan computes the same, without the 16 B that SMPI adds.
    inspect out/run.prot 'abs(p.results["b_eff_alone"] / p.results["b_eff"] - 1) < 1e-5' 'abs(p.results["contention_share"]) < 1e-3' \
        "abs(p.results['b_eff_alone'] / $("$BUILD/beff" --plan --json --processes 16 --ranks-per-node 1 --memory 16 --link 125 --latency 100 |
            jq .b_eff_alone_expected) - 1) < 2e-3"
    holds out/summary.txt "contention in the network costs 0 %"
    "$BUILD/beff_report" verify out
    recompute out/run.prot
}

@test "a message takes 10 us in ping-pong, rings and polygons with each method alone; net rings are rings with one process per node" {
    needs_simgrid
    local method
    for method in Sendrecv nonblocking Alltoallv; do
        # MPICH's Alltoallv skips empty messages.
        LINK='10000 5' SELECTOR=mpich simulated 4 --clock simulated --memory 16 --polygons 2 --methods $method --output $method > /dev/null
        inspect $method/run.prot 'len([r for r in p.records if re.match("ring|random", r["pattern"]) and r["bytes"] == 1]) >= 8' \
            'all(abs(r["t_max"] / r["loops"] / 1e-5 / (r["messages"] / 4 if r["method"] == "Sendrecv" else 1) - 1) < 0.002
                for r in p.records if re.match("ring|random", r["pattern"]) and r["bytes"] == 1)' \
            'all(abs(p.results[name] - 10) < 0.02 for name in ("message_latency_us", "pingpong_latency_us", "node0_latency_us"))' \
            'abs(p.results["b_eff_between_nodes"] / p.results["b_eff"] - 1) < 1e-6' \
            'abs(p.results["injection_bandwidth"] / (131072 / (10 + 131088 / 10000)) - 1) < 1e-3'
    done
}

@test "processes of a node share its link: the bandwidth from a node is flat at the link's rate, the message rate grows" {
    needs_simgrid
    "$TESTS/worlds/fabric" 4 4 1000 1 1 > platform.xml
    HOSTS=4 PLATFORM=platform.xml SELECTOR=mpich simulated 16 --clock simulated --memory 16 --polygons 1 --methods Sendrecv \
        --limit-link 1000 --output out > summary
    # Half a microsecond to a node under the same switch; SMPI adds 16 B to a message.
    inspect out/run.json '(rows := p["tables"]["by_injection"])' '[row["processes"] for row in rows] == [1, 2, 4]' \
        'all(abs(row["bandwidth"] / (m * 131072 / (0.5 + m * 131.088)) - 1) < 1e-3 for row in rows if (m := row["processes"]))' \
        'all(abs(row["messages"] / (m / (0.5e-6 + m * 24e-9)) - 1) < 1e-3 for row in rows if (m := row["processes"]))' \
        'p["result"]["injection_processes"] == 1' 'abs(p["result"]["injection_link_percent"] - 99.6) < 0.1'
    holds out/summary.txt 'a node sends 100 % of 8 Gbit/s (--limit-link) with 1 process'
}

@test "nodes with 3, 2 and 2 processes: the third process of a node has no partner" {
    needs_simgrid
    HOSTS=3 SELECTOR=mpich LINK='10000 5' simulated 7 --clock simulated --memory 1 --polygons 1 --methods Sendrecv --nodes-seed 2 --output out > summary
    inspect out/run.json '(rows := p["tables"]["by_injection"])' '[row["processes"] for row in rows] == [1, 2, 3]' \
        'all(abs(row["messages"] / (min(row["processes"], 2) / 10.0024e-6) - 1) < 1e-3 for row in rows)'
}

@test "4 simulated processes: the same in every run" {
    needs_simgrid
    simulated 4 --clock simulated --memory 16 --polygons 1 --output out > /dev/null
    simulated 4 --clock simulated --memory 16 --polygons 1 --output again > /dev/null
    diff <(grep -v '^#' out/run.prot) <(grep -v '^#' again/run.prot)
}

@test "slow links: Alltoallv, with a message for each pair, is skipped after 12 measurements" {
    needs_simgrid
    export LINK='1000 500'
    simulated 16 --clock simulated --memory 1 --polygons 1 --time 100 --output out > summary
    exact out 16
    # Alltoallv is measured for 7 patterns with 1 B and 5 with 2 B, and skipped in all later cells that have this method.
    inspect out/run.prot '[r["bytes"] for r in p.records if r["method"] == "Alltoallv"] == 7 * [1] + 5 * [2]' \
        'int(p.meta["slow_skipped"]) == len({(r["pass"], r["rep"], r["pattern"], r["bytes"]) for r in p.records if r["pattern"] != "pingpong"}) - 12'
    holds out/summary.txt 'Alltoallv was skipped in'
    "$BUILD/beff_report" verify out
}

@test "a simulated run requires --clock simulated, and a real run refuses it" {
    needs_simgrid
    run --separate-stderr simulated 2 --memory 1 --output out
    is_one_line "$stderr" '--clock simulated' SMPI
    directory_is_empty
    run --separate-stderr mpi 2 --clock simulated --memory 1 --output out
    [[ $status == 3 ]]
    is_one_line "$(said)" '--clock simulated' 'real'
    directory_is_empty
}

# under_load PLATFORM NODES VICTIM...: runs --load on a simulated platform with one process per node, all of them congestors except
# the VICTIMs.
under_load() {
    local platform=$1 nodes=$2 n
    shift 2
    for ((n = 0; n < nodes; n++)); do
        case " $* " in *" n$n "*) echo "n$n victim" ;; *) echo "n$n congestor" ;; esac
    done > roles
    PLATFORM=$platform simulated "$nodes" --clock simulated --memory 1 --polygons 1 --methods Sendrecv --time 1000 --load \
        --load-roles roles --load-block 2e-3 --output out > summary
    inspect out/run.prot 'p.end == "complete"'
    "$BUILD/beff_report" tables out .
}

# takes VICTIM CONGESTOR MICROSECONDS: checks the mean and the median of a row of the table `load`: exact to 2 %, and to a bin.
takes() {
    awk -v "row=$1 $2" -v "expected=$3" '$1 " " $2 == row {
        found = 1; mean = $6 / expected - 1; median = $7 / expected
        if (mean < -0.02 || mean > 0.02 || median < 2^-0.125 || median > 2^0.125) { print "not " expected ": " $0; found = 0 }
    } END { exit !found }' load.dat
}

@test "--load: victims that share no link with the congestors do not suffer" {
    needs_simgrid
    "$TESTS/worlds/fabric" 8 4 1000 10 2 > platform.xml
    under_load platform.xml 8 n0 n1 n2 n3
    holds summary 'under load: no impact measurable (at most 1)'
    # All nine impacts and their intervals are exactly 1.
    awk '$11 ~ /[0-9]/ && /nothing|incast|polygons|alltoall/ { rows++; for (i = 11; i <= 16; i++) if ($i != 1) exit 2 } END { exit rows != 9 }' load.dat
}

@test "--load: a flow that shares its link with one, two and four others takes two, two and three times as long, as computed" {
    needs_simgrid
    # One flow each way: both leaves have one victim and one congestor, and the uplink carries as much as one node.
    "$TESTS/worlds/fabric" 4 2 1000 10 2 > platform.xml
    under_load platform.xml 4 n0 n2
    takes bandwidth nothing 141.09
    takes bandwidth polygons 272.18
    # Two and four flows to the receiver of an incast, and the two messages of the victims, on one backbone.
    for congestors in 3 5; do
        cat > platform.xml <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-$((congestors + 1))" speed="1Gf" bw="10000MBps" lat="2.5us"
    sharing_policy="SPLITDUPLEX" bb_bw="1000MBps" bb_lat="5us" bb_sharing_policy="SHARED"/></platform>
END
        rm -rf out
        under_load platform.xml $((congestors + 2)) n0 n1
        takes bandwidth nothing 272.18
        takes bandwidth incast "$(calculate "10 + 131.088 * ($congestors + 1)")"
        takes latency nothing 10
    done
}

@test "--load needs four nodes, and time" {
    run --separate-stderr mpi 2 --load --memory 1 --output out
    [[ $status == 3 ]]
    is_one_line "$stderr" '--load needs at least 4 nodes' 'only 1' '--load-processes'
    run --separate-stderr mpi 2 --load --time 60 --memory 1 --output out
    [[ $status == 2 ]]
    is_one_line "$stderr" '--load needs 27 s' '--time 90'
    run --separate-stderr mpi 2 --load-processes --output out
    [[ $status == 2 ]]
    is_one_line "$stderr" 'need --load'
    directory_is_empty
}

# nodes STATUS TEXT 'NODES LEAF TAPER [FAULT...]' [OPTION...]: compares the nodes of a fabric (tests/worlds/fabric), and looks for the text.
# tests/worlds/nodes.bats has more fabrics.
nodes() {
    local status=0 shape
    read -ra shape <<<"$3"
    rm -rf out
    "$TESTS/worlds/fabric" "${shape[@]:0:2}" 1000 1 "${shape[@]:2}" > platform.xml
    PLATFORM=platform.xml SELECTOR=mpich simulated "${shape[0]}" --clock simulated --memory 16 --time 1000 --polygons 1 \
        --methods Sendrecv --output out "${@:4}" > summary
    "$BUILD/beff_report" nodes out > report || status=$?
    [[ $status == "$1" ]]
    holds report "$2"
}

@test "16 nodes under tapered switches: only a slow node is named" {
    needs_simgrid
    nodes 0 'none of 16 nodes is slower than 1.2 times (120 of 120 pairs measured)' '16 8 3'
    inspect out/run.json '1000 > p["result"]["bisection_max"] >= p["result"]["bisection_median"] >= p["result"]["bisection_min"] > 300'
    # Four messages of each step of random-01 leave a switch, whose uplink carries 8/3 of a node: they take 1.5 times as long.
    inspect out/run.prot '(r := next(r for r in p.records if r["pattern"] == "random-01" and r["bytes"] == 131072))' '(x := p.results)' \
        'abs(r["t_max"] / (2e-6 * (1 + 1.5 * 131.088)) - 1) < 1e-4' \
        '(alone := sum(16 * L / (1 + (L + 16) / 1000) for L in {r["bytes"] for r in p.records}) / 21)' \
        'abs(x["b_eff_alone"] / alone - 1) < 1e-4' 'abs(x["contention_share"] - 100 * (1 - x["b_eff"] / alone)) < 0.01'
    nodes 1 'latency of n5' '16 8 1 latency:5=20'
    [[ -z $("$BUILD/beff_report" nodes --format list out) ]]
    nodes 1 'slow node n6: an exchange of 131072 B takes 2.0' '16 8 3 node:6=0.5'
    [[ $("$BUILD/beff_report" nodes --format list out out) == n6 ]]
    "$BUILD/beff_report" nodes out out | grep 'in 1 of 1 run)'
}

@test "--nodes-seed repeats the order of the pairs of nodes" {
    needs_simgrid
    local name
    for name in 7 8 7-again; do
        simulated 6 --clock simulated --memory 1 --polygons 1 --methods Sendrecv --nodes-seed "${name%-again}" --output $name >/dev/null
        grep '^#@exchange' $name/run.prot >exchanges.$name
    done
    cmp exchanges.7 exchanges.7-again
    run ! cmp exchanges.7 exchanges.8
}

@test "12 nodes, a weak uplink: named with groups" {
    needs_simgrid
    for ((i = 0; i < 12; i++)); do echo "n$i s$((i / 4))"; done > groups
    nodes 1 'the links of group s0 carry 0.50 of what' '12 4 2 uplink:0=0.5' --groups groups
    [[ -z $("$BUILD/beff_report" nodes --format list out) ]]
}
