#!/usr/bin/env bats
# Forged and hostile runs. The table is in tests/hostile/run, which prints all messages with --markdown.
# shellcheck disable=SC2154 # bats sets status, output

export BATS_TEST_TIMEOUT=400
load helpers

@test "hostile: forged runs are detected, and no run does harm" {
    needs python3
    run "$TESTS/hostile/run"
    [[ $status == 0 ]] || fail "$(grep -A 5 '^not ok' <<<"$output")"
}
