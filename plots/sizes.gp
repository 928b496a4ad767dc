# Draws the median bandwidths of the runs before and after a change, by message size, and their ratio.
# gnuplot -c sizes.gp FOLDER: from FOLDER/sizes.dat to FOLDER/sizes.svg
name = 'sizes'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run; panels = 2
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = folder.'/sizes.dat'

# Columns: 1 bytes, 2 and 3 medians before and after, 4 ratio, 5 and 6 its interval.
stats data using 2:3 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
set output folder.'/'.name.'.'.format
set multiplot layout (column ? 2 : 1),(column ? 1 : 2) title caption
unset title
eval size_axis
set logscale y; set yrange [ylow(STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y): \
                            yhigh(STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y)]
set ylabel 'all processes (MB/s)'
plot for [i=2:3] data using 1:(known(i)) with linespoints lt i-1 title columnheader(i)
unset logscale y; set yrange [*<0.95:1.05<*]; set offsets graph 0.03, graph 0.03, 0, 0
set ylabel 'ratio after / before'
plot data using 1:4:5:6 with yerrorbars lt 3 notitle, data using 1:4 with linespoints lt 3 title 'ratio, with its interval', \
     1 with lines lt 7 dt 2 title 'no difference'
unset multiplot
