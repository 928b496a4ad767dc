#!/usr/bin/env bats
# contrib/nightly and contrib/sweep, with stand-ins for the launcher and for batch systems. The launcher makes runs from a sample.
# shellcheck disable=SC2154 # bats sets status, output, stderr

export BATS_TEST_TIMEOUT=400
load helpers

# The stand-in for the launcher makes a run from SAMPLE, on a machine that is FACTOR times as fast, with the changed keys KEYS. PLAN has
# a factor for each run of a night, or a word: the run fails; or it stops only after a signal; or it is too short. If the file clock
# exists, it is the clock of nightly and job, and each run takes 60 s.
setup() {
    mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" && mkdir bin || return
    cat >bin/launcher <<END
#!/bin/bash
here=$(printf %q "$PWD") samples=$(printf %q "$TESTS/../protocols/samples") run=\${@: -1}
echo "\$*" >>"\$here/made"
number=\$(wc -l <"\$here/made") plan=(\${PLAN-})
factor=\${plan[number - 1]:-\${FACTOR:-1}}
[[ ! -e \$here/clock ]] || sed -i 's/.*/echo \$((& + 60))/e' "\$here/clock"
mkdir -p "\$run"
case \$factor in
fails) echo "no space"; exit 3 ;;
short) cp "\$samples/beff-n2-short/run.prot" "\$run"; exit ;;
stops)
    trap 'sed "s/^#: end = .*/#: end = partial (stopped by signal 15)/" "\$samples/beff_io-n2-valid/run.prot" >"\$run/run.prot"
        "$TESTS/seal" "\$run/run.prot"; exit 4' TERM
    touch "\$here/waiting"
    while :; do sleep 0.1; done ;;
esac
exec "$TESTS/scale_run" "\${SAMPLE:-\$samples/beff_io-n2-valid/run.prot}" "\$run/run.prot" "\$factor" "\$NIGHT \$number" \
    {started,finished}="\$(/bin/date -u -d "2026-01-01 \$NIGHT days \$number minutes" +%FT%TZ)" \${KEYS-}
END
    cat >bin/date <<END
#!/bin/bash
[[ \$* != +%s || ! -e $(printf %q "$PWD")/clock ]] || exec cat $(printf %q "$PWD")/clock
[[ \$* != *+%Y* ]] || set -- -d "2026-01-01 \$NIGHT days" "\$@"
exec /bin/date "\$@"
END
    chmod +x bin/*
    PATH=$PWD/bin:$BUILD:$PATH
    export HISTORY="$PWD/my history" LAUNCH=launcher RUN=beff_io NIGHT=1
}

# night NUMBER [OPTION]...: runs contrib/nightly as in the night with this number.
night() {
    rm -f made
    NIGHT=$1 run "$TESTS/../contrib/nightly" "${@:2}"
}

# history FIRST LAST FACTOR [KEY=VALUE]...: adds a run in each of the nights from FIRST to LAST.
history() {
    local night run
    for ((night = $1; night <= $2; night++)); do
        run=$HISTORY/$(/bin/date -u -d "2026-01-01 $night days" +%FT00-00-00Z)/run
        mkdir -p "$run"
        "$TESTS/scale_run" "${SAMPLE:-$TESTS/../protocols/samples/beff_io-n2-valid/run.prot}" "$run/run.prot" "$3" "old $night" \
            {started,finished}="$(/bin/date -u -d "2026-01-01 $night days" +%FT%TZ)" "${@:4}"
    done
}

@test "the last 4 nights are compared with the first 8; before, nightly collects; --quiet prints nothing until they are worse" {
    local number
    history 1 9 1
    night 10
    [[ $status == 3 ]] || fail "$output"
    is_one_line "$output" 'nightly: collecting: 10 of 12 nights have usable runs; a verdict needs 8 and the last 4'
    night 11 --quiet
    [[ $status == 3 && -z $output ]] || fail "$output"
    night 12
    [[ $status == 0 ]]
    is_one_line "$output" 'the rating did not get worse by more than 5 %; b_eff_io: ' 'interval'
    for number in 13 14 15; do
        FACTOR=0.8 night $number --quiet
        [[ $status == 5 ]] || fail "$number: $status" "$output"
    done
    FACTOR=0.8 night 16 --quiet
    [[ $status == 1 ]] || fail "$status" "$output"
    is_one_line "$output" 'the rating got worse by more than 5 %; b_eff_io: worse, ratio 0.'
    night 17 --accept
    [[ $status == 0 && $(find "$HISTORY" -path '*/earlier-*' -name run.prot | wc -l) == 12 ]] || fail "$output"
    FACTOR=0.8 night 18
    is_one_line "$output" 'collecting: 5 of 12 nights'
}

