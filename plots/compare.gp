# Draws the ratio after / before of each figure, with its interval.
# gnuplot -c compare.gp FOLDER: from FOLDER/compare.dat to FOLDER/compare.svg
name = 'compare'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run
data = folder.'/compare.dat'
stats data using 2 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
rows = STATS_records
lowest = STATS_min; highest = STATS_max
do for [i=3:4] {
    undefine STATS_*
    stats data using i nooutput
    if (exists("STATS_records")) { lowest = STATS_min < lowest ? STATS_min : lowest; highest = STATS_max > highest ? STATS_max : highest }
}
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
set datafile missing '?' # in this table, "-" means that there is no verdict

# Columns: 1 figure, 2 ratio, 3 and 4 its interval, 5 verdict. The axis is logarithmic, so 0.5 and 2 are equally far from 1.
far = highest > 1/lowest ? highest : 1/lowest
far = (far > 1.1 ? far : 1.1)**1.1
set output folder.'/'.name.'.'.format
set logscale x; set xrange [1/far:far]; set xtics ()
near = '0.8 0.85 0.9 0.95 1 1.05 1.1 1.15 1.2 1.25'; twice = '0.4 0.5 0.6 0.7 0.8 0.9 1 1.2 1.4 1.7 2 2.5'
wide = '0.0001 0.001 0.01 0.1 1 10 100 1000 10000'
do for [t in (far < 1.3 ? near : far < 3 ? twice : wide)] { set xtics add (t real(t)) }
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
