# Draws bandwidth by message size for rings, random polygons and ping-pong: all processes on the left axis, per process on the
# right axis.
# beff: patterns/sizes.dat
name = 'rings'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/sizes.dat'
pingpong = patterns.'/pingpong.dat'

stats data using ($2/$3) nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
processes = real(floor(STATS_median + 0.5))
stats data using 2 nooutput; lowest = STATS_min; highest = STATS_max
stats pingpong using 2 nooutput
if (exists("STATS_records")) { lowest = lowest < STATS_min*processes ? lowest : STATS_min*processes }
if (exists("STATS_records")) { highest = highest > STATS_max*processes ? highest : STATS_max*processes }

set output folder.'/'.name.'.'.format
set logscale y; set logscale y2
set yrange [ylow(lowest):yhigh(highest)]
set y2range [ylow(lowest)/processes:yhigh(highest)/processes]
set border 11; set y2tics
eval size_axis
set ylabel 'all processes (MB/s)'; set y2label 'per process (MB/s)'
plot data using 1:(known(4)*processes) with linespoints lt 1 title 'rings (logavg)', \
     data using 1:(known(5)*processes) with linespoints lt 2 title 'random polygons (logavg)', \
     pingpong using 1:(known(2)) axes x1y2 with linespoints lt 3 title 'ping-pong of two processes (right)'
