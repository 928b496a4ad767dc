#!/usr/bin/env bats
# beff_io: printed numbers, bytes on disk, time, faults, disks that fill up, break, or change the data after they were written.
# shellcheck disable=SC2154,SC2034,SC2016,SC2030,SC2031 # bats sets status, output, stderr; the helpers start BEFF

load helpers

BEFF=$BUILD/beff_io
BATS_TEST_TIMEOUT=600 LIMIT=200 # far more than the tests need, because the machine may be busy
yields

# Just enough bytes for one call of each pattern on 2 processes. The run ends when they were moved, not when its time is up.
small=(--time 600 -N 2 --memory 16 --max-bytes 70M --output out --quiet)

@test "options that do not fit the machine are refused in one line with status 2 or 3, and nothing is written" {
    local row options status_wanted words
    for row in '--hints /nonexistent | 2 | /nonexistent' '--shift-reads --separated-paths . | 2 | --shift-reads' \
        '--partitions 2x2 | 2 | 2x2' '--partitions 1x1,1 | 2 | 1x1,1' '--path /nonexistent | 3 | /nonexistent No such file' \
        '--max-bytes 1000T --evict --cache 100T | 3 | not enough space 1099511627.8 MB' '--time 1 --max-bytes 5G --evict --cache 2G | 3 | --evict needs 4.295 GB' \
        '--max-bytes 100M --evict --cache 64M | 3 | not enough space --evict needs 134.2 MB'; do
        IFS='|' read -r options status_wanted words <<<"$row"
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 2 --time 5 --memory 16 $options
        [[ $status == "${status_wanted// /}" && -z $output ]] || fail "$options: status $status" "$stderr"
        # shellcheck disable=SC2086 # word splitting is intended
        is_one_line "$stderr" 'beff_io: ' $words || fail "$options"
    done
    directory_is_empty
}

# follows: checks that the printed and the stated numbers of the last run follow from its records.
follows() {
    local numbers
    read -ra numbers < <(recompute out/run.prot)
    grep -q "^b_eff_io = ${numbers[0]} MB/s on " line || fail "${numbers[@]}" "$(<line)" || return
    grep -q " $(four_digits "${numbers[1]}") MB/s" out/summary.txt
}

# coldness PROTOCOL: prints how the rated reads were cold, and how much of their files was in memory.
coldness() {
    inspect "$1" 'print(*((r["cold"], r["resident"]) for r in p.records if r["pattern"] == "total" and r["access"] == "read"), sep="\n") or True'
}

@test "on 1 to 4 processes: each chunk has the place and content of the definition, figures follow from the records, reads are cold" {
    local n
    for n in 1 2 3 4; do
        rm -rf out files
        mkdir files
        mpi "$n" "${small[@]}" -N "$n" --max-bytes $((35 * n))M -p files --keep --verify full >line
        "$TESTS/read_chunks" out/run.prot
        follows
        inspect out/run.prot '[r["cold"] for r in p.records if r["pattern"] == "total" and r["access"] == "read"] == 5 * ["dropped"]' \
            'all(0 <= r["resident"] <= 0.02 for r in p.records if r["pattern"] == "total" and r["access"] == "read")'
    done
}

@test "a run ends at --time" {
    run --separate-stderr mpi 2 --time 3 --memory 256 --quiet --output out
    [[ $status == [01] ]] || fail "status $status" "$stderr"
    inspect out/run.prot 'float(p.meta["elapsed_s"]) <= 3 + 20' # generous, because one call of each pattern may take longer on a busy machine
    nothing_left
}

@test "a byte that was damaged in transfer is found and located" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_read FILE_ACTION=flip FILE_RANK=1 \
        FILE_NUMBER=5 "${small[@]}" --types separated
    [[ $status == 1 ]]
    is_one_line "$(said)" 'data error' n2.separated.000001 offset expected found
    holds out/summary.txt 'all data correct (1 wrong word)'
    nothing_left
}

