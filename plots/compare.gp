# Ratios after / before with their intervals: gnuplot -c compare.gp FOLDER, from FOLDER/compare.dat to FOLDER/compare.svg
name = 'compare'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run
data = folder.'/compare.dat'
stats data using 2:4 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
rows = STATS_records
lowest = STATS_min_x; highest = STATS_max_x
stats data using 3:4 nooutput
if (exists("STATS_records") && STATS_records) { lowest = STATS_min_x < lowest ? STATS_min_x : lowest; highest = STATS_max_y > highest ? STATS_max_y : highest }
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
set datafile missing '?' # "-" is a verdict here: none

# Columns: 1 figure, 2 ratio, 3 and 4 its interval, 5 verdict. The axis is logarithmic and symmetrical: half and twice are
# equally far from 1.
far = highest > 1/lowest ? highest : 1/lowest
far = (far > 1.1 ? far : 1.1)**1.1
set output folder.'/'.name.'.'.format
set logscale x; set xrange [1/far:far]; set xtics () 
do for [t in (far < 1.3 ? '0.8 0.85 0.9 0.95 1 1.05 1.1 1.15 1.2 1.25' : far < 3 ? '0.4 0.5 0.6 0.7 0.8 0.9 1 1.2 1.4 1.7 2 2.5' : '0.001 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 20 50 100 1000')] { set xtics add (t real(t)) }
set yrange [-0.5:rows-0.5]
set tmargin (caption eq '' ? 3 : 6)
set title offset 0,1
set lmargin 30; set bmargin 6
set label 'worse'  at graph 0.01, graph 1 offset 0,0.8 left  tc lt 2
set label 'better' at graph 0.99, graph 1 offset 0,0.8 right tc lt 3
set arrow from 1, graph 0 to 1, graph 1 nohead lt 7 dt 2
set xlabel 'ratio after / before'
plot data using 2:0:yticlabels(1) with points pt -1 notitle, \
     for [i=1:4] data using (strcol(5) eq word('better worse inconclusive -', i) ? $2 : NaN):0:3:4 \
         with xerrorbars lt word('3 2 1 7', i) notitle, \
     for [i=1:4] data using (strcol(5) eq word('better worse inconclusive -', i) ? $2 : NaN):0 \
         with points lt word('3 2 1 7', i) title word('better worse inconclusive not-judged', i)
