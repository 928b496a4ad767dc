#!/usr/bin/env bats
# beff_io: printed numbers, bytes on disk, time, faults.
# shellcheck disable=SC2154,SC2034 # bats sets status, output, stderr; the helpers start BEFF

load helpers

BEFF=$BUILD/beff_io
small=(--memory 16 --max-bytes 200M --output out --quiet)

@test "--plan --json has the 43 patterns and the partitions" {
    "$BEFF" --plan --json --processes 16 --memory 1024 >plan.json
    inspect plan.json 'p["partitions"] == [2, 8, 16] and p["lmax"] == 8388608' \
        '[q["number"] for q in p["patterns"]] == list(range(43)) and sum(q["units"] for q in p["patterns"]) == 64'
}

@test "a bad command line is refused with one line and status 2" {
    local line
    for line in '-N 0' '-N 2,x' '--max-bytes 5X' '--verify some' '--processes 3' '--hints /nonexistent' '-T 0' extra \
        '--shift-reads --separated-paths .' '--partitions 2x2' '--partitions 1x1,1'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 2 $line
        [[ $status == 2 && -z $output ]] || fail "$line: status $status"
        is_one_line "$stderr" 'beff_io: '
    done
    directory_is_empty
}

@test "every chunk has the place and the content that the definition requires, on 1 to 4 processes" {
    needs python3
    local n
    for n in 1 2 3 4; do
        mkdir "files$n"
        mpi "$n" "$(shim yield)" --time $((20 + 5 * n)) -N "$n" --memory 16 --max-bytes $((60 * n))M --output "out$n" --quiet \
            -p "files$n" --keep --verify full
        run "$TESTS/read_chunks" "out$n/run.prot"
        [[ $status == 0 ]] || fail "$n processes: $output"
        rm -rf "files$n"
    done
}

@test "the printed numbers follow from the records" {
    needs python3
    mpi 2 --time 20 "${small[@]}" >line
    local numbers
    read -ra numbers < <(recompute out/run.prot)
    grep -q "^b_eff_io = ${numbers[0]} MB/s on " line
    grep -q " $(four_digits "${numbers[1]}") MB/s" out/summary.txt
    nothing_left
}

@test "a run takes no longer than --time" {
    with_time '8 16' '[[ $status == 0 ]]' 2 --memory 256 --quiet
    [[ $status == 0 ]]
    inspect out/run.prot "float(p.meta['elapsed_s']) <= $time.5"
    at_most "$took" "$(calculate "$time + 4")"
    nothing_left
}

@test "a byte that was damaged in transfer is found and located" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_read FILE_ACTION=flip FILE_RANK=1 \
        FILE_NUMBER=5 --time 20 "${small[@]}"
    [[ $status == 1 ]]
    is_one_line "$(said)" 'data error' n2.separated.000001 offset expected found
    holds out/summary.txt 'all data correct (1 wrong word)'
    nothing_left
}

@test "a call that fails on one rank ends the run within seconds, with one line, and leaves no files" {
    local row call rank begin
    for row in 'write_all 0' 'write_ordered 1' 'write 0' 'sync 1' 'open 0'; do
        read -r call rank <<<"$row"
        begin=$EPOCHREALTIME
        run --separate-stderr mpi 2 "$(shim file_fault)" "FILE_CALL=MPI_File_$call" "FILE_RANK=$rank" \
            FILE_NUMBER=7 --time 30 -N 2 --force "${small[@]}"
        [[ $status == 1 ]] || fail "$row: status $status" "$stderr"
        is_one_line "$(said)" "MPI_File_$call failed" "rank $rank"
        at_most "$(since "$begin")" 12
        nothing_left
        [[ $stderr == *'other processes hang in a call; the records are in out/run.prot'* ]] || holds out/run.prot '#: end = partial'
    done
}

@test "a file that cannot be opened on one rank: one line, with that rank and the system's reason" {
    needs_romio 'if one process cannot open a file, all processes may wait in MPI_File_open forever'
    local rank
    for rank in 0 1; do
        run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_open "FILE_RANK=$rank" FILE_NUMBER=7 \
            FILE_ACTION=inside --time 30 -N 2 --force "${small[@]}"
        [[ $status == 1 ]]
        is_one_line "$(said)" 'MPI_File_open failed' 'Input/output error' "rank $rank"
        nothing_left
    done
}

@test "a short write is an error" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_write FILE_ACTION=short FILE_NUMBER=4 \
        --time 20 "${small[@]}"
    [[ $status == 1 ]]
    is_one_line "$(said)" 'transferred' 'bytes'
    nothing_left
}

