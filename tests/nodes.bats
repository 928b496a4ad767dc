#!/usr/bin/env bats
# beff on several hosts that are only names (tests/worlds/apart): groups, network devices, rates of links. tests/simulated.bats
# compares figures between nodes with known answers, and tests/worlds/hosts.bats has real links.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

# apart N PER COMMAND...: runs a command on N processes, PER on each host.
apart() {
    timeout --kill-after=5 60 "$MPIEXEC" -n "$1" env "$(shim yield)" HWLOC_XMLFILE="${XML-}" "$TESTS/worlds/apart" "${@:2}"
}

needs_apart() {
    unshare --uts --mount true 2>/dev/null || skip "host names cannot be changed here"
}

few=(--time 5 --memory 1 --polygons 1 --methods Sendrecv)

@test "a bad --groups file is refused in one line, status 2" {
    local text line long
    long=$(printf 'x%.0s' {1..70})
    while IFS='|' read -r text line; do
        printf '%b' "$text" >groups
        run --separate-stderr mpi 2 --groups groups --output out
        [[ $status == 2 ]] || fail "$text: status $status" "$stderr"
        is_one_line "$stderr" "invalid --groups file, line $line: " 'expected HOST GROUP'
    done <<END
n0|1
n0 s0\nn1\n|2
# racks\n\nn0 s0 s1\n|3
n0,s0\n|1
n0 s0\nn1 ${long:0:32}\n|2
$long s0\n|1
n0 s0\n$long$long$long$long s0\n|2
END
    rm groups
    for line in groups .; do
        run --separate-stderr mpi 2 --groups $line --output out
        [[ $status == 2 ]] || fail "$line: status $status" "$stderr"
        is_one_line "$stderr" --groups
    done
    directory_is_empty
}

@test "nodes that the --groups file does not have are noted" {
    needs_apart
    printf 'n0 s0\r\n n1.cluster.org\ts1\n' >groups
    apart 3 1 "$BEFF" "${few[@]}" --groups groups --output out >/dev/null || [[ $? == 1 ]]
    inspect out/run.prot '[value for key, value in p.all_meta if key == "end_point"] == ["0 n0 1 s0 -", "1 n1 1 s1 -", "2 n2 1 - -"]'
    holds out/summary.txt 'note: no group in --groups groups: 1 of 3 nodes (the first: n2)'
}
