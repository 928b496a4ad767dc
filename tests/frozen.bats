#!/usr/bin/env bats
# Runs that an earlier commit recorded, with the figures and verdicts that it printed (tests/fixtures/frozen). A changed program
# gives them the same figures and verdicts.

export BATS_TEST_TIMEOUT=600
load helpers

# Shows the frozen runs with the program BUILD/beff_report, and compares them with their figures. Arguments after the program are
# results that it does not compute.
same() {
    local name
    for name in beff beff_io imb; do
        xz -dc "$TESTS/fixtures/frozen/$name.prot.xz" >"$name.prot"
        "$1" show --format json "$name.prot" >"$name.shown"
        python3 - "$name.shown" "$TESTS/fixtures/frozen/$name.json" <<'END'
import json, sys
shown, frozen = json.load(open(sys.argv[1]))["result"], json.load(open(sys.argv[2]))
assert len(shown["reasons"]) == frozen.pop("failed"), shown["reasons"]
for key, value in frozen.items():
    same = shown[key] == value or (value and abs(shown[key] - value) <= 1e-12 * abs(value))
    assert same, f"{sys.argv[1]}: {key} is {shown[key]}, not {value}"
END
    done
}

setup_file() {
    command -v xz python3 >/dev/null || return 0
    mkdir "$BATS_FILE_TMPDIR/tree"
    (cd "$BATS_TEST_DIRNAME/.." && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$BATS_FILE_TMPDIR/tree"
}

# Applies changes (FILE and an expression of sed) to a copy of the tree, in addition to those of earlier tests, builds beff_report
# and compares.
# usage: changed FILE SED [FILE SED]...
changed() {
    needs xz python3
    local sum tree=$BATS_FILE_TMPDIR/tree
    while (($#)); do
        sum=$(cksum <"$tree/$1")
        sed -i "$2" "$tree/$1"
        [[ $sum != "$(cksum <"$tree/$1")" ]] || fail "$1 was not changed: $2"
        shift 2
    done
    make -s -C "$tree" -j2 report BUILD=build CFLAGS=-O0 >log 2>&1 || fail "$(tail log)"
    same "$tree/build/beff_report"
}

@test "frozen: this program gives the frozen runs their figures and verdicts" {
    needs xz python3
    same "$BUILD/beff_report"
}

@test "frozen: so does a program with other labels, more columns and results, another analysis pattern and other defaults" {
    changed beff/results.c 's/"logavg of the ring patterns"/"rings, averaged"/' beff/patterns.c 's/"worst-case cycle"/"longest way"/' \
        beff_io/results.c 's/"size of all files"/"files, total"/' imb_compat/results.c 's/"wrong bytes found"/"bytes that are wrong"/' \
        beff/record.h 's/double t_min, t_avg, t_max;/double t_min, t_avg, t_max, t_new;/' \
        beff/record.c 's/OPTIONAL(beff_record, t_avg, 0),/& OPTIONAL(beff_record, t_new, 0),/' \
        beff/tables.c 's/{"per_process", "MB\/s", COLUMN_REAL, 3, AT(size, per_process)/{"again", "MB\/s", COLUMN_REAL, 3, AT(size, rings)}, &/' \
        beff_io/record.h 's/double t_open, t_calls,/double t_new, t_open, t_calls,/' \
        beff_io/record.c 's/OPTIONAL(REAL, t_open, 0),/& OPTIONAL(REAL, t_new, 0),/' \
        imb_compat/results.h 's/double t_min, t_avg, t_max;/double t_min, t_avg, t_max, t_new;/' \
        imb_compat/results.c 's/OPTIONAL(REAL, t_min, 0),/& OPTIONAL(REAL, t_new, 0),/' \
        beff/patterns.c 's/{"worst-cycle", /{"longest-cycle", /' \
        beff/settings.c 's/.polygons = BEFF_POLYGONS/.polygons = 7, .max_loops = 300/' \
        beff_io/settings.c 's/.time = 1800/.time = 60/; s/.errors = 3/.errors = 1/' imb_compat/settings.c 's/.defaults = {0, 22}/.defaults = {1, 5}/' \
        beff/results.c 's/^    {"pingpong_lmax"/    {"added", "added", "MB\/s", FIGURE(rings)},\n&/' \
        beff_io/results.c 's/^    sheet_detail(&r->sheet, "files_mb"/    sheet_detail(\&r->sheet, "added", "added", "MB", 1);\n&/' \
        imb_compat/results.c 's/^    sheet_value(sheet, "errors"/    sheet_value(sheet, "added", "added", "B", 1);\n&/'
}

@test "frozen: so does a program that lacks results: it shows them as stated" {
    changed beff/results.c '/"pingpong_lmax"/d' beff_io/results.c '/"files_mb"/d' imb_compat/results.c '/sheet_value(sheet, "errors"/d'
    "$BATS_FILE_TMPDIR/tree/build/beff_report" show beff.prot >shown
    grep -q '^  pingpong_lmax .* MB/s (not recomputed)$' shown
    "$BATS_FILE_TMPDIR/tree/build/beff_report" verify beff.prot
}