@test "a missing directory, too little space or a bad line in the hints file is reported in one line, and nothing is written" {
    run --separate-stderr mpi 2 --time 5 --path /nonexistent
    [[ $status == 3 ]]
    is_one_line "$stderr" /nonexistent 'No such file'
    run --separate-stderr mpi 2 --time 5 --max-bytes 1000T
    [[ $status == 3 ]]
    is_one_line "$stderr" 'not enough space' 'MB'
    echo 'all all all all key' >hints
    run --separate-stderr mpi 2 --time 5 -i hints
    [[ $status == 2 ]]
    is_one_line "$stderr" 'hints:1:'
    rm hints
    directory_is_empty
}

@test "leftover files are reported with the command that removes them; files that a run did not create are kept" {
    mkdir beff_io.scratch.left
    touch beff_io.scratch.left/n2.scatter
    start 1 --time 4 --memory 256 --max-bytes 200M --output out --quiet
    has_records out/run.prot 1
    local own
    own=$(find . -maxdepth 1 -name 'beff_io.scratch.*' ! -name '*.left')
    touch "$own/notes"
    ended_within 40
    is_one_line "$(grep 'rm -r' stderr)" 'rm -r ./beff_io.scratch.left'
    is_one_line "$(grep "cannot remove" stderr)" "${own#./}" 'files that this run did not create'
    [[ $(ls "$own") == notes && -e beff_io.scratch.left/n2.scatter ]] || fail "$(find . -name '*scratch*')"
    rm -r beff_io.scratch.left "$own"
    nothing_left
}

@test "hints reach the library, and the hints in force are in the protocol" {
    printf '%s\n' 'all all all on_open cb_buffer_size 4194304' 'all write segmented 1048576 ind_wr_buffer_size 1048576' \
        'all all all Lmax romio_ds_write disable' >hints
    mpi 2 --time 20 -N 2 -i hints "${small[@]}"
    holds out/run.prot '#: hint_asked = all all all on_open cb_buffer_size 4194304' \
        '#: hint_asked = all write segmented 1048576 ind_wr_buffer_size 1048576' \
        '#: hint_asked = all all all Lmax romio_ds_write disable'
    [[ $(grep -c '^#: hints_in_force = .*cb_buffer_size=4194304' out/run.prot) -ge 11 ]] || fail "$(grep hints out/run.prot)"
}

@test "hints that MPI does not use are named in the notes, once each" {
    printf '%s\n' 'all all all on_open cb_nodez 1' 'all write all all cb_nodes lots' 'all all all on_open cb_buffer_size 4194304' >hints
    mpi 2 --time 2 -N 2 -i hints --types scatter,segmented "${small[@]}" || [[ $? == 1 ]]
    [[ $(grep -c '^#: note = hint not in force: cb_nodez 1 (' out/run.prot) == 1 ]] || fail "$(grep note out/run.prot)"
    [[ $(grep -c '^#: note = hint not in force: cb_nodes lots (' out/run.prot) == 1 ]] || fail "$(grep note out/run.prot)"
    [[ $(grep -c 'not in force: cb_buffer_size' out/run.prot) == 0 ]]
    grep -q 'note: hint not in force: cb_nodez 1' out/summary.txt
}

@test "-rewrite, -noshared and --drop-caches: the numbers follow from the records, the verdict from the options" {
    needs python3
    mpi 2 --time 30 -N 2 -rewrite -noshared --drop-caches "${small[@]}" >line
    local numbers
    read -ra numbers < <(recompute out/run.prot)
    grep -q "^b_eff_io = ${numbers[0]} MB/s on " line || fail "${numbers[@]}" "$(<line)"
    holds out/summary.txt 'FAIL  shared file pointers used'
    [[ $(awk -F '\t' '$2 == "rewrite" && $4 == "total"' out/run.prot | wc -l) == 5 ]]
    nothing_left
}

@test "all processes together print at most -e data errors for each pattern" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_read FILE_ACTION=flip FILE_RANK=-1 FILE_EVERY=1 \
        --time 20 -N 2 -e 4 "${small[@]}"
    [[ $status == 1 ]]
    local most
    most=$(grep -o 'pattern [0-9]*' <<<"$(said)" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
    [[ $most == 4 ]] || fail "$(said)"
    nothing_left
}

@test "a lost rewrite is found" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=MPI_File_write_all FILE_ACTION=lose FILE_CREATED=0 \
        FILE_NUMBER=12 --time 20 -N 2 "${small[@]}"
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    grep -qE 'data error: .*/n2.scatter' <<<"$(said)" || fail "$stderr"
    nothing_left
}

