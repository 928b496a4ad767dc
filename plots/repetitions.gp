# Draws the rating of each single repetition, which shows drift and disturbances, and b_eff. b_eff is higher than
# most of these ratings, because it uses the best of three repetitions for each pattern, method and size.
# beff: patterns/repetitions.dat
name = 'repetitions'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/repetitions.dat'

# Columns: 4 b_eff, 5 rings, 6 random polygons.
stats data using 4 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
repetitions = STATS_records
stats data using 5:6 nooutput
lowest = STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y
highest = STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y
# The line "#: result b_eff = NUMBER MB/s" of the protocol.
b_eff = NaN
undefine STATS_*
set datafile commentschars ''
if (is_file(protocol)) { stats protocol using (strcol(2) eq 'result' && strcol(3) eq 'b_eff' ? column(5) : NaN) nooutput }
set datafile commentschars '#'
if (exists("STATS_records") && STATS_records) { b_eff = STATS_max; highest = highest > b_eff ? highest : b_eff }
set output folder.'/'.name.'.'.format
set xrange [0.5:repetitions+0.5]; set xtics 1
set yrange [0.95*lowest:1.05*highest]
set xlabel 'repetition'; set ylabel 'all processes (MB/s)'
if (repetitions > 12) set xtics autofreq
plot b_eff with lines lt 7 lw 2.5 title 'b_eff (best of three repetitions)', \
     data using ($0+1):4 with linespoints lt 7 pt 5 dt 3 title 'rating of each repetition', \
     data using ($0+1):5 with points lt 1 ps 0.9 title 'rings of each repetition', \
     data using ($0+1):6 with points lt 2 ps 0.9 title 'random polygons of each repetition', \
     data using ($0+1):(strcol(3) eq 'yes' ? NaN : $4) with points lt 7 pt 6 ps 1.4 title 'not complete'
