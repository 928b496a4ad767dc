#!/usr/bin/env bats
# beff_report: command line, verify, show, compare, on the sample protocols and on fresh runs.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # bats sets status, output, stderr; sed interprets its own $

load helpers

REPORT=$BUILD/beff_report
SAMPLES=$TESTS/../protocols/samples

report() {
    timeout --kill-after=5 60 "$REPORT" "$@"
}

# runs NAME FACTOR COUNT [KEY=VALUE...]: writes the runs NAME-1, NAME-2, ..., which are FACTOR times as fast as a sample.
runs() {
    local i
    for ((i = 1; i <= $3; i++)); do
        "$TESTS/scale_run" "${SAMPLE:-$SAMPLES/beff-n2-short}/run.prot" "$1-$i" "$2" "$1$i" "${@:4}"
    done
}

@test "report: --help, --version and the help of each command" {
    local command
    report --help >help
    report --version | grep -q '^beff_report [0-9]'
    for command in verify show compare rank nodes tables pack; do
        grep -q "^  $command" help
        report "$command" --help >out
        holds out Usage: 'Exit status'
        [[ $(awk '{ if (length > n) n = length } END { print n }' out) -le 110 ]]
    done
}

@test "report: a bad command line is refused with one line and status 2" {
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr report $line
        [[ $status == 2 && -z $output ]] || fail "$line: status $status, $output"
        is_one_line "$stderr" 'beff_report: ' || fail "$line"
    done <<<'
frobnicate
show
verify
show --format csv x
rank --format openmetrics a
show --nonsense x
compare
compare a b
compare -- a
compare a --
compare --threshold x a -- b
compare a -- b -- c
rank a -- -- b
tables
tables a b c
pack x
pack -o a.tar.gz
pack -o a.zip x
rank --table --format json a.tar.gz
rank --format html a
compare --format openmetrics a -- b
compare --threshold 100% a -- b
compare --threshold -1 a -- b'
}

@test "report: show prints the golden output for the samples" {
    BUILD=$BUILD "$TESTS/../build-aux/golden" "$PWD/now"
    diff -r "$TESTS/golden" now || fail 'run "make golden" to update the golden files'
}

@test "report: show compares a run with at least three earlier complete runs next to it, on the same host; others do no harm" {
    local i median
    # earlier NAME FACTOR STARTED [KEY=VALUE]: makes a run in the directory NAME.
    earlier() {
        mkdir "$1"
        "$TESTS/scale_run" "$SAMPLES/beff-n2-short/run.prot" "$1/run.prot" "$2" "$1" "started=2026-01-$3T12:00:00Z" "${@:4}"
    }
    earlier now 0.5 20
    earlier later 8 21
    earlier moved 8 04 host=other
    earlier more 8 05 processes=4
    earlier partial 8 06
    sed -i 's/^#: end = complete/#: end = partial (stopped)/' partial/run.prot
    earlier gpu 8 07
    sed -i '/^#: definition/a #: buffers = cuda:device' gpu/run.prot
    earlier fewer 8 08
    sed -i '/^#: definition/a #: polygons = 10' fewer/run.prot
    for i in partial gpu fewer; do "$TESTS/seal" "$i/run.prot"; done
    mkdir -p damaged folder/run.prot pipe
    head -n 30 now/run.prot >damaged/run.prot
    mkfifo pipe/run.prot
    for i in 1 2 3; do
        [[ $(report show now) != *earlier* ]] || fail "$i"
        earlier "old-$i" "$i" "0$i"
    done
    median=$(sed -n 's/^#: result b_eff = \([0-9.]*\) .*/\1/p' old-2/run.prot)
    report show now >out
    grep -qxE "note: median of 3 earlier runs on this host $(printf %.0f "$median") MB/s, this run 2[3-7] %|  .*median of 3 earlier.*" out || fail "$(<out)"
    [[ $(tail -n 1 out) == 'b_eff = '* ]]
    [[ $(report show now/run.prot) != *earlier* && $(report show --format json now) != *earlier* ]]
}

