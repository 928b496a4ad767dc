#!/usr/bin/env bats
# Complete runs: files, figures, time. Most of them take place in virtual time, so their results are known.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; setup_file sets the rest; a script expands its own variables

load helpers

setup_file() {
    # One run for many tests, in a new directory whose path contains spaces.
    export RUN="$BATS_FILE_TMPDIR/with blank/a run" STDOUT=$BATS_FILE_TMPDIR/stdout STDERR=$BATS_FILE_TMPDIR/stderr
    export BEFF_TEST_MARK=$BATS_FILE_TMPDIR STATUS=0
    virtual 2 --memory 64 --methods Sendrecv --tables --output "$RUN" >"$STDOUT" 2>"$STDERR" || STATUS=$?
}

# exact DIR PROCESSES: checks that the run completed, and that rings and polygons took the time that follows from their messages.
exact() {
    inspect "$1/run.prot" 'p.sealed' 'p.end == "complete"' \
        "all(abs(r['t_max'] / r['loops'] / ((1 if r['method'] == 'Alltoallv' else n) * 55e-3 + n * r['bytes'] * 5e-9) - 1) < 1e-5
            for r in p.records if r['pattern'].startswith(('ring-', 'random-')) and (n := r['messages'] / $2))"
}

# look [NAME=VALUE]... ARGUMENT...: makes a run that ends before it has measured enough for a rating, with status 1.
look() {
    run -1 --separate-stderr virtual 2 "$@" --time 3 --memory 1
}

@test "a run of 2 processes completes a pass in the default time, prints nothing on standard error, and is VALID with the known b_eff" {
    [[ $STATUS == 0 && -z $(<"$STDERR") ]] || fail "status $STATUS" "$(<"$STDERR")"
    exact "$RUN" 2
    inspect "$RUN/run.prot" 'p.meta["time_s"] == "180"' '100 < float(p.meta["elapsed_s"]) <= 180' \
        'not {"polygons", "needs_time_s", "target_s", "largest_sizes"} & p.meta.keys()' \
        'max(Counter(map(cell, p.records)).values()) == 1' 'len({r["bytes"] for r in p.records}) == 21' \
        'Counter(r["rep"] for r in p.records if re.match("ring|random", r["pattern"])) == {rep: 36 * 21 for rep in (1, 2, 3)}' \
        'abs(p.results["b_eff"] / statistics.mean(2e-6 * size / (55e-3 + 5e-9 * size) for size in {r["bytes"] for r in p.records}) - 1) < 1e-5' \
        'abs(p.results["pingpong_latency_us"] - 55e3) < 1'
    inspect "$RUN/run.json" 'p["result"]["valid"] is True' 'p["result"]["reasons"] == []' 'len(p["result"]["passes"]) == 1' \
        "'b_eff = %.3f MB/s' % p['result']['passes'][0] == '$(tail -n 1 "$STDOUT" | cut -d ' ' -f 1-4)'"
    holds "$RUN/summary.txt" 'VALID for comparison: all' 'pass  clock accurate to 0.1 %'
    run ! grep 'NOT VALID\|FAIL  ' "$STDOUT"
}

@test "a run leaves run.prot, summary.txt, run.json and one file per pattern, and nothing else" {
    [[ $(cd "$RUN" && find . -maxdepth 1 -not -name plots | sort | xargs) == ". ./patterns ./run.json ./run.prot ./summary.txt" ]]
    "$BEFF" --plan --json --processes 2 --memory 64 |
        python3 -c 'import json, sys; [print(q + ".dat") for q in [p["name"] for p in json.load(sys.stdin)["patterns"]] + ["loss", "patterns", "repetitions", "sizes"]]' | sort >wanted
    find "$RUN/patterns" -type f -printf '%f\n' | sort | diff wanted -
}

@test "the last line of standard output is b_eff's result line" {
    local number='[0-9]+\.[0-9]{3}'
    [[ $(tail -n 1 "$STDOUT") =~ ^b_eff\ =\ $number\ MB/s\ =\ $number\ \*\ 2\ PEs\ with\ 64\ MB/PE\ on\ (.*)$ ]]
    [[ ${BASH_REMATCH[1]} == "$(uname -s) $(uname -n) $(uname -r) $(uname -v) $(uname -m)" ]]
}

