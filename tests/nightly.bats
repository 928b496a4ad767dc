#!/usr/bin/env bats
# bats file_tags=together
# contrib/nightly and contrib/sweep, with stand-ins for the launcher and for Slurm that make runs from a sample.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

# nights FACTOR FIRST LAST: runs contrib/nightly for the nights FIRST to LAST, on a machine that is FACTOR times as fast as the
# sample's. Sets $status and $output to those of the last night.
nights() {
    local number
    for ((number = $2; number <= $3; number++)); do
        # shellcheck disable=SC2016 # the launcher expands the variables
        printf '#!/bin/bash\nmkdir -p "${@: -1}" && "%s" "%s" "${@: -1}/run.prot" %s %d %s\n' "$TESTS/scale_run" \
            "$TESTS/../protocols/samples/beff_io-n2-valid/run.prot" "$1" "$number" \
            "started=$(date -u -d "2026-01-01 $number days" +%F)T10:00:00Z" >launcher
        # A run's directory is named after the time of its start.
        printf '#!/bin/sh\nexec /bin/date -u -d "2026-01-01 %d days" "$@"\n' "$number" >bin/date
        chmod +x launcher bin/date
        run env PATH="$PWD/bin:$BUILD:$PATH" HISTORY="$PWD/history" LAUNCH="$PWD/launcher" "$TESTS/../contrib/nightly"
        [[ $number == "$3" || ($status == 0 && -z $output) ]] || fail "night $number: status $status" "$output"
    done
}

@test "a history without a change: no output; a history that became worse: status 1" {
    mkdir bin
    nights 1 1 16
    [[ $status == 0 && -z $output ]] || fail "status $status" "$output"
    [[ $(find history -name run.prot | wc -l) == 16 ]]
    local number
    for ((number = 17; number <= 20; number++)); do
        nights 0.8 $number $number
    done
    [[ $status == 1 && $output == *worse* ]] || fail "status $status" "$output"
    mkdir older
    mv history/2026-01-{0,1[0-7]}* older
    nights 0.8 21 32
    [[ $status == 0 && -z $output ]] || fail "status $status" "$output"
}

@test "a large loss is reported even if the nights vary too much for certainty" {
    mkdir bin
    nights 1 1 7
    nights 0.75 8 8
    nights 0.98 9 9
    nights 0.75 10 10
    [[ $status == 5 && $output == *'the rating is probably worse, ratio 0.'*'inconclusive'* ]] || fail "status $status" "$output"
    # These nights vary as much, but their median shows no loss.
    rm -r history
    nights 1 1 6
    nights 0.75 7 7
    nights 1 8 10
    [[ $status == 0 && -z $output ]] || fail "status $status" "$output"
}

@test "a run that is NOT VALID is reported with its reason and excluded; a missing program is reported" {
    # shellcheck disable=SC2016 # the launcher expands the variables
    printf '#!/bin/bash\nmkdir "${@: -1}" && cp "%s" "${@: -1}"\n' "$TESTS/../protocols/samples/beff-n2/run.prot" >launcher
    chmod +x launcher
    run env PATH="$BUILD:$PATH" HISTORY="$PWD/history" LAUNCH="$PWD/launcher" RUN='beff --time 9' "$TESTS/../contrib/nightly"
    [[ $status == 3 && $output == *'beff --time 9 is NOT VALID'*'FAIL  at least one complete pass'* ]] || fail "$status" "$output"
    [[ $(echo history/*/run.prot) == history/failed-*/run.prot ]]
    run env PATH="$BUILD:$PATH" HISTORY="$PWD/history" RUN='no-such-program' "$TESTS/../contrib/nightly"
    [[ $status == 3 && $output == 'nightly: no-such-program is not in PATH' ]]
}

@test "a failed run is reported with its status and excluded" {
    mkdir bin
    # shellcheck disable=SC2016 # the launcher expands the variables
    printf '#!/bin/bash\nmkdir "${@: -1}"; touch "${@: -1}/run.prot"; echo "no space"; exit 3\n' >launcher
    chmod +x launcher
    run env PATH="$BUILD:$PATH" HISTORY="$PWD/history" LAUNCH="$PWD/launcher" RUN='beff_io --time 9' "$TESTS/../contrib/nightly"
    [[ $status == 3 && $output == *'beff_io --time 9 ended with status 3'*'no space'* ]]
    [[ $(echo history/*/run.prot) == history/failed-*/run.prot ]]
}

# A stand-in for Slurm whose jobs end at once: each job leaves a run, and --wrap runs its command.
@test "contrib/sweep ranks the partitions" {
    local run
    mkdir bin
    ln -s "$BUILD/beff_report" bin/
    cat >bin/sbatch <<END
#!/bin/bash
if [[ "\$*" == *--wrap* ]]; then
    sh -c "\${@: -1}" >"\$(printf '%s\n' "\$@" | sed -n 's/^--output=//p')" 2>&1
else
    mkdir -p "\$RESULTS/beff-1"
    "$TESTS/scale_run" "$TESTS/../protocols/samples/beff-n2-valid/run.prot" "\$RESULTS/beff-1/run.prot" \\
        "\$([[ \$RESULTS == *fast* ]] && echo 1.1 || echo 1)" "\$RESULTS"
fi
END
    chmod +x bin/sbatch
    PATH=$PWD/bin:$PATH RUNS=2 "$TESTS/../contrib/sweep" 'all of them' slow fast >out
    run awk '/^ *[12]  (slow|fast) / { print $1, $2, $3, $5 } /^Other/ { exit }' out
    [[ $output == $'1 fast 2 2\n2 slow 2 2' ]] || fail "$(<out)"
}