@test "a large loss is reported even if it is not certain yet" {
    history 1 8 1
    history 9 9 0.98
    history 10 11 0.75
    FACTOR=0.75 THRESHOLD=15% night 12 --quiet
    [[ $status == 5 ]] || fail "$status" "$output"
    is_one_line "$output" 'inconclusive: ' 'b_eff_io: '
    # These nights vary as much, but their median shows no loss.
    rm -r "$HISTORY"/2026-01-1*
    history 9 9 0.75
    history 10 11 1
    THRESHOLD=15% night 12 --quiet
    [[ $status == 5 && -z $output ]] || fail "$status" "$output"
}

# in_job SYSTEM: sets the variables of a batch job that ends in 360 s, and creates the batch system's programs.
in_job() {
    echo 1000000 >clock
    unset SLURM_JOB_ID PBS_JOBID FLUX_URI
    export TIME=60
    case $1 in
    Slurm) export SLURM_JOB_ID=7 SLURM_NTASKS=2 SLURM_SUBMIT_DIR=$PWD SLURM_JOB_END_TIME=1000360 ;;
    PBS)
        printf '%s\n' node1 node1 >nodes
        export PBS_JOBID=7.server PBS_NODEFILE=$PWD/nodes PBS_O_WORKDIR=$PWD
        printf '#!/bin/bash\necho "    Resource_List.walltime = 00:06:00"\n' >bin/qstat ;;
    Flux)
        export FLUX_URI=local:///run/flux
        cat >bin/flux <<'END'
#!/bin/bash
case "$1 $2" in
'job timeleft') echo 360 ;;
'getattr jobid') echo f7 ;;
'job id') [[ $3 == f7 ]] && echo 7 ;;
'resource list') echo 2 ;;
'run -n') exec launcher "${@:3}" ;;
esac
END
        ;;
    esac
    [[ $1 == Flux ]] && unset LAUNCH || export LAUNCH=launcher
    echo '#!/bin/bash' >bin/squeue # Slurm does not answer
    chmod +x bin/*
}

@test "in a job of Slurm, PBS or Flux: runs until the limit of the job, the comparison, and the nodes; the status is that of compare" {
    local system number=1
    # A stand-in for beff_report with a finding about the nodes.
    printf '#!/bin/bash\nif [[ $1 == nodes ]]; then echo "n3: slow (in 4 of 4 runs)"; exit 1; fi\nexec "%s/beff_report" "$@"\n' "$BUILD" >bin/beff_report
    chmod +x bin/beff_report
    export RUN=beff SAMPLE=$PWD/sample
    stops_after 3 sample
    for system in Slurm PBS Flux; do
        in_job $system
        rm -rf "$HISTORY"
        case $system in
        Slurm) history 1 8 1; history 9 11 0.8; FACTOR=0.8 night 12 --quiet ;;
        PBS) history 1 11 1 nodes=2 ranks_per_node=1; KEYS='nodes=2 ranks_per_node=1' night 12 --quiet ;;
        Flux) history 1 11 1; night 12 ;;
        esac
        # 120 s of 360 s are reserved, so four runs of 60 s fit.
        [[ $status == [01] && $(wc -l <made) == 4 ]] || fail "$system: $status" "$output" "$(cat "$HISTORY"/2026*/log)"
        [[ $(tail -n 1 made) == "2 beff --time 60 --progress=log --output $HISTORY/2026-01-13T00-00-00Z/beff-7-2.4" ]] || fail "$(<made)"
        case $system in
        Slurm) [[ $status == 1 ]]; is_one_line "$output" 'nightly: the rating got worse by more than 5 %; b_eff: worse, ratio 0.' ;;
        PBS) [[ $status == 0 && ${lines[-1]} == 'nightly: nodes: n3: slow (in 4 of 4 runs)' ]] || fail "$output" ;;
        Flux) [[ $status == 0 ]]; is_one_line "$output" 'nightly: the rating did not get worse by more than 5 %; b_eff: ' ;;
        esac
    done
    in_job Slurm
    SLURM_JOB_END_TIME=1000100 night 13
    [[ $status == 3 && $output == *'job ended with status 3: no time left for 2 processes: the job ends in 100 s, and 120 s are reserved'*'no verdict: this night has no usable run' ]] || fail "$status" "$output"
    SLURM_JOB_END_TIME='' night 14
    [[ $status == 3 && $output == *'job ended with status 2: REPEAT=max, but the end of job 7 is unknown: set REPEAT to a number'* ]] || fail "$status" "$output"
}

