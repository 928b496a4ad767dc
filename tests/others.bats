#!/usr/bin/env bats
# bats file_tags=alone
# Programs beside a run, which the run and beff_report name.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers
yields

# beside COMMAND...: runs beff on at most two processors, with COMMAND in the background on the same ones. Sets $others to the
# percentage of them that other programs used, as tests/others measures it. Skips the test if /proc/stat shows nothing.
beside() {
    local two
    two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
    taskset -c "$two" "$@" &
    others=$("$TESTS/others" "$two" timeout 60 "$MPIEXEC" -n 2 "$BEFF" --time $((4 + 4 * LAUNCHING)) --memory 1 --output out 2>stdout) || [[ $? == 1 ]]
    kill $! 2>/dev/null || true
    wait $! || true
    [[ $others != unknown ]] || skip "/proc/stat shows nothing here"
    inspect out/run.prot 'p.sealed' '{r["cause"] for r in p.tables["disturbance"]} >= {"programs", "hypervisor", "switches"}'
    "$BUILD/beff_report" show out >shown
}

@test "a busy program beside a run: the run and beff_report say how much it used, and where" {
    needs python3 taskset
    beside timeout 60 sh -c 'while :; do :; done'
    local host used
    host=$(uname -n)
    used="other programs used [0-9.]+ of [12] processors? on $host \\(([0-9]+) %\\)"
    [[ $(<shown) =~ $used ]] || fail "others used $others %:" "$(<shown)"
    at_most "$(calculate "sqrt((${BASH_REMATCH[1]} - $others) ^ 2)")" 15
    inspect out/run.json 'p["result"]["disturbance"].startswith("other programs used ")'
    [[ $(tr -s '\n ' ' ' <stdout) =~ $used ]] || fail "$(<stdout)"
}

@test "a run that has the processors for itself names nobody" {
    needs python3 taskset
    beside true
    [[ $(calculate "$others < 1") == 1 ]] || skip "other programs used $others % of the processors"
    if grep 'other programs' shown; then fail "others used $others %"; fi
}
