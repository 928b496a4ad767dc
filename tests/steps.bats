#!/usr/bin/env bats
# Any step of rank 0 may fail: an allocation, the opening of a file, a write. All processes then end with the same status.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

BATS_TEST_TIMEOUT=900
yields
EVERY=${STEPS_EVERY:-40} # one in this many steps before the first record is tested; make check-faults tests more

# ends_together STEP PROGRAM ARGUMENT...: makes a step fail. Checks that the run ends, that all processes return the same documented
# status, and that no files are left.
ends_together() {
    local step=$1
    BEFF=$BUILD/$2
    rm -rf out
    start 2 "$(shim step)" STEP_NUMBER="$step" STEP_LOG=log "${@:3}" --output out
    { ended_within 60 && { [[ $status =~ ^[0123]$ ]] || fail "status $status" "$(<stderr)"; } && ranks_returned "$status" && nothing_left; } ||
        fail "step $step ($(sed -n "${step}p" log))"
}

# Prints the number of the step after which the measurements begin: the flush of the last line before the records.
first_record() {
    grep -n fflush log | sed -n "$(sed '/^[^#]/,$d' out/run.prot | grep -c '^#: ')p" | cut -d: -f1
}

# each_step PROGRAM ARGUMENT...: calls ends_together for one in EVERY steps up to the first record, and for some of the later steps.
each_step() {
    local last begin step
    ends_together 0 "$@" || return
    last=$(wc -l <log)
    begin=$(first_record)
    for ((step = 1 + RANDOM % EVERY; step < begin; step += EVERY)); do
        ends_together "$step" "$@" || return
    done
    for ((step = begin; step < last; step += (last - begin) / 4 + 1)); do
        ends_together "$step" "$@" || return
    done
}

@test "beff: any step of rank 0 may fail" {
    each_step beff --time 2 --memory 1 --polygons 1 --max-loops 1
}

io=(beff_io --time 600 -N 2 --memory 16 --max-bytes 70M)

@test "beff_io: any step of rank 0 may fail" {
    each_step "${io[@]}"
}

# Here a scratch directory was left behind: it exists, but the run has not yet started its protocol.
@test "beff_io: each of the steps after the scratch directory was created may fail" {
    local step made
    ends_together 0 "${io[@]}" --patterns 17 || return
    made=$(grep -n mkdir log | sed -n 1p | cut -d: -f1)
    for ((step = made; step < made + 12; step++)); do
        ends_together "$step" "${io[@]}" --patterns 17 || return
    done
}
