# Ratios after / before with their intervals: gnuplot -c compare.gp FOLDER, from FOLDER/compare.dat to FOLDER/compare.svg
name = 'compare'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run
data = folder.'/compare.dat'
stats data using 2 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
rows = STATS_records
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
set datafile missing '?' # "-" is a verdict here: none

# Columns: 1 figure, 2 ratio, 3 and 4 its interval, 5 verdict.
set output folder.'/'.name.'.'.format
set xrange [*<0.9:1.1<*]
set yrange [-0.5:rows-0.5]
set arrow from 1, graph 0 to 1, graph 1 nohead lt 7 dt 2
set xlabel 'ratio after / before'
plot data using 2:0:yticlabels(1) with points pt -1 notitle, \
     for [i=1:4] data using (strcol(5) eq word('better worse inconclusive -', i) ? $2 : NaN):0:3:4 \
         with xerrorbars lt word('3 2 1 7', i) notitle, \
     for [i=1:4] data using (strcol(5) eq word('better worse inconclusive -', i) ? $2 : NaN):0 \
         with points lt word('3 2 1 7', i) title word('better worse inconclusive no-verdict', i)