@test "--tables prints summary.txt after the directory of the files" {
    { printf 'files: %s\n\n' "$RUN" && cat "$RUN/summary.txt"; } | diff - "$STDOUT"
}

@test "run.prot has the specified metadata and every setting" {
    local key expressions=()
    for key in format version commit command cpu cores memory_mib memory_limit_mib mpi mpi_version compiler flags binding memory_ranks \
        oversubscribed clock_mpi_s option_{output,force,seed,memory,polygons,max-loops,json,quiet,progress}; do
        expressions+=("'$key' in p.meta")
    done
    inspect "$RUN/run.prot" "${expressions[@]}" 'p.meta["program"] == "beff"' 'p.meta["processes"] == "2"' 'p.meta["nodes"] == "1"' \
        'p.meta["ranks_per_node"] == "2"' 'p.meta["seed"] == "20010917"' \
        'p.meta["memory_per_process_mib"] == "64"' 'p.meta["lmax"] == "524288"' \
        "p.meta['host'] == '$(uname -n)'" "p.meta['kernel'] == '$(uname -r)'" \
        'abs(float(p.meta["clock_resolution_s"]) - 1e-9) < 1e-10' \
        're.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", p.meta["started"])' \
        'p.meta["started"] <= p.meta["finished"]'
}

@test "each repetition has the state of the processors of each node" {
    grep -q '^#@sweep' "$RUN/run.prot"
    [[ $(grep -c '^#@state' "$RUN/run.prot") == $(grep -c "^#@sweep	[0-35-9]" "$RUN/run.prot") ]]
    awk -F '\t' '/^#@state/ && !($5 >= 0 && $5 <= $6 && $7 >= 0 && $7 <= $8 && ($3 == "-" || $3 <= $4) && $9 != "") { exit 1 }' "$RUN/run.prot"
}

@test "run.prot is as protocols/README.md describes it, verify finds nothing, show prints summary.txt again, and no data are wrong" {
    "$TESTS/read_protocol" "$RUN/run.prot"
    "$BUILD/beff_report" verify "$RUN"
    "$BUILD/beff_report" show "$RUN" | cmp - "$RUN/summary.txt"
    inspect "$RUN/run.prot" 'all(r["loops"] >= 1 and 0 < r["t_min"] <= r["t_max"] and r["errors"] == 0 for r in p.records)' \
        'all(r["t_min"] * (1 - 1e-12) <= r["t_avg"] <= r["t_max"] * (1 + 1e-12) for r in p.records)' \
        'all(r["messages"] == 2 for r in p.records)'
}

