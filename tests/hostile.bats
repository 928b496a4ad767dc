#!/usr/bin/env bats
# bats file_tags=together
# Forged and hostile runs: the table is in tests/hostile/run, which prints with --markdown what was said of each.
# shellcheck disable=SC2154 # bats sets status, output

export BATS_TEST_TIMEOUT=400
load helpers

@test "hostile: what is forged is found, and nothing does harm" {
    needs python3
    run "$TESTS/hostile/run"
    [[ $status == 0 ]] || fail "$(grep -A 5 '^not ok' <<<"$output")"
}

@test "hostile: no name and no link reaches a shell, a terminal or another file by plot and html" {
    needs python3 gnuplot
    run "$TESTS/hostile/run" --pictures
    [[ $status == 0 ]] || fail "$(grep -A 5 '^not ok' <<<"$output")"
}
