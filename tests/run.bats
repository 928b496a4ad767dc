#!/usr/bin/env bats
# Complete runs: files, figures, time.
# shellcheck disable=SC2154 # bats sets status, output, stderr; setup_file sets the rest

load helpers
BATS_TEST_TIMEOUT=$((BATS_TEST_TIMEOUT + 60)) # for a second attempt of the longest run

setup_file() {
    # One run for many tests, in a new directory whose path contains spaces.
    export RUN="$BATS_FILE_TMPDIR/with blank/a run" STDOUT=$BATS_FILE_TMPDIR/stdout STDERR=$BATS_FILE_TMPDIR/stderr
    export BEFF_TEST_MARK=$BATS_FILE_TMPDIR STATUS ELAPSED GIVEN
    local begin busy=
    for GIVEN in 10 20 40; do # seconds; more on a busy machine, until the run has a result. A complete pass needs about 100.
        rm -rf "$BATS_FILE_TMPDIR/with blank"
        STATUS=0 begin=$EPOCHREALTIME
        LIMIT=$((GIVEN + 20)) mpi 2 ${busy:+"$busy"} --time "$GIVEN" --memory 64 --tables --output "$RUN" >"$STDOUT" 2>"$STDERR" || STATUS=$?
        ELAPSED=$(since "$begin")
        [[ $STATUS != 0 ]] || break
        busy=$(shim yield) # a waiting process leaves its core to the others
    done
}

# printed FILE: prints the value of b_eff in the last line of FILE, the standard output of a run.
printed() {
    sed -n '$s/^b_eff = \([0-9.]*\) MB.*/\1/p' "$1"
}

# rating_of DIR: prints the rating that protocols/recompute computes.
rating_of() {
    local numbers
    numbers=$(recompute "$1/run.prot") && echo "${numbers%% *}"
}

# is_rated DIR: checks the protocol, and that the value in stdout follows from the records.
is_rated() {
    local value
    value=$(printed stdout)
    [[ -n $value ]] || fail "no value:" "$(tail -n 3 stdout)" || return
    [[ $value == "$(rating_of "$1")" ]] || fail "$value, but $(rating_of "$1") by the records" || return
    inspect "$1/run.prot" 'p.sealed' "'%.3f' % p.results['b_eff'] == '$value'"
}

# nothing_said TEXT: checks that TEXT is empty or only reports that the time is too short for a complete pass.
nothing_said() {
    [[ -z $(grep -v '^beff: the result will be NOT VALID: a complete pass needs --time [0-9]*$' <<<"$1") ]] || fail "unexpected:" "$1"
}

@test "a run of 2 processes ends with status 0 and warns only that its time is too short for a complete pass" {
    [[ $STATUS == 0 ]] || fail "status $STATUS" "$(<"$STDERR")"
    is_one_line "$(<"$STDERR")" 'the result will be NOT VALID: a complete pass needs --time '
}

# takes DIR SECONDS WALL: checks that a run took at most this time by its own clock, and with the launcher's time at most WALL, which
# is generous, because the machine may be busy.
takes() {
    inspect "$1/run.prot" "float(p.meta['elapsed_s']) <= $2" && at_most "$3" "$(calculate "$2 + 4")"
}

@test "a run takes no longer than --time" {
    takes "$RUN" "$GIVEN.45" "$ELAPSED"
}

@test "a run leaves run.prot, summary.txt, run.json and one file per pattern, and nothing else" {
    [[ $(cd "$RUN" && find . -maxdepth 1 -not -name plots | sort | xargs) == ". ./patterns ./run.json ./run.prot ./summary.txt" ]]
    "$BEFF" --plan --json --processes 2 --memory 64 |
        python3 -c 'import json, sys; [print(q + ".dat") for q in [p["name"] for p in json.load(sys.stdin)["patterns"]] + ["patterns", "repetitions", "sizes"]]' | sort >wanted
    find "$RUN/patterns" -type f -printf '%f\n' | sort | diff wanted -
}

