#!/usr/bin/env bats
# How the programs see the machine: nodes, memory, processors and file systems of systems that report less, or more, than usual.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

few=(--time 2 --max-loops 2 --polygons 1 --methods Sendrecv)

# altered SCRIPT PROGRAM...: runs the script in a mount namespace of its own on each of 4 processes, then beff in virtual time.
# UCX reaches no process of another boot_id through shared memory.
altered() {
    unshare --uts --mount true 2>/dev/null || skip "mounting a file is not allowed here"
    # shellcheck disable=SC2016 # for the inner shell
    timeout --kill-after=5 140 "$MPIEXEC" -n 4 env -u UCX_TLS "$(shims yield clock system)" CLOCK_CALL=10000 CLOCK_BYTE=1 \
        unshare --uts --mount bash -c 'rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; eval "$0" && exec "$@"' "$@"
}

@test "a node is a host name and a kernel: images with one host name on two kernels are two nodes, with names of their own" {
    local id=/proc/sys/kernel/random/boot_id
    echo 11111111-2222-3333-4444-555555555555 >id0
    echo 11111111-2222-3333-4444-666666666666 >id1
    altered "hostname image && mount --bind id\$((rank % 2)) $id" "$BEFF" "${few[@]}" --memory 1 --output out >/dev/null || [[ $? == 1 ]]
    inspect out/run.prot 'p.meta["nodes"] == "2" and p.meta["ranks_per_node"] == "2" and p.meta["memory_ranks"] == "2"'
    inspect out/run.prot 'p.meta["placement"].startswith("cyclic")'
    grep -q $'image.node0\t2' out/run.prot
    grep -q $'image.node1\t2' out/run.prot
    # two host names on one kernel are two nodes that share its memory
    altered "hostname n\$((rank / 2))" "$BEFF" "${few[@]}" --memory 1 --output two >/dev/null || [[ $? == 1 ]]
    inspect two/run.prot 'p.meta["nodes"] == "2" and p.meta["memory_ranks"] == "4"'
    # without a boot_id, the host name decides
    : >none
    altered "hostname n\$((rank / 3)) && mount --bind none $id" "$BEFF" "${few[@]}" --memory 1 --output unknown >/dev/null || [[ $? == 1 ]]
    inspect unknown/run.prot 'p.meta["nodes"] == "2" and p.meta["ranks_per_node"] == "1-3" and p.meta["memory_ranks"] == "3"'
}

@test "if /proc/meminfo is hidden, sysinfo() reports the memory; without both, --memory is required" {
    local hide='mount --bind none /proc/meminfo'
    : >none
    altered "$hide" "$BEFF" "${few[@]}" --output out >/dev/null || [[ $? == 1 ]]
    inspect out/run.prot 'p.meta["memory_source"] == "detected" and int(p.meta["memory_mib"]) > 100'
    run --separate-stderr altered "$hide; export SYSTEM_REFUSES=sysinfo" "$BEFF" "${few[@]}" --output none-given
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" 'memory' 'give --memory'
    run --separate-stderr altered "$hide; export SYSTEM_REFUSES=sysinfo" "${BEFF}_io" --time 5 --output none-given
    [[ $status == 3 ]] || fail "beff_io: status $status" "$stderr"
    is_one_line "$stderr" 'memory' 'give --memory'
    [[ ! -e none-given ]]
    altered "$hide; export SYSTEM_REFUSES=sysinfo" "$BEFF" "${few[@]}" --memory 1 --output given >/dev/null || [[ $? == 1 ]]
    inspect given/run.prot 'p.meta["memory_source"] == "given"'
}

@test "if the system does not report the processors, oversubscription is unknown, and the run is NOT VALID" {
    (($(nproc) >= 2)) || skip "needs two processors"
    LIMIT=140 mpi 2 "$(shims yield clock system)" CLOCK_CALL=10000 CLOCK_BYTE=1 SYSTEM_REFUSES=affinity "${few[@]}" --memory 1 --output out >/dev/null || [[ $? == 1 ]]
    inspect out/run.prot 'p.meta["oversubscribed"] == p.meta["more_ranks_than_cores"] == p.meta["binding"] == "unknown"'
    inspect out/run.prot 'p.meta["cores"].startswith("unknown (")'
    holds out/summary.txt 'at most one process per hardware thread (oversubscribed: unknown)'
}

@test "a file system with 2^62 blocks and more has a size of 2^62 bytes; of one with 0 of 0, --max-bytes is the user's word" {
    BEFF+=_io
    local blocks io=(--time 5 --memory 1 --types separated --noshared)
    for blocks in 4611686018427387904 9223372036854775807 18446744073709551615; do
        mpi 2 "$(shim system)" SYSTEM_BLOCKS=$blocks "${io[@]}" --output "$blocks" >/dev/null || [[ $? == 1 ]]
        inspect "$blocks/run.prot" 'p.meta["storage_bytes"] == p.meta["free_bytes"] == "4611686018427387904" and int(p.meta["max_bytes"]) > 0'
        holds "$blocks/summary.txt" 'no stated size'
        "$BUILD/beff_report" verify "$blocks" >/dev/null || fail "verify $blocks"
    done
    run --separate-stderr mpi 2 "$(shim system)" SYSTEM_BLOCKS=0 "${io[@]}" --output zero
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" '0 of 0 bytes' 'give --max-bytes'
    mpi 2 "$(shim system)" SYSTEM_BLOCKS=0 "${io[@]}" --max-bytes 200M --output zero >/dev/null || [[ $? == 1 ]]
    # Less than nothing is free; a block has no bytes.
    for blocks in 'SYSTEM_BLOCKS=1000000 SYSTEM_FREE=-3|has 0.0 MB free' 'SYSTEM_BLOCKS=1000 SYSTEM_UNIT=0|0 of 0 bytes'; do
        # shellcheck disable=SC2086 # a list
        run --separate-stderr mpi 2 "$(shim system)" ${blocks%|*} "${io[@]}" --output none
        [[ $status == 3 ]] || fail "status $status" "$stderr"
        is_one_line "$stderr" "${blocks#*|}"
    done
    inspect zero/run.prot '"storage_bytes" not in p.meta and "free_bytes" not in p.meta and p.meta["max_bytes"] == "209715200"'
}
