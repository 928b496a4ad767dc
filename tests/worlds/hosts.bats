#!/usr/bin/env bats
# The programs on several hosts: network namespaces of this machine, whose links count the transferred bytes.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load ../helpers

teardown_file() {
    [[ $(id -u) != 0 ]] || "$BATS_TEST_DIRNAME/hosts" down
}

world() {
    "$BATS_TEST_DIRNAME/hosts" "$@"
}

# hosts N: creates N hosts, or skips the test if this is not possible.
hosts() {
    [[ $(id -u) == 0 ]] || skip "needs root (network namespaces)"
    needs ip tc
    ip netns add beff-try 2>/dev/null && ip netns del beff-try || skip "network namespaces are not allowed here"
    world down
    world up "$1"
}

# over RANKS_PER_HOST PROCESSES PROGRAM ARGUMENT...: runs the program for at most LIMIT seconds. Writes a file `sent` with a line
# `HOST BYTES` for each host: the bytes that the host sent over its link during the run.
over() {
    local before status=0
    before=$(world sent)
    timeout --kill-after=5 "${LIMIT:-60}" "$BATS_TEST_DIRNAME/hosts" run -ppn "$1" -n "$2" "$BUILD/$3" "${@:4}" || status=$?
    join <(echo "$before") <(world sent) | awk '{ print $1, $3 - $2 }' >sent
    return $status
}

# each_sent BYTES: checks that every host sent at least this many bytes over its link.
each_sent() {
    awk -v least="$1" '$2 < least { print $1 " sent " $2 " B, less than " least; wrong = 1 } END { exit wrong }' sent
}

# seen DIR HOSTS RANKS_PER_HOST: checks the nodes, processes and memory in the run's protocol.
seen() {
    inspect "$1/run.prot" 'p.sealed' "p.meta['nodes'] == '$2'" "p.meta['ranks_per_node'] == '$3'" \
        "p.meta['processes'] == '$(($2 * $3))'" \
        "p.meta['memory_ranks'] == '$(($2 * $3))'" \
        "int(p.meta['memory_per_process_mib']) == int(p.meta['memory_mib']) // ($2 * $3)" || return
    [[ $3 != 1 ]] || inspect "$1/run.prot" 'p.meta["oversubscribed"] == "no"'
}

# least_sent DIR HOSTS: prints the minimum number of bytes that each host sent in a run with one process on each host, in which
# every message leaves its host.
least_sent() {
    awk -F '\t' -v hosts="$2" '/^# columns: / { n = split(substr($0, 12), name, " ") }
        !/^#/ { for (i = 1; i <= n; i++) c[name[i]] = $i
                if (c["pattern"] ~ /^(ring|random)/) sum += c["bytes"] * c["messages"] * c["loops"] }
        END { printf "%.0f\n", sum / hosts }' "$1/run.prot"
}

@test "beff, one process on each of 2 and 4 hosts: every message crosses the links" {
    local n
    for n in 2 4; do
        hosts $n
        over 1 $n beff --time 10 --polygons 2 --max-loops 100 --limit-link 1000 --output "out$n" >summary || [[ $? == 1 ]]
        seen "out$n" $n 1
        each_sent "$(least_sent "out$n" $n)"
    done
}

@test "beff over TCP between 2 hosts on one kernel: neither the network's system time nor the ranks of the other host are other programs" {
    local others
    hosts 2
    others=$("$TESTS/others" "$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep=",")')" timeout 40 \
        "$BATS_TEST_DIRNAME/hosts" run -ppn 1 -n 2 "$BUILD/beff" --time 6 --memory 1 --output out) || [[ $? == 1 ]]
    inspect out/run.prot 'p.sealed' '(r := p.tables["disturbance"][0])["pass"] == 1 and r["cause"] == "programs"'
    [[ $others != unknown && $(calculate "$others < 1") == 1 ]] || skip "other programs used $others % of the processors"
    if grep 'other programs' out/summary.txt; then fail "others used $others %"; fi
}

# shares DIR RINGS POLYGONS PROCESS: checks the percentages of messages that leave their node, for ring-1 to ring-6 and for random-01, and
# the most messages of a process of ring-1 and ring-2 that leave and stay.
shares() {
    inspect "$1/run.prot" "(sent := {r['pattern']: r['messages'] for r in p.tables['between_nodes']})" \
        "(of := {r['pattern']: r['messages'] for r in p.records})" \
        "[round(100 * sent[f'ring-{i}'] / of[f'ring-{i}']) for i in range(1, 7)] == $2" \
        "100 * sent['random-01'] / of['random-01'] in $3" \
        "[[r['leaving'], r['staying']] for r in p.tables['between_nodes'][:2]] == $4"
}

