#!/usr/bin/env bats
# beff_ab, with stand-ins for the programs that make runs from samples. FACTOR is the speed of the machine that they pretend.
# shellcheck disable=SC2154 # bats sets status, output, stderr

export BATS_TEST_TIMEOUT=400
load helpers

setup() {
    mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return
    mkdir bin
    program beff_io beff_io-n2-valid
    ln -s "$BUILD/beff_report" bin/
    PATH=$PWD/bin:$PATH
}

# program NAME SAMPLE [LINE]: creates a program that makes runs from a sample, or from a file. The run's name is the seed of its noise. LINE runs
# first; $2 is the run.
program() {
    local sample=$2
    [[ $sample == */* ]] || sample=$TESTS/../protocols/samples/$sample/run.prot
    cat >"bin/$1" <<END
#!/bin/bash
while [[ \$1 != --output && \$1 != -prot ]]; do shift; done
echo "\$2" >>"$PWD/made"
${3-}
file=\$2
[[ \$1 == -prot ]] || { mkdir -p "\$2" && file=\$2/run.prot; }
exec "$TESTS/scale_run" "$sample" "\$file" "\${FACTOR:-1}" "\$2" \${KEYS-}
END
    chmod +x "bin/$1"
}

# ordered DIR: prepares a directory with the order A B, B A, A B, ... of the pairs.
ordered() {
    mkdir "$1"
    printf '%s\n' '01 a b' '02 b a' '03 a b' '04 b a' '05 a b' '06 b a' '07 a b' >"$1/order"
}

ab() {
    run --separate-stderr "$TESTS/../contrib/beff_ab" "$@"
}

@test "a loss above the threshold is decided after 7 pairs with status 1, and a loss below it with status 0; the order is recorded" {
    ordered d
    printf '#!/bin/bash\nexec env "$3" "${@:4}"\n' >bin/srun && chmod +x bin/srun
    ab --threshold 3% --output d -- srun --time=3600 --output=/dev/null FACTOR=1 beff_io --time 100 -- srun --time 5 FACTOR=0.9 beff_io --time=2m
    [[ $status == 1 ]] || fail "$status" "$output" "$stderr"
    [[ ${lines[3]} == 'a decision needs at least 7 pairs (26 min); the limit of 60 min allows 16' ]] || fail "$output"
    [[ ${lines[4]} =~ ^'pair 1: ratio 0.9'[0-9]{3}'; '[0-9]+' min left'$ ]] || fail "${lines[4]}"
    [[ ${lines[10]} =~ ^'pair 7: ratio 0.'[0-9]{4}' (0.'[0-9]{4}' to 0.9'[0-9]{3}'); ' && $output != *'pair 8:'* ]] || fail "$output"
    [[ $output == *'b_eff_io: worse, ratio 0.'*'98.4 % interval'* ]] || fail "$output"
    [[ $(head -n 6 made | xargs) == 'd/a-01 d/b-01 d/b-02 d/a-02 d/a-03 d/b-03' && $(wc -l <made) == 14 ]] || fail "$(<made)"
    ab --threshold 5% --output e -- env FACTOR=1 beff_io --time 100 -- env FACTOR=1.01 beff_io --time 100
    [[ $status == 0 && $output == *'pair 7:'* && $output != *'pair 8:'* ]] || fail "$status" "$output"
}

@test "if the loss is near the threshold, more pairs follow; --precision ends this" {
    ab --threshold 3% --precision 4.2% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.97 beff_io
    [[ $status == 5 && $output == *'pair 10:'* && $output != *'pair 29:'* ]] || fail "$status" "$output"
    local last
    last=$(grep '^pair ' <<<"$output" | tail -n 1)
    [[ $last =~ ^'pair '([0-9]+)': ratio '([0-9.]+)' ('([0-9.]+)' to '([0-9.]+)')' ]] || fail "$last"
    [[ " 10 14 20 28 " == *" ${BASH_REMATCH[1]} "* ]] || fail "$last"
    [[ $(calculate "${BASH_REMATCH[4]} - ${BASH_REMATCH[3]} <= 0.042 * ${BASH_REMATCH[2]} + 0.0002") == 1 ]] || fail "$last"
}

@test "when the time is over, the pairs that exist are compared; too few pairs are refused" {
    ab --threshold 3% --limit 0s --output d -- beff_io -- beff_io
    [[ $status == 3 && $output == *'pair 1: '*'refused: too few pairs (1)'* && $(wc -l <made) == 2 ]] || fail "$status" "$output"
}

@test "a directory is used by one beff_ab at a time, if its file system has locks" {
    # shellcheck disable=SC2016 # the stand-in expands the variable
    printf '#!/bin/sh\necho "flock: 9: No locks available" >&2\nexit $FLOCK\n' >bin/flock && chmod +x bin/flock
    FLOCK=71 ab --threshold 3% --limit 0s --output d -- beff_io -- beff_io
    [[ $output == *'pair 1: '* && $stderr != *locks* ]] || fail "$status" "$output" "$stderr"
    FLOCK=1 ab --threshold 3% --output d -- beff_io -- beff_io
    [[ $status == 3 ]]
    is_one_line "$stderr" 'another beff_ab uses d'
}

@test "more than a fifth of failing pairs stops beff_ab with the message; the pairs before it are kept, and the same command goes on" {
    ordered d
    # shellcheck disable=SC2016 # the program expands the variables
    program beff_io beff_io-n2-valid '[[ $2 != d/b-02 || -e mended ]] && [[ $2 != d/a-03 ]] || { mkdir -p "$2"; echo "no space"; exit 3; }'
    ab --threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io
    [[ $status == 3 ]] || fail "$status" "$output"
    is_one_line "$stderr" 'beff_ab: b-02 failed with status 3: no space (see d/b-02.log)'
    touch mended
    ab --threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.7 beff_io
    [[ $status == 2 ]]
    is_one_line "$stderr" 'd has runs of other commands'
    ab --threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io
    [[ $status == 3 && $stderr == *'a-03 failed'* && $output == *$'pair 1: '*$'\na decision needs at least 6 more pairs ('*$'\npair 2: '* ]] || fail "$status" "$output" "$stderr"
    [[ $(xargs <made) == 'd/a-01 d/b-01 d/b-02 d/b-02 d/a-02 d/a-03' && $(find d -name 'stopped-b-02-*' | wc -l) == 1 ]] || fail "$(<made)"
    # shellcheck disable=SC2016 # the program expands the variable
    program beff_io beff_io-n2-valid 'echo warning; kill -9 $$'
    ab --threshold 3% --output e -- beff_io -- beff_io
    [[ $status == 3 && $stderr == *'-01 failed with status 137: killed by signal 9 ('* ]] || fail "$status" "$stderr"
}

@test "an interrupted run is not used; the same command goes on" {
    ordered d
    # shellcheck disable=SC2016 # the program expands the variables
    program beff_io beff_io-n2-valid '[[ $2 != d/a-02 || -e mended ]] || { mkdir -p "$2"; touch waiting; exec sleep 100; }'
    "$TESTS/../contrib/beff_ab" --threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io >out 2>err 3>&- &
    local process=$! tries=0
    until [[ -e waiting ]] || ((++tries > 600)); do sleep 0.1; done
    kill -TERM $process
    status=0
    wait $process || status=$?
    [[ $status == 4 ]] || fail "$status" "$(<err)"
    is_one_line "$(<err)" 'interrupted after 1 pair: to go on, repeat the command with --output d'
    # shellcheck disable=SC2016 # the program expands the variables
    program beff_io beff_io-n2-valid '[[ $2 != d/a-03 ]] || exit 3'
    ab --threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io
    [[ $status == 3 && $output == *'pair 2:'* && $(sort made | uniq -d) == d/a-02 ]] || fail "$status" "$output" "$(<made)"
}

@test "a coin decides the order of each pair, and DIR/order records it" {
    local round pair first second
    for round in {1..12}; do # all orders are equal by chance in one of 2^11 cases
        ab --threshold 3% --limit 0s --output "d$round" -- beff_io -- beff_io
        read -r pair first second <"d$round/order"
        printf '%s\n' "d$round/$first-$pair" "d$round/$second-$pair" >>expected
    done
    diff expected made
    [[ $(cut -d ' ' -f 2- d*/order | sort -u | wc -l) == 2 ]] || fail "$(cat d*/order)"
}