@test "a call that fails on one rank ends the run, with one line, and leaves no files" {
    local row call rank
    for row in 'write_all 0' 'write_ordered 1' 'write 0' 'sync 1' 'open 0'; do
        read -r call rank <<<"$row"
        run --separate-stderr mpi 2 "$(shim file_fault)" "FILE_CALL=MPI_File_$call" "FILE_RANK=$rank" \
            FILE_NUMBER=7 --force "${small[@]}"
        [[ $status == 1 ]] || fail "$row: status $status" "$stderr"
        is_one_line "$(said)" "MPI_File_$call failed" "rank $rank"
        nothing_left
        [[ $stderr == *'other processes hang in a call; the records are in out/run.prot'* ]] || holds out/run.prot '#: end = partial'
    done
}

@test "a file that cannot be opened on one rank: one line, with that rank and the system's reason" {
    needs_romio 'if one process cannot open a file, all processes may wait in MPI_File_open forever'
    local rank
    for rank in 0 1; do
        run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_open "FILE_RANK=$rank" FILE_NUMBER=7 \
            FILE_ACTION=inside --force "${small[@]}"
        [[ $status == 1 ]]
        is_one_line "$(said)" 'MPI_File_open failed' 'Input/output error' "rank $rank"
        nothing_left
    done
}

@test "a short write is an error" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_write FILE_ACTION=short FILE_NUMBER=4 "${small[@]}"
    [[ $status == 1 ]]
    is_one_line "$(said)" 'transferred' 'bytes'
    nothing_left
}

@test "leftover files are reported with the command that removes them; files that a run did not create are kept" {
    mkdir beff_io.scratch.left
    touch beff_io.scratch.left/n2.scatter
    start 1 --time 600 --memory 256 --output out
    has_records out/run.prot 1
    local own
    own=$(find . -maxdepth 1 -name 'beff_io.scratch.*' ! -name '*.left')
    touch "$own/notes"
    pass_on TERM
    ended_within 60
    is_one_line "$(grep 'rm -r' stderr)" 'rm -r ./beff_io.scratch.left'
    is_one_line "$(grep "cannot remove" stderr)" "${own#./}" 'files that this run did not create'
    [[ $(ls "$own") == notes && -e beff_io.scratch.left/n2.scatter ]] || fail "$(find . -name '*scratch*')"
    rm -r beff_io.scratch.left "$own"
    nothing_left
}

@test "hints reach the library and are in the protocol; those that MPI does not use are named in the notes, once each" {
    local hint
    printf '%s\n' 'all all all on_open cb_buffer_size 4194304' 'all write segmented 1048576 ind_wr_buffer_size 1048576' \
        'all all all Lmax romio_ds_write disable' 'all all all on_open cb_nodez 1' 'all write all all cb_nodes lots' >hints
    mpi 2 "${small[@]}" -i hints
    while read -r hint; do
        holds out/run.prot "#: hint_asked = $hint"
    done <hints
    [[ $(grep -c '^#: hints_in_force = .*cb_buffer_size=4194304' out/run.prot) -ge 11 ]] || fail "$(grep hints out/run.prot)"
    needs_romio "it returns any hint that it was given as one in force"
    for hint in 'cb_nodez 1' 'cb_nodes lots'; do
        [[ $(grep -c "^#: note = hint not in force: $hint (" out/run.prot) == 1 ]] || fail "$(grep note out/run.prot)"
    done
    [[ $(<out/run.prot) != *'not in force: cb_buffer_size'* ]]
    grep -q 'note: hint not in force: cb_nodez 1' out/summary.txt
}

# movers ARGUMENT...: measures types 1, 2 and 4 on 2 processes, and prints for each access and type how many processes transferred data.
movers() {
    rm -rf out
    mpi 2 "$@" "${small[@]}" --patterns 9,17,34 --access write,read --hints hints >line || return
    sed -n 's/^#: moved_by = \(.*\), 2 processes: \([12]\) processes on 1 nodes$/\1 \2/p' out/run.prot | sort | xargs
}