@test "a node's share of a shaped link of 25 MB/s is 100 %, within 3 %" {
    hosts 2
    world rate 200mbit 24kb # 2 % of a message
    export UCX_RNDV_THRESH=inf # otherwise TCP has two speeds on shared processors
    over 1 2 beff --time 25 --memory 128 --limit-link 25 --output shaped >out 2>err || fail "$(<err)"
    inspect shaped/run.prot "abs(p.results['injection_link_percent'] - 100) < 3" ||
        fail "$(grep injection shaped/run.prot)"
}

@test "beff, two processes on each of 2 hosts, block and cyclic placement: ranks, memory, messages between nodes; the runs are not comparable" {
    hosts 2
    over 2 4 beff --time 15 --polygons 2 --output block >summary || [[ $? == 1 ]]
    seen block 2 2
    each_sent 1000000
    inspect block/run.prot 'p.meta["placement"].split()[0] == "block"'
    shares block '[0, 50, 50, 50, 50, 50]' '(50, 100)' '[[0, 1], [1, 1]]'
    holds block/summary.txt 'note: messages between nodes: rings 42 %, random polygons'
    over 1 4 beff --time 15 --polygons 2 --output cyclic >summary || [[ $? == 1 ]]
    seen cyclic 2 2
    inspect cyclic/run.prot 'p.meta["placement"].split()[0] == "cyclic"'
    shares cyclic '[100, 100, 100, 100, 100, 100]' '(50, 100)' '[[1, 0], [2, 0]]'
    "$BUILD/beff_report" verify block cyclic
    run "$BUILD/beff_report" compare --allow-invalid block -- cyclic
    [[ $status == 3 && $output == *'refused: placement differs: block '*' in block, cyclic '*' in cyclic'* ]] || fail "$output"
}

@test "beff notes that hosts have different environments" {
    hosts 2
    world run -ppn 1 -n 1 "$BUILD/beff" --time 3 --polygons 1 --max-loops 10 --output out : \
        -n 1 -env OMP_NUM_THREADS 2 "$BUILD/beff" >summary || [[ $? == 1 ]]
    inspect out/run.prot 'p.meta["environment_differs"] == "1 of 2 nodes, first n2: OMP_NUM_THREADS unset -> 2"'
    holds out/summary.txt 'note: the environment differs: 1 of 2 nodes, first n2'
}

# own_kernels: creates the program own_kernel, which runs a command as if each host had its own kernel. A preloaded cache
# (tests/shims/cache.c) writes its log to log-HOST.
own_kernels() {
    echo 11111111-1111-1111-1111-111111111111 >boot-n1
    echo 22222222-2222-2222-2222-222222222222 >boot-n2
    printf '#!/bin/sh\nmount --bind "%s/boot-$(uname -n)" /proc/sys/kernel/random/boot_id && CACHE_LOG="%s/log-$(uname -n)" exec "$@"\n' \
        "$PWD" "$PWD" >own_kernel
    chmod +x own_kernel
}

@test "beff_io, 2 hosts with separate kernels, --shift-reads: data from another node are cold, except in collective reads" {
    hosts 2
    mkdir files
    own_kernels
    world run -ppn 1 -n 2 "$PWD/own_kernel" "$BUILD/beff_io" --time 15 --partitions 2 --memory 16 --max-bytes 400M --keep-caches \
        --shift-reads --path files --output out >summary || [[ $? == 1 ]]
    inspect out/run.prot '(reads := {r["type"]: r["cold"] for r in p.records if r["pattern"] == "total" and r["access"] == "read"})' \
        'reads == {0: "warm", 1: "elsewhere", 2: "elsewhere", 3: "elsewhere", 4: "warm"}' 'sum(r["errors"] for r in p.records) == 0'
    grep -q 'FAIL  all rated reads cold (3 cold: 3 read from another node; 2 warm)' out/summary.txt
    "$BUILD/beff_report" verify out
    world run -ppn 1 -n 2 "$PWD/own_kernel" "$BUILD/beff_io" --time 15 --partitions 2 --memory 16 --max-bytes 400M --keep-caches \
        --types shared,separated,segmented --shift-reads --path files --output part >summary || [[ $? == 1 ]]
    grep -q 'pass  all rated reads cold (3 cold: 3 read from another node)' part/summary.txt
    # Hosts that are only network namespaces share one kernel and its page cache.
    over 1 2 beff_io --time 15 --partitions 2 --memory 16 --max-bytes 400M --keep-caches --shift-reads --path files --output one >summary || [[ $? == 1 ]]
    grep -q 'FAIL  all rated reads cold (no file was read from storage; 5 warm)' one/summary.txt
}