@test "report: verify finds nothing wrong with the samples, except that one was stopped" {
    local sample
    for sample in "$SAMPLES"/*/run.prot; do
        run --separate-stderr report verify "$sample"
        if [[ $sample == *stopped/* ]]; then
            [[ $status == 1 && ${lines[0]} == *'run.prot:'*': not complete: partial (stopped by signal 15'* ]]
        else
            [[ $status == 0 && $output == *'all figures match the raw records'* ]] || fail "$sample" "$output"
        fi
    done
    run report verify --quiet "$SAMPLES/beff-n2/run.prot" "$SAMPLES/imb-mpi1-n2/run.prot"
    [[ $status == 0 && -z $output ]]
}

@test "report: data that imb_compat did not check are never reported as passed" {
    local unchecked='all data correct (-check was not given)' sample=$SAMPLES/imb-nbc-n2/run.prot
    report verify "$sample" >out
    holds out '  checks passed' "not checked: $unchecked"
    report verify "$SAMPLES/imb-mpi1-n2/run.prot" >out
    run ! grep 'not checked' out
    report show "$sample" >out
    holds out "  not checked  $unchecked"
    run ! grep 'VALID' out
    report show --format html "$sample" >page.html
    grep -q "<li class=\"unchecked\">not checked: $unchecked" page.html
    [[ $(grep -c 'all data correct' page.html) == 1 ]]
}

@test "report: verify reports a change in run.prot; a directory that contains runs is no run" {
    mkdir -p bid/run
    sed '0,/\twrite\t0\t3\t/s//\twrite\t0\t4\t/' "$SAMPLES/beff_io-n2/run.prot" >bid/run/run.prot
    run report verify bid/run
    [[ $status == 1 && $output == *'the file was damaged or edited'* ]] || fail "$output"
    run --separate-stderr report show bid/
    [[ $status == 3 ]]
    is_one_line "$stderr" 'bid is not a run but contains the directories of 1 run: use bid/*'
}

@test "report: a file that is not plain text is refused with one line that names its kind" {
    local prot=$SAMPLES/beff-n2/run.prot
    gzip -c "$prot" >zipped
    iconv -f UTF-8 -t UTF-16 "$prot" >wide
    sed 's/$/\r/' "$prot" >windows
    { printf '\xef\xbb\xbf' && cat "$prot"; } >marked
    is_one_line "$(report show zipped 2>&1)" 'zipped:1: the file is compressed: unpack it with gunzip'
    is_one_line "$(report show wide 2>&1)" 'wide:1: the file is UTF-16: convert it'
    is_one_line "$(report show windows 2>&1)" 'windows:1: the line ends as on Windows: convert'
    is_one_line "$(report show marked 2>&1)" 'marked:1: the file starts with a byte order mark: remove it'
    run "$TESTS/../protocols/recompute" zipped wide windows marked
    [[ $status == 1 && ${#lines[@]} == 4 ]] || fail "$output"
    [[ ${lines[0]} == 'zipped: the file is compressed: '* && ${lines[1]} == 'wide: the file is UTF-16: '* ]] || fail "$output"
    [[ ${lines[2]} == 'windows: the lines end as on Windows: '* && ${lines[3]} == 'marked: the file starts with a byte order mark: '* ]] || fail "$output"
}

@test "report: an invalid protocol is reported in one line with file, line and reason, with status 3" {
    local file
    head -c 3000 /dev/urandom >noise
    printf '#: format = beff-protocol-2\n#: program = beff\n#: definition = beff-1\n# columns: pass\n' >columns
    sed 's/\tSendrecv\t/\tSend\x1b[31mrecv\t/' "$SAMPLES/beff-n2/run.prot" | grep -v '^#: \(end\|checksum\)' >control
    { cat "$SAMPLES/beff-n2/run.prot" && printf more; } >longer
    for file in nowhere noise columns control longer /dev/null /bin/ls; do
        run --separate-stderr bash -c "ulimit -v 400000; '$REPORT' show '$file'"
        [[ $status == 3 && -z $output ]] || fail "$file: status $status"
        is_one_line "$stderr" beff_report: "$file"
        [[ $stderr != *$'\x1b'* ]]
    done
    is_one_line "$(report show longer 2>&1)" 'longer:' 'bytes follow the checksum'
    touch README
    is_one_line "$(report show README 2>&1)" 'README is not a record of a run: it has no line "#: program = ..."'
    is_one_line "$(report show control 2>&1)" 'control:' 'invalid method "Send?[31mrecv": expected printable ASCII'
}

@test "report: an output that cannot be written is an error" {
    run --separate-stderr bash -c "'$REPORT' show --format json '$SAMPLES/beff_io-n2' >/dev/full"
    [[ $status == 3 ]]
    is_one_line "$stderr" 'beff_report: '
    run --separate-stderr bash -c "'$REPORT' show '$SAMPLES/beff_io-n2' >/dev/full"
    [[ $status == 3 ]]
    is_one_line "$stderr" 'standard output'
}

@test "report: a truncated protocol is shown up to its end" {
    head -c 20000 "$SAMPLES/beff-n2/run.prot" >cut
    report show cut >out
    holds out 'run completed (the record has no end line)' 'no b_eff: '
    run report verify cut
    [[ $status == 1 && $output == *'cut short'* ]]
}

@test "report: show writes several runs as one JSON document" {
    report show --format json "$SAMPLES/beff-n2" "$SAMPLES/imb-mpi1-n2" >out.json
    python3 -c 'import json; assert [run["program"] for run in json.load(open("out.json"))] == ["beff", "imb_compat"]'
}

@test "report: prometheus_client reads the metrics, and JUnit's reports are XML" {
    report show --format openmetrics "$SAMPLES"/*/ >all.prom || true
    report show --format openmetrics "$SAMPLES/beff-n2-valid" >one.prom
    report show --format junit "$SAMPLES/beff-n2-valid" "$SAMPLES/beff-n2" >show.xml
    python3 - <<'END'
import xml.etree.ElementTree
suites = xml.etree.ElementTree.parse("show.xml").getroot()
assert [len(suite.findall("testcase/failure")) > 0 for suite in suites] == [False, True]
assert all(len(case) == 1 and case.get("name") for case in suites.iter("testcase"))
assert all(suite.get("tests") == str(len(suite)) and suite.get("errors") == "0" for suite in suites)
assert [int(suite.get("failures")) > 0 for suite in suites] == [False, True]
names = [[case.get("name") for case in suite] for suite in suites]
assert names[0] == names[1] and "clock accurate to 0.1 %" in names[0], names
assert "clock accurate to 0.1 % (MPI_Wtime 1" in suites[0].find("testcase[@name='clock accurate to 0.1 %']/system-out").text
END
    for file in one all; do
        [[ $(tail -n 1 $file.prom) == '# EOF' ]]
        sed '/^#/d; s/ [^ ]*$//' $file.prom | sort | uniq -d | diff - /dev/null # equal labels would be an error
    done
    python3 -c 'import prometheus_client' || skip "prometheus_client is missing"
    python3 - "$SAMPLES/beff-n2-valid/run.prot" <<'END'
import re, sys
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics
results = dict(re.findall(r"#: result (\S+) = (\S+)", open(sys.argv[1]).read()))
for read in parser, openmetrics:
    family, = read.text_string_to_metric_families(open("one.prom").read())
    values = {sample.labels["figure"]: sample.value for sample in family.samples}
    labels = {key: value for key, value in family.samples[0].labels.items() if key not in ("figure", "unit")}
    assert labels == {"program": "beff", "host": "vm", "processes": "2", "verdict": "VALID"}, labels
    assert all(values[name] == float(value) for name, value in results.items()), (values, results)
    assert len({sample.labels["run"] for sample in list(read.text_string_to_metric_families(open("all.prom").read()))[0].samples}) >= 8
END
}

@test "report: JUnit's verify and compare have constant names, and count failures and errors" {
    sed 's/^#: result b_eff = ./&9/; /^#: checksum/d' "$SAMPLES/beff-n2-valid/run.prot" >wrong.prot
    report verify --format junit "$SAMPLES/beff-n2-valid" wrong.prot >verify.xml || true
    report compare --format junit "$SAMPLES/beff-n2-valid" -- "$SAMPLES/beff-n2-valid" >compare.xml || true
    python3 - <<'END'
import xml.etree.ElementTree as tree
suites = tree.parse("verify.xml").getroot()
assert [suite.attrib["failures"] for suite in suites] == ["0", "1"], tree.tostring(suites)
assert [case.get("name") for case in suites.iter("testcase")] == 2 * ["all figures match the records"]
assert "b_eff" in suites[1].find("testcase/failure").text
suite = tree.parse("compare.xml").getroot()
assert suite.attrib["tests"] == "1" and suite.attrib["errors"] == "1" and suite.attrib["failures"] == "0", suite.attrib
assert suite.find("testcase").get("name") == "compare"
END
}