@test "moved_by counts the aggregators of every collective type, as hints or ROMIO's driver for Lustre choose them" {
    needs_romio "it does not report aggregators"
    true >hints
    [[ $(movers) == "read seg_coll 2 read separated 2 read shared 2 write seg_coll 2 write separated 2 write shared 2" ]] || fail "$(movers)"
    [[ $(movers "$(shim stripes)" STRIPE_COUNT=4 STRIPE_SIZE=1048576) == \
        "read seg_coll 2 read separated 2 read shared 2 write seg_coll 1 write separated 2 write shared 1" ]] || fail "$(grep moved_by out/run.prot)"
    printf 'all all all on_open romio_cb_%s enable\n' write read >hints
    [[ $(movers) == "read seg_coll 1 read separated 2 read shared 1 write seg_coll 1 write separated 2 write shared 1" ]] || fail "$(movers)"
}

@test "-rewrite and -noshared: the numbers follow from the records, the verdict from the options" {
    mpi 2 "${small[@]}" -rewrite -noshared >line
    follows
    holds out/summary.txt 'FAIL  shared file pointers used'
    [[ $(awk -F '\t' '$2 == "rewrite" && $4 == "total"' out/run.prot | wc -l) == 5 ]]
    nothing_left
}

@test "--drop-caches drops the page cache of the whole node" {
    needs_mount
    touch dropped # instead of the machine's cache, which other tests use
    unshare --mount sh -c 'mount --bind dropped /proc/sys/vm/drop_caches && exec "$@"' sh \
        "$MPIEXEC" -n 2 "$BEFF" "${small[@]}" --patterns 17 --drop-caches
    [[ $(<dropped) == 1 ]]
}

@test "all processes together print at most -e data errors for each pattern" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_read FILE_ACTION=flip FILE_RANK=-1 FILE_EVERY=1 \
        "${small[@]}" --types separated -e 4
    [[ $status == 1 ]]
    local most
    most=$(grep -o 'pattern [0-9]*' <<<"$(said)" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
    [[ $most == 4 ]] || fail "$(said)"
    nothing_left
}

@test "reads are never reported faster than the device: no process reads in the time that the check of data is excluded" {
    # One simulated device serves the reads of both processes, one after another. A process that stopped its clock to check
    # data would leave the device to the other.
    local check
    for check in ends full; do
        rm -f device
        mpi 2 "$(shim disk)" DISK_PATH=n2.separated DISK_CALL=read DISK_EVERY=1 DISK_MICROSECONDS=300 DISK_SERIAL="$PWD/device" \
            --time 600 -N 2 --memory 1024 --max-bytes 600M --patterns 19 --access write,read --verify $check --output $check --quiet
        inspect $check/run.prot "[r['t_total'] for r in p.records if r['access'] == 'read'][0] >= $(od -An -t d8 device) / 1e9 > 0.1"
    done
}

@test "a lost rewrite is found" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_write_all FILE_ACTION=lose FILE_CREATED=0 \
        FILE_NUMBER=5 "${small[@]}" --types scatter
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    grep -qE 'data error: .*/n2.scatter' <<<"$(said)" || fail "$stderr"
    nothing_left
}

@test "with --keep-caches, reads are warm" {
    mpi 2 "${small[@]}" --keep-caches
    inspect out/run.prot '[r["cold"] for r in p.records if r["pattern"] == "total" and r["access"] == "read"] == 5 * ["warm"]'
    nothing_left
}