@test "beff_io on 2 and 4 hosts: no files are left, and caches are dropped on all hosts" {
    local n
    for n in 2 4; do
        hosts $n
        mkdir files
        over 1 $n beff_io --time 10 --memory 16 --max-bytes 1G --drop-caches --path files --output "out$n" >summary || [[ $? == 1 ]]
        inspect "out$n/run.prot" 'p.sealed' "p.meta['nodes'] == '$n'" "p.meta['ranks_per_node'] == '1'" \
            'sum(r["errors"] for r in p.records) == 0' 'any(r["access"] == "read" for r in p.records)' \
            'all(r["cold"] == "dropped" for r in p.records if r["pattern"] == "total" and r["access"] == "read")' # on all hosts
        [[ -z $(ls -A files) ]] || fail "left: $(find files)"
        rmdir files
        each_sent 10000 # parts of chunks that are sent to the process that writes them
    done
}

# hidden_caches ARGUMENT...: runs beff_io on 2 hosts, whose caches of 320 MiB (by last use) Linux does not show. Clocks run 30 times as
# fast as real time, so that the scheduled 30 minutes pass within a minute; each write takes 60 ms longer, so that little is written. The
# files log-HOST get the bytes that reads found in the cache although only writes of their host had put them there.
hidden_caches() {
    local shims="$BUILD/tests/shims"
    timeout 100 "$BATS_TEST_DIRNAME/hosts" run -ppn 1 -n 2 env CLOCK_SCALE=30 DISK_PATH=/n2. DISK_CALL=write DISK_EVERY=1 DISK_MICROSECONDS=60000 \
        CACHE_BYTES=$((320 << 20)) CACHE_PATH=scratch "LD_PRELOAD=$shims/yield.so:$shims/clock.so:$shims/disk.so:$shims/cache.so" \
        "$PWD/own_kernel" "$BUILD/beff_io" --time 1800 --partitions 2 --memory 16 --max-bytes 4G --cache 320M --path files "$@" >summary ||
        [[ $? == 1 ]]
}

@test "beff_io, 2 hosts with caches that Linux does not show: a run is NOT VALID with --shift-reads, and VALID with --evict" {
    hosts 2
    mkdir files
    own_kernels
    hidden_caches --shift-reads --output shifted
    grep -q 'NOT VALID for comparison: 1 of 9 criteria FAIL' shifted/summary.txt || fail "$(head -n 12 shifted/summary.txt)"
    grep -q 'FAIL  all rated reads cold (3 cold: 3 read from another node; 2 warm; declared cache: 320M on each node)' shifted/summary.txt
    (($(cat log-n1 log-n2 | xargs | tr ' ' +) > 0)) || fail "nothing came from the caches"
    hidden_caches --evict --output evicted
    grep -q '^VALID for comparison: all 9 criteria pass' evicted/summary.txt || fail "$(head -n 12 evicted/summary.txt)"
    grep -q 'pass  all rated reads cold (5 cold: 5 by data volume; declared cache: 320M on each node)' evicted/summary.txt
    [[ $(cat log-n1 log-n2 | xargs) == '0 0' ]] || fail "from the caches: $(cat log-n1 log-n2 | xargs) B"
    "$BUILD/beff_report" verify shifted evicted
    [[ -z $(ls -A files) ]] || fail "left: $(find files)"
}

# written_on N: prints the host that wrote each file of type 2 in the partition of N processes, by rank.
written_on() {
    sort -u log | sed -n "s/\(.*\) n$1\.separated\.0*\([0-9]\)$/\2 \1/p" | sort | cut -d' ' -f2 | xargs
}

