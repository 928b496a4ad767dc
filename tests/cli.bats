#!/usr/bin/env bats
# bats file_tags=together
# The command line: everything that requires no measurement.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; bash -c expands the variables

load helpers

# Rows `arguments | words that the message must contain`.
bad_command_lines='
--tiem 5                    | tiem
--time                      | --time value
--time 0                    | --time "0"
--time -3                   | --time -3
--time abc                  | --time "abc"
--time 5x                   | --time "5x"
--time nan                  | --time "nan"
--time inf                  | --time "inf"
--memory 0                  | --memory "0"
--memory 1.5                | --memory "1.5"
--memory -1                 | --memory
--memory 1G                 | --memory "1G"
--memory 99999999999999999999 | --memory
--polygons 0                | --polygons "0"
--polygons 100000000        | --polygons
--max-loops 0               | --max-loops "0"
--seed abc                  | --seed "abc" random
--seed -1                   | --seed "-1"
--seed 1.5                  | --seed "1.5"
--seed 9223372036854775808 | --seed 9223372036854775807
--progress sometimes        | --progress "sometimes" auto line log never
--processes 4               | --processes --plan
--rank 0                    | --rank --plan
--ranks-per-node 2          | --ranks-per-node --plan
--plan --processes 1        | --processes "1" 2
--plan --processes 0        | --processes "0"
--plan --processes 4 --rank 4   | --rank 4
--plan --processes 4 --rank -1  | --rank
--plan --ranks-per-node 0   | --ranks-per-node "0"
--quiet=yes                 | --quiet
--output                    | --output value
-f                          | -f value
-yrange abc                 | yrange "abc"
-yrange 5:2                 | yrange "5:2"
-yrange 0                   | yrange "0"
extra                       | "extra"
--memory 64 extra           | "extra"
-- extra                    | "extra"
-x                          | -x
--p                         | --p
'

@test "--help explains every option on standard output" {
    run --separate-stderr "$BEFF" --help
    [[ $status == 0 && -z $stderr ]]
    local option
    for option in time output force seed memory polygons max-loops plan processes rank ranks-per-node json quiet \
        progress yrange help version; do
        grep -q -- "^ *--$option\b" <<<"$output" || fail "--$option is missing"
    done
    grep -q -- '^ *-f PREFIX' <<<"$output"
    grep -q 'Exit status' <<<"$output"
    [[ $(awk '{ if (length > n) n = length } END { print n }' <<<"$output") -le 110 ]]
}