@test "reads with direct I/O are cold, and the criterion counts them" {
    needs_romio "its reads by preadv are not aligned by the shim"
    mkdir files
    mpi 2 DIRECT_PATH="$PWD/files" "$(shim direct)" "${small[@]}" --path "$PWD/files"
    inspect out/run.prot '(reads := [r for r in p.records if r["pattern"] == "total" and r["access"] == "read"])' \
        'all(r["cold"] == "direct" and r["direct"] == 1 and r["resident"] == -1 for r in reads)' \
        'sum(r["errors"] for r in p.records) == 0'
    holds out/summary.txt 'pass  all rated reads cold (5 cold: 5 read with direct I/O)'
    "$BUILD/beff_report" verify out
    mpi 2 "$(shim direct)" "${small[@]}" --path "$PWD/files" --output hidden # no O_DIRECT
    inspect hidden/run.prot 'all(r["cold"] == "warm" and r["direct"] == 0 for r in p.records if r["pattern"] == "total" and r["access"] == "read")'
}

@test "if the page cache cannot be examined, the run reports before it starts when reads count as cold" {
    run --separate-stderr mpi 1 "$(shim mincore)" --time 600 --memory 16 --max-bytes 70M --output out
    [[ $(said) == *'does not show which pages are in memory: reads count as cold only if more than '*' GB (the memory'* ]] ||
        fail "$stderr"
    grep -q '^#: note = the file system does not show' out/run.prot
    grep -q '^#: unreachable = all rated reads cold: the file system does not show' out/run.prot
    [[ $(awk -F '\t' '$2 == "read" && $4 == "total" && !/dropped/' out/run.prot | wc -l) == 5 ]]
    nothing_left
}

# The run hangs while some of its communicators do not exist yet.
@test "if the time is up while partitions are being created: status 1, one line, no files left" {
    run --separate-stderr mpi 2 "$(shim fault)" FAULT_ACTION=delay FAULT_SECONDS=30 FAULT_CALL=MPI_Comm_split \
        FAULT_RANK=1 "${small[@]}" --time 4
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(said) == *'the time limit was reached; hung while setting up'* && $(said) != *'signal 11'* ]] || fail "$(said)"
    [[ -z $(ls) ]] || fail "left: $(ls)"
}

@test "a process outside of the partition sleeps through its commands, and passes none on" {
    mpi 2 "$(shim count)" COUNT_FILE="$PWD/count" "${small[@]}" --partitions 1 || [[ $? == 1 ]]
    local commands
    commands=$(grep -oE '(Ib|B)cast [0-9]+' count.1 | awk '{ sum += $2 } END { print sum }')
    ((commands < 50)) || fail "$commands commands" # of 95 patterns, and 22 to open and close files
}

@test "reads that deliver nothing are found, even if the buffer holds what was written" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=reads FILE_ACTION=lose FILE_RANK=-1 FILE_EVERY=1 \
        "${small[@]}" --patterns 9,17
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    grep -q 'data error: .*(pattern 9,' <<<"$(said)" && grep -q 'data error: .*(pattern 17,' <<<"$(said)" || fail "$stderr"
    nothing_left
}

# behind_cache KIND ARGUMENT...: runs a process on a cache of 64 MiB that mincore does not show. `log` gets the bytes that reads found
# in the cache, although only writes had put them there.
behind_cache() {
    rm -rf out
    mpi 1 "$(shim cache)" CACHE_KIND="$1" CACHE_BYTES=67108864 CACHE_PATH=scratch CACHE_LOG="$PWD/log" "${small[@]}" -N 1 --types scatter \
        "${@:2}" || [[ $? == 1 ]]
}

@test "--evict: reads are cold only after it, from a cache by last use and from a cache that keeps blocks that were used twice" {
    local kind
    for kind in lru 2q; do
        behind_cache $kind --cache 64M --max-bytes 48M
        grep -q 'FAIL  all rated reads cold (no file was read from storage; 1 warm; declared cache: 64M on each node)' out/summary.txt
        (($(<log) > 20000000)) || fail "$kind: only $(<log) B came from the cache"
        behind_cache $kind --cache 64M --max-bytes 176M --evict
        grep -q 'pass  all rated reads cold (1 cold: 1 by data volume; declared cache: 64M on each node)' out/summary.txt
        [[ $(<log) == 0 ]] || fail "$kind: $(<log) B came from the cache after --evict"
    done
}

