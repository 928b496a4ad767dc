#!/usr/bin/env bats
# beff_io and IMB-IO on a distributed file system (GlusterFS on two hosts) whose bricks disappear, come back, or are full.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load ../helpers

BATS_TEST_TIMEOUT=900

world() { "$BATS_TEST_DIRNAME/$1" "${@:2}"; }

# gluster KIND MIB: starts GlusterFS, or skips the test if this is not possible.
gluster() {
    [[ $(id -u) == 0 ]] || skip "needs root (network namespaces)"
    needs ip tc glusterd mount.glusterfs
    [[ -c /dev/fuse ]] || skip "no /dev/fuse"
    ip netns add beff-try 2>/dev/null && ip netns del beff-try || skip "network namespaces are not allowed here"
    world hosts down
    world hosts up 2
    world gluster up "$BATS_TEST_TMPDIR/world" "$@"
    files=$BATS_TEST_TMPDIR/world/files
}

teardown() {
    if [[ -d $BATS_TEST_TMPDIR/world ]]; then
        cp "$BATS_TEST_TMPDIR/world"/client-*.log . || true
        world gluster down "$BATS_TEST_TMPDIR/world"
        world hosts down
    fi
    nothing_left_running
}

# on_it PROGRAM ARGUMENT...: runs one process on each host, in the host's mount of the file system, for at most LIMIT seconds.
on_it() {
    timeout --kill-after=5 "${LIMIT:-300}" "$BATS_TEST_DIRNAME/hosts" run -ppn 1 -n 2 "$BATS_TEST_DIRNAME/gluster" own \
        "$BATS_TEST_TMPDIR/world" bash -c 'cd "$0" && exec "$@"' "$files" "$BUILD/$1" "${@:2}"
}

# empty: checks that no file is left in the hosts' mounts or on the bricks.
empty() {
    local place
    for place in n1 n2 brick-n1/files brick-n2/files; do
        [[ -z $(ls "$BATS_TEST_TMPDIR/world/$place") ]] || fail "left on $place: $(cd "$BATS_TEST_TMPDIR/world/$place" && find . -name .gluster\* -prune -o -print)" || return
    done
}

@test "beff_io and IMB-IO on two hosts: all data are correct, and no files are left" {
    gluster distribute 512
    on_it beff_io --time 20 --memory 16 --max-bytes 100M --verify full --output "$PWD/out" >summary || [[ $? == 1 ]] # rated or not
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' "p.meta['nodes'] == '2'" 'sum(r["errors"] for r in p.records) == 0'
    empty
    on_it IMB-IO -msglog 15:16 -iter 4 -check >out.imb
    [[ $(grep -c '^# Benchmarking' out.imb) -gt 30 ]]
    empty
}

@test "one of two replicated bricks disappears during a run and comes back: the run continues, and no data are lost" {
    gluster replicate 512
    (
        has_records out/run.prot 10
        world gluster away "$BATS_TEST_TMPDIR/world"
        sleep 3
        world gluster back "$BATS_TEST_TMPDIR/world"
    ) 3>&- &
    other=$!
    on_it beff_io --time 30 --noshared --memory 16 --max-bytes 100M --verify full --output "$PWD/out" >summary || [[ $? == 1 ]]
    wait $other
    inspect out/run.prot 'p.sealed' 'p.end == "complete"' 'sum(r["errors"] for r in p.records) == 0'
    SECONDS=0
    # If files were removed while the brick was away, GlusterFS removes them from the brick later.
    until empty >/dev/null || ((SECONDS > 60)); do sleep 1; done
    empty
}

@test "the only brick of a file disappears: status 1, and a line names the file; once it is back, the next run names leftover files" {
    gluster distribute 512
    (
        has_records out/run.prot 10
        world gluster away "$BATS_TEST_TMPDIR/world"
    ) 3>&- &
    other=$!
    run --separate-stderr on_it beff_io --time 60 --memory 16 --max-bytes 100M --output "$PWD/out"
    wait $other
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    if grep -q 'File locking failed' <<<"$stderr"; then # if ROMIO cannot lock a file, it calls MPI_Abort, which ends the run like a kill
        inspect out/run.prot 'not p.sealed' 'len(p.records) >= 10'
    else
        grep -qE '^beff_io: partial .*(scatter|shared|separated|segmented|seg_coll)' <<<"$stderr" || fail "$stderr"
        inspect out/run.prot 'p.sealed' 'len(p.records) >= 10' 'p.end.startswith("partial")'
    fi
    world gluster back "$BATS_TEST_TMPDIR/world"
    local place # wait until the clients find the brick: a directory can be removed only if all bricks are available
    for place in "$BATS_TEST_TMPDIR"/world/n[12]; do
        until mkdir -p "$place/try" && rmdir "$place/try"; do sleep 0.5; done 2>/dev/null # limited by BATS_TEST_TIMEOUT
    done
    on_it beff_io --time 10 --memory 16 --max-bytes 100M --output "$PWD/next" >summary 2>said || [[ $? == 1 ]]
    inspect next/run.prot 'p.sealed' 'p.end == "complete"' 'sum(r["errors"] for r in p.records) == 0'
    for place in "$BATS_TEST_TMPDIR"/world/n1/beff_io.scratch.*; do
        [[ ! -e $place ]] || { grep -q "rm -r .*${place##*/}" said && rm -r "$place"; }
    done
    empty
}

@test "other users fill up the bricks: affected patterns end, and no files are left" {
    gluster distribute 256
    (
        has_records out/run.prot 10
        world gluster fill "$BATS_TEST_TMPDIR/world"
    ) 3>&- &
    other=$!
    run --separate-stderr on_it beff_io --time 40 --memory 16 --max-bytes 200M --verify full --output "$PWD/out"
    wait $other
    [[ $status == [01] ]] || fail "status $status" "$stderr"
    echo "$stderr"
    tail -3 out/run.prot
    inspect out/run.prot 'p.sealed' 'len(p.records) >= 10'
    grep -q $'\tspace\t' out/run.prot || grep -q '^#: end = partial (.*\(No\|Not enough\) space' out/run.prot
    world gluster unfill "$BATS_TEST_TMPDIR/world"
    empty
}