@test "the last line of standard output is b_eff's result line" {
    local number='[0-9]+\.[0-9]{3}'
    [[ $(tail -n 1 "$STDOUT") =~ ^b_eff\ =\ $number\ MB/s\ =\ $number\ \*\ 2\ PEs\ with\ 64\ MB/PE\ on\ (.*)$ ]]
    [[ ${BASH_REMATCH[1]} == "$(uname -s) $(uname -n) $(uname -r) $(uname -v) $(uname -m), NOT VALID" ]]
}

@test "--tables prints summary.txt" {
    # The directory of the files is printed first.
    tail -n "$(wc -l <"$RUN/summary.txt")" "$STDOUT" | cmp - "$RUN/summary.txt"
    holds "$STDOUT" "$RUN"
    [[ $(($(wc -l <"$STDOUT") - $(wc -l <"$RUN/summary.txt"))) -le 2 ]]
}

@test "a run without a complete pass prints NOT VALID for comparison, the reason, and a sufficient time" {
    local needed
    needed=$(sed -n 's/^#: needs_time_s = //p' "$RUN/run.prot")
    [[ $needed -gt $GIVEN ]]
    holds "$RUN/summary.txt" 'NOT VALID for comparison: ' "; needs --time $needed)" 'instead of 3.5 ms, because the time is short'
    grep -q '^  FAIL  at least one complete pass: 3 repetitions of the rings and 30 polygons, all sizes (0 completed; polygons: [0-9]*; needs' "$RUN/summary.txt"
    [[ $(grep -c '^  \(pass\|FAIL\)  ' "$RUN/summary.txt") -ge 7 ]]
    inspect "$RUN/run.json" 'p["result"]["valid"] is False' 'p["result"]["reasons"]' 'p["result"]["spread"] is None' \
        'p["result"]["passes"] == []'
}

@test "run.prot has the specified metadata" {
    local key expressions=()
    for key in format program version commit command started finished host cpu cores memory_mib memory_limit_mib kernel \
        mpi mpi_version compiler flags processes nodes ranks_per_node binding memory_ranks oversubscribed clock_resolution_s seed \
        time_s memory_per_process_mib lmax target_s sweep needs_time_s; do
        expressions+=("p.meta['$key'] != ''")
    done
    inspect "$RUN/run.prot" "${expressions[@]}"
    inspect "$RUN/run.prot" 'p.meta["program"] == "beff"' 'p.meta["processes"] == "2"' 'p.meta["nodes"] == "1"' \
        'p.meta["ranks_per_node"] == "2"' 'p.meta["seed"] == "20010917"' "float(p.meta['time_s']) == $GIVEN" \
        'p.meta["memory_per_process_mib"] == "64"' 'p.meta["lmax"] == "524288"' \
        "p.meta['host'] == '$(uname -n)'" "p.meta['kernel'] == '$(uname -r)'" \
        '0 < float(p.meta["clock_resolution_s"]) < 1e-3' \
        're.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", p.meta["started"])' \
        'p.meta["started"] <= p.meta["finished"]'
}

@test "two runs in the same environment record it identically, without the launcher's variables and without secrets" {
    local out
    for out in one two; do
        UCX_WARN_UNUSED_ENV_VARS=n FI_TEST_TOKEN=secret run mpi 2 --time 1 --memory 1 --polygons 1 --output $out
    done
    inspect one/run.prot '("environment", "UCX_WARN_UNUSED_ENV_VARS=n") in p.all_meta' 'not any("TOKEN" in e or "orte" in e or "ess_" in e for key, e in p.all_meta if key == "environment")'
    "$BUILD/beff_report" verify one
    diff <(grep environment one/run.prot) <(grep environment two/run.prot)
    run "$BUILD/beff_report" compare --allow-invalid one -- two
    [[ $output != *'changed:'* && $output != *' varies within '* ]] || fail "$output"
}

