#!/usr/bin/env bats
# beff on several hosts that are only names (tests/worlds/apart): groups, network devices, rates of links. tests/simulated.bats
# compares figures between nodes with known answers, and tests/worlds/hosts.bats has real links.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

# apart N PER COMMAND...: runs a command on N processes in virtual time, PER on each host. XML: a topology for hwloc, which would
# ignore it if HWLOC_COMPONENTS were set.
apart() {
    local topology=()
    [[ -z ${XML-} ]] || topology=(-u HWLOC_COMPONENTS HWLOC_XMLFILE="$XML")
    timeout --kill-after=5 140 "$MPIEXEC" -n "$1" env "${topology[@]}" "$(shims yield clock)" CLOCK_CALL=10000 CLOCK_BYTE=1 "$TESTS/worlds/apart" "${@:2}"
}

needs_apart() {
    unshare --uts --mount true 2>/dev/null || skip "host names cannot be changed here"
}

few=(--time 40 --memory 1 --polygons 1 --methods Sendrecv)

@test "a bad --groups file is refused in one line, status 2" {
    local text line long
    long=$(printf 'x%.0s' {1..70})
    while IFS='|' read -r text line; do
        printf '%b' "$text" >groups
        run --separate-stderr mpi 2 --groups groups --output out
        [[ $status == 2 ]] || fail "$text: status $status" "$stderr"
        is_one_line "$stderr" "invalid --groups file, line $line: " 'expected HOST GROUP'
    done <<END
n0|1
n0 s0\nn1\n|2
# racks\n\nn0 s0 s1\n|3
n0,s0\n|1
n0 s0\nn1 ${long:0:32}\n|2
$long s0\n|1
n0 s0\n$long$long$long$long s0\n|2
END
    rm groups
    for line in groups .; do
        run --separate-stderr mpi 2 --groups $line --output out
        [[ $status == 2 ]] || fail "$line: status $status" "$stderr"
        is_one_line "$stderr" --groups
    done
    run --separate-stderr mpi 1 --groups groups --output out # the file first, then the number of processes
    [[ $status == 2 ]] || fail "one process: status $status" "$stderr"
    is_one_line "$stderr" --groups
    directory_is_empty
}

@test "nodes that the --groups file does not have are noted" {
    needs_apart
    printf 'n0 s0\r\n n1.cluster.org\ts1\n' >groups
    apart 3 1 "$BEFF" "${few[@]}" --time 2 --groups groups --output out >/dev/null || [[ $? == 1 ]]
    inspect out/run.prot '[tuple(r.values()) for r in p.tables["end_point"]] == [(0, "n0", 1, "s0", "-"), (1, "n1", 1, "s1", "-"), (2, "n2", 1, "-", "-")]'
    holds out/summary.txt 'note: no group in --groups groups: 1 of 3 nodes (the first: n2)'
}

@test "adapters that differ from those of the other nodes are recorded and noted, and counters that rose during the run" {
    needs_apart
    unshare --mount mount --bind . /sys/class 2>/dev/null || skip "mounting is not allowed here"
    local host port=infiniband/mlx5_0/ports/1
    for host in n0 n1 n2; do
        mkdir -p sys-$host/$port/counters sys-$host/infiniband/mlx5_0/device sys-$host/net
        echo '4: ACTIVE' >sys-$host/$port/state
        echo '100 Gb/sec (4X EDR)' >sys-$host/$port/rate
        echo 70 >sys-$host/$port/counters/symbol_error
    done
    echo '100 Gb/sec (2X HDR)' >sys-n2/$port/rate
    # shellcheck disable=SC2016 # for the inner shell
    printf '#!/bin/sh\nexec unshare --mount sh -c '\''mount --bind "%s/sys-$(uname -n)" /sys/class && exec "$@"'\'' sh "$@"\n' "$PWD" >own_sys
    chmod +x own_sys
    (has_records out/run.prot 1 && echo 1274 >sys-n2/$port/counters/symbol_error) 3>&- &
    local changer=$!
    # In virtual time, the run would be over before the counter rises.
    apart 3 1 ./own_sys env "$(shims yield clock fault)" FAULT_CALL=any FAULT_RANK=1 FAULT_ACTION=delay FAULT_MICROSECONDS=50000 \
        FAULT_EVERY=400 "$BEFF" "${few[@]}" --time 12 --output out >/dev/null || [[ $? == 1 ]]
    wait $changer
    inspect out/run.prot 'p.sealed' '[tuple(r.values()) for r in p.tables["adapter"]] == [("n2", "mlx5_0/1", "width", 2, 4), ("n2", "mlx5_0/1", "symbol_error", 1204, 0)]'
    tr '\n' ' ' <out/summary.txt | grep -q 'note: n2: mlx5_0/1 width 2X, the others 4X; 1204 symbol_error during the run'
    apart 2 2 ./own_sys "$BEFF" "${few[@]}" --time 2 --output one >/dev/null || [[ $? == 1 ]]
    inspect one/run.prot '"adapter" not in p.tables' # no message leaves the node
}

