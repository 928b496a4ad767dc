# Every pattern: bandwidth at the largest message size, and the mean over all sizes.
# gnuplot -c plots/patterns.gp RUN: from RUN/patterns/patterns.dat to RUN/plots/patterns.svg
name = 'patterns'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/patterns.dat'

# Column 1 is a name, or a number in a table of beff_io.
stats data using (valid(1) ? NaN : $4) nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
set output folder.'/'.name.'.'.format
small = column ? ',5' : ',9'; set xtics rotate by 90 right font small
set xrange [-1:*]; set yrange [0:*]
set grid noxtics ytics
set style fill solid 0.3; set boxwidth 0.7
set ylabel 'best method (MB/s)'
plot data using 0:8:xticlabels(1) with boxes lt 1 title 'at Lmax', \
     data using 0:4 with points lt 2 ps (column ? 0.5 : 1) title 'mean over the sizes'
