# shellcheck shell=bash
# Functions that the scripts in bench/ share. They run the programs, read the figures of a run, and compute statistics.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# If BUILD is set, the programs in that directory are used without building them again, so that versions can be compared.
build=${BUILD:-build}
[[ -n ${BUILD-} ]] || make --no-print-directory > /dev/null
mpiexec=${MPIEXEC:-$(sed -n 's/^MPIEXEC = //p' "$build/config.mk")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# [program=beff_io] run NAME PROCESSES SECONDS [OPTION...]: runs beff or `program` with the output directory $scratch/NAME.
# Prints the wall time of the launcher in seconds.
run() {
    local name=$1 processes=$2 seconds=$3 start end
    shift 3
    start=$(date +%s.%N)
    # shellcheck disable=SC2086 # mpiexec may contain options
    $mpiexec -n "$processes" "$build/${program:-beff}" --time "$seconds" --output "$scratch/$name" --progress=never "$@" \
        > "$scratch/$name.out" 2> "$scratch/$name.err" || true
    end=$(date +%s.%N)
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.2f\n", b - a }'
}

# result NAME FIGURE: prints a figure from the protocol of a run, or nothing if the protocol does not have it.
result() { sed -n "s/^#: result $2 = \([^ ]*\).*/\1/p" "$scratch/$1/run.prot"; }

# figure NAME PROGRAM: runs an awk program on the records of a run. c["NAME"] is the value of the column NAME.
figure() {
    awk -F '\t' '/^# columns: / { n = split(substr($0, 12), name, " ") }
        /^#/ { next }
        { for (i = 1; i <= n; i++) c[name[i]] = $i } '"$2" "$scratch/$1/run.prot"
}

# statistics: prints the count, median, mean, coefficient of variation in percent, minimum and maximum of the numbers on
# standard input.
statistics() {
    sort -g | awk '{ x[NR] = $1; s += $1 }
        END { if (!NR) { print "0 - - - - -"; exit }
              m = s / NR; for (i = 1; i <= NR; i++) q += (x[i] - m) ^ 2
              median = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
              printf "%d %.6g %.6g %.2f %.6g %.6g\n", NR, median, m, (NR > 1) ? 100 * sqrt(q / (NR - 1)) / m : 0, x[1], x[NR] }'
}
