# Draws a benchmark of imb_compat: the time, with bars from the fastest to the slowest process, and also bandwidth, message rate
# and overlap if the benchmark reports them.
# gnuplot -c plots/imb.gp RUN BENCHMARK: from RUN/plots/BENCHMARK.dat, which beff_report plot writes, to RUN/plots/BENCHMARK.svg
name = 'imb'; run = exists("ARG1") ? ARG1 : ''; benchmark = exists("ARG2") ? ARG2 : ''
if (benchmark eq '') { print 'usage: gnuplot -c plots/imb.gp RUN BENCHMARK, such as PingPong; draws RUN/plots/BENCHMARK.dat, which "beff_report plot RUN" writes'; exit status 2 }
if (!exists("caption")) caption = run.', '.benchmark
data = (run[1:1] eq '/' ? '' : './').run.'/plots/'.benchmark.'.dat'

# Columns: 1 bytes, 2 processes, 3 to 5 time (mean, fastest and slowest process), 6 bandwidth, 7 message rate, 8 overlap.
shown = ''
do for [i in '3 6 7 8'] {
    stats data using int(i) nooutput
    if (exists("STATS_records")) { shown = shown.' '.i }
}
if (shown eq '') { print data.': nothing to draw'; exit status 2 }
panels = words(shown)
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'

stats data using 1 nooutput
sized = STATS_max > 0; series = STATS_blocks
set output folder.'/'.benchmark.'.'.format
set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
unset title
set offsets graph 0.03, graph 0.03, 0, 0
step = STATS_max > (panels > 1 ? 256 : 65536) ? 16 : 4
if (sized) { eval size_axis; set xtics add ('0' 0.25) } else { set logscale x 2; set xtics 1,2; set xlabel 'processes' }
place(bytes, processes) = sized ? (bytes > 0 ? bytes : 0.25) : processes
label(i) = i == 3 ? 'time (µs)' : i == 6 ? 'bandwidth (MB/s)' : i == 7 ? 'messages per second' : 'overlap (%)'
do for [i in shown] {
    set ylabel label(int(i))
    if (int(i) == 8) { unset logscale y; set yrange [0:100] } else { set logscale y; set yrange [*:*] }
    if (int(i) == 3) {
        plot for [k=0:series-1] data index k using (place($1, $2)):3:4:5 with yerrorlines lt k+1 title columnheader(1)
    } else {
        plot for [k=0:series-1] data index k using (place($1, $2)):(known(int(i))) with linespoints lt k+1 title columnheader(1)
    }
}
unset multiplot
