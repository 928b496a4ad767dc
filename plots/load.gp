# Draws how long the victims' exchanges take under load: p50 and p99, alone and with each congestor.
# beff: patterns/load.dat
name = 'load'; run = exists("ARG1") ? ARG1 : ''; panels = 3
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/load.dat'

# Columns: 1 victim, 2 congestor, 7 p50, 8 p99. Four rows for each victim, the first one without load.
stats data using 8 nooutput; if (!exists("STATS_records") || !STATS_records) { print data.': nothing to draw'; exit status 2 }
set output folder.'/'.name.'.'.format
set multiplot layout 1,3 title caption
unset title
set xtics rotate by -30
set ylabel 'time of an exchange (microsec)'
do for [v=0:2] {
    set xlabel (v == 0 ? 'polygons of 8 B' : v == 1 ? 'polygons of 128 KiB' : 'Allreduce of 8 B')
    if (v > 0) { unset ylabel }
    unset logscale y; set xrange [*:*]; set yrange [*:*]
    undefine STATS_*
    stats data every ::4*v::4*v+3 using 7:8 nooutput
    if (exists("STATS_records") && STATS_records) {
        set logscale y; set xrange [-0.6:3.6]
        set yrange [low(STATS_min_x):high(STATS_max_y)]
        plot data every ::4*v::4*v+3 using (int($0)%4):7:xtic(2) with points lt 1 ps 1.2 title 'p50', \
             data every ::4*v::4*v+3 using (int($0)%4):8 with points lt 2 ps 1.2 title 'p99'
    }
}
unset multiplot