@test "the script job is found with beff_report, installed or built, because batch systems run a copy of the script" {
    mkdir -p installed/bin installed/share/beff/contrib spool
    cp "$TESTS/../contrib/job" installed/share/beff/contrib/
    cp "$TESTS/../contrib/nightly" spool/script
    cp "$BUILD/beff_report" installed/bin/
    PATH=$PWD/bin:$PWD/installed/bin:/usr/bin:/bin run spool/script
    [[ $status == 3 && $output == *'collecting: 1 of 12 nights'* ]] || fail "$output"
    mkdir installed/contrib # as with build/ of a checkout
    mv installed/share/beff/contrib/job installed/contrib/
    PATH=$PWD/bin:$PWD/installed/bin:/usr/bin:/bin NIGHT=2 run spool/script
    [[ $status == 3 && $output == *'collecting: 2 of 12 nights'* ]] || fail "$output"
    rm installed/contrib/job
    PATH=$PWD/bin:$PWD/installed/bin:/usr/bin:/bin run spool/script
    is_one_line "$output" "the script job is neither in $PWD/spool nor with beff_report, installed or built"
}

@test "a job that ends in the middle of a run: this run is not used, the others are compared; only one nightly runs at a time" {
    history 1 11 1
    rm -f made
    export NIGHT=12
    PLAN='1 1 1 1 stops' REPEAT=6 "$TESTS/../contrib/nightly" >out 3>&- &
    local process=$! tries=0
    until [[ -e waiting ]] || ((++tries > 600)); do sleep 0.1; done
    "$TESTS/../contrib/nightly" >second || [[ $? == 3 ]]
    is_one_line "$(<second)" "another nightly is running in $HISTORY"
    kill -TERM $process
    status=0
    wait $process || status=$?
    [[ $status == 0 && $(wc -l <made) == 5 && $(wc -l <out) == 2 ]] || fail "$status" "$(<out)"
    [[ $(sed -n 1p out) == 'nightly: beff_io-'*' is not used: '*'run completed (partial (stopped by signal 15))'*" (see $HISTORY/failed/"* ]] || fail "$(<out)"
    [[ $(sed -n 2p out) == *'did not get worse by more than 5 %'* && $(find "$HISTORY/failed" -name run.prot | wc -l) == 1 ]] || fail "$(<out)"
    printf '#!/bin/sh\nexit 71\n' >bin/flock && chmod +x bin/flock # a file system without locks
    night 13
    [[ $status == 0 && $(wc -l <made) == 1 ]] || fail "$status" "$output"
}

