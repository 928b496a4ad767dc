#!/usr/bin/env bats
# The command line: everything that requires no measurement.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; bash -c expands the variables

load helpers

# Rows `arguments | words that the message must contain`. The unit tests of the options have many more.
bad_command_lines='
--tiem 5                        | tiem
--time 5x                       | --time "5x"
--memory 1G                     | --memory "1G"
--seed 9223372036854775808      | --seed 9223372036854775807
--plan --processes 4 --rank 4   | --rank 4
extra                           | "extra"
'

@test "--help prints the options and the exit status on standard output" {
    run --separate-stderr "$BEFF" --help
    [[ $status == 0 && -z $stderr ]]
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
        run -0 --separate-stderr "$BEFF" $line
        [[ $output == Usage:* ]] || fail "$line"
    done
    PMI_RANK=0 PMI_SIZE=1 PMI_FD=99 run -0 "$BEFF" --help # as in srun --pty bash, where MPI may not start
    [[ $output == Usage:* ]]
    directory_is_empty
}

@test "--version prints the version, the commit and the checksum of the definition, which a contract cites" {
    local program file
    for program in beff beff_io; do
        file=$(echo "$TESTS"/../docs/definition-$program-[0-9].md)
        run -0 --separate-stderr "$BUILD/$program" --version
        [[ -z $stderr && ${lines[0]} =~ ^$program\ [0-9]+\.[0-9]+\.[0-9]+.*commit ]]
        [[ $output == *"SHA-256 of ${file##*/}: $(sha256sum < "$file" | cut -c1-64)"* ]] || fail "$output"
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

@test "a bad command line under mpiexec is reported once, not by each process" {
    local line
    for line in '--tiem 5' '--processes 8'; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr mpi 3 $line
        [[ $status == 2 && -z $output ]] || fail "$line: status $status, output $output"
        is_one_line "$stderr" 'beff: ' "${line%% *}"
    done
    directory_is_empty
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
    "$BEFF" --plan --json --processes 9 >plan.json # without --rank
    inspect plan.json 'not any("left" in q or "right" in q for q in p["patterns"])'
    [[ $(ls -A) == plan.json ]]
}

@test "--plan for a million processes takes less than 2 s of processor time and 200 MB" {
    local options
    for options in '' '--json --rank 500000'; do
        # shellcheck disable=SC2086 # word splitting is intended
        /usr/bin/time -f '%U %S %M' -o cost "$BEFF" --plan --processes 1000000 $options >plan
        read -r user system kilobytes <cost
        at_most "$(calculate "$user + $system")" 2
        at_most "$kilobytes" 200000
        [[ -s plan ]]
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
    BUILD=$BUILD "$TESTS/fuzz/options" 80 7
}

@test "random command lines of imb_compat under mpiexec end with a documented status, and none fails without a message" {
    BUILD=$BUILD "$TESTS/fuzz/options" --mpiexec 4 7
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
