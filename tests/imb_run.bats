#!/usr/bin/env bats
# imb_compat's measurements: calls per repetition, checking, records.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; words

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # what mpi starts

@test "MPI calls per repetition are IMB's: IMB-MPI1" {
    calls_agree IMB-MPI1
}

@test "MPI calls per repetition are IMB's: IMB-NBC" {
    calls_agree IMB-NBC
}

@test "-check finds a damaged byte in every benchmark of IMB-MPI1" {
    finds_flips MPI1 48 $(all_of MPI1 | grep -vi barrier)
}

@test "-check finds a damaged byte in every benchmark of IMB-NBC" {
    finds_flips NBC 48 $(all_of NBC | grep -vi barrier)
}

@test "-check finds one single damaged byte, in a probe, warm-up or timed repetition, and a damaged answer" {
    local number
    for number in 1 4 9 14; do # 1 + 5 probes, 5 to warm up, 5 timed
        run --separate-stderr mpi 2 FLIP_BYTES=48 FLIP_NUMBER=$number "$(shim flip_imb)" -msgsize 48 -check -iter 5 Allgather
        [[ $status == 1 ]] || fail "call $number"
        grep -q ' [1-9]\.00$' <<<"$output"
    done
    run --separate-stderr mpi 2 FLIP_BYTES=1 FLIP_NUMBER=3 "$(shim flip_imb)" -msgsize 48 -check -iter 5 Uniband
    [[ $status == 1 ]]
}

@test "-check finds nothing in clean runs: numbers of processes, groups, maps, roots" {
    clean 2 -msglog 0:6
    clean 3 -msglog 3:4 -include Uniband,Biband
    clean 3 -msglog 3:4 -root_shift on Bcast Reduce Gather Gatherv Scatter Scatterv Exchange
    clean 4 -msglog 3:4 -multi 0 -map 2x2 -include Uniband -exclude PingPing,Reduce_local
    clean 5 -msglog 3:4 -multi 1 -include Biband PingPong Exchange Reduce Allgatherv Alltoallv
    clean 2 -msglog 10:17 -off_cache 1 Exchange Bcast Allgather Alltoall Reduce_scatter
    BEFF=$BUILD/IMB-NBC
    clean 2 -msglog 3:5
    clean 3 -msglog 3:4 -root_shift on
    clean 4 -msglog 3:3 -multi 1 -map 2x2
}

@test "-check finds nothing in clean runs: all data types and layouts" {
    local type
    for type in byte char int float double; do
        clean 3 -msglog 3:4 -npmin 3 -data_type $type Sendrecv Exchange Gather Scatterv Alltoall Bcast Allgather
        [[ $type == byte ]] ||
            clean 3 -msglog 3:4 -npmin 3 -red_data_type $type Allreduce Reduce Reduce_local Reduce_scatter \
                Reduce_scatter_block
    done
    for type in base_vec resize resize_vec; do
        clean 2 -msglog 3:4 -data_type int -contig_type $type -include Uniband,Biband
    done
}

@test "-prot and -json hold every row of the text" {
    mpi 2 -iter 5 -msglog 0:3 -prot run.prot -json run.json PingPong Sendrecv Allreduce Uniband Barrier >out
    inspect run.prot 'p.sealed and p.end == "complete"' 'p.meta["program"] == "imb_compat"' \
        'p.meta["component"] == "MPI1" and p.meta["option_iter"] == "5,40,100"' \
        'len(p.records) == 5 + 5 + 3 + 5 + 1'
    inspect run.json 'p["program"] == "imb_compat" and len(p["records"]) == 19 and p["result"]["errors"] == 0' \
        'all(r["t_min"] <= r["t_avg"] <= r["t_max"] for r in p["records"])'
    python3 - out run.json <<'END'
import json, sys
rows = [line.split() for line in open(sys.argv[1]) if line[:13].strip().isdigit()]
for row, record in zip(rows, json.load(open(sys.argv[2]))["records"]):
    reals = [float(x) for x in row if "." in x]
    if record["benchmark"] == "Sendrecv":
        wanted = [1e6 * record[k] for k in ("t_min", "t_max", "t_avg")] + [record["bandwidth"]]
        assert all(abs(a - b) <= 0.00501 for a, b in zip(reals, wanted)), (row, record)
END
}

@test "bandwidth, message rate and overlap of the records follow from their times" {
    mpi 2 -iter 5 -msglog 0:12 -window_size 16 -prot run.prot PingPong PingPing Sendrecv Exchange Uniband Biband >out
    BEFF=$BUILD/IMB-NBC
    mpi 2 -iter 5 -msglog 0:8 -prot nbc.prot Ibcast Ialltoall Ireduce >out
    local factor='{"PingPong": 1, "PingPing": 1, "Sendrecv": 2, "Exchange": 4, "Uniband": 16, "Biband": 32}'
    inspect run.prot \
        "all(math.isclose(r['bandwidth'], $factor[r['benchmark']] * r['bytes'] / r['t_max'] / 1e6) for r in p.records)" \
        "all(math.isclose(r['msg_rate'], $factor[r['benchmark']] / r['t_max']) for r in p.records if 'band' in r['benchmark'])"
    inspect nbc.prot 'all(math.isclose(r["overlap"], 100 * min(1, max(0, (r["t_pure"] + r["t_cpu"] - r["t_max"]) / max(r["t_pure"], r["t_cpu"]))), abs_tol=1e-9) for r in p.records)'
}

@test "-raw adds each repetition" {
    mpi 2 -iter 5 -msglog 0:1 -prot run.prot -raw PingPong Allreduce >out
    BEFF=$BUILD/IMB-NBC
    mpi 2 -iter 5 -msglog 0:1 -prot nbc.prot -raw Ibcast >out
    inspect run.prot 'sum(r["repetition"] > 0 for r in p.records) == 5 * sum(r["repetition"] == 0 for r in p.records)' \
        'all(r["t_max"] > 0 for r in p.records)'
    inspect nbc.prot 'sum(r["repetition"] > 0 for r in p.records) == 15'
}

@test "a protocol that cannot be created: status 3, nothing is measured" {
    run --separate-stderr mpi 2 -prot /nowhere/run.prot PingPong
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" /nowhere/run.prot
}

@test "a signal ends the run within 2 s, status 4, the protocol is whole" {
    start 2 -iter 100000000,100000000 -iter_policy off -prot run.prot -msglog 22:22 -zero_size off PingPong
    sleep 1
    kill -TERM "$launcher"
    ended_within 3
    inspect run.prot 'p.sealed and "partial" in p.end'
}

@test "an MPI error ends the run with its name" {
    run --separate-stderr mpi 2 FAULT_CALL=MPI_Sendrecv FAULT_NUMBER=3 "$(shim fault)" -iter 5 Sendrecv
    [[ $status != 0 ]]
    grep -q 'IMB-MPI1: Sendrecv failed .*Sendrecv on 2 processes' <<<"$stderr"
}

@test "-compat 3.0: units, list, header" {
    run mpi 2 -compat 3.0 -iter 10 -msglog 3:10
    [[ $status == 0 && $output == *'Benchmark Suite V3.0'* && $(grep -c '^# Benchmarking' <<<"$output") == 13 ]]
    echo "$output" >out
    "$TESTS/imb-formulas" out 1048576
    [[ $output == *'Reduce_scatter'* && $output != *Gatherv* ]]
    clean 3 -compat 3.0 -msglog 3:6
}