@test "run.json has the specified keys and all records" {
    inspect "$RUN/run.json" \
        'p.keys() >= {"format", "program", "version", "command", "system", "settings", "result", "tables", "records"}' \
        'p["result"].keys() >= {"b_eff", "unit", "valid", "reasons", "passes"}' \
        'p["program"] == "beff" and p["result"]["unit"] == "MB/s"' 'p["settings"]["memory"] in (64, "64")' \
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

@test "a run without a complete pass prints NOT VALID for comparison, the reason, and a sufficient time; without a rating, the status is 1" {
    local needed
    run --separate-stderr virtual 2 CLOCK_CALL=5000 --time 5 --memory 1 --methods Sendrecv --output out
    [[ $status == 0 ]]
    needed=$(sed -n 's/^#: needs_time_s = //p' out/run.prot)
    [[ $needed -gt 5 && $needed -lt 50 && $stderr == "beff: the result will be NOT VALID: a complete pass needs --time $needed" ]]
    # Without --tables, the output fits on a screen.
    [[ ${#lines[@]} -le 30 && $(wc -L <<<"$output") -le 100 && $output == *', NOT VALID' ]] || fail "$output"
    holds out/summary.txt 'NOT VALID for comparison: ' 'instead of 3.5 ms, because the time is short'
    grep -q "^  FAIL  at least one complete pass: 3 repetitions of the rings and 30 polygons, all sizes (0 completed; polygons: [0-9]*; needs --time $needed)" out/summary.txt
    inspect out/run.json 'p["result"]["valid"] is False' 'len(p["result"]["reasons"]) == 1' \
        'p["result"]["passes"] == []'
    look --output short
    [[ ${lines[-1]} == 'no b_eff: '*' B to 8192 B; use a longer --time: at least '*' s' && $output != *'b_eff = '* ]] || fail "$output"
}

@test "if a run has several passes, b_eff is their median; --quiet prints only the last line" {
    run --separate-stderr virtual 2 CLOCK_CALL=1000 --time 8 --memory 1 --polygons 1 --methods Sendrecv --max-loops 2 --quiet --output out
    [[ $status == 0 && -z $stderr ]]
    inspect out/run.prot 'max(r["loops"] for r in p.records) == 2' 'max(Counter(map(cell, p.records)).values()) == 1' \
        '{r["rep"] for r in p.records} == {1, 2, 3}'
    inspect out/run.json 'len(p["result"]["passes"]) >= 2' \
        "'b_eff = %.3f MB/s' % statistics.median(p['result']['passes']) == '$(cut -d ' ' -f 1-4 <<<"$output")'" 'len(p["result"]["reasons"]) == 2'
    [[ ${#lines[@]} == 1 && $(tail -n 1 out/summary.txt) == "$output" ]] || fail "$output"
}

@test "runs of 3 and 4 processes take the time that follows from their messages; oversubscribed processes are NOT VALID" {
    (taskset -cp 0,1 $BASHPID && virtual 3 --time 60 --memory 1 --polygons 1 --output 3) >/dev/null
    exact 3 3
    virtual 4 --time 30 --memory 1 --polygons 2 --methods nonblocking --output 4 >/dev/null
    exact 4 4
    inspect 3/run.prot 'all(r["messages"] == 6 for r in p.records if r["pattern"].startswith(("ring-", "random-")))' \
        'all(r["messages"] == 2 for r in p.records if r["pattern"] in ("pingpong", "bisection-best"))'
    inspect 4/run.prot '{"ring-1", "ring-6", "random-02"} <= {r["pattern"] for r in p.records}' \
        'all(r["messages"] == (4 if r["pattern"] == "ring-1" else 8) for r in p.records if r["pattern"] in ("ring-1", "ring-2", "random-01"))'
    inspect 3/run.prot 'p.meta["oversubscribed"] == "yes"'
    inspect 3/run.json 'any("oversubscribed" in r for r in p["result"]["reasons"])'
}

@test "a run by the real clock ends, with a rating or the reason why there is none" {
    run --separate-stderr mpi 2 "$(shim yield)" --time 2 --memory 1 --output out
    [[ $status == 0 || ($status == 1 && ${lines[-1]} == 'no b_eff: '*) ]] || fail "$status" "$output"
    inspect out/run.prot 'p.sealed' 'float(p.meta["clock_resolution_s"]) < 1e-3' 'float(p.meta["elapsed_s"]) <= 2 + 26'
    "$BUILD/beff_report" verify out
}

@test "large messages" {
    virtual 2 --time 20 --memory 4096 --polygons 1 --methods Sendrecv --output out
    exact out 2
    inspect out/run.prot 'p.meta["lmax"] == str(2**25) == str(max(r["bytes"] for r in p.records))'
}

@test "the command line is recorded so that it can be repeated, with the seed that --seed random chose" {
    look --seed random --output 'a b'
    local seed
    seed=$(sed -n 's/^#: seed = //p' 'a b/run.prot')
    [[ $seed =~ ^[0-9]+$ && $seed != 20010917 ]]
    "$BEFF" --plan --seed "$seed" --processes 4 >/dev/null
    inspect 'a b/run.prot' "p.meta['option_seed'] in ('', '$seed')" "p.meta['command'].startswith('$BEFF ')" \
        '__import__("shlex").split(p.meta["command"])[1:] == ["--seed", "random", "--output", "a b", "--time", "3", "--memory", "1"]'
}

@test "without --output, a directory below protocols/runs is created and printed; --force replaces an earlier run; -f sets the directory" {
    look
    local found=(protocols/runs/*)
    [[ ${#found[@]} == 1 && ${found[0]} =~ ^protocols/runs/beff-$(uname -n)-n2-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}T[0-9:-]+Z?$ ]]
    [[ $output == *"${found[0]}"* && $(ls -A) == protocols ]]
    touch -d yesterday "${found[0]}"/run.prot "${found[0]}"/patterns/*.dat
    run -2 --separate-stderr virtual 2 -f "${found[0]}"
    [[ -z $output && -n $(find protocols -name run.prot -mtime +0) ]]
    is_one_line "$stderr" "${found[0]}" --force
    look -f "${found[0]}" --force
    inspect "${found[0]}/run.prot" 'p.sealed'
    [[ -z $(find protocols -name '*.*' -mtime +0) ]]
}

@test "a clock that runs at 80 % of real time is reported: status 1, NOT VALID" {
    run -1 --separate-stderr virtual 2 CLOCK_RATE=80 --time 20 --memory 1 --polygons 1 --methods Sendrecv --output slow
    [[ $output == *'NOT VALID'* ]]
    holds slow/summary.txt 'FAIL  clock accurate to 0.1 %'
    is_one_line "$(said)" 'clock mismatch: MPI_Wtime advanced '
}

@test "two runs in the same environment record it identically, without the launcher's variables and without secrets" {
    local out
    export UCX_WARN_UNUSED_ENV_VARS=n FI_TEST_TOKEN=secret PBS_JOBID=17.server
    unset SLURM_JOB_ID
    for out in one two; do virtual 2 --time 20 --memory 1 --polygons 1 --methods Sendrecv --output $out; done
    inspect one/run.prot 'p.meta["job"] == "17.server"' '("environment", "UCX_WARN_UNUSED_ENV_VARS=n") in p.all_meta' 'not any("TOKEN" in e or "orte" in e or "ess_" in e for key, e in p.all_meta if key == "environment")'
    diff <(grep environment one/run.prot) <(grep environment two/run.prot)
    run "$BUILD/beff_report" compare --allow-invalid one -- two
    # The distance of the processors is measured.
    ! grep -v '^changed: state of the machine: processors .* apart' <<<"$output" | grep -E 'changed:| varies within ' || fail "$output"
}

@test "settings of the MPI library change neither the nodes nor the memory per process nor Lmax" {
    needs_mpich MPIR_CVAR_NOLOCAL
    needs_mount
    # Less memory than the machine has, so that the buffers are small.
    sed -E 's/^(MemTotal|MemFree|MemAvailable): .*/\1: 1048576 kB/' /proc/meminfo >meminfo
    printf '#!/bin/bash\nexec unshare --mount bash -c '\''mount --bind meminfo /proc/meminfo && exec "$@"'\'' bash "%s" "$@"\n' "$MPIEXEC" >launcher
    chmod +x launcher
    local MPIEXEC=$PWD/launcher
    mpi 2 --plan --json >plan.json
    run -1 virtual 2 MPIR_CVAR_NOLOCAL=1 --time 3 --polygons 1 --methods Sendrecv --output out
    holds out/run.prot '#: nodes = 1' '#: ranks_per_node = 2' '#: memory_ranks = 2' \
        '#: memory_mib = 1024' "#: memory_per_process_mib = $(jq .memory_per_process plan.json)" "#: lmax = $(jq .lmax plan.json)"
}

@test "--json prints run.json and nothing else, even if the reader is slow" {
    # The output is larger than a pipe's buffer, and the reader stalls for longer than a hung run may last.
    virtual 2 CLOCK_CALL=10000 CLOCK_TIMERS=1 --time 30 --memory 1 --polygons 1 --methods Sendrecv -json --output out 2>stderr |
        { sleep 10 && cat; } >stdout
    [[ $(wc -c <stdout) -gt 70000 && -z $(<stderr) ]] || fail "$(<stderr)"
    cmp stdout out/run.json
}

@test "an interrupted write to standard output is repeated" {
    needs strace
    strace -o /dev/null true 2>/dev/null || skip 'strace is not allowed here'
    # shellcheck disable=SC2016 # bash -c expands the variables
    run "$MPIEXEC" -n 2 bash -c '[[ ${PMI_RANK-${OMPI_COMM_WORLD_RANK-}} == 0 ]] || exec "$@"
        exec strace -o trace -P "$PWD/stdout" -e trace=write -e inject=write:error=EINTR:when=1..3 "$@" >stdout' bash \
        "$BEFF" --time 3 --memory 1 --polygons 1 --json --output out
    grep -q EINTR trace
    cmp stdout out/run.json
}

@test "no progress if standard error is not a terminal; lines with --progress=log" {
    look --output silent
    [[ -z ${stderr%%---*prterun*} ]] # apart from the lines of Open MPI 5's launcher
    look --progress=log --output talking
    [[ $stderr =~ [0-9]+' %, '[0-9]+' s left, '.*' MB/s' && $stderr != *$'\r'* && $output != *'s left'* ]] || fail "$stderr"
}

@test "--progress=line writes one line to the terminal, again and again" {
    [[ ${ROMIO-} != romio341 ]] || skip "Open MPI 5's launcher may write standard error to standard output"
    python3 - "$MPIEXEC" -n 2 env "$(shims yield clock)" CLOCK_CALL=55000 "$BEFF" --time 3 --memory 1 --progress=line --output out <<'END'
import os, pty, subprocess, sys
master, slave = pty.openpty()
with open("stdout", "w") as out:
    process = subprocess.Popen(sys.argv[1:], stdout=out, stderr=slave, stdin=subprocess.DEVNULL)
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

@test "in a PBS job, the job script gives its runs the remaining time" {
    mkdir bin
    printf '%s\n' '#!/bin/bash' 'printf "    Resource_List.walltime = %s\n" 00:22:00' >bin/qstat # 120 s are reserved
    chmod +x bin/qstat
    printf '%s\n' node1 node1 >nodes
    in_job RUN=beff SLURM_JOB_ID= PBS_JOBID=17.server PBS_NODEFILE="$PWD/nodes" PBS_O_WORKDIR="$PWD"
    [[ $(<stdout) =~ ^"$PWD: 2 beff --time 1"[12][0-9]{2}" --progress=log --output $PWD/beff-17-2"$ ]] || fail "$(<stdout)"
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

@test "a job on nodes of different sizes has one process for each processor of all nodes" {
    local job=(SLURM_JOB_NUM_NODES=3 LAUNCH= RUN=IMB-MPI1 SLURM_NTASKS=)
    in_job "${job[@]}" 'SLURM_JOB_CPUS_PER_NODE=16(x2),4' SIZES='36 8'
    [[ $(grep -o -e '-N.* IMB' stdout) == '-N 3 -n 36 IMB'$'\n''-N 2 -n 8 IMB' ]] || fail "$(<stdout)"
    in_job "${job[@]}" 'SLURM_JOB_CPUS_PER_NODE=4,16(x2)'
    [[ $(<stdout) == *' -N 3 -n 36 IMB-MPI1 '* ]] || fail "$(<stdout)"
    in_job "${job[@]}" 'SLURM_JOB_CPUS_PER_NODE=15(x2),4' SLURM_CPUS_PER_TASK=2
    [[ $(<stdout) == *' -N 3 -n 16 IMB-MPI1 '* ]] || fail "$(<stdout)"
    in_job "${job[@]}" SLURM_NTASKS=20 'SLURM_TASKS_PER_NODE=8(x2),4'
    [[ $(<stdout) == *' -N 3 -n 20 IMB-MPI1 '* ]] || fail "$(<stdout)"
    [[ $(in_job "${job[@]}" SLURM_JOB_CPUS_PER_NODE= OMP_NUM_THREADS=1; cat stdout) == *" -n $((3 * $(nproc))) IMB-MPI1 "* ]] || fail "$(<stdout)"
    run -3 in_job SLURM_JOB_ID= PBS_JOBID=7 PBS_NODEFILE=/dev/null PBS_O_WORKDIR="$PWD"
    [[ $(<stdout) == *'the number of processes of job 7 is unknown: set SIZES' ]] || fail "$(<stdout)"
    run -2 in_job REPEAT=twice
    run -2 in_job RUN="beff 'unmatched"
    mkdir -p bin
    printf '%s\n' '#!/usr/bin/env bash' '[[ $1 != resource ]] || printf "%s\n" 32 4' '[[ $1 != job ]] || echo 1000' >bin/flux
    chmod +x bin/flux
    in_job SLURM_JOB_ID= FLUX_URI=local:///x RUN=IMB-MPI1
    [[ $(<stdout) == *' 36 IMB-MPI1 '* || $(<stdout) == *': 36 '* ]] || fail "$(<stdout)"
}

@test "a job works with an exported CDPATH, and in a locale of any language" {
    mkdir -p elsewhere/contrib elsewhere/tests
    CDPATH=$PWD/elsewhere:. LC_ALL=et_EE.UTF-8 in_job RUN=IMB-MPI1
    [[ $(grep -c IMB-MPI1 stdout) == 1 ]] || fail "$(<stdout)"
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
