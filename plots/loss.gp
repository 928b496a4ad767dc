# Draws where the bandwidth goes, by message size: MB/s of each process if no message meets another one, with all processes of a node,
# with all at once, and the rate of the node's link if it is known.
# beff: patterns/loss.dat
name = 'loss'; run = exists("ARG1") ? ARG1 : ''; panels = 2
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/loss.dat'

# Columns: 1 bytes, 2 link, 3 alone, 4 processes of a node, 5 all, 6 percent of 4 that 5 reaches.
stats data using 5 nooutput; if (!exists("STATS_records") || !STATS_records) { print data.': nothing to draw'; exit status 2 }
lowest = STATS_min; highest = STATS_max; shared = 0; link = 0
undefine STATS_*
stats data using 3 nooutput; highest = STATS_max > highest ? STATS_max : highest
stats data using ($3 > $4) nooutput; shared = STATS_max > 0
undefine STATS_*
stats data using 2 nooutput; if (exists("STATS_records") && STATS_records) { link = STATS_max; highest = link > highest ? link : highest }
set output folder.'/'.name.'.'.format
set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
unset title
eval size_axis
set logscale y; set yrange [ylow(lowest):yhigh(highest)]
set ylabel 'each process (MB/s)'
plot (link > 0 ? link : NaN) with lines lt 7 dt 2 title (link > 0 ? sprintf('link: %.0f MB/s', link) : ''), \
     data using 1:(known(3)) with linespoints lt 1 title 'a pair alone', \
     data using 1:(shared ? known(4) : NaN) with linespoints lt 3 title (shared ? 'all processes of a node' : ''), \
     data using 1:(known(5)) with linespoints lt 2 title 'all at once'
unset logscale y; set yrange [0:*]
set ylabel 'reached despite contention (%)'
plot data using 1:(known(6)) with linespoints lt 2 notitle
unset multiplot