@test "reads come from storage: files are dropped from the page cache, unless that is turned off" {
    mpi 2 --time 20 -N 2 "${small[@]}" >line
    cp out/run.prot dropped
    mpi 2 --time 20 -N 2 --keep-caches --force "${small[@]}" >line
    resident() {
        awk -F '\t' '/^# columns/ { n = split(substr($0, 12), name, " "); for (i = 1; i <= n; i++) at[name[i]] = i }
            !/^#/ && $at["pattern"] == "total" && $at["access"] == "read" { print $at["resident"], $at["cold"] }' "$1"
    }
    [[ $(resident dropped | awk '$1 < 0 || $1 > 0.02' | wc -l) == 0 ]] || fail "$(resident dropped)"
    [[ $(resident out/run.prot | awk '$2 != "warm"' | wc -l) == 0 ]] || fail "$(resident out/run.prot)"
    nothing_left
}

@test "reads with direct I/O are cold, and the criterion counts them" {
    mkdir files
    mpi 2 DIRECT_PATH="$PWD/files" "$(shim direct)" --time 30 --memory 16 --max-bytes 150M --path "$PWD/files" --output out >line || [[ $? == 1 ]]
    inspect out/run.prot '(reads := [r for r in p.records if r["pattern"] == "total" and r["access"] == "read"])' \
        'all(r["cold"] == "direct" and r["direct"] == 1 and r["resident"] == -1 for r in reads)' \
        'sum(r["errors"] for r in p.records) == 0'
    grep -qE 'pass  all rated reads cold \((5|10) cold: (5|10) read with direct I/O\)' out/summary.txt
    "$BUILD/beff_report" verify out
    mpi 2 "$(shim direct)" --time 30 --memory 16 --max-bytes 150M --path "$PWD/files" --output hidden >line || [[ $? == 1 ]] # no O_DIRECT
    inspect hidden/run.prot 'all(r["cold"] == "warm" and r["direct"] == 0 for r in p.records if r["pattern"] == "total" and r["access"] == "read")'
}

@test "if the page cache cannot be examined, the run reports before it starts when reads count as cold" {
    run --separate-stderr mpi 1 "$(shim mincore)" --time 4 --memory 256 --max-bytes 200M --output out
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
        FAULT_RANK=1 --time 2 "${small[@]}"
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    [[ $(said) == *'the time limit was reached; hung while setting up'* && $(said) != *'signal 11'* ]] || fail "$(said)"
    [[ -z $(ls) ]] || fail "left: $(ls)"
}

@test "reads that deliver nothing are found, even if the buffer holds what was written" {
    run --separate-stderr mpi 2 "$(shim file_fault)" FILE_CALL=reads FILE_ACTION=lose FILE_RANK=-1 FILE_EVERY=1 \
        --time 30 -N 2 --patterns 9,17 "${small[@]}"
    [[ $status == 1 ]] || fail "status $status" "$stderr"
    grep -q 'data error: .*(pattern 9,' <<<"$(said)" && grep -q 'data error: .*(pattern 17,' <<<"$(said)" || fail "$stderr"
    nothing_left
}

