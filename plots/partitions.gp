# Draws b_eff_io by number of processes: 25 % initial write, 25 % rewrite, 50 % read. The highest value is the rating.
# beff_io: patterns/partitions.dat
name = 'partitions'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/partitions.dat'

lowest = highest = NaN
do for [i=2:5] {
    stats data using i nooutput
    if (exists("STATS_records")) { lowest = lowest < STATS_min ? lowest : STATS_min; highest = highest > STATS_max ? highest : STATS_max }
}
if (!(highest > 0)) { print data.': nothing to draw'; exit status 2 }
set output folder.'/'.name.'.'.format
set logscale x 2; set logscale y
set yrange [ylow(lowest):yhigh(highest)]
set xtics () ; set offsets graph 0.05, graph 0.05, 0, 0
set xlabel 'processes'; set ylabel 'all processes (MB/s)'
plot data using 1:(known(2)):xticlabels(1) with linespoints lt 1 lw 2.5 title 'b_eff_io', \
     for [i=3:5] data using 1:(known(i)) with linespoints lt i-1 title word('write rewrite read', i-2)
