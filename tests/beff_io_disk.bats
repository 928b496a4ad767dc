#!/usr/bin/env bats
# beff_io on disks that fill up, break, or change the data after they were written.
# shellcheck disable=SC2154,SC2034,SC2016 # bats sets status, output, stderr; the helpers start BEFF; bash -c
# expands the variables

load helpers

BEFF=$BUILD/beff_io
small=(--memory 16 --max-bytes 200M --output out --quiet)

# record PATTERN TYPE: prints the pattern's record in the initial write on 2 processes, or nothing if there is none yet.
record() {
    awk -F '\t' -v pattern="$1" -v type="$2" '$1 == 2 && $2 == "write" && $3 == type && $4 == pattern' out/run.prot
}

@test "a byte that changes on the disk between write and read is found, with file and offset" {
    local tries=0 line offset chunk
    start 2 --time 20 -N 2 "${small[@]}"
    until [[ -f out/run.prot && -n $(record total 2) ]]; do
        ((++tries < 1000)) || fail 'the total of type 2 is missing' "$(<stderr)"
        sleep 0.02
    done
    line=$(record 19 2) # separated files, 1 MB
    offset=$(cut -f 22 <<<"$line") chunk=$(cut -f 5 <<<"$line")
    [[ $(cut -f 8 <<<"$line") -ge 1 && $chunk == 1048576 ]] || fail "$line"
    # Changes the last byte of rank 1's first chunk of this pattern.
    printf '\x5a' | dd of="$(echo beff_io.scratch.*/n2.separated.000001)" bs=1 seek=$((offset + chunk - 1)) conv=notrunc \
        status=none
    ended_within 45
    [[ $status == 1 ]] || fail "status $status" "$(<stderr)"
    is_one_line "$(grep '^beff_io: ' stderr)" 'data error' "n2.separated.000001, offset $((offset + chunk - 8))" \
        'expected' 'found' 'pattern 19' 'rank 1'
    holds out/summary.txt 'all data correct (1 wrong word)'
    nothing_left
}

@test "--separated-paths distributes the files of type 2 over its paths, round-robin by rank" {
    mkdir first second
    start 2 --time 20 -N 2 --separated-paths first,second "${small[@]}"
    has_records out/run.prot 30
    [[ -e $(echo first/beff_io.scratch*/n2.separated.000000) && -e $(echo second/beff_io.scratch*/n2.separated.000001) ]] ||
        fail "$(find . -name '*separated.*')"
    [[ ! -e $(echo first/beff_io.scratch*/n2.scatter) ]]
    ended_within 45
    ranks_returned 0
    nothing_left
}

@test "--separated-paths: the free space of the paths is checked, and leftover files in them are reported" {
    needs_mount
    run --separate-stderr unshare --mount bash -c '
        mkdir disk && mount -t tmpfs -o size=64m none disk && mkdir disk/beff_io.scratch.old
        "$0" -n 2 "$1" --time 5 -N 2 --memory 256 --max-bytes 2G --separated-paths disk --output out
        status=$?
        rmdir disk/beff_io.scratch.old
        ls -A disk
        exit $status' "$MPIEXEC" "$BEFF"
    [[ $status == 3 && -z $output ]] || fail "status $status" "$output" "$stderr"
    grep -q 'rm -r disk/beff_io.scratch.old' <<<"$stderr"
    grep -q 'not enough space: disk/beff_io.scratch.* has 67.1 MB free' <<<"$stderr"
    nothing_left
}

