#!/usr/bin/env bats
# beff_report pack and rank --table: runs in one file for others.
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets status, output, stderr

load helpers

SAMPLES=$TESTS/../protocols/samples

report() {
    TMPDIR=$PWD timeout --kill-after=5 60 "$BUILD/beff_report" "$@"
}

# sessions NAME FACTOR HOST [KEY=VALUE]...: writes the runs NAME-1, NAME-2 and NAME-3, one a day, on a host.
sessions() {
    local i
    [[ -e valid ]] || stops_after 3 valid
    for i in 1 2 3; do
        "$TESTS/scale_run" valid "$1-$i" "$2" "$1$i" {started,finished}="2026-11-0${i}T03:00:00Z" \
            host="$3" uname="Linux $3 6.1" command="beff --output /scratch/$3/run" option_output="/scratch/$3/run" "${@:4}"
        sed -i "s/\tvm$/\t$3/" "$1-$i"
        "$TESTS/seal" "$1-$i"
    done
}

@test "pack: three runs are packed, unpacked, verified and ranked, with other names of hosts" {
    sessions lab 1 gw17.site.example environment='HOSTNAME=gw17'
    sed -i '/^#: placement/i #: environment_differs = 1 of 2 nodes, first gw18: HOSTNAME gw17 -> gw18' lab-*
    "$TESTS/seal" lab-*
    report pack --replace-hosts lab-* -o lab.tar.gz >out
    holds out 'site.yaml: fill in machine, institution, contact, status, run, tuned' 'lab.tar.gz: 3 runs, 2 host names replaced'
    python3 - <<'END'
import yaml
site = yaml.safe_load(open("site.yaml"))
assert site["processors"] == "Intel(R) Xeon(R) Processor" and site["mpi"] == "MPICH Version: 4.0.2" and site["nodes"] == "1", site
assert site["run"] == "" and site["date"] == "2026-11-01T03:00:00Z" and site["machine"] == "", site
END
    sed -i 's/^machine: ""/machine: "Lab \\"3\\" | x"/; s/^contact: ""/contact: a@b.example # me/; s/^processors: "/&2 /' site.yaml
    report pack --replace-hosts lab-* -o lab.tar.gz >out
    run ! grep check out
    mkdir there && tar -C there -xzf lab.tar.gz
    [[ $(cd there && find . -type f | sort | xargs) == './lab/beff-1/run.prot ./lab/beff-2/run.prot ./lab/beff-3/run.prot ./lab/site.yaml' ]]
    run ! grep -rE 'gw1[78]|example$|site\.example' there
    grep -qx '#: uname = Linux n1 6.1' there/lab/beff-2/run.prot
    grep -q '^#: environment_differs = 1 of 2 nodes, first n2: HOSTNAME n1 -> n2' there/lab/beff-2/run.prot
    report verify there/lab/beff-*
    report show there/lab/beff-1 >out
    holds out 'note: beff_report pack replaced the names of hosts and computed the checksum again'
    diff <(report show --format json lab-1 | jq .result.b_eff) <(report show --format json there/lab/beff-1 | jq .result.b_eff)
    "$TESTS/../protocols/recompute" there/lab/beff-*

    # The faster machine is first, in a list for people and in one for programs.
    sessions fast 1.5 other
    report pack --site fast.yaml fast-* "$SAMPLES/beff_io-n2-valid" -o fast.tar.gz
    cmp <(tar -xOzf fast.tar.gz fast/beff-2/run.prot) fast-2
    report rank --table lab.tar.gz fast.tar.gz >list.md
    report rank --table --format csv lab.tar.gz fast.tar.gz >list.csv
    grep -q '^| rank | machine | .*| b_eff (MB/s) |.*| contact | date |' list.md
    grep -q '^| 1 | fast.tar.gz | 3 | 3 | 3 |' list.md
    grep -q '^| 2 | Lab "3" \\| x | 3 | 3 | 3 | 3 |.*| 2 | - | a@b.example |' list.md # sessions; processes
    grep -q '^| rank .*b_eff_io_write' list.md

    # The answers in site.yaml are of another machine.
    sessions large 1 gw nodes=11 ranks_per_node=1
    report pack large-* -o large.tar.gz >out
    [[ $(grep check out) == 'site.yaml: check nodes: it is "1", but the runs have "11"' ]] || fail "$(<out)"
    python3 - <<'END'
import csv
first, second = (list(csv.DictReader(part.splitlines())) for part in open("list.csv").read().strip().split("\n\n"))
assert [row["machine"] for row in first] == ["fast.tar.gz", 'Lab "3" | x'] and [row["machine"] for row in second] == ["fast.tar.gz"]
assert 1.4 < float(first[0]["b_eff"]) / float(first[1]["b_eff"]) < 1.6 and first[1]["mpi"] == "MPICH Version: 4.0.2"
END
    [[ -z $(find . -name 'beff_report.*') ]] || fail 'directories are left'

    # Runs with --memory, which the rules allow, have a table of their own.
    sessions given 1.2 other memory_source=given
    report pack --site given.yaml given-* -o given.tar.gz
    run --separate-stderr report rank --table --format csv lab.tar.gz given.tar.gz fast.tar.gz
    [[ $status == 0 && $stderr == 'beff_report: beff: 2 tables, because memory_source differs: '* && $stderr != *$'\n'* ]] || fail "$status" "$output" "$stderr"
    [[ $(grep -E '^(rank|[0-9])' <<<"$output" | cut -d, -f1,2 | xargs -d '\n') == 'rank,machine 1,fast.tar.gz 2,"Lab ""3"" | x" rank,machine 1,given.tar.gz rank,machine 1,fast.tar.gz' ]] || fail "$output"
}