@test "each network device of a node has an end point: a process that is bound next to it" {
    needs_apart
    needs taskset
    grep -q HAVE_HWLOC "$BUILD/config.mk" || skip "built without hwloc"
    taskset -c 0 true && taskset -c 1 true || skip "needs processors 0 and 1"
    # Two packages with a device each: processors 0 and 2, processors 1 and 3.
    python3 - "$TESTS/fixtures/two-networks.xml" >devices.xml <<'END'
import re, sys
swapped = {"0x00000003": "0x00000005", "0x0000000c": "0x0000000a", "0x00000002": "0x00000004", "0x00000004": "0x00000002"}
text = re.sub(r'(cpuset=")(\w+)', lambda m: m[1] + swapped.get(m[2], m[2]), open(sys.argv[1]).read())
print(re.sub(r'(type="PU" os_index=")([12])', lambda m: m[1] + str(3 - int(m[2])), text), end="")
END
    # shellcheck disable=SC2016 # for the inner shell
    local bound=(bash -c 'exec taskset -c $((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2)) "$@"' bash)
    XML=devices.xml apart 4 2 "${bound[@]}" "$BEFF" "${few[@]}" --time 12 --output bound >/dev/null
    inspect bound/run.prot '(points := [tuple(r.values()) for r in p.tables["end_point"]])' \
        'points == [(i // 2, f"n{i // 2}", 2, "-", f"mlx5_{i % 2}") for i in range(4)]' \
        '(pairs := {tuple(sorted((r["a"], r["b"]))) for r in p.tables["exchange"]})' \
        'pairs <= {(0, 2), (0, 3), (1, 2), (1, 3)} and {i for pair in pairs for i in pair} == {0, 1, 2, 3}'
    XML=devices.xml apart 4 2 "$BEFF" "${few[@]}" --time 2 --output free >/dev/null || [[ $? == 1 ]]
    inspect free/run.prot '[tuple(r.values()) for r in p.tables["end_point"]] == [(0, "n0", 2, "-", "-"), (1, "n1", 2, "-", "-")]'
}

# interface NAME SPEED STATE DEVICE: adds a network interface to a made-up /sys/class.
interface() {
    mkdir -p "class/net/$1/$4"
    echo "$2" >"class/net/$1/speed"
    echo "$3" >"class/net/$1/operstate"
}

# port NAME RATE STATE: adds a port of an adapter.
port() {
    mkdir -p "class/infiniband/$1/ports/1"
    echo "$2" >"class/infiniband/$1/ports/1/rate"
    echo "$3" >"class/infiniband/$1/ports/1/state"
}

@test "the share of the link without an option: the fastest devices in /sys that are up and not virtual" {
    needs_apart
    # shellcheck disable=SC2016 # for the inner shell
    local made=(unshare --mount bash -c 'mount --bind class /sys/class && exec "$@"' bash)
    interface lo -1 unknown statistics
    interface eth0 -1 up device
    apart 2 1 "${made[@]}" "$BEFF" "${few[@]}" --output none >/dev/null
    inspect none/run.prot 'p.results["injection_bandwidth"] > 0' '"injection_link_percent" not in p.results'
    interface eth1 25000 up device
    interface eth2 800000 down device
    interface docker0 800000 up bridge
    interface ib0 100000 up device/infiniband/mlx5_0
    port mlx5_0 '100 Gb/sec (4X EDR)' '4: ACTIVE'
    port mlx5_1 '200 Gb/sec (4X HDR)' '1: DOWN'
    apart 2 1 "${made[@]}" "$BEFF" "${few[@]}" --output link >/dev/null
    inspect link/run.prot 'abs(p.results["injection_link_percent"] / p.results["injection_bandwidth"] / (100 / 12500) - 1) < 1e-6'
    grep -q 'note: a node sends [0-9]* % of 100 Gbit/s (mlx5_0) with 1 process$' link/summary.txt
    apart 2 1 "${made[@]}" "$BEFF" "${few[@]}" --limit-link 1000 --output given >/dev/null
    grep -q 'note: a node sends [0-9]* % of 8 Gbit/s (--limit-link) with 1 process$' given/summary.txt
}

@test "exchanges between nodes that suddenly take a thousand times as long: the run ends in time" {
    needs_apart
    # Rank 2 calls MPI_Recv only for the messages between node 0 and node 2.
    local slow=(FAULT_CALL=MPI_Recv FAULT_RANK=2 FAULT_NUMBER=60 FAULT_EVERY=1 FAULT_ACTION=delay FAULT_MICROSECONDS=40000)
    run --separate-stderr apart 3 1 env "${slow[@]}" "$(shims yield fault)" "$BEFF" "${few[@]}" --time 5 --output out
    [[ $status == [01] && $stderr != *hung* ]] || fail "status $status" "$stderr"
    inspect out/run.prot p.sealed
}