@test "less than twice the size of a declared cache does not count as cold" {
    behind_cache 2q --cache 64M --max-bytes 48M --types scatter,shared --access write,read
    inspect out/run.prot '(scatter := next(r for r in p.records if r["pattern"] == "total" and r["access"] == "read" and r["type"] == 0))' \
        'scatter["passed"] < 1' 'scatter["cold"] == "warm"'
}

# refused EXPECTED... -- [NAME=VALUE]... ARGUMENT...: the run ends before it measures, with status 3, one line with each EXPECTED, and
# no file.
refused() {
    local expected=()
    while [[ $1 != -- ]]; do
        expected+=("$1")
        shift
    done
    run --separate-stderr mpi 2 "${@:2}" "${small[@]}"
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$(grep '^beff_io: ' <<<"$stderr")" "${expected[@]}"
    nothing_left
    [[ ! -e out ]]
}

@test "what the file system cannot do is found before the run starts: locks, quota, permission" {
    refused 'type 1 needs file locks, and fcntl(F_SETLKW) failed on' 'No locks available' 'mount with -o flock, or use --noshared (NOT VALID)' \
        -- "$(shim lock)" LOCK_ERRNO=37
    refused 'the file system does not answer' 'hung while testing the files and locks in' 'use --noshared' -- "$(shim lock clock)" CLOCK_BOOT=20
    refused 'cannot write to' 'quota exceeded' -- "$(shim disk)" DISK_PATH=scratch DISK_CALL=write DISK_ERRNO=122
    mpi 1 "$(shim lock)" LOCK_ERRNO=37 "${small[@]}" -N 1 --noshared
}

# kept_out COMMAND...: the command runs beff_io with files in a directory that it cannot write to: status 3, one line, and no file.
kept_out() {
    local before
    before=$(find . -path ./tmp -prune -o -print)
    run --separate-stderr "$@" "$MPIEXEC" -n 2 ./beff_io "${small[@]}" --path files --output "$PWD/out"
    [[ $status == 3 && -z $output && $(find . -path ./tmp -prune -o -print) == "$before" ]] || fail "$*: status $status" "$output" "$stderr" "$(find .)"
    is_one_line "$(grep '^beff_io: ' <<<"$stderr")" 'cannot create a directory in files: Permission denied; use --path'
}

@test "a directory of another user, and one in which storage treats root as nobody: one line each, and nothing is left" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    needs setpriv
    outside=$(mktemp -d) # ordinary users cannot enter the directory of a test
    chmod 755 "$outside" && cd "$outside" && cp "$BEFF" . && mkdir files && mkdir -m 1777 tmp
    local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ TMPDIR="$PWD/tmp") # of Open MPI's launcher
    kept_out "${nobody[@]}"
    # Root in a user namespace, which the owner of the directory does not know: as on NFS with root_squash.
    "${nobody[@]}" unshare --user --map-root-user true 2>/dev/null || skip "user namespaces are not allowed here"
    kept_out "${nobody[@]}" unshare --user --map-root-user
}