@test "run.prot has every setting" {
    local option expressions=()
    for option in time output force seed memory polygons max-loops json quiet progress; do
        expressions+=("'option_$option' in p.meta")
    done
    inspect "$RUN/run.prot" "${expressions[@]}"
}

@test "run.prot is as protocols/README.md describes it, and its b_eff follows from the records and is printed" {
    "$TESTS/read_protocol" "$RUN/run.prot"
    inspect "$RUN/run.prot" 'p.end == "complete"' "'%.3f' % p.results['b_eff'] == '$(printed "$STDOUT")'"
    [[ $(rating_of "$RUN") == "$(printed "$STDOUT")" ]]
}

@test "in every record, 0 < t_min <= t_avg <= t_max, and no data are wrong" {
    inspect "$RUN/run.prot" 'len(p.records) > 250' \
        'all(r["loops"] >= 1 and 0 < r["t_min"] <= r["t_max"] and r["errors"] == 0 for r in p.records)' \
        'all(r["t_min"] * (1 - 1e-12) <= r["t_avg"] <= r["t_max"] * (1 + 1e-12) for r in p.records)' \
        'all(r["messages"] == 2 for r in p.records)'
}

@test "run.json has the specified keys and the same result" {
    inspect "$RUN/run.json" \
        'p.keys() >= {"format", "program", "version", "command", "system", "settings", "result", "tables", "records"}' \
        'p["result"].keys() >= {"b_eff", "unit", "valid", "reasons", "passes", "spread"}' \
        'p["program"] == "beff" and p["result"]["unit"] == "MB/s"' 'p["settings"]["memory"] in (64, "64")' \
        "'%.3f' % p['result']['b_eff'] == '$(printed "$STDOUT")'" \
        "len(p['records']) == $(grep -vc '^#' "$RUN/run.prot")" \
        'p["records"][0].keys() >= set("pass rep pattern method bytes messages loops t_min t_avg t_max bandwidth errors".split())'
}

@test "every file of a pattern has a heading and one line per size; gnuplot reads it, and run.prot, without any conversion" {
    local file
    for file in "$RUN"/patterns/{ring,random,cart}*.dat "$RUN"/patterns/{sizes,pingpong}.dat; do
        [[ $(grep -vc '^#' "$file") == 21 && $(head -n 1 "$file") == '#'* ]] || fail "$file"
    done
    needs gnuplot
    gnuplot -e "set terminal dumb; set logscale; plot '$RUN/patterns/ring-1.dat' using 1:2 with lines, '$RUN/run.prot' using 5:11" >plot 2>complaints
    [[ ! -s complaints ]] || fail "$(<complaints)"
    [[ $(wc -l <plot) -gt 10 ]]
}

@test "a run with enough time completes a pass and is VALID; nothing is measured twice in a repetition" {
    # With one method, a pass of 6 rings and 30 polygons takes about 12 s on an idle machine.
    with_time '18 50' "inspect out/run.json 'p[\"result\"][\"valid\"]'" 2 --memory 1 --methods Sendrecv
    [[ $status == 0 ]]
    is_rated out
    inspect out/run.prot 'p.end == "complete"' 'not {"polygons", "needs_time_s", "target_s"} & p.meta.keys()' \
        'max(Counter(map(cell, p.records)).values()) == 1' \
        '(rated := [r for r in p.records if r["pass"] == 1 and r["pattern"].startswith(("ring-", "random-"))])' \
        'len({r["pattern"] for r in rated if r["rep"] == 3}) == 36' \
        '"largest_sizes" in p.meta or Counter(r["rep"] for r in rated)[1] == Counter(r["rep"] for r in rated)[3] == 36 * 21'
    inspect out/run.json 'p["result"]["valid"] is True' 'p["result"]["reasons"] == []' 'len(p["result"]["passes"]) >= 1' \
        "'%.3f' % statistics.median(p['result']['passes']) == '$(printed stdout)'"
    holds out/summary.txt 'VALID for comparison'
    [[ $output != *'NOT VALID'* && $output != *'FAIL  '* ]]
    # Without --tables the output fits on a screen, except for the directory's name, which may be long.
    [[ $(wc -l <stdout) -le 30 && $(grep -v '^files: ' stdout | wc -L) -le 100 ]] || fail "$output"
    holds stdout 'VALID for comparison: all' 'logavg of the ring patterns'
}

