#!/usr/bin/env bats
# Any step of rank 0 may fail: an allocation, the opening of a file, a write. All processes then end with the same status.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

# ends_together STEP SECONDS PROGRAM ARGUMENT...: makes a step fail. Checks that the run ends within SECONDS, that all processes
# return the same documented status, and that no files are left.
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

# Prints the number of the step after which the measurements begin: the flush of the last line before the records.
first_record() {
    grep -n fflush log | sed -n "$(sed '/^[^#]/,$d' out/run.prot | grep -c '^#: ')p" | cut -d: -f1
}

# each_step PROGRAM SECONDS EVERY ARGUMENT...: calls ends_together for one in EVERY steps up to the first record, and for some of
# the later steps.
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

@test "beff: any step of rank 0 may fail" {
    each_step beff 15 9 --time 1 --memory 1 --polygons 1 --max-loops 1
}

@test "beff_io: any step of rank 0 may fail" {
    each_step beff_io 20 17 --time 3 --memory 64 --max-bytes 100M
}

# Here a scratch directory was left behind: it exists, but the run has not yet started its protocol.
@test "beff_io: each of the steps after the scratch directory was created may fail" {
    local arguments=(--time 3 --memory 64 --max-bytes 100M) step made
    ends_together 0 20 beff_io "${arguments[@]}" || return
    made=$(grep -n mkdir log | sed -n 1p | cut -d: -f1)
    for ((step = made; step < made + 12; step++)); do
        ends_together "$step" 20 beff_io "${arguments[@]}" || return
    done
}