@test "runs that fail or are NOT VALID have a line each with the reason, and are not used" {
    history 1 11 1
    PLAN='1 fails short 1 1 1' REPEAT=6 night 12 --quiet
    [[ $status == 0 && ${#lines[@]} == 4 && ${lines[0]} == 'nightly: job ended with status 3: '*'/log)' ]] || fail "$status" "$output"
    [[ ${lines[1]} == *'.2 is not used: '*'run.prot'* && ${lines[2]} == *'.3 is not used: NOT VALID: at least one complete pass: '* ]] || fail "$output"
    [[ $(find "$HISTORY/failed" -mindepth 1 -maxdepth 1 | wc -l) == 2 ]] || fail "$(find "$HISTORY")"
    PLAN=fails night 13
    [[ $status == 3 && ${lines[0]} == *'status 3: no space (see '* && ${lines[-1]} == 'nightly: no verdict: this night has no usable run' ]] || fail "$status" "$output"
    KEYS=errors=5 SAMPLE=$TESTS/../protocols/samples/beff-n2-valid/run.prot night 14
    [[ $status == 1 && $output == *'is not used: NOT VALID: '*' correct (5 wrong bytes)'* ]] || fail "$status" "$output"
}

@test "a reference that cannot be compared: status 3 with the reason in one line" {
    local keys run
    history 1 8 1
    while read -r keys; do
        # shellcheck disable=SC2086 # several keys
        history 9 11 1 $keys
        KEYS=$keys night 12
        [[ $status == 3 ]] || fail "$keys: $status" "$output"
        is_one_line "$output" "nightly: refused: ${keys%%=*} differs: " || return
        rm -r "$HISTORY"/2026-01-1*
    done <<'END'
memory_source=given memory_per_process_mib=77
storage_type=nfs
processes=3
option_verify=full
END
    # Another MPI is no reason to refuse, because an update is what the comparison is for.
    history 9 11 1 mpi=Other
    KEYS=mpi=Other night 12
    [[ $status == 0 ]]
    is_one_line "$output" 'nightly: changed: mpi MPICH' ' -> Other; the rating did not get worse'
    for run in "$HISTORY"/2026-01-0*/run; do
        sed 's/^#: option_noshared = no/#: option_noshared = yes/' "$TESTS/../protocols/samples/beff_io-n2/run.prot" >"$run/run.prot"
        "$TESTS/seal" "$run/run.prot"
    done
    night 13
    [[ $status == 3 && ${lines[0]} == 'nightly: refused: no usable run before '* && ${lines[1]} == 'nightly: not used: '*': NOT VALID for comparison: '* ]] || fail "$status" "$output"
}

@test "nightly refuses a bad option, too few nights for --accept, a bad threshold, and a directory that cannot be written" {
    night 1 --nonsense
    [[ $status == 2 ]]
    is_one_line "$output" 'unknown option "--nonsense"'
    history 1 4 1
    night 5 --accept
    [[ $status == 3 ]]
    is_one_line "$output" '--accept needs more than 4 nights with usable runs, but there are 4'
    history 5 11 1
    THRESHOLD=x night 12
    [[ $status == 2 ]]
    is_one_line "$output" 'invalid --threshold "x"'
    HISTORY=/proc/nope night 13
    [[ $status == 3 ]]
    is_one_line "$output" 'nightly: /proc/nope cannot be opened'
}

# A stand-in for Slurm whose jobs end at once: each job leaves a run, and --wrap runs its command.
@test "contrib/sweep ranks the partitions" {
    stops_after 3 sample
    ln -s "$BUILD/beff_report" bin/
    cat >bin/sbatch <<END
#!/bin/bash
if [[ "\$*" == *--partition=full* ]]; then
    exit 1
elif [[ "\$*" == *--wrap* ]]; then
    sh -c "\${@: -1}" >"\$(printf '%s\n' "\$@" | sed -n 's/^--output=//p')" 2>&1
else
    mkdir -p "\$RESULTS/beff-1"
    "$TESTS/scale_run" "$PWD/sample" "\$RESULTS/beff-1/run.prot" \\
        "\$([[ \$RESULTS == *fast* ]] && echo 1.1 || echo 1)" "\$RESULTS"
fi
END
    chmod +x bin/sbatch
    PATH=$PWD/bin:$PATH RUNS=2 "$TESTS/../contrib/sweep" 'all of them' slow full fast >out 2>errors
    run awk '/^ *[12]  (slow|fast) / { print $1, $2, $3, $5 } /^Other/ { exit }' out
    [[ $output == $'1 fast 2 2\n2 slow 2 2' ]] || fail "$(<out)"
    [[ $(<errors) == 'job 1 of the partition full is left out: sbatch refused it'$'\n''job 2 of'* ]] || fail "$(<errors)"
    PATH=$PWD/bin:$PATH run "$TESTS/../contrib/sweep" none full
    [[ $status == 3 ]] && holds <(echo "$output") 'no partition accepted a job'
}
