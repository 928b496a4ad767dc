#!/usr/bin/env bats
# bats file_tags=together
# Forged and hostile runs. The table is in tests/hostile/run, which prints all messages with --markdown.
# shellcheck disable=SC2154 # bats sets status, output

export BATS_TEST_TIMEOUT=400
load helpers

@test "hostile: forged runs are found, and no run does harm" {
    needs python3
    run "$TESTS/hostile/run"
    [[ $status == 0 ]] || fail "$(grep -A 5 '^not ok' <<<"$output")"
}

@test "hostile: plot and html let no name and no link reach a shell, a terminal or another file" {
    needs python3 gnuplot
    run "$TESTS/hostile/run" --pictures
    [[ $status == 0 ]] || fail "$(grep -A 5 '^not ok' <<<"$output")"
}
