# Draws bandwidth by message size for each method: the logavg over rings and random polygons.
# beff: patterns/sizes.dat
name = 'methods'; run = exists("ARG1") ? ARG1 : ''; panels = 2
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/sizes.dat'

# Columns: 2 best method, all processes; 3 best method, per process; 6 to 8 each method, per process.
stats data using ($2/$3) nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
processes = real(floor(STATS_median + 0.5))
stats data using 2 nooutput; lowest = highest = STATS_max
found = 0
do for [i=6:8] {
    undefine STATS_*
    stats data using (column(i)*processes) nooutput
    if (exists("STATS_records")) { found = 1; lowest = lowest < STATS_min ? lowest : STATS_min }
}
if (!found) { print data.': nothing to draw'; exit status 2 }

set output folder.'/'.name.'.'.format
set multiplot layout (column ? 2 : 1),(column ? 1 : 2) title caption
unset title
eval size_axis
set logscale y; set yrange [ylow(lowest):yhigh(highest)]
set ylabel 'all processes (MB/s)'
plot for [i=0:2] data using 1:(known(6+i)*processes) \
    with linespoints lt i+1 title word('Sendrecv Alltoallv nonblocking', i+1)
unset logscale y; set yrange [0:*]
set ylabel 'relative to the best method'
plot for [i=0:2] data using 1:(known(6+i)/known(3)) \
    with linespoints lt i+1 title word('Sendrecv Alltoallv nonblocking', i+1)
unset multiplot