@test "paths with blanks, of 3,000 characters, and links to directories are used; messages show the end of a long path" {
    local long=$PWD
    ln -s . link
    mkdir 'a b'
    while ((${#long} < 3000)); do
        long+=/$(printf 'x%.0s' {1..200})
    done
    mkdir -p "$long"
    for path in 'a b' link "$long"; do
        [[ $MPI_IO == romio || $path != "$long" ]] || continue # OMPIO 4.1 writes beyond its buffer of 256 characters
        rm -rf out
        mpi 2 "${small[@]}" --patterns 17 --path "$path"
        ((${#path} < 100)) || inspect out/run.prot "p.meta['storage_path'] == '$long'"
    done
    run --separate-stderr mpi 2 "${small[@]}" --path "$long/nowhere"
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" 'cannot use the directory' 'xxx/nowhere: No such file'
    nothing_left
}

@test "stripes that MPI reports are recorded and shown, and compare names them where they differ" {
    local stripes
    for stripes in 4 16; do
        mpi 2 "$(shim stripes)" STRIPE_COUNT=$stripes STRIPE_SIZE=1048576 "${small[@]}" --patterns 25 --output "with-$stripes"
        inspect "with-$stripes/run.prot" "any('striping_factor=$stripes' in v and 'striping_unit=1048576' in v for k, v in p.all_meta if k == 'hints_in_force')"
        grep -q "note: storage: .*; stripes of files: $stripes of 1048576 B" "with-$stripes/summary.txt"
    done
    run --separate-stderr "$BUILD/beff_report" compare --allow-invalid with-4 -- with-16
    [[ $output$stderr == *'hint striping_factor'*' 4 '*' 16'* ]] || fail "$output" "$stderr"
}

# sieved VALUE: prints the median of the calls of pattern 5 (a call writes 1,024 chunks of 1 kB, every second chunk of the file) in
# seconds, with romio_ds_write = VALUE, on a disk that takes 3 ms longer for each write of less than 4 kB.
sieved() {
    printf 'all all all all %s\n' 'romio_cb_write disable' "romio_ds_write $1" >hints
    rm -rf out
    mpi 2 "$(shim disk)" DISK_PATH=n2.scatter DISK_CALL=write DISK_BELOW=4096 DISK_MICROSECONDS=3000 DISK_EVERY=1 "${small[@]}" \
        --max-bytes 5M --patterns 5 --access write --hints hints >line
    "$TESTS/inspect" out/run.prot 'print(next(r["call_median"] for r in p.records if r["pattern"] == "5")) or True'
}

@test "hints change a type by a known amount: data sieving writes 1,024 small chunks at once, without it each takes 3 ms" {
    needs_romio 'data sieving'
    local with without
    with=$(sieved enable)
    without=$(sieved disable)
    [[ $(calculate "$without >= 3.072 * 0.91") == 1 ]] || fail "without data sieving: $without s"
    [[ $(calculate "$with < $without / 2") == 1 ]] || fail "with data sieving: $with s, without: $without s"
}

@test "a byte that changes on the disk between write and read is found, with file and offset" {
    local line offset
    start 2 "$(shim file_fault)" FILE_CALL=MPI_File_open FILE_CREATED=0 FILE_ACTION=stop "${small[@]}" --types separated
    until grep -qs '^State:.T' "/proc/$(rank 0)/status"; do sleep 0.05; done # all is written, and nothing read
    line=$(awk -F '\t' '$2 == "write" && $4 == 19' out/run.prot) # 1 MiB
    offset=$(($(cut -f 21 <<<"$line") + 1048576 - 8)) # the last word of rank 1's first chunk
    printf '\x5a' | dd of="$(echo beff_io.scratch.*/n2.separated.000001)" bs=1 seek=$((offset + 7)) conv=notrunc status=none
    kill -CONT "$(rank 0)"
    ended_within 60
    [[ $status == 1 ]] || fail "status $status" "$(<stderr)"
    is_one_line "$(grep '^beff_io: ' stderr)" 'data error' "n2.separated.000001, offset $offset" expected found 'pattern 19' 'rank 1'
    holds out/summary.txt 'all data correct (1 wrong word)'
    nothing_left
}

@test "--separated-paths distributes the files of type 2 over its paths, round-robin by rank, and removes them" {
    mkdir first second
    mpi 2 "${small[@]}" --types scatter,separated --separated-paths first,second --keep
    [[ -e $(echo first/beff_io.scratch*/n2.separated.000000) && -e $(echo second/beff_io.scratch*/n2.separated.000001) &&
        ! -e $(echo first/beff_io.scratch*/n2.scatter) ]] || fail "$(find . -name 'n2.*')"
    rm -r ./*/beff_io.scratch* beff_io.scratch*
    mpi 2 "${small[@]}" --types separated --separated-paths first,second --force
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
