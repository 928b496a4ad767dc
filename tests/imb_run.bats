#!/usr/bin/env bats
# imb_compat's measurements: calls per repetition, checking, records.
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1 # the program that mpi starts

@test "IMB-MPI1: the MPI calls per repetition are the same as in IMB" {
    calls_agree IMB-MPI1
}

@test "IMB-NBC: the MPI calls per repetition are the same as in IMB" {
    calls_agree IMB-NBC
}

@test "-prot and -json contain every row of the text" {
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

# A row is the mean of its repetitions.
means='all(math.isclose(row["t_avg"], sum(r["t_avg"] for r in p.records if r["repetition"] and r["benchmark"] ==
    row["benchmark"] and r["bytes"] == row["bytes"]) / row["repetitions"]) for row in p.records if not row["repetition"])'

@test "-raw adds the repetitions, whose mean is the row; -json has the same records as -prot" {
    mpi 2 -iter 5 -msglog 0:1 -prot run.prot -json run.json -raw PingPong Sendrecv Allreduce >out
    BEFF=$BUILD/IMB-NBC
    mpi 2 -iter 5 -msglog 0:1 -prot nbc.prot -raw Ibcast Ibcast_pure >out
    inspect run.prot 'sum(r["repetition"] > 0 for r in p.records) == 5 * sum(r["repetition"] == 0 for r in p.records) == 35' \
        'all(0 < r["t_min"] <= r["t_avg"] <= r["t_max"] for r in p.records)' "$means"
    inspect nbc.prot 'sum(r["repetition"] > 0 for r in p.records) == 30' "$means"
    python3 - <<'END'
import json
lines = [line.rstrip("\n") for line in open("run.prot")]
names = next(line for line in lines if line.startswith("# columns:")).split()[2:]
rows = [dict(zip(names, line.split("\t"))) for line in lines if line and line[0] != "#"]
records = json.load(open("run.json"))["records"]
assert len(rows) == len(records)
for row, record in zip(rows, records):
    assert all(str(record[k]) == row[k] or record[k] == float(row[k]) for k in names), (row, record)
END
}

@test "-json has the same system information as beff, and a verdict with reasons and notes" {
    mpi 2 -iter 5 -msglog 0:1 -json imb.json PingPong >out
    mpi 3 -check -iter 5 -mem 1e-6 -msglog 10:12 -json worse.json -prot worse.prot Bcast >out || [[ $? == 1 ]]
    run "$BUILD/beff_report" verify worse.prot # must agree with the verdict of the run
    [[ $output != *'from the records'* ]] || fail "$output"
    "$BUILD/beff_report" show --format json "$TESTS/../protocols/samples/beff-n2-short" >beff.json
    python3 - <<'END'
import json
beff, imb, worse = (json.load(open(name)) for name in ("beff.json", "imb.json", "worse.json"))
# Only the definition of beff has other keys.
missing = set(beff["system"]) - set(imb["system"]) - {"definition", "seed", "time_s", "memory_source", "lmax", "file", "patterns",
                                                      "target_s", "largest_sizes", "needs_time_s", "alone_left_out"}
assert not missing, missing
assert set(beff) == set(imb)
assert imb["result"]["valid"] is True
assert imb["result"]["not_checked"] == ["all data correct (-check was not given)"]
result = worse["result"]
assert result["valid"] is False and "not_checked" not in result
assert any("measured (6 skipped)" in reason for reason in result["reasons"]), result
assert any("oversubscribed: yes" in reason for reason in result["reasons"]), result
assert any("see the row above" in note for note in result["notes"]), result
END
}

@test "a protocol that cannot be created: status 3, nothing is measured" {
    run --separate-stderr mpi 2 -prot /nowhere/run.prot PingPong
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" /nowhere/run.prot
}

@test "existing files are replaced only with -force" {
    local file other
    for file in prot json; do
        other=$([[ $file == prot ]] && echo json || echo prot)
        echo mine >old
        run --separate-stderr mpi 2 -iter 5 -msglog 0:1 -$file old -$other new PingPong
        [[ $status == 3 && -z $output && $(<old) == mine ]] || fail "$file: status $status $output"
        is_one_line "$stderr" "-$file: old" -force
        rm -f new
    done
    mpi 2 -iter 5 -msglog 0:1 -prot old -json /dev/null -force PingPong >out
    inspect old 'p.sealed' 'p.end == "complete"'
}

@test "an MPI error ends the run with a line that names the benchmark" {
    run --separate-stderr mpi 2 FAULT_CALL=MPI_Sendrecv FAULT_NUMBER=3 "$(shim fault)" -iter 5 Sendrecv
    [[ $status != 0 ]]
    grep -q 'IMB-MPI1: Sendrecv failed .*Sendrecv on 2 processes' <<<"$stderr"
}

@test "-compat 3.0: units, list, header" {
    run mpi 2 -compat 3.0 -iter 10 -msglog 3:4
    [[ $status == 0 && $output == *'Benchmark Suite V3.0'* && $(grep -c '^# Benchmarking' <<<"$output") == 13 ]]
    echo "$output" >out
    "$TESTS/imb-formulas" --megabyte 1048576 out
    [[ $output == *'Reduce_scatter'* && $output != *Gatherv* ]]
}

# The clocks advance by 0.6 s at each message, so the processes agree to continue.
@test "-compat 3.0: the warm-up of a table with more processes than the table before it does not hang" {
    mpi 4 CLOCK_CALL=600000 "$(shim clock)" -compat 3.0 -check -msgsize 4 -iter 2 Sendrecv >out || [[ $? == 1 ]]
    [[ $(grep -c '^ *4  *2 *600000.00 ' out) == 2 ]] || fail "$(<out)"
}
