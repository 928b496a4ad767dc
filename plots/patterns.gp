# Draws the bandwidth of every pattern at the largest message size, and its mean over all sizes. The random polygons share one bar,
# which shows their median, with a box from the lower to the upper quartile and whiskers to the lowest and highest value.
# beff: patterns/patterns.dat
name = 'patterns'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/patterns.dat'

# Columns: 1 name (in a table of beff_io, a number), 4 mean over the sizes, 8 bandwidth at Lmax.
stats data using (valid(1) ? NaN : $4) nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
is_random(i) = strcol(1)[:7] eq 'random-'
polygons = 0; place_of_random = -1
stats data using (is_random(0) ? column(0) : NaN) nooutput
if (exists("STATS_records") && STATS_records) { polygons = STATS_records; place_of_random = STATS_min }
place(i) = is_random(0) ? -99 : column(0) > place_of_random && polygons ? column(0) - polygons + 1 : column(0)
array box4[5]; array box8[5]
do for [i in '4 8'] {
    if (polygons) {
        stats data using (is_random(0) ? column(int(i)) : NaN) nooutput
        array box[5] = [STATS_min, STATS_lo_quartile, STATS_median, STATS_up_quartile, STATS_max]
        do for [k=1:5] { if (i eq '4') { box4[k] = box[k] } else { box8[k] = box[k] } }
    }
}
tick(i) = is_random(0) ? '' : strcol(1)
set output folder.'/'.name.'.'.format
set xtics rotate by 90 right
if (column) { set xtics font ',9' }
set xrange [-1:*]; set yrange [0:*]
set grid noxtics ytics
set style fill solid 0.3; set boxwidth 0.7
set ylabel 'best method (MB/s)'
if (polygons) {
    plot data using (place(0)):8:xticlabels(tick(0)) with boxes lt 1 title 'at Lmax', \
         '+' every ::::0 using (place_of_random):(box8[3]):xticlabels(sprintf('%d polygons', polygons)) with boxes lt 1 notitle, \
         '+' every ::::0 using (place_of_random):(box8[2]):(box8[1]):(box8[5]):(box8[4]):(0.35) notitle with candlesticks whiskerbars 0.6 lt 1, \
         data using (place(0)):4 with points lt 2 ps 0.9 title 'mean over the sizes', \
         '+' every ::::0 using (place_of_random):(box4[3]):(box4[1]):(box4[5]) with yerrorbars lt 2 ps 0.9 notitle
} else {
    plot data using 0:8:xticlabels(1) with boxes lt 1 title 'at Lmax', data using 0:4 with points lt 2 ps 0.9 title 'mean over the sizes'
}