@test "report: a message about many runs names ten of them and their number, and all with --all" {
    local i
    for i in {101..130}; do ln -s "$SAMPLES/beff-n2-valid" "r$i"; done
    run report rank -- r*
    [[ $output == *'skipped: 29 runs (r102, r103, '*'r111 and 19 more (--all)): has the same records as r101'* && $output != *r112* ]] || fail "$output"
    run report compare r101 -- r*
    [[ $output == *'r110 and 20 more (--all)): '* && $output != *r112* ]] || fail "$output"
    sed -i '$d' "$(mkdir copies && cp -rL r101 copies/r1 && echo copies/r1/run.prot)"
    for i in {2..30}; do cp -r copies/r1 copies/r$i; done
    run report rank copies/*
    [[ ${#lines[@]} -lt 150 && $output == *'skipped: 30 runs (copies/r1, '*' and 20 more (--all)): NOT VALID: cut short: '*'note: 30 runs (copies/r1, '*'): no usable run'* ]] || fail "$output"
    run report rank --all -- r*
    [[ $output == *' r129, r130): has the same'* ]] || fail "$output"
}

@test "report: pandas reads the records of a protocol without any conversion" {
    python3 -c 'import pandas' 2>/dev/null || skip "python3-pandas is missing"
    run python3 - "$SAMPLES"/{beff-n2,imb-mpi1-n2,beff_io-n2}/run.prot <<'END'
import pandas, sys
for path in sys.argv[1:]:
    names = next(line for line in open(path) if line.startswith("# columns:")).split(":")[1].split()
    table = pandas.read_csv(path, sep="\t", comment="#", names=names)
    assert all(table[c].dtype.kind in "if" for c in table if c.startswith("t_") or c == "bandwidth"), table.dtypes
    assert table.bytes.dtype.kind == "i" and table.bandwidth.max() > 0 and len(table) > 80
END
    [[ $status == 0 ]] || fail "$output"
}

@test "report: run.json of every engine conforms to run.schema.json" {
    python3 -c 'import jsonschema' 2>/dev/null || skip 'python3-jsonschema is not installed'
    local sample
    for sample in "$SAMPLES"/*; do
        report show --format json "$sample" >"$(basename "$sample").json"
    done
    sed -e 's/^#: host = .*/#: host = 1e5/' -e '/^#: checksum/d' "$SAMPLES/beff-n2/run.prot" >number.prot
    report show --format json number.prot >number.json
    sed -e 's/^#: definition = .*/#: definition = beff-99/' -e '/^#: checksum/d' "$SAMPLES/beff-n2/run.prot" >unknown.prot
    report show --format json unknown.prot >unknown.json
    # The keys of a run on several nodes.
    sed -e '/^#: checksum/d' -e '/^#@disturbance/d; /^# columns of disturbance/d' -e '/^#: definition = /r /dev/stdin' "$SAMPLES/beff-n2/run.prot" >nodes.prot <<'END'
# columns of end_point: node host processes group device
#@end_point	0	n0	1	s0	mlx5_0
#@end_point	1	n1	1	s1	mlx5_0
# columns of between_nodes: pattern messages busiest
#@between_nodes	net-ring-1	2	1
# columns of adapter: host adapter property value usual
#@adapter	n0	mlx5_0/1	width	2	4
# columns of disturbance: pass cause seconds used of host
#@disturbance	1	programs	9.5	0.5	2	n0
# columns of load_role: host role
#@load_role	n0	victim
# columns of load_block: block victim congestor exchanges min mean p50 p99 p999 max rank host errors
#@load_block	1	latency	nothing	5	1e-6	1e-6	1e-6	1e-6	-	1e-6	1	n0	0
# columns of exchange: stage round bytes a b seconds errors
#@exchange	pair	1	8	0	1	3e-06	0
#@exchange	pair	1	1048576	0	1	0.0002	0
#@exchange	injection	1	8	0	1	2e-06	0
#@exchange	injection	1	1048576	0	1	0.0001	0
#@exchange	quiet	1	1048576	0	1	0.0001	0
#@exchange	quiet	1	8	0	1	1.5e-06	0
#: nodes_left_out = loaded, groups
#: matrix_pairs = 1
# columns of matrix: a b seconds
#@matrix	0	1	0.0001
END
    report show --format json nodes.prot >nodes.json
    python3 - "$TESTS/../protocols/run.schema.json" ./*.json <<'END'
import json, sys, jsonschema
schema, *documents = [json.load(open(path)) for path in sys.argv[1:]]
jsonschema.Draft7Validator.check_schema(schema)

# Strict validators such as ajv refuse unknown keywords.
KNOWN = set("""$schema $id $comment $ref title description definitions type enum const required properties additionalProperties items
    minItems maxItems minimum maximum exclusiveMinimum minLength maxLength pattern maxProperties minProperties propertyNames
    allOf anyOf oneOf not if then else default""".split())
def check(schema):
    if isinstance(schema, bool):
        return
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    for key, value in schema.items():
        for sub in (value.values() if key in ("properties", "definitions") else value if key in ("allOf", "anyOf", "oneOf") else
                    [value] if key in ("items", "additionalProperties", "not", "if", "then", "else", "propertyNames") else []):
            check(sub)
check(schema)
for document in documents:
    document["records"] = document["records"][:40] + document["records"][::100]
    jsonschema.validate(document, schema, jsonschema.Draft7Validator)
systems = [(document["system"], document["settings"]) for document in documents]
assert all(type(system["processes"]) is int and type(settings.get("time", 1)) in (int, float) for system, settings in systems)
assert {system["host"] for system, _ in systems} >= {"1e5", "vm"}
assert [document["result"]["valid"] for document in documents].count(None) == 1
nodes = [document for document in documents if "end_point" in document.get("measured", ())]
assert [document["tables"]["by_injection"] for document in nodes] == [[{"processes": 1, "messages": 500000, "bandwidth": 10485.76}]], nodes
broken = documents[0]
broken["records"][0]["loops"] = 0
assert not jsonschema.Draft7Validator(schema).is_valid(broken)
END
}

# with_rows: prints a run with the tables from standard input.
with_rows() {
    sed -e '/^#: checksum/d' -e '/^#: definition/r /dev/stdin' "$SAMPLES/beff-n2/run.prot"
}

# on_nodes DEVICES [SLOW]...: prints a run on six nodes with this number of end points each, of which those with the numbers SLOW take
# twice as long.
on_nodes() {
    python3 - "$@" <<'END' | with_rows
import sys
devices, slow = int(sys.argv[1]), {int(number) for number in sys.argv[2:]}
points = range(6 * devices)
rows = ["# columns of end_point: node host processes group device",
        *(f"#@end_point\t{i // devices}\tn{i // devices}\t1\t-\t{f'mlx5_{i % devices}' if devices > 1 else '-'}" for i in points),
        "# columns of exchange: stage round bytes a b seconds errors"]
for stage in "quiet", "confirm", "again":
    for a, b in [(b, a) if b in slow else (a, b) for b in points for a in range(b) if a // devices != b // devices]:
        if stage == "quiet" or slow & {a, b}:
            rows.append(f"#@exchange\t{stage}\t1\t1048576\t{a}\t{b}\t{2e-4 if slow & {a, b} else 1e-4}\t0")
print(*rows, sep="\n")
END
}

@test "report: nodes prints the adapters of slow nodes under their findings, and others as notes" {
    on_nodes 1 2 | sed '/^#: definition/a # columns of adapter: host adapter property value usual\
#@adapter\tn2\tmlx5_0/1\twidth\t2\t4\n#@adapter\tn2\tmlx5_0/1\tsymbol_error\t1204\t0\n#@adapter\tn4\teth0\trx_errors\t2\t0' >slow.prot
    run --separate-stderr report nodes slow.prot
    [[ $status == 1 && ${lines[0]} == 'slow node n2: an exchange of 1048576 B takes 2.00 times as long'* ]] || fail "$output" "$stderr"
    [[ ${lines[1]} == '  slow.prot: n2: mlx5_0/1 width 2X, the others 4X; 1204 symbol_error during the run' ]] || fail "$output"
    [[ ${lines[3]} == 'slow.prot: n4: eth0 2 rx_errors during the run' ]] || fail "$output"
    report nodes --format json slow.prot >nodes.json || [[ $? == 1 ]]
    jq -e '[.notes[] | select(contains("mlx5_0") or contains("eth0"))] | length == 2' nodes.json || fail "$(<nodes.json)"
}

@test "report: nodes lists a node with several adapters only if one of them is slow in each run; the status agrees" {
    on_nodes 3 6 8 >two.prot
    on_nodes 3 >none.prot
    on_nodes 3 7 >other.prot
    run report nodes --format list two.prot none.prot
    [[ $status == 0 && -z $output ]] || fail "$status" "$output"
    run report nodes --format list two.prot other.prot
    [[ $status == 1 && $output == n2 ]] || fail "$status" "$output"
    run report nodes --format list two.prot two.prot
    [[ $status == 1 && $output == n2 ]] || fail "$status" "$output"
    # A run with too many slow nodes, which finds only a late one, says nothing about n2.
    local a b
    for b in {1..5}; do
        for ((a = 0; a < b; a++)); do printf '#@exchange\tquiet\t2\t8\t%d\t%d\t%s\t0\n' $a $b $((a ? 1 : 90))e-6; done
    done >late
    on_nodes 1 1 3 4 | sed '/^# columns of exchange/r late' >unjudged.prot
    on_nodes 1 2 >one.prot
    sed 's/0\.0002/0.0003/' one.prot >other.prot
    run report nodes --format list one.prot other.prot unjudged.prot
    [[ $status == 1 && $output == n2 ]] || fail "$status" "$output"
    report nodes --format json unjudged.prot >nodes.json || [[ $? == 1 ]]
    jq -e '.judged == 0 and [.findings[].kind] == ["latency"]' nodes.json || fail "$(<nodes.json)"
}

@test "report: nodes names a marginal node from two runs, but not from a run and its copy; --warn decides on the status" {
    # marginal SEED: prints a run on sixteen nodes, of which n5 takes 6 % longer. Times differ by up to 0.2 %.
    marginal() {
        python3 - "$1" <<'END' | with_rows
import random, sys
random.seed(sys.argv[1])
rows = ["# columns of end_point: node host processes group device", *(f"#@end_point\t{i}\tn{i}\t1\t-\t-" for i in range(16)),
        "# columns of exchange: stage round bytes a b seconds errors"]
for a, b in [(a, b) for b in range(16) for a in range(b)]:
    for size, time in (8, 3e-6), (1048576, 1.06e-4 if 5 in (a, b) else 1e-4):
        rows.append(f"#@exchange\tquiet\t1\t{size}\t{a}\t{b}\t{time * random.uniform(0.999, 1.001)}\t0")
print(*rows, sep="\n")
END
    }
    marginal 1 >one.prot
    marginal 2 >two.prot
    cp one.prot copy.prot
    run report nodes --warn 3% one.prot two.prot
    [[ $status == 1 && ${lines[0]} == 'n5 is 6.'*'slower than'*'(in 2 of 2 runs)' ]] || fail "$status" "$output"
    run report nodes --warn 10% one.prot two.prot
    [[ $status == 0 && ${lines[0]} == 'n5 is 6.'* ]] || fail "$status" "$output"
    run report nodes --warn 3% one.prot copy.prot
    [[ $status == 0 && $output == *'copy.prot: skipped: the same exchanges as in an earlier run, and equal runs count once'* && $output != *'n5 is'* ]] || fail "$status" "$output"
}

@test "report: a reader written from protocols/README.md reads the samples" {
    "$TESTS/read_protocol" "$SAMPLES"/{beff-n2,beff-n2-s*,beff_io*,imb*}/run.prot # run.bats has a VALID one of beff
}

@test "report: protocols/recompute, written from the definition, finds the rating of every sample" {
    run "$TESTS/../protocols/recompute"
    [[ $status == 2 && $output == *'usage: '* ]]
    run "$TESTS/../protocols/recompute" "$SAMPLES"/beff-n2{-short,-stopped/run.prot,,-valid} "$SAMPLES"/beff_io-n2{,-valid}
    [[ $status == 0 && $output == *'n2-stopped/run.prot: b_eff = '*'n2-valid/run.prot: b_eff = '*': b_eff_io = '* ]] || fail "$output"
    sed '/^1\t1\tring-6\t.*\t131072\t/d; /^#: \(checksum\|result\)/d' "$SAMPLES/beff-n2-stopped/run.prot" >missing
    run "$TESTS/../protocols/recompute" missing
    [[ $status == 1 && $output == *'does not follow the schedule: pass 1 rep 1 '*' Sendrecv 131072 B' ]] || fail "$output"
    # Runs with pairs alone: two records of a repetition, or of the pairs, are swapped, or all of a method are missing.
    local edit edits=('100{h;d};101G' '/inside-1\tSendrecv\t2\t/{h;d};/inside-1\tnonblocking\t2\t/G' '/^[0-9].*\tr[a-z]*-[0-9]*\tAlltoallv/d')
    for edit in "${edits[@]}"; do
        sed '/^#/d' "$SAMPLES/beff-n2-valid/run.prot" | sed "$edit" >records
        grep '^#' "$SAMPLES/beff-n2-valid/run.prot" | grep -v '^#: \(checksum\|result\)' | cat - records >edited
        run "$TESTS/../protocols/recompute" edited
        [[ $status == 1 && $output == *' does not follow the schedule: '* ]] || fail "$edit: $output"
    done
    head -n 300 "$SAMPLES/beff-n2/run.prot" >missing
    run "$TESTS/../protocols/recompute" missing
    [[ $status == 1 && $output == *'was not measured' ]] || fail "$output"
    sed 's/^#: result b_eff = ./&9/' "$SAMPLES/beff-n2/run.prot" | grep -v '^#: checksum' >edited
    run "$TESTS/../protocols/recompute" edited
    [[ $status == 1 && $output == *'the result line states b_eff = '*', but the records give '* ]]
    local column expected=('is not the sum of its patterns' 's, but its patterns took ')
    for column in 9 15; do # bytes and t_total of a total
        awk -F'\t' -v OFS='\t' -v c=$column '/^#: (checksum|result)/ { next } $4 == "total" { $c = sprintf(c == 9 ? "%d" : "%.17g", c == 9 ? 2 * $c : $c / 2) } 1' \
            "$SAMPLES/beff_io-n2-valid/run.prot" >edited
        run "$TESTS/../protocols/recompute" edited
        [[ $status == 1 && $output == *"${expected[column / 15]}"* ]] || fail "$output"
    done
}

@test "report: protocols/recompute runs with Python 3.6 and later, and states its version" {
    local python program=$TESTS/../protocols/recompute
    "$program" "$SAMPLES/beff-n2-short" "$SAMPLES/beff_io-n2" >expected
    for python in python3.{6..14}; do
        [[ ! $(command -v python3) -ef $(command -v "$python") ]] || continue # as expected
        ! "$python" -c '' 2>/dev/null || "$python" "$program" "$SAMPLES/beff-n2-short" "$SAMPLES/beff_io-n2" | diff - expected || fail "$python"
    done
    # Without the syntax and the functions that are newer than Python 3.6.
    python3 - "$program" "$SAMPLES/beff-n2-short" "$SAMPLES/beff_io-n2" <<'END' | diff - expected
import ast, builtins, math, runpy, statistics, sys
sys.argv.pop(0)
ast.parse(open(sys.argv[0]).read(), feature_version=(3, 6))
for module, names in (math, "comb dist perm prod isqrt lcm cbrt exp2 remainder sumprod"), (statistics, "fmean geometric_mean quantiles NormalDist"):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
old_zip = zip
builtins.zip = lambda *lists: old_zip(*lists)
runpy.run_path(sys.argv[0], run_name="__main__")
END
    run "$BUILD/beff_recompute" --version
    [[ $output == "beff_recompute $("$BUILD/beff_report" --version | sed -n 's/^beff_report //p'), Python 3."* ]] || fail "$output"
}

@test "report: an error in protocols/recompute itself is no finding about the run" {
    sed 's/math.fsum(values)/math.fsum(values, values)/' "$TESTS/../protocols/recompute" >wrong
    run -1 python3 wrong "$SAMPLES/beff-n2"
    [[ $output == *TypeError* && $output != *'no rating'* ]] || fail "$output"
}

@test "report: protocols/recompute prints one line for each bad file, and continues" {
    local good=$SAMPLES/beff-n2-short/run.prot
    sed 's/^#: result b_eff = .*/#: result b_eff =/' "$good" >no-value
    sed 's/ring-6/ring-7/' "$good" >ring-7
    awk -F '\t' 'BEGIN { OFS = "\t" } !/^#/ { $7 = 0 } { print }' "$good" >no-loops
    sed 's/^#: lmax = .*/#: lmax = -4096/' "$good" >negative
    sed 's/^#@discarded\t.*/&\t0/' "$good" >wide-row
    "$TESTS/seal" no-value ring-7 no-loops negative wide-row
    printf '#: program = \033[31mred\n' >escape
    mkfifo fifo
    ln -s /dev/zero zero
    ln -s "$good" link
    cp -r "${good%/*}" läufe
    PYTHONIOENCODING=ascii "$TESTS/../protocols/recompute" läufe | grep -q 'l?ufe/run.prot: b_eff = '
    run timeout 20 "$TESTS/../protocols/recompute" no-value ring-7 no-loops negative wide-row escape fifo zero link "$good"
    [[ $status == 1 && ${#lines[@]} == 10 && $output == *'a row of discarded has 10 columns instead of 9'* && ${lines[9]} == *': b_eff = '* && $output != *Traceback* && $output != *$'\033'* ]] || fail "$output"
}

@test "report: compare distinguishes better, worse and inconclusive, and its status follows the threshold" {
    runs before 1 5
    runs same 1 5
    runs faster 1.3 4
    runs slower 0.8 5
    report compare --allow-invalid before-* -- faster-* >out
    holds out 'b_eff: better, ratio 1.3' 'median ratio after / before over all pairs of runs' b_eff_rings pingpong_latency_us
    [[ $(<out) != *'ring-1'* ]]
    report compare --all --allow-invalid before-* -- faster-* >out
    holds out 'ring-1 ' 'size 21 ' 'What changed most (*: significant at 5 % after correction for '
    report compare --allow-invalid before-* -- same-* | grep -q "^b_eff: inconclusive, ratio"
    run report compare --allow-invalid --between-sessions 20% before-* -- slower-*
    [[ $status == 5 && $output == *': not decided; more sessions'* ]] || fail "$output"
    report compare --allow-invalid --threshold 10% before-* -- same-* >out
    [[ $(<out) != *spread* ]]
    runs half 0.5 2
    runs twice 2 2
    report compare --allow-invalid before-* -- half-* twice-* | grep -q 'note: the ratings of one side spread .* times as much as those of the other'
    holds out 'did not get worse by more than 10 %'
    run report compare --allow-invalid before-* -- slower-* --threshold 5%
    [[ $status == 1 && $output == *'got worse by more than 5 %'*$'\nb_eff: worse, ratio 0.'* ]]
    run report compare --allow-invalid before-* --threshold 18 -- slower-*
    [[ $status == 5 && $output == *'inconclusive: more runs are needed to decide whether the rating got worse by more than 18 %'* ]]
    report compare --allow-invalid before-* nowhere before-2 -- same-* >out
    holds out 'skipped: nowhere can' 'skipped: before-2: has the same records as before-2' inconclusive
}

@test "report: rank uses runs that are only too short, with a note, but not with --require or --at-least" {
    SAMPLE=$SAMPLES/beff_io-n2-valid runs short 1 1 time_s=1700
    run report rank short-1
    [[ $status == 0 && $output == *'note: short-1: NOT VALID for comparison: at least 15 min scheduled'* ]] || fail "$output"
    run report rank --require 1 short-1
    [[ $status == 3 && $output == *'skipped: short-1: NOT VALID for comparison: at least 15 min scheduled'* &&
        $output == *'refused: short-1: no usable run'* ]] || fail "$output"
    run report rank --at-least 1 short-1
    [[ $status == 3 && $output == *'skipped: short-1: '* && $output != *Machines* ]] || fail "$output"
    run report rank --at-least 1 "$SAMPLES/beff_io-n2-valid"
    [[ $status == 3 && $output == *'is not eligible: --at-least needs an interval, and an interval needs 6 to 1000 runs (used: 1)'* ]] || fail "$output"
}

@test "report: runs of beff that only lack time are compared, with a note, if all have the same time limit; runs without a rating are not" {
    # lacking NAME FACTOR [KEY=VALUE]...: makes four runs that end after two repetitions of pass 1.
    lacking() {
        local i
        for i in 1 2 3 4; do "$TESTS/scale_run" cut "$1-$i" "$2" "$1$i" "${@:3}"; done
    }
    stops_after 2 cut
    lacking before 1
    lacking after 0.8
    run report compare --threshold 5% before-* -- after-*
    [[ $status == 1 && $output == *$'\nb_eff: worse, ratio 0.'* ]] || fail "$output"
    [[ $output == *'note: 8 runs (before-1, before-2, before-3, before-4, after-1, after-2, after-3, after-4): NOT VALID for comparison: at least one complete pass: '* ]] || fail "$output"
    run report rank --require 1 before-1
    [[ $status == 3 && $output == *'skipped: before-1: NOT VALID'* ]] || fail "$output"
    lacking longer 1 time_s=240
    run report compare before-* -- longer-*
    [[ $status == 3 && $output == *'refused: time_s differs: 120 in before-1, 240 in longer-1'*'--factor time'* ]] || fail "$output"
    report compare --factor time before-* -- longer-*
    grep -vE $'^[0-9].*\trandom-(0[7-9]|[123])' before-1 >opening # the sweep with the other polygons ended early
    "$TESTS/seal" opening
    run report compare --allow-invalid before-* -- opening
    [[ $status == 3 && $output == *'refused: polygons differs: 30 in before-1, 6 in opening'* ]] || fail "$output"
    awk '/^[0-9]/ && ++records > 100 || /^#: result/ { next } { print }' before-1 >nothing
    "$TESTS/seal" nothing
    run report compare before-* -- nothing
    [[ $status == 3 && $output == *'skipped: nothing: NOT VALID for comparison: at least one complete pass: '*'no usable run after'* ]] || fail "$output"
}

@test "report: runs of beff_io that reached a different number of accesses are compared" {
    local SAMPLE=$SAMPLES/beff_io-n2-valid
    runs before 1 4
    mkdir "$BATS_TEST_TMPDIR/sample"
    sed '/^#: moved_by = re/d' "$SAMPLE/run.prot" >"$BATS_TEST_TMPDIR/sample/run.prot"
    SAMPLE=$BATS_TEST_TMPDIR/sample
    runs after 0.8 4
    run report compare --threshold 5% before-* -- after-*
    [[ $status == 1 ]] || fail "$output"
    sed -i 's/^#: moved_by = write scatter, 2 processes: /&5/' "$SAMPLE/run.prot"
    runs after 0.8 4
    run report compare --threshold 5% before-* -- after-*
    [[ $status == 3 && $output == *'refused: moved_by differs: '*'51 processes on 1 nodes'* ]] || fail "$output"
}

@test "report: compare writes json and csv" {
    runs before 1 4
    runs after 0.8 4
    report compare --allow-invalid --format json before-* -- after-* >out.json
    report compare --allow-invalid --format csv before-* -- after-* >out.csv
    python3 - <<'END'
import csv, json
document, rows = json.load(open("out.json")), list(csv.DictReader(open("out.csv")))
assert document["verdict"] == "worse" and len(document["runs"]) == 8 and document["refused"] == []
rating = document["figures"]["rating"][0]
assert rating["low"] < 0.8 < rating["high"], rating
assert abs(float(rows[0]["ratio"]) - rating["ratio"]) < 1e-9 and len(rows) == sum(map(len, document["figures"].values()))
END
}

@test "report: compare gives no verdict without usable runs and for different programs; data errors give status 1" {
    runs before 1 4
    run report compare before-1 -- before-2
    [[ $status == 3 && $output == *'skipped: 2 runs (before-1, before-2): NOT VALID for comparison: '*'refused: no usable run before'*$'\nno verdict'* ]] || fail "$output"
    run report compare --allow-invalid before-* -- "$SAMPLES/beff_io-n2"
    [[ $status == 3 && $output == *'refused: program differs: beff in before-1, beff_io in '* ]] || fail "$output"
    runs wrong 1 4 errors=98
    run report compare --allow-invalid --threshold 5% before-* -- wrong-*
    [[ $status == 1 && $output == *'error: 4 runs (wrong-1, '*'): data errors (98)'* ]] || fail "$output"
}

@test "report: compare also accepts runs of beff_io and imb_compat" {
    SAMPLE=$SAMPLES/beff_io-n2 runs io 1 4
    SAMPLE=$SAMPLES/beff_io-n2 runs slow 0.5 4
    SAMPLE=$SAMPLES/imb-mpi1-n2 runs imb 1 4
    SAMPLE=$SAMPLES/imb-mpi1-n2 runs fast 1.5 4
    run report compare --allow-invalid io-* -- slow-* --threshold 5%
    [[ $status == 1 && $output == *$'\nb_eff_io: worse, ratio 0.'[45]* ]] || fail "$output"
    run report compare imb-* -- fast-* --threshold 5%
    [[ $status == 0 && $output == *$'\nthe mean of all rows did not get worse by more than 5 %\nmean of all rows: better, ratio 0.6'*'; 0 of 83 rows are slower than the others; 0 are faster'* ]] || fail "$output"
    run report compare fast-* -- imb-* --threshold 5%
    [[ $status == 1 && $output == *$'\n83 of 83 rows got slower by more than 5 %: '*', and 80 more'*$'\nmean of all rows: worse, ratio 1.'*'; 0 of 83 rows are slower than the others; 0 are faster'* ]] || fail "$output"
}

@test "report: compare --factor compares hints by their content, and names the hints in force that changed" {
    local name hint
    for name in same-2 moved-2 other-4; do
        SAMPLE=$SAMPLES/beff_io-n2 runs "${name%-*}" 1 "${name#*-}"
    done
    for name in {same,moved,other}-?; do
        hint="all all all all romio_cb_read $([[ $name == other-* ]] && echo disable || echo enable)"
        sed -i "s|^#: option_hints = .*|#: option_hints = /home/${name%-*}/hints|; 3a #: hint_asked = $hint\n#: moved_by = write scatter, 2 processes: ${#hint} processes on 1 nodes" "$name"
        [[ $name != other-* ]] || sed -i 's/romio_cb_read=automatic/romio_cb_read=disable/' "$name"
        "$TESTS/seal" "$name"
    done
    run report compare --allow-invalid same-* -- moved-*
    [[ $output == *'refused: too few runs (2 and 2)'* && $output != *differs* ]] || fail "$output"
    run report compare --allow-invalid same-* moved-* -- other-*
    [[ $status == 3 && $output == *'hint_asked differs: '*' enable in same-1, '*' disable in other-1'*'--factor hints'* ]] || fail "$output"
    run report compare --allow-invalid --factor hints same-* moved-* -- other-*
    [[ $status == 0 && ${lines[0]} == 'changed on purpose: hint romio_cb_read automatic -> disable; hint_asked all all all all romio_cb_read enable -> '* ]] || fail "$output"
}

@test "report: compare --tables writes tables that gnuplot reads" {
    runs before 1 4
    runs after 0.8 4
    report compare --allow-invalid --tables tables before-* -- after-* >out
    [[ $(cd tables && echo *.dat) == 'by_loss.dat by_pattern.dat by_size.dat compare.dat figure.dat rating.dat runs.dat' ]] || fail "$(ls tables)"
    awk '!/^#/ { if (NF != 10 || $2 != previous * 1 && $2 + 0 <= previous) exit 1; previous = $2; if ($7 < 0.7 || $7 > 0.9) exit 1; n++ } END { exit n != 21 }' <(sed 's/"[^"]*"/x/' tables/by_size.dat)
    ln -s /etc tables/link
    run report compare --allow-invalid --tables nowhere/tables before-* -- after-*
    [[ $status == 3 && $output == *'nowhere/tables/runs.dat cannot be written: No such file or directory'* ]] || fail "$output"
}

# bisected NAME SECONDS: makes a sample whose random bisections take 1 to 10 times, and whose ordered one takes 5 times as long.
bisected() {
    local r
    mkdir "$1"
    {
        printf '# columns of end_point: node host processes group device\n#@end_point\t0\tn0\t1\t-\t-\n#@end_point\t1\tn1\t1\t-\t-\n'
        printf '# columns of exchange: stage round bytes a b seconds errors\n'
        for r in 1 2 3 4 5 6 7 8 9 10 5; do
            printf '#@exchange\tbisection\t%d\t1000000\t0\t1\t%se-3\t0\n' $((++n)) $((r * $2))
        done
    } >"$1/rows"
    sed -e '/^#: checksum/d' -e "/^#: definition = /r $1/rows" "$SAMPLES/beff-n2-short/run.prot" >"$1/run.prot"
}

@test "report: compare and rank have the bisection bandwidths, also if a side has none" {
    local n=0
    bisected quick 1
    n=0
    bisected slow 2
    SAMPLE=quick runs before 1 4
    SAMPLE=slow runs after 1 4
    runs none 1 4
    report compare --all --allow-invalid --format json before-* -- after-* >compare.json
    report rank --allow-invalid --format csv -- before-* -- after-* -- none-* >rank.csv
    report rank --allow-invalid --format csv --label none none-* -- --label some before-* >first.csv
    python3 - <<'END'
import csv, json, statistics
wanted = {"min": 100, "median": statistics.median(1000 / r for r in range(1, 11)), "max": 1000, "ordered": 200}
near = lambda a, b: abs(float(a) / b - 1) < 1e-3
figures = {row["figure"]: row for row in json.load(open("compare.json"))["figures"]["figure"]}
rows = list(csv.DictReader(open("rank.csv")))
assert len(rows) == 3
for key, value in wanted.items():
    row = figures["bisection_" + key]
    assert near(row["before"], value) and near(row["after"], value / 2) and near(row["ratio"], 0.5) and row["better"] == "higher", row
    assert sorted(float(row["bisection_" + key] or 0) for row in rows)[0] == 0, rows
    assert near(max(float(row["bisection_" + key] or 0) for row in rows), value)
assert all(float(row["b_eff_lmax"]) > 0 for row in csv.DictReader(open("first.csv")))
END
}

@test "report: rank lists systems by rating, and refuses runs that are not comparable" {
    runs here 1 6
    runs there 2 6 host=there
    runs few 0.5 2 mpi='other, MPI'
    report rank --allow-invalid --label few few-* -- --label here here-* -- --label there there-* >out
    holds out 'Sides by rating' 'note: ranks 2 and 3 are not distinguished at 95 %: too few runs (6 and 2)'
    [[ $(<out) != *'ranks 1 and 2'* ]]
    report rank --allow-invalid --format csv --label few few-* -- --label here here-* -- --label there there-* >out.csv
    report rank --allow-invalid --format json -- here-* there-* >out.json
    python3 - <<'END'
import csv, json
rows = list(csv.DictReader(open("out.csv")))
assert [(row["rank"], row["side"], row["used"]) for row in rows] == [("1", "there", "6"), ("2", "here", "6"), ("3", "few", "2")]
assert all(float(row["low"]) <= float(row["b_eff"]) <= float(row["high"]) for row in rows[:2]) and rows[2]["low"] == ""
assert rows[2]["mpi"] == "other, MPI" and abs(float(rows[0]["b_eff"]) / float(rows[0]["b_eff_per_process"]) - 2) < 1e-9
systems = json.load(open("out.json"))["sides"]
assert [(row["submitted"], row["used"]) for row in systems] == [(12, 12)]
END
    report rank --allow-invalid here-1 there-1 few-1 | grep -c '^ *[123]  \(here\|there\|few\)-1  *1 ' | grep -qx 3 # without --
    report rank --allow-invalid --label here here-* -- --label bidder nowhere "$SAMPLES/imb-mpi1-n2" >out
    awk '{ if (/^ / && length > 100) exit 1 }' out
    holds out "skipped: nowhere cannot be read" 'imb_compat has no rating' '1  here' '-  bidder'
    runs seed 1 1 seed=5
    run report rank --allow-invalid --label here here-? seed-1 nowhere -- --label 'B, "big"' there-1
    [[ $status == 3 && $output == *'refused: seed-1: odd: remove from the command' ]] || fail "$output"
    report rank "$SAMPLES/beff_io-n2-valid" | grep -q b_eff_io_read
    SAMPLE=$SAMPLES/beff_io-n2-valid runs short 1 2 # runs with different T can be ranked, but not compared
    SAMPLE=$SAMPLES/beff_io-n2-valid runs long 1.2 2 time_s=3600
    report rank --allow-invalid short-* -- long-* >out
    holds out 'note: time_s differs between the sides (1800 in side 1, 3600 in side 2)'
    run report compare --allow-invalid short-* -- long-*
    [[ $status == 3 && $output == *'refused: time_s differs: 1800 in short-1, 3600 in long-1'* ]] || fail "$output"
}

@test "report: rank applies the rule of a procurement, and its status is 0 only if all bids pass" {
    local bid i b_eff
    stops_after 3 sample
    for bid in a c; do
        mkdir bid-$bid
        for i in {1..6}; do
            mkdir bid-$bid/$i
            "$TESTS/scale_run" sample bid-$bid/$i/run.prot "$([[ $bid == a ]] && echo 1 || echo 0.8)" $bid$i
        done
    done
    b_eff=$(sed -n 's/^#: result b_eff = \([0-9]*\).*/\1/p' bid-a/1/run.prot)
    report rank --require 6 --at-least $((b_eff * 7 / 10)) bid-a/* -- bid-c/* >out
    [[ $(awk '/bid-/ { print $1 $2, $3, $4, $5, $10 } /^Other/ { exit }' out | tr '\n' ';') == '1bid-a 6 6 6 pass;2bid-c 6 6 6 pass;' ]] || fail "$(<out)"
    run report rank --require 6 --at-least $((b_eff * 9 / 10)) bid-a/* -- bid-c/*
    [[ $status == 1 && $output == *'2  bid-c '*FAIL* ]] || fail "$output"
    # The median of the six runs, which the clause of procurement.md asks for.
    report rank --require 6 --median $((b_eff * 9 / 10)) --at-least $((b_eff * 8 / 10)) -- bid-a/* >out
    run report rank --require 6 --median $((b_eff * 9 / 10)) -- bid-c/*
    [[ $status == 1 ]] || fail "$output"
    sed -i 's/^#: result b_eff = /&1/' bid-c/2/run.prot
    "$TESTS/seal" bid-c/2/run.prot
    run report rank --require 6 --at-least $((b_eff * 7 / 10)) bid-a/* -- bid-c/*
    [[ $status == 3 && $output == *'-  bid-c '*'not eligible'*'skipped: bid-c/2: NOT VALID: result b_eff = '*'(see verify)'* ]] || fail "$output"
}

@test "report: odd protocols do no harm (fuzz)" {
    "$BUILD/unit/tests/fuzz/fuzz" 6 0 "$SAMPLES"/*/run.prot || fail "$(cat fuzz-crash.prot)"
}

@test "report: runs that lack the same thing share a line, whatever the figures in parentheses and after them" {
    local i
    runs before 1 2
    for i in 1 2; do
        sed -i "s/^#: end = .*/#: end = partial (stopped by signal $i)/" before-$i
        "$TESTS/seal" before-$i
    done
    run report compare before-* -- before-1
    [[ $output == *'skipped: 3 runs (before-1, before-2, before-1): NOT VALID for comparison: run completed'$'\n'* ]] || fail "$output"
}

@test "report: compare and rank name first that the processors are farther apart, and show how far" {
    local side name factor hop
    for side in 'a 1 47e-9' 'b 0.5 216e-9'; do
        read -r name factor hop <<<"$side"
        "$TESTS/scale_run" "$SAMPLES/beff-n2-valid/run.prot" "$name.prot" "$factor" "$name" kernel="$name"
        awk -v hop="$hop" '!/^(# columns of |#@)state/ { print } /^#: definition = / {
            print "# columns of state: sweep hop_min hop_max loop_min loop_max copy_min copy_max host"
            for (i = 0; i < 3; i++) print "#@state\t" i "\t" hop "\t" hop "\t3e-4\t3e-4\t2e-4\t2e-4\tvm" }' "$name.prot" >"$name-state.prot"
        "$TESTS/seal" "$name-state.prot"
    done
    "$BUILD/beff_report" show b-state.prot | grep 'note: processors 216 ns apart'
    run -3 "$BUILD/beff_report" compare a-state.prot -- b-state.prot # too few runs for a verdict
    [[ $(grep -m 1 '^changed: ' <<<"$output") == "changed: state of the machine: processors 47 ns apart in a-state.prot, 216 ns in b-state.prot; "* ]] || fail "$output"
    run -0 "$BUILD/beff_report" rank a-state.prot -- b-state.prot
    [[ $output == *'processors 47 ns apart in a-state.prot, 216 ns in b-state.prot'* ]] || fail "$output"
}