@test "one partial pair of many is kept under another name and measured again, and a forecast follows the first look" {
    # shellcheck disable=SC2016 # the program expands the variables
    program beff_io beff_io-n2-valid '[[ $2 != d/b-06 || -e mended ]] || { KEYS=option_noshared=yes; touch mended; }'
    ordered d
    ab --threshold 3% --precision 20% --output d -- env FACTOR=1 beff_io --time 100 -- env FACTOR=0.9705 beff_io --time 100
    [[ $status != 3 && $output == *$'\npair 06 failed and is measured again: skipped: d/b-06: NOT VALID'* && $output == *$'\npair 6: ratio'* ]] || fail "$status" "$output"
    [[ -d d/failed-a-06-1 && -d d/failed-b-06-1 && $(sort made | uniq -d | xargs) == 'd/a-06 d/b-06' ]] || fail "$(<made)"
    [[ $output =~ 'pair 7: ratio '[^\;]*'; at this noise about '[0-9]+' pairs, ' ]] || fail "$output"
}

@test "a pair whose second measurement is interrupted is measured again, and its incomplete run is not used" {
    # shellcheck disable=SC2016 # the program expands the variables
    program beff_io beff_io-n2-valid 'case $(grep -c "$2" made)$2 in
        1d/b-06) KEYS=option_noshared=yes ;;
        2d/a-06) mkdir "$2" && touch "$2/run.prot" && kill -TERM $PPID && exec sleep 100 ;;
    esac'
    ordered d
    local words=(--threshold 3% --output d -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io)
    ab "${words[@]}"
    [[ $status == 4 && $output == *$'\npair 06 failed and is measured again: '* ]] || fail "$status" "$output" "$stderr"
    ab "${words[@]}"
    [[ $status == 1 && $output != *'failed and is measured again'* && $(grep -c a-06 made) == 3 ]] || fail "$status" "$output" "$(<made)"
}