# marked PROGRAM: prints the options whose help says that they always make a result NOT VALID.
marked() {
    local option
    for option in $("$BUILD/$1" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        ! "$BUILD/$1" --help "$option" | tr -s ' \n' ' ' | grep -q 'NOT VALID for comparison *$' || echo "$option"
    done | sort
}

@test "--help marks the options that make a result NOT VALID: those that --plan asks to omit, and --max-loops" {
    local options=(--noshared --separated-paths . --types scatter --patterns 3 --access write)
    "$BUILD/beff_io" --plan --processes 1 "${options[@]}" | sed -n '/^criteria that/,/^warnings/p' | tr -s ' \n' ' ' |
        grep -oE 'without (--[a-z-]+(, | and )?)+' | grep -o -- '--[a-z-]*' | sort >named
    marked beff_io | sed 's/^/--/' >expected
    diff named expected
    [[ $(wc -l <named) == 5 && $(marked beff) == max-loops ]]
    mkdir run
    sed 's/^#: option_max-loops = .*/#: option_max-loops = 300/' "$TESTS/../protocols/samples/beff-n2-valid/run.prot" >run/run.prot
    "$TESTS/seal" run/run.prot
    "$BUILD/beff_report" show run >result
    holds result 'FAIL  iterations per measurement unlimited (--max-loops: 300)'
}

@test "--help works anywhere on the command line, and nothing else happens" {
    local line
    for line in '--time 5 --help' '--help --output here' '--plan --help' '--memory 64 -help --seed random'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr "$BEFF" $line
        [[ $status == 0 && $output == Usage:* ]] || fail "$line: status $status"
    done
    directory_is_empty
}

@test "--version prints the version and the commit" {
    run --separate-stderr "$BEFF" --version
    [[ $status == 0 && -z $stderr ]]
    [[ ${lines[0]} =~ ^beff\ [0-9]+\.[0-9]+\.[0-9]+.*commit ]]
}

@test "--version prints the checksum of the definition, which a contract cites" {
    local program file
    for program in beff beff_io; do
        file=$(echo "$TESTS"/../docs/definition-$program-[0-9].md)
        "$BUILD/$program" --version > version
        holds version "SHA-256 of ${file##*/}: $(sha256sum < "$file" | cut -c1-64)"
    done
}

@test "--help and --version under mpiexec print once" {
    local option
    for option in --help --version; do
        "$BEFF" "$option" >alone
        mpi 3 "$option" >together 2>complaints
        cmp alone together
        [[ ! -s complaints ]]
        rm alone together complaints
    done
}

@test "a bad command line is refused with status 2 and one line that names the option, and nothing is written" {
    local line expected words word
    while IFS='|' read -r line expected; do
        [[ -n $line ]] || continue
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr timeout 10 "$BEFF" $line
        [[ $status == 2 && -z $output ]] || fail "$line: status $status, output $output"
        read -ra words <<<"$expected"
        for word in "${words[@]}"; do
            is_one_line "$stderr" "beff: " "$word" || fail "arguments: $line"
        done
    done <<<"$bad_command_lines"
    directory_is_empty
}

@test "an empty value is refused" {
    local option
    for option in time output seed memory progress yrange f; do
        run --separate-stderr timeout 10 "$BEFF" "-$option" ''
        [[ $status == 2 ]]
        is_one_line "$stderr" "$option"
    done
    directory_is_empty
}

@test "a bad command line under mpiexec is reported once, not by each process" {
    local line
    for line in '--tiem 5' '--memory 0' '--processes 8' '--rank 1'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 4 $line
        [[ $status == 2 && -z $output ]] || fail "$line: status $status, output $output"
        is_one_line "$stderr" 'beff: ' "${line%% *}"
    done
    directory_is_empty
}

@test "an impossible plan under mpiexec is reported once, status 2" {
    run --separate-stderr mpi 2 --plan --rank 2
    [[ $status == 2 && -z $output ]]
    is_one_line "$stderr" --rank
}

@test "control characters and very long values do not damage the message" {
    run --separate-stderr "$BEFF" --memory $'1\n2\e[31m'
    [[ $status == 2 ]]
    is_one_line "$stderr" --memory
    [[ $stderr != *$'\e'* ]]
    run --separate-stderr "$BEFF" --memory "$(printf '9%.0s' {1..5000})"
    [[ $status == 2 ]]
    is_one_line "$stderr" --memory
    ((${#stderr} < 300))
}

@test "b_eff's spellings -f and -yrange are accepted" {
    "$BEFF" -f out -yrange 0:20000 --plan >/dev/null
    "$BEFF" -f out -yrange 1000 -plan >/dev/null
    "$BEFF" --yrange=1:2 -time 5 --plan >/dev/null
    directory_is_empty
}

@test "--plan prints patterns, sizes, methods, time and memory, and writes nothing" {
    run --separate-stderr "$BEFF" --plan --processes 5 --memory 1024
    [[ $status == 0 && -z $stderr ]]
    local text
    for text in 'processes  *5$' 'seed  *20010917$' 'Lmax  *8388608 B$' Sendrecv Alltoallv nonblocking \
        'the run takes at most  *180 s$' MiB ring-6 random-30 pingpong; do
        grep -q "$text" <<<"$output" || fail "\"$text\" is missing"
    done
    directory_is_empty
}

@test "--plan under mpiexec uses the number of started processes, unless --processes is given, and is printed once" {
    run --separate-stderr mpi 3 --plan
    [[ $status == 0 ]]
    [[ $(grep -cE '^processes +3$' <<<"$output") == 1 ]]
    run --separate-stderr mpi 1 --plan --processes 7
    [[ $status == 0 ]]
    [[ $(grep -cE '^processes +7$' <<<"$output") == 1 ]]
}

@test "--plan --json has the specified keys" {
    "$BEFF" --plan --json --processes 9 --rank 4 --memory 64 --polygons 3 --seed 5 >plan.json
    inspect plan.json 'p["program"] == "beff" and p["processes"] == 9 and p["seed"] == 5' \
        'p["memory_per_process"] == 64 and p["lmax"] == 524288 == p["sizes"][-1] and len(p["sizes"]) == 21' \
        'p["methods"] == ["Sendrecv", "nonblocking", "Alltoallv"]' \
        'p["seconds_expected"] > 0 and p["bytes_expected"] > 2 * 6 * 524288' \
        'all(set(q) >= {"name", "label", "rated", "messages", "rings", "left", "right"} for q in p["patterns"])' \
        'sum(q["name"].startswith("ring-") for q in p["patterns"]) == 6' \
        'sum(q["name"].startswith("random-") for q in p["patterns"]) == 3' \
        'all((q["rated"] == "yes") == q["name"].startswith(("ring-", "random-")) for q in p["patterns"])' \
        'len(set(q["name"] for q in p["patterns"])) == len(p["patterns"])' \
        'all(eval(q["rings"].replace(" ", "+")) == 9 for q in p["patterns"] if q["rated"] == "yes")'
}

@test "without --rank, the plan lists no neighbours" {
    "$BEFF" --plan --json --processes 9 >plan.json
    inspect plan.json 'not any("left" in q or "right" in q for q in p["patterns"])'
}

@test "--plan has the rings of the definition for every number of processes" {
    python3 - "$BEFF" "$TESTS/fixtures/rings.tsv" <<'END'
import json, subprocess, sys
beff, table = sys.argv[1:]
wanted = {}
for line in open(table):
    if not line.startswith("#"):
        f = line.split()
        rings = [(int(f[3]), int(f[4])), (int(f[5]), int(f[6]))]
        wanted.setdefault(int(f[0]), []).append(
            (f"ring-{f[1]}", [r for r in rings if r[1]], int(f[7]), f[8]))
assert max(wanted) >= 1000000
for processes, rows in wanted.items():
    plan = json.loads(subprocess.run([beff, "--plan", "--json", "--processes", str(processes)],
                                     stdout=subprocess.PIPE, check=True).stdout)
    found = [(q["name"], sorted(tuple(map(int, ring.split("*"))) for ring in q["rings"].split()), q["messages"], q["label"])
             for q in plan["patterns"] if q["name"].startswith("ring-")]
    rows = [(name, sorted(rings), messages, label) for name, rings, messages, label in rows]
    assert found == rows, f"{processes} processes:\n{found}\ninstead of\n{rows}"
END
}

@test "--plan has the message sizes of the definition for every memory size" {
    local memory sizes
    while IFS=$'\t' read -r memory sizes; do
        [[ $memory != '#'* ]] || continue
        "$BEFF" --plan --json --processes 2 --memory "$memory" >plan
        grep -qF "\"sizes\": [${sizes// /, }]" plan || fail "memory $memory: $sizes expected" "$(grep sizes plan)"
    done <"$TESTS/fixtures/sizes.tsv"
}

@test "--plan for a million processes takes less than 2 s of processor time and 200 MB" {
    local options
    for options in '' '--json' '--rank 999999' '--json --rank 500000'; do
        # shellcheck disable=SC2086 # word splitting is intended
        /usr/bin/time -f '%U %S %M' -o cost "$BEFF" --plan --processes 1000000 $options >plan
        read -r user system kilobytes <cost
        at_most "$(calculate "$user + $system")" 2
        at_most "$kilobytes" 200000
        [[ -s plan ]]
    done
}

@test "neighbours are symmetric: every process is the left neighbour of its right neighbour" {
    python3 - "$BEFF" <<'END'
import json, subprocess, sys
for processes in (2, 3, 4, 5, 7, 8, 12, 17):
    left, right = {}, {}
    for rank in range(processes):
        plan = json.loads(subprocess.run(
            [sys.argv[1], "--plan", "--json", "--processes", str(processes), "--rank", str(rank), "--polygons", "4"],
            stdout=subprocess.PIPE, check=True).stdout)
        for q in plan["patterns"]:
            left[q["name"], rank], right[q["name"], rank] = (
                [-1 if r == "-" else int(r) for r in q[side].split()] for side in ("left", "right"))
    rated = 0
    for (name, rank), neighbours in right.items():
        for axis, other in enumerate(neighbours):
            assert other == -1 or left[name, other][axis] == rank, \
                f"{processes} processes, {name}: right of {rank} is {other}, left of {other} is {left[name, other]}"
        for axis, other in enumerate(left[name, rank]):
            assert other == -1 or right[name, other][axis] == rank, f"{processes} processes, {name}, rank {rank}"
            assert other != rank, f"{processes} processes, {name}: {rank} is its own neighbour"
        if name.startswith(("ring-", "random-")):
            assert neighbours[0] != -1 and left[name, rank][0] != -1
            rated += 1
    assert rated == 10 * processes
    for n in range(1, 5):  # each random polygon is one ring over all processes
        at, length = 0, 0
        while True:
            at, length = right[f"random-{n:02}", at][0], length + 1
            if at == 0:
                break
        assert length == processes, f"random-{n:02} of {processes}: a ring of {length}"
    both = lambda name, rank: {left[name, rank][0], right[name, rank][0]} - {-1}
    assert both("pingpong", 0) == {1} and both("pingpong", 1) == {0}
    assert all(both("pingpong", r) == set() for r in range(2, processes))
    for rank in range(processes // 2 * 2):
        assert both("bisection-best", rank) == {rank ^ 1}
        assert both("bisection-worst", rank) == {processes // 2 * 2 - 1 - rank}
    order = [r for i in range((processes + 1) // 2) for r in (i, processes - 1 - i)][:processes]
    for i, rank in enumerate(order):
        assert both("worst-cycle", rank) == {order[i - 1], order[(i + 1) % processes]} - {rank}
END
}

@test "the random polygons are the same in every call with the same seed, and different with another seed" {
    polygons() {
        "$BEFF" --plan --processes 50 --rank 17 "$@" | grep random-
    }
    [[ $(polygons) == "$(polygons)" ]]
    [[ $(polygons) == "$(polygons --seed 20010917)" ]]
    [[ $(polygons) != "$(polygons --seed 1)" ]]
    [[ $(polygons --seed random) != "$(polygons --seed random)" ]]
    [[ $(polygons --polygons 5) == "$(polygons | head -n 5)" ]]
}

@test "seeds from 0 to 2^63-1 are accepted and shown" {
    local seed
    for seed in 0 1 9223372036854775807; do
        "$BEFF" --plan --processes 4 --seed "$seed" | grep -qE "^seed +$seed\$"
    done
}

@test "--plan without --memory shares this node's memory among its ranks" {
    "$BEFF" --plan --json --processes 64 --ranks-per-node 1 >all.json
    "$BEFF" --plan --json --processes 64 --ranks-per-node 4 >quarter.json
    local memory
    memory=$(python3 -c 'import json; print(json.load(open("all.json"))["memory_per_process"])')
    at_most "$memory" "$(awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo)"
    inspect quarter.json "p['memory_per_process'] == $memory // 4"
}

@test "--plan --json ends with an error if the disk is full" {
    [[ -w /dev/full ]] || skip "/dev/full is missing"
    run --separate-stderr bash -c '"$0" --plan --json >/dev/full' "$BEFF"
    [[ $status != 0 ]]
    is_one_line "$stderr" "beff: "
}

@test "a pipe that is closed before the end of the plan or the help causes no error" {
    local option
    for option in --plan --help '--plan --json'; do
        # shellcheck disable=SC2086 # word splitting is intended
        "$BEFF" $option 2>complaints | head -n 1 >/dev/null
        [[ ! -s complaints ]]
    done
}

@test "random command lines end with a documented status, print one line if refused, and leave no scratch files" {
    BUILD=$BUILD "$TESTS/fuzz/options" 300 7
}

@test "random command lines of imb_compat under mpiexec end with a documented status, and none fails without a message" {
    BUILD=$BUILD "$TESTS/fuzz/options" --mpiexec 16 7
}

@test "the sections of documents that comments cite exist" {
    python3 - "$TESTS/.." <<'END'
import pathlib, re, sys
top, missing, count = pathlib.Path(sys.argv[1]), [], 0
for path in [*top.glob("*/*.[ch]"), *top.glob("*/mpi/*.[ch]")]:
    text = re.sub(r"\n *\*? ?", " ", path.read_text())
    for name, sections in re.findall(r"(docs/[\w-]+\.md)((?:(?:,| to| and)? \d+(?![\d.]*[ %]))*)", text):
        count += 1
        document = top / name
        known = re.findall(r"(?m)^#+ (\d+) ", document.read_text()) if document.exists() else None
        missing += [f"{path}: {name}{sections}"] * (known is None or not set(re.findall(r"\d+", sections)) <= set(known))
print("\n".join(missing))
sys.exit(bool(missing) or count < 30)
END
}