@test "if a run has several passes, b_eff is their median and has a spread; --quiet prints only the last line" {
    with_time '8 25 60' "inspect out/run.json 'len(p[\"result\"][\"passes\"]) >= 2'" 2 --memory 1 --polygons 1 --max-loops 60 --quiet
    [[ $status == 0 ]]
    is_rated out
    inspect out/run.prot 'all(r["loops"] <= 60 for r in p.records)' 'max(r["pass"] for r in p.records) >= 2' \
        'max(Counter(map(cell, p.records)).values()) == 1' 'set(r["rep"] for r in p.records) == {1, 2, 3}'
    inspect out/run.json 'len(p["result"]["passes"]) >= 2' \
        'p["result"]["spread"][0] < 100 < p["result"]["spread"][1]'
    nothing_said "$stderr"
    [[ $output == 'b_eff = '* && ${#lines[@]} == 1 && $(tail -n 1 out/summary.txt) == "$output" ]] || fail "$output"
}

@test "a run of 3 oversubscribed processes ends on time, counts the messages of odd rings, and is NOT VALID" {
    with_time '5 12 25' '[[ $status == 0 ]]' 3 "$(shim yield)" --memory 1 --polygons 2
    [[ $status == 0 ]]
    takes out "$time.5" "$took"
    is_rated out
    inspect out/run.prot 'all(r["messages"] == 6 for r in p.records if r["pattern"].startswith(("ring-", "random-")))' \
        'all(r["messages"] == 2 for r in p.records if r["pattern"] in ("pingpong", "bisection-best"))'
    if (($(nproc) < 3)); then
        inspect out/run.prot 'p.meta["oversubscribed"] == "yes"'
        inspect out/run.json 'p["result"]["valid"] is False' 'any("oversubscribed" in r for r in p["result"]["reasons"])'
    fi
}

@test "a run of 4 processes that yield the processor measures every pattern" {
    with_time '4 10 20' '[[ $status == 0 ]]' 4 "$(shim yield)" --memory 64 --polygons 2
    [[ $status == 0 ]]
    is_rated out
    inspect out/run.prot '{"ring-1", "ring-6", "random-02"} <= {r["pattern"] for r in p.records}' \
        'all(r["messages"] == 4 for r in p.records if r["pattern"] == "ring-1")' \
        'all(r["messages"] == 8 for r in p.records if r["pattern"] in ("ring-2", "random-01"))'
}

@test "a run of one second ends on time" {
    with_time '1 1 1' 'takes out 1.35 $took' 2 --memory 1
    takes out 1.35 "$took"
    [[ $status == 0 || $status == 1 ]]
    inspect out/run.prot 'p.sealed'
    if [[ $status == 1 ]]; then
        [[ $output == *'no b_eff'* ]]
    fi
}

@test "large messages in a short time: missing measurements are reported, or the value follows from the records" {
    with_time '2 2 2' 'takes out 2.4 $took' 2 --memory 16384
    takes out 4 "$took" # beside other tests, a single message may take a second
    inspect out/run.prot 'p.sealed' 'p.meta["lmax"] == str(128 * 2**20)'
    if [[ $status == 0 ]]; then
        is_rated out
    else
        [[ $status == 1 && ${lines[-1]} == 'no b_eff: '*' B '* ]]
        [[ $output != *'b_eff = '* ]]
    fi
}

@test "a random seed is recorded, and --seed accepts the recorded number" {
    mpi 2 --time 1 --memory 1 --seed random --output out >/dev/null || true
    local seed
    seed=$(sed -n 's/^#: seed = //p' out/run.prot)
    [[ $seed =~ ^[0-9]+$ && $seed != 20010917 ]]
    "$BEFF" --plan --seed "$seed" --processes 4 >/dev/null
    inspect out/run.prot "not p.meta.get('option_seed') or p.meta['option_seed'] == '$seed'"
}

@test "without --output, a directory below protocols/runs is created and printed; --force replaces an earlier run; -f sets the directory" {
    mpi 2 --time 1 --memory 1 >stdout || true
    local found=(protocols/runs/*)
    [[ ${#found[@]} == 1 && ${found[0]} =~ ^protocols/runs/beff-$(uname -n)-n2-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}T[0-9:-]+Z?$ ]]
    holds stdout "${found[0]}"
    [[ $(ls -A) == $'protocols\nstdout' ]]
    touch -d yesterday "${found[0]}"/run.prot "${found[0]}"/patterns/*.dat
    run --separate-stderr mpi 2 --time 1 --memory 1 -f "${found[0]}"
    [[ $status == 2 && -z $output && -n $(find protocols -name run.prot -mtime +0) ]]
    is_one_line "$stderr" "${found[0]}" --force
    mpi 2 --time 1 --memory 1 -f "${found[0]}" --force >/dev/null || true
    inspect "${found[0]}/run.prot" 'p.sealed'
    [[ -z $(find protocols -name '*.*' -mtime +0) ]]
}

@test "a clock that runs at 80 % of real time is reported: status 1, NOT VALID; a correct clock is not" {
    run --separate-stderr mpi 2 CLOCK_RATE=80 "$(shim clock)" --time 4 --memory 1 --polygons 1 --output slow
    [[ $status == 1 && $output == *'NOT VALID'* ]]
    holds slow/summary.txt 'FAIL  clock accurate to 0.1 %'
    is_one_line "$(said)" 'clock mismatch: MPI_Wtime advanced '
    holds "$RUN/summary.txt" 'pass  clock accurate to 0.1 %'
    python3 - slow "$RUN" <<'END'
import json, sys
slow, right = (any("clock accurate" in r for r in json.load(open(d + "/run.json"))["result"]["reasons"]) for d in sys.argv[1:])
assert slow and not right
END
}

@test "settings of the MPI library change neither the nodes nor the memory per process nor Lmax" {
    needs_mpich MPIR_CVAR_NOLOCAL
    local each
    for each in 0 1; do
        mpi 2 MPIR_CVAR_NOLOCAL=$each --time 1 --output "$each" >/dev/null || [[ $? == 1 ]]
        grep -E '^#: (nodes|ranks_per_node|memory_ranks|memory_per_process_mib|lmax) = ' "$each/run.prot" >"$each.meta"
    done
    holds 1.meta '#: nodes = 1' '#: ranks_per_node = 2' '#: memory_ranks = 2'
    cmp 0.meta 1.meta
}

@test "--json prints run.json and nothing else, even if the reader is slow" {
    # The output is larger than a pipe's buffer, and the reader stalls for longer than a hung run may last.
    local time
    for time in 5 30; do # the longer time is used only if the machine was too busy for the shorter one
        { LIMIT=80 mpi 2 --time $time --memory 1 --polygons 1 --max-loops 30 -json --output out --force 2>stderr && echo 0 >status; } |
            { sleep $((time + 6)) && cat; } >stdout
        [[ ! -s status ]] || break
    done
    [[ $(<status) == 0 && $(wc -c <stdout) -gt 70000 ]]
    nothing_said "$(<stderr)"
    cmp stdout out/run.json
}

@test "no progress if standard error is not a terminal; lines with --progress=log" {
    mpi 2 --time 1 --memory 1 --output silent >/dev/null 2>stderr || true
    [[ ! -s stderr ]]
    mpi 2 --time 1 --memory 1 --progress=log --output talking >stdout 2>stderr || true
    [[ -s stderr ]]
    grep -qE '[0-9]+ .*(MB/s|left)' stderr
    run grep -q $'\r' stderr
    [[ $status == 1 ]]
    run grep -q 's left' stdout
    [[ $status == 1 ]]
}

@test "--progress=line rewrites one line" {
    python3 - "$MPIEXEC" "$BEFF" <<'END'
import os, pty, subprocess, sys
master, slave = pty.openpty()
with open("stdout", "w") as out:
    process = subprocess.Popen([sys.argv[1], "-n", "2", sys.argv[2], "--time", "4", "--memory", "1", "--polygons", "1",
                                "--progress=line", "--output", "out"],
                               stdout=out, stderr=slave, stdin=subprocess.DEVNULL)
os.close(slave)
text = b""
while True:
    try:
        part = os.read(master, 4096)
    except OSError:
        break
    if not part:
        break
    text += part
process.wait()
assert b"MB/s" in text and text.count(b"\r") >= 3, f"{text!r} on the terminal"
assert text.count(b"\n") <= 1, f"{text!r}"
END
}

@test "the command line is recorded so that it can be repeated" {
    mpi 2 --time 1 --memory 1 --output 'a b' >/dev/null || true
    inspect 'a b/run.prot' "p.meta['command'].startswith('$BEFF ')" \
        '__import__("shlex").split(p.meta["command"])[1:] == ["--time", "1", "--memory", "1", "--output", "a b"]'
}

@test "in a PBS job, the job script gives its runs the remaining time" {
    mkdir bin
    printf '%s\n' '#!/bin/bash' 'printf "    Resource_List.walltime = %s\n" 00:02:05' >bin/qstat # 120 s are reserved
    chmod +x bin/qstat
    printf '%s\n' node1 node1 >nodes
    PATH=$PWD/bin:$BUILD:$PATH PBS_JOBID=17.server PBS_NODEFILE=$PWD/nodes PBS_O_WORKDIR=$PWD \
        RUN='beff --memory 1 --polygons 1' LAUNCH="env -u PBS_JOBID -u PBS_NODEFILE $MPIEXEC -n" \
        "$TESTS/../contrib/job" >stdout 2>&1 || [[ $? == 1 ]] || fail "$(<stdout)"
    grep -q '^#: option_time = [345]$' beff-17-2/run.prot
    inspect beff-17-2/run.prot 'p.sealed' 'p.meta["processes"] == "2"'
}

# in_job NAME=VALUE...: runs contrib/job as in a Slurm job, with a Slurm that does not answer. Instead of starting
# a run, the stand-in for the launcher prints its directory and arguments, and writes a protocol that has only an end.
in_job() {
    mkdir -p bin scratch
    [[ -e bin/squeue ]] || echo '#!/bin/bash' >bin/squeue
    cat >bin/start <<'END'
#!/bin/bash
echo "$PWD: $*"
protocol=${@: -1}
[[ $protocol == *.prot ]] || { mkdir -p "$protocol"; protocol+=/run.prot; }
echo "${END-#: end = complete}" >"$protocol"
exit "${ENDS-0}"
END
    chmod +x bin/squeue bin/start
    ln -sf start bin/srun
    env PATH="$PWD/bin:$PATH" SLURM_JOB_ID=5 SLURM_NTASKS=2 SLURM_SUBMIT_DIR="$PWD" LAUNCH=start "$@" "$TESTS/../contrib/job" >stdout 2>&1
}

@test "a job works if Slurm does not answer, and makes several runs with the same number of processes" {
    in_job SIZES='2 2' SCRATCH=scratch RESULTS="re sults" RUN=./beff
    { echo 'the end of job 5 is unknown: each run takes the default time of the program; set TIME= to choose it'
      printf '%s\n' "$PWD/scratch: 2 $PWD/./beff --progress=log --output $PWD/re sults/beff-5-2"{,.2}; } | diff - stdout
    run -3 in_job RESULTS=/proc/nope RUN=IMB-MPI1 TIME=5
    [[ $(<stdout) == *"/proc/nope"* && $(wc -l <stdout) == 1 ]] || fail "$(<stdout)"
}

@test "a job: the name of a program decides its options, not its directory; links are not followed, and blanks are quoted" {
    local files="$PWD/IMB-files and/beff"
    mkdir -p build 'IMB-files and'
    ln -s imb_compat build/IMB-MPI1
    in_job TIME=9 RUN='build/IMB-MPI1 PingPong'
    [[ $(<stdout) == "$PWD: 2 $PWD/build/IMB-MPI1 PingPong -time-total 9 -prot $PWD/IMB-MPI1-5-2/run.prot" ]] || fail "$(<stdout)"
    in_job TIME=9 RUN="'$files' --memory 1"
    [[ $(<stdout) == "$PWD: 2 $files --memory 1 --time 9 --progress=log --output $PWD/beff-5-2" ]] || fail "$(<stdout)"
}

@test "a job reads its limit whatever SLURM_TIME_FORMAT says" {
    mkdir bin
    cat >bin/squeue <<'END'
#!/bin/bash
date -d '+3 minutes' "+$([[ ${SLURM_TIME_FORMAT-standard} == standard ]] && echo %FT%T || echo "$SLURM_TIME_FORMAT")"
END
    chmod +x bin/squeue
    in_job SLURM_TIME_FORMAT='%a %k:%M'
    [[ $(<stdout) =~ ^[^$'\n']*' --time '(5[5-9]|60)' '[^$'\n']*$ ]] || fail "$(<stdout)"
}

@test "a job: smaller runs use fewer nodes; without --ntasks, the processes use all processors" {
    local job=(SLURM_JOB_NUM_NODES=16 LAUNCH= RUN=IMB-MPI1)
    in_job "${job[@]}" SLURM_NTASKS=512 SLURM_NTASKS_PER_NODE=32 SIZES='512 128 16' MPI=pmix
    [[ $(grep -o -e '--mpi.* IMB' stdout) == "--mpi=pmix --cpu-bind=cores -N 16 -n 512 IMB"$'\n'"--mpi=pmix --cpu-bind=cores -N 4 -n 128 IMB"$'\n'"--mpi=pmix --cpu-bind=cores -N 1 -n 16 IMB" ]] || fail "$(<stdout)"
    in_job "${job[@]}" SLURM_NTASKS= 'SLURM_JOB_CPUS_PER_NODE=64(x16)' SLURM_CPUS_PER_TASK=2 BIND=none
    [[ $(<stdout) == *': --cpu-bind=none -N 16 -n 512 IMB-MPI1 '* ]] || fail "$(<stdout)"
}

@test "a job's status follows from the protocols of its runs, not from a launcher that got a signal" {
    run -4 in_job END='#: end = partial (stopped by signal 15)' ENDS=0
    run -4 in_job END='#: end = partial (stopped by signal 15)' ENDS=137
    run -1 in_job END='#: end = partial (the time limit was reached)' ENDS=1
    run -3 in_job END= ENDS=0
}

@test "a job loads modules, and ends if that fails" {
    module() { echo "module $*"; [[ $* != *nope* ]]; }
    export -f module
    in_job TIME=5 MODULES='gcc mpich'
    [[ $(head -n 1 stdout) == 'module load gcc mpich' ]] || fail "$(<stdout)"
    run -3 in_job MODULES=nope
    [[ $(tail -n 1 stdout) == 'module load nope failed' ]] || fail "$(<stdout)"
}

@test "a job that gets SIGTERM between two runs starts no further run" {
    mkdir bin
    printf '%s\n' '#!/bin/bash' '[[ $* != *-5-4* ]] || kill -TERM $PPID' 'exec /bin/mkdir "$@"' >bin/mkdir
    chmod +x bin/mkdir
    run -4 in_job SIZES='2 4 8' RUN=IMB-MPI1
    [[ $(grep -c IMB-MPI1 stdout) == 1 ]] || fail "$(<stdout)"
}