@test "runs that only lack time are used, with a note; runs that are NOT VALID for another reason stop beff_ab" {
    local io=(--threshold 3% --limit 0s -- env FACTOR=1 beff_io -- env FACTOR=0.8 beff_io)
    KEYS='option_time=600 time_s=600' ab --output d "${io[@]}"
    [[ $output == *'pair 1: ratio'*'note: '*'scheduled for each partition'* ]] || fail "$status" "$output"
    stops_after 2 "$BATS_TEST_TMPDIR/run.prot"
    program beff "$BATS_TEST_TMPDIR/run.prot"
    ab --threshold 3% --limit 0s --output g -- env FACTOR=1 beff -- env FACTOR=0.8 beff
    [[ $output == *'pair 1: ratio'*'note: '*'at least one complete pass'* ]] || fail "$status" "$output"
    KEYS='option_noshared=yes' ab --output e "${io[@]}"
    [[ $status == 3 && $output == *'pair 1: no comparison'*'skipped: '*'NOT VALID'* ]] || fail "$status" "$output"
    sed '/^[0-9].*\tread\t/d; /^#: result/d' "$TESTS/../protocols/samples/beff_io-n2-valid/run.prot" >"$BATS_TEST_TMPDIR/partial.prot"
    program beff_io "$BATS_TEST_TMPDIR/partial.prot"
    ab --output h --allow-invalid --precision 3% "${io[@]}"
    [[ $status == 3 && $output == *'mean of all rows'* ]] || fail "$status" "$output"
    program beff_io beff_io-n2-valid
    ab --output e "${io[@]}"
    [[ $output == *$'\npair 01 failed and is measured again: skipped: '*'NOT VALID'*'pair 1: ratio'* && $(grep -c '^e/' made) == 4 ]] || fail "$status" "$output"
    KEYS='option_noshared=yes' ab --output f --allow-invalid "${io[@]}"
    [[ $output == *'pair 1: ratio'* ]] || fail "$status" "$output"
}

@test "a changed key that decides the result is refused after the first pair, unless it is a --factor; the pair is kept" {
    local commands=(-- env KEYS=storage_type=nfs FACTOR=1 beff_io -- env FACTOR=0.8 beff_io)
    ab --threshold 3% --output d "${commands[@]}"
    [[ $status == 3 && $output == *'pair 1: no comparison'*'refused: '*'--factor'* && $(wc -l <made) == 2 ]] || fail "$status" "$output"
    ab --threshold 3% --limit 0s --output d --factor storage_type "${commands[@]}"
    [[ $output == *'pair 1: ratio'* && $(grep -c 01 made) == 2 ]] || fail "$status" "$output"
}

@test "imb_compat: runs are files, and a row that got slower is named and decides the status" {
    awk -F '\t' -v OFS='\t' '$1 == "Allreduce" && $6 == 64 { for (i = 9; i <= 11; i++) $i *= 3 } { print }' \
        "$TESTS/../protocols/samples/imb-mpi1-n2/run.prot" >slow
    program IMB-MPI1 imb-mpi1-n2
    program IMB-MPI1-slow "$PWD/slow"
    printf '#!/bin/bash\nexec "${@:3}"\n' >bin/mpiexec
    chmod +x bin/mpiexec
    ab --threshold 50% --output d -- mpiexec -n 2 env FACTOR=1 IMB-MPI1 PingPong -- mpiexec -n 2 bin/IMB-MPI1-slow PingPong
    [[ $status == 1 && $output == *'pair 7: ratio 1.0'*'1 of 83 rows got slower by more than 50 %: Allreduce, processes 2, 64 B: '* && -e d/b-07.prot ]] ||
        fail "$status" "$output" "$stderr"
}

@test "a bad command line is refused in one line" {
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # word splitting is intended
        ab $line
        [[ $status == 2 ]] || fail "$line: status $status"
        is_one_line "$stderr" 'beff_ab: ' || fail "$line"
    done <<'END'

--threshold 3%
--threshold 3% -- beff_io
--threshold 3% -- beff_io --
-- beff_io -- beff_io
--nonsense -- beff_io -- beff_io
--threshold
--threshold 3% --limit soon -- beff_io -- beff_io
--precision x -- beff_io -- beff_io
--threshold 3% -- sleep 1 -- beff_io
--threshold 3% -- beff_io -- beff
--precision 3% -- IMB-MPI1 -- IMB-MPI1
--threshold 3% -- beff_io --output x -- beff_io
--threshold 100% -- beff_io -- beff_io
--threshold 3% --factor a, -- beff_io -- beff_io
--threshold 3% -- beff_io -- beff_io -- beff_io
--threshold 3% -- nosuch beff_io -- beff_io
--threshold 3% --limit 3m -- beff_io --time 100 -- beff_io --time 100
--threshold 3% --limit 15m -- env --time=5 beff_io --time 600 -- env --time=5 beff_io --time 600
--precision 0 -- beff_io -- beff_io
END
    [[ ! -e made && -z $(find . -name 'beff-ab*') ]]
}
