#!/usr/bin/env bats
# Every step that rank 0 makes alone may fail: an allocation, an opening, a writing. Then all processes end, with one
# status.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

# ends_together STEP SECONDS PROGRAM ARGUMENT...: with that step failing the run ends in that time, all processes with the
# same documented status, and nothing is left.
ends_together() {
    local step=$1 most=$2
    BEFF=$BUILD/$3
    shift 3
    rm -rf out
    start 2 "$(shim step)" STEP_NUMBER="$step" STEP_LOG=log "$@" --output out
    ended_within "$most" || fail "step $step ($(sed -n "${step}p" log))" || return
    [[ $status =~ ^[0123]$ ]] || fail "step $step ($(sed -n "${step}p" log)): status $status" "$(<stderr)" || return
    ranks_returned "$status" || fail "step $step ($(sed -n "${step}p" log))" || return
    nothing_left
}

# The step with which measuring begins: every line of the protocol is flushed, and this is the last before the records.
first_record() {
    grep -n fflush log | sed -n "$(sed '/^[^#]/,$d' out/run.prot | grep -c '^#: ')p" | cut -d: -f1
}

# each_step PROGRAM SECONDS EVERY ARGUMENT...: every so many steps up to the first record, some of the others.
each_step() {
    local program=$1 most=$2 every=$3 last begin step
    shift 3
    ends_together 0 "$most" "$program" "$@" || return
    last=$(wc -l <log)
    begin=$(first_record)
    for ((step = 1 + RANDOM % every; step < begin; step += every)); do
        ends_together "$step" "$most" "$program" "$@" || return
    done
    for ((step = begin; step < last; step += (last - begin) / 10 + 1)); do
        ends_together "$step" "$most" "$program" "$@" || return
    done
}

@test "beff: any step of rank 0's may fail" {
    each_step beff 6 9 --time 1 --memory 1 --polygons 1 --max-loops 1
}

@test "beff_io: any step of rank 0's may fail" {
    each_step beff_io 8 17 --time 3 --memory 64 --max-bytes 100M
}
