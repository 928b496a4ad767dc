# Draws one picture for each benchmark of imb_compat: the time, with bars from the fastest to the slowest process, and also
# bandwidth, message rate and overlap if the benchmark reports them.
# imb_compat: patterns/sizes.dat
name = 'imb'; run = exists("ARG1") ? ARG1 : ''; panels = 1
style = ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
load style
data = patterns.'/sizes.dat'; run_caption = caption

# Columns: 1 benchmark, 2 mode, 3 processes, 4 groups, 6 bytes, 8 to 10 time (fastest, mean and slowest process), 11 bandwidth,
# 12 message rate, 15 overlap. A series has one benchmark, one mode (may be empty) and one number of processes and groups:
# "PingPong||2|1".
benchmarks = series = ''
with_word(list, word) = strstrt(list, ' '.word.' ') ? list : list.' '.word.' '
key(i) = sprintf('%s|%s|%d|%d', strcol(1), strcol(2), column(3), column(4))
stats data using (benchmarks = with_word(benchmarks, strcol(1)), series = with_word(series, key(0)), 1) nooutput
rest(s) = s[strstrt(s, '|')+1:]
first(s) = s[:strstrt(s.'|', '|')-1]
mode(s) = first(rest(s)) eq '' ? '' : ', '.first(rest(s))
groups(s) = rest(rest(rest(s)))
processes(s) = first(rest(rest(s))).(first(rest(rest(s))) eq '1' ? ' process' : ' processes')
title_of(s) = sized ? (groups(s) eq '1' ? '' : groups(s).' groups of ').processes(s).mode(s) : 'all processes'.mode(s)
# Without sizes, the numbers of processes of a mode form one line.
is_in(s) = sized ? key(0) eq s : strcol(1) eq benchmark && strcol(2) eq first(rest(s))
x(i) = sized ? (column(6) > 0 ? column(6) : 0.25) : column(3)
axis_label(i) = i == 9 ? 'time (µs)' : i == 11 ? 'bandwidth (MB/s)' : i == 12 ? 'messages per second' : 'overlap (%)'

drawn = 0
do for [benchmark in benchmarks] {
    shown = ''
    set autoscale # otherwise, stats skips values that are out of range
    do for [i in '9 11 12 15'] {
        undefine STATS_*
        stats data using (strcol(1) eq benchmark && valid(int(i)) ? column(int(i)) : NaN) nooutput
        if (exists("STATS_records") && STATS_records) { shown = shown.' '.i }
    }
    if (shown eq '' || strstrt(benchmark, '/')) { continue }
    drawn = 1
    stats data using (strcol(1) eq benchmark ? column(6) : NaN) nooutput
    sized = STATS_max > 0
    panels = words(shown); caption = run_caption eq '' ? '' : benchmark.': '.run_caption
    step = STATS_max > (panels > 1 && !column ? 256 : 65536) ? 16 : 4
    load style
    lines = modes = ''
    do for [s in series] {
        if (first(s) eq benchmark && (sized || !strstrt(modes, ' '.mode(s).' '))) { lines = lines.' '.s; modes = modes.' '.mode(s).' ' }
    }
    set output folder.'/'.benchmark.'.'.format
    set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
    unset title
    set offsets graph 0.03, graph 0.03, 0, 0
    if (sized) { eval size_axis; set xtics add ('0' 0.25) } else { set logscale x 2; set xtics 1,2; set xlabel 'processes' }
    do for [i in shown] {
        set ylabel axis_label(int(i))
        if (int(i) == 15) { unset logscale y; set yrange [0:100] } else { set logscale y; set yrange [*:*] }
        if (int(i) == 9) {
            plot for [k=1:words(lines)] data using (is_in(word(lines, k)) ? x(0) : NaN):(known(9)):(known(8)):(known(10)) \
                with yerrorlines lt k title title_of(word(lines, k))
        } else {
            plot for [k=1:words(lines)] data using (is_in(word(lines, k)) ? x(0) : NaN):(known(int(i))) \
                with linespoints lt k title title_of(word(lines, k))
        }
    }
    unset multiplot
}
if (!drawn) { print data.': nothing to draw'; exit status 2 }
