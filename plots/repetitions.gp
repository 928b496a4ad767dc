# Draws the rating of each single repetition, which shows drift and disturbances, and b_eff with its range. b_eff is higher than
# most of these ratings, because it uses the best of three repetitions for each pattern, method and size.
# gnuplot -c plots/repetitions.gp RUN: from RUN/patterns/repetitions.dat to RUN/plots/repetitions.svg; b_eff and its range are
# in RUN/plots/b_eff.dat, which beff_report plot writes.
name = 'repetitions'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/repetitions.dat'

# Columns: 4 b_eff, 5 rings, 6 random polygons.
stats data using 4 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
repetitions = STATS_records
stats data using 5:6 nooutput
lowest = STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y
highest = STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y
# Columns: 1 b_eff, 2 and 3 its range.
rated = (is_file(patterns.'/b_eff.dat') ? patterns : folder).'/b_eff.dat'
b_eff = low_end = high_end = NaN
if (is_file(rated)) {
    do for [i=1:3] {
        undefine STATS_*
        stats rated using i nooutput
        if (exists("STATS_records") && STATS_records) {
            if (i == 1) { b_eff = STATS_min }
            if (i == 2) { low_end = STATS_min }
            if (i == 3) { high_end = STATS_min }
            lowest = lowest < STATS_min ? lowest : STATS_min; highest = highest > STATS_max ? highest : STATS_max
        }
    }
}
set output folder.'/'.name.'.'.format
set xrange [0.5:repetitions+0.5]; set xtics 1
set yrange [0.95*lowest:1.05*highest]
set xlabel 'repetition'; set ylabel 'all processes (MB/s)'
if (repetitions > 12) set xtics autofreq
if (low_end < high_end) {
    set object 1 rectangle from graph 0, first low_end to graph 1, first high_end fillcolor rgb '#dddddd' fillstyle solid 0.6 noborder behind
}
plot b_eff with lines lt 7 lw 2.5 title 'b_eff (best of three repetitions)'.(low_end < high_end ? '; grey: its range within this run' : ''), \
     data using ($0+1):4 with linespoints lt 7 pt 5 dt 3 title 'rating of each repetition', \
     data using ($0+1):5 with points lt 1 ps 0.9 title 'rings of each repetition', \
     data using ($0+1):6 with points lt 2 ps 0.9 title 'random polygons of each repetition', \
     data using ($0+1):(strcol(3) eq 'yes' ? NaN : $4) with points lt 7 pt 6 ps 1.4 title 'not complete'