@test "pack: names of hosts are replaced in all tables and records; names that contain others are different names" {
    sed -E '/^#: checksum/d; s/\bn([0-3])\b/node\1/g; s/node3/node33/g' "$TESTS/fixtures/tables.prot" >tables
    sed 's/\tvm\t/\tnode3\t/; s/ vm / node3 /; s/= vm$/= node3/; s/scratch.vm-/scratch.node3-/' "$SAMPLES/beff_io-n2-valid/run.prot" >io
    sed "s/\(#: uname = Linux\) vm/\1 node0/; s/= vm$/= node0/" "$SAMPLES/imb-mpi1-n2/run.prot" >imb
    "$TESTS/seal" tables io imb
    grep -q '^#@disturbance.*node' tables
    grep -q '^#@load_block.*node' tables
    grep -q '^#@load_role.*node33' tables
    grep -q '^[0-9].*node3' io
    report pack --replace-hosts tables io imb -o all.tar.gz
    mkdir there && tar -C there -xzf all.tar.gz
    run ! grep -rE 'node[0-9]' there
    diff <(sed -E 's/node0/n1/g; s/node1/n2/g; s/node2/n3/g; s/node33/n4/g' tables | grep -v '^#: checksum') \
        <(grep -v '^#: \(checksum\|note = beff_report pack\)' there/all/beff-1/run.prot)
    diff <(sed -E 's/node3/n5/g' io | grep -v '^#: checksum') <(grep -v '^#: \(checksum\|note = beff_report pack\)' there/all/beff_io-2/run.prot)
    grep -qx '#: host = n1' there/all/imb_compat-3/run.prot
}

@test "pack: runs that do not verify, hosts named like a word of the record, and wrong files are refused" {
    local bad
    stops_after 3 good
    sed 's/result b_eff = /&1/' good >wrong
    "$TESTS/seal" wrong
    for bad in wrong nowhere "$SAMPLES/beff-n2-stopped"; do
        run report pack good "$bad" -o a.tar.gz
        [[ $status == 3 && $output == *"$bad does not verify: nothing was packed" && ! -e a.tar.gz ]] || fail "$output"
    done
    sed 's/host = vm/host = Sendrecv/' good >named
    "$TESTS/seal" named
    run report pack --replace-hosts named -o a.tar.gz
    [[ $status == 3 && $output == *'the name of a host is also a word of the record'* && ! -e a.tar.gz ]] || fail "$output"
    printf 'machine: x\nmachines: y\n' >site.yaml
    run report pack good -o a.tar.gz
    [[ $status == 3 && $output == *'site.yaml:2: invalid line: expected a key of the questionnaire'* ]] || fail "$output"
    rm site.yaml
    run report pack good -o nowhere/a.tar.gz
    [[ $status == 3 && $output == 'beff_report: nowhere/a.tar.gz cannot be used: No such file or directory' ]] || fail "$output"
    tar -czf b.tar.gz good
    run report rank --table b.tar.gz
    [[ $status == 3 && $output == *'b.tar.gz is no file of beff_report pack: it has no */site.yaml' ]] || fail "$output"
    run report rank --table good
    [[ $status == 3 && $output == 'beff_report: good cannot be read: not a gzip file' ]] || fail "$output"
}

@test "pack without Python, and with a part of it: one line" {
    mkdir few
    ln -s "$(command -v timeout)" few
    PATH=$PWD/few run report rank --table a.tar.gz
    [[ $status == 3 && $output == 'beff_report: python3 cannot be started: '*': install it (Debian: apt install python3)' ]] || fail "$output"
    echo 'raise ImportError("No module named tarfile")' >tarfile.py
    PYTHONPATH=. run report rank --table a.tar.gz
    [[ $status == 3 && $output == 'beff_report: No module named tarfile: install all of Python (Debian: apt install python3)' ]] || fail "$output"
}