@test "beff_io, two processes on each of 4 hosts: partitions are spread over the hosts, or have nodes x processes" {
    hosts 4
    mkdir files
    timeout 100 "$BATS_TEST_DIRNAME/hosts" run -ppn 2 -n 8 env "LD_PRELOAD=$BUILD/tests/shims/yield.so:$BUILD/tests/shims/opens.so" "OPENS_LOG=$PWD/log" OPENS_PATH=scratch \
        "$BUILD/beff_io" --time 20 --partitions 2,5,3x2,8 --types separated --memory 16 --max-bytes 400M --path files --output out >summary ||
        [[ $? == 1 ]]
    [[ $(written_on 2) == 'n1 n2' ]] || fail "2: $(written_on 2)"
    [[ $(written_on 5) == 'n1 n2 n3 n4 n1' ]] || fail "5: $(written_on 5)"
    [[ $(written_on 6) == 'n1 n2 n3 n1 n2 n3' ]] || fail "3x2: $(written_on 6)"
    [[ $(written_on 8) == 'n1 n2 n3 n4 n1 n2 n3 n4' ]] || fail "8: $(written_on 8)"
    inspect out/run.prot "p.meta['partitions'] == '2,5,6,8'" "p.meta['partition_nodes'] == '2,4,3,4'" \
        "('moved_by', 'write separated, 6 processes: 6 processes on 3 nodes') in p.all_meta"
    local wrong
    for wrong in 5x1 2x3; do
        run --separate-stderr world run -ppn 2 -n 8 "$BUILD/beff_io" --time 20 --partitions $wrong --path files --output no
        [[ $status == 2 ]] || fail "$wrong: status $status" "$stderr"
        is_one_line "$(grep '^beff_io: ' <<<"$stderr")" "invalid --partitions: the job does not have ${wrong%x*} nodes with ${wrong#*x} process" 'it has 4 nodes with 2 processes'
    done
    [[ -z $(ls -A files) ]] || fail "left: $(find files)"
}

@test "beff_io, 2 hosts: locks that hold only within a host are found before the run starts" {
    hosts 2
    mkdir files
    run --separate-stderr world run -ppn 1 -n 2 env "LD_PRELOAD=$BUILD/tests/shims/yield.so:$BUILD/tests/shims/lock.so" LOCK_ERRNO=-1 \
        "$BUILD/beff_io" --time 20 --memory 16 --max-bytes 400M --path files --output out
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$(grep '^beff_io: ' <<<"$stderr")" 'rank 1 on n2 locked a file that rank 0 had locked' '--noshared'
    [[ -z $(ls -A files) ]] || fail "left: $(find files)"
}

@test "imb_compat on 2 and 4 hosts: PingPong and Alltoall cross the links" {
    local n
    for n in 2 4; do
        hosts $n
        over 1 $n imb_compat MPI1 -iter 20 -msglog 16:17 -npmin $n PingPong Alltoall >out
        grep -q '^# Benchmarking PingPong' out
        grep -qE '^ +131072 +20 ' out
        each_sent $((20 * (65536 + 131072))) # Alltoall sends to at least one other host
    done
}

@test "imb_compat, two processes on each of 2 hosts: PingPong within a host, Alltoall between them" {
    hosts 2
    over 2 4 imb_compat MPI1 -iter 20 -msglog 16:16 PingPong >out
    awk '$2 > 20 * 65536 { exit 1 }' sent || fail "$(<sent)"
    over 2 4 imb_compat MPI1 -iter 20 -msglog 16:16 -npmin 4 Alltoall >out
    each_sent $((20 * 4 * 65536)) # each of the host's two processes sends to both processes of the other host
}

@test "the death of a host ends the run; the measurements so far are kept" {
    hosts 4
    world run -ppn 1 -n 4 "$BEFF" --time 60 --output out >stdout 2>stderr 3>&- &
    launcher=$!
    has_records out/run.prot 50
    ip netns pids beff-n3 | xargs kill -KILL
    ended_within 10
    inspect out/run.prot 'len(p.records) >= 50'
}

@test "a link that is down for 2 s delays the run, which then continues" {
    hosts 2
    (
        has_records out/run.prot 50
        ip -n beff-n2 link set eth0 down
        sleep 2
        ip -n beff-n2 link set eth0 up
    ) 3>&- &
    over 1 2 beff --time 20 --polygons 2 --output out >summary || [[ $? == 1 ]]
    inspect out/run.prot 'p.sealed' 'p.end == "complete"'
}