# behind_cache KIND ARGUMENT...: runs a process on a cache of 64 MiB that mincore does not show. `log` gets the bytes that reads found
# in the cache, although only writes had put them there.
behind_cache() {
    rm -rf out
    mpi 1 "$(shim cache)" CACHE_KIND="$1" CACHE_BYTES=67108864 CACHE_PATH=scratch CACHE_LOG="$PWD/log" --time 60 --types scatter --memory 16 \
        --output out "${@:2}" >summary || [[ $? == 1 ]]
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

@test "--evict is refused before the start if it takes too much time or space, and leaves nothing" {
    run --separate-stderr mpi 1 --time 1 --memory 16 --max-bytes 5G --evict --cache 2G
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" '--evict needs ' '4.295 GB'
    run --separate-stderr mpi 1 --time 5 --memory 16 --max-bytes 100M --evict --cache 64M
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" 'not enough space' '--evict needs 134.2 MB'
    directory_is_empty
}

# refused EXPECTED... -- [NAME=VALUE]... ARGUMENT...: the run ends before it measures, with status 3, one line with each EXPECTED, and
# no file.
refused() {
    local expected=()
    while [[ $1 != -- ]]; do
        expected+=("$1")
        shift
    done
    run --separate-stderr mpi 2 "${@:2}" --time 60 --memory 16 --max-bytes 100M --output out
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$(grep '^beff_io: ' <<<"$stderr")" "${expected[@]}"
    nothing_left
    [[ ! -e out ]]
}

@test "what the file system cannot do is found before the run starts: locks, quota, permission" {
    refused 'type 1 needs file locks, and fcntl(F_SETLKW) failed on' 'No locks available' 'mount with -o flock, or use --noshared (NOT VALID)' \
        -- "$(shim lock)" LOCK_ERRNO=37
    refused 'the file system does not answer' 'hung while testing the files and locks in' 'use --noshared' -- "$(shim lock)"
    refused 'cannot write to' 'quota exceeded' -- "$(shim disk)" DISK_PATH=scratch DISK_CALL=write DISK_ERRNO=122
    run mpi 1 "$(shim lock)" LOCK_ERRNO=37 --noshared --time 2 --memory 16 --max-bytes 60M --output out
    [[ $status == [01] ]] || fail "$output"
}

# kept_out COMMAND...: the command runs beff_io with files in a directory that it cannot write to: status 3, one line, and no file.
kept_out() {
    local before
    before=$(find .)
    run --separate-stderr "$@" "$MPIEXEC" -n 2 ./beff_io --time 60 --memory 16 --max-bytes 100M --path files --output "$PWD/out"
    [[ $status == 3 && -z $output && $(find .) == "$before" ]] || fail "$*: status $status" "$output" "$stderr" "$(find .)"
    grep '^beff_io: ' <<<"$stderr"
}

@test "a read-only file system, and a directory in which storage treats root as nobody: one line each, and nothing is left" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    needs_mount
    needs setpriv
    outside=$(mktemp -d) # ordinary users cannot enter the directory of a test
    chmod 755 "$outside" && cd "$outside" && cp "$BEFF" . && mkdir files
    # shellcheck disable=SC2016 # for the inner shell
    is_one_line "$(kept_out unshare --mount sh -c 'mount --bind files files && mount -o remount,bind,ro files && exec "$@"' sh)" \
        'cannot create a directory in files: Read-only file system; use --path to name another directory'
    local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/)
    is_one_line "$(kept_out "${nobody[@]}")" 'cannot create a directory in files: Permission denied; use --path'
    # Root in a user namespace, which the owner of the directory does not know: as on NFS with root_squash.
    "${nobody[@]}" unshare --user --map-root-user true 2>/dev/null || skip "user namespaces are not allowed here"
    is_one_line "$(kept_out "${nobody[@]}" unshare --user --map-root-user)" 'cannot create a directory in files: Permission denied; use --path'
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
        rm -rf out
        run mpi 2 --time 3 -N 2 --memory 16 --max-bytes 100M --path "$path" --output out --quiet
        [[ $status == [01] ]] || fail "$path: status $status" "$output"
        ((${#path} < 100)) || inspect out/run.prot "p.meta['storage_path'] == '$long'"
    done
    run --separate-stderr mpi 2 --time 3 --memory 16 --path "$long/nowhere"
    [[ $status == 3 ]] || fail "status $status" "$stderr"
    is_one_line "$stderr" 'cannot use the directory' 'xxx/nowhere: No such file'
    nothing_left
}

@test "stripes that MPI reports are recorded and shown, and compare names them where they differ" {
    local stripes
    for stripes in 4 16; do
        mpi 2 "$(shim stripes)" STRIPE_COUNT=$stripes STRIPE_SIZE=1048576 --time 180 -N 2 --types segmented --patterns 30,31 --access write,read \
            --memory 16 --max-bytes 200M --output "with-$stripes" --quiet >line || [[ $? == 1 ]]
        inspect "with-$stripes/run.prot" "any('striping_factor=$stripes' in v and 'striping_unit=1048576' in v for k, v in p.all_meta if k == 'hints_in_force')"
        grep -q "note: storage: .*; stripes of files: $stripes of 1048576 B" "with-$stripes/summary.txt"
    done
    run --separate-stderr "$BUILD/beff_report" compare --allow-invalid with-4 -- with-16
    [[ $output$stderr == *'hint striping_factor'*' 4 '*' 16'* ]] || fail "$output" "$stderr"
}

# sieved VALUE: prints the median of the calls of pattern 5 (a call writes 1,024 chunks of 1 kB, every second chunk of the file) in
# seconds, with romio_ds_write = VALUE, on a disk that takes 1 ms longer for each write of less than 4 kB.
sieved() {
    printf 'all all all all %s\n' 'romio_cb_write disable' "romio_ds_write $1" >hints
    rm -rf out
    mpi 2 "$(shim disk)" DISK_PATH=n2.scatter DISK_CALL=write DISK_BELOW=4096 DISK_MICROSECONDS=1000 DISK_EVERY=1 --time 10 --partitions 2 \
        --patterns 5 --access write --hints hints "${small[@]}" >line || [[ $? == 1 ]]
    "$TESTS/inspect" out/run.prot 'print(next(r["call_median"] for r in p.records if r["pattern"] == "5")) or True'
}

@test "hints change a type by a known amount: data sieving writes 1,024 small chunks at once, without it each takes 1 ms" {
    needs_romio 'data sieving'
    local with without
    with=$(sieved enable)
    without=$(sieved disable)
    [[ $(calculate "$without >= 1.024 * 0.91") == 1 ]] || fail "without data sieving: $without s"
    [[ $(calculate "$with < $without - 0.5") == 1 ]] || fail "with data sieving: $with s, without: $without s"
}
