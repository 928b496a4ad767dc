# The definition applied to each repetition alone: drift and disturbances. Open points: not all was measured.
# gnuplot -c plots/repetitions.gp RUN: from RUN/patterns/repetitions.dat to RUN/plots/repetitions.svg
name = 'repetitions'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/repetitions.dat'

stats data using 4 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
repetitions = STATS_records
stats data using 5:6 nooutput
lowest = STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y
highest = STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y
set output folder.'/'.name.'.'.format
set xrange [0.5:repetitions+0.5]; set xtics 1
set yrange [0.95*lowest:1.05*highest]
set xlabel 'repetition'; set ylabel 'all processes (MB/s)'
if (repetitions > 12) set xtics autofreq
plot data using ($0+1):5 with linespoints lt 1 title 'rings', \
     data using ($0+1):6 with linespoints lt 2 title 'random polygons', \
     data using ($0+1):4 with linespoints lt 7 pt 5 lw 2 title 'b_eff', \
     data using ($0+1):(strcol(3) eq 'yes' ? NaN : $4) with points lt 7 pt 6 ps 1.4 title 'repetition not complete'
