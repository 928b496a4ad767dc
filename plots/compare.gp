# Draws a comparison of two sides: the ratio after / before of the rating and the main figures, and the ratio by size, all with
# intervals. Filled points are significant changes (figures: after the correction for their number).
# compare: compare.dat
name = 'compare'; run = exists("ARG1") ? ARG1 : ''
data = (run[1:1] eq '/' ? '' : './').run.'/compare.dat'

# Columns: 1 group, 2 figure, 3 bytes, 8 ratio, 9 and 10 its interval, 11 changed.
is_main(i) = strcol(1) eq 'rating' || strcol(1) eq 'figure'
is_sized(i) = !is_main(0) && valid(3)
is_sure(i) = strcol(1) eq 'rating' ? valid(9) && (column(9) > 1 || column(10) < 1) : strcol(11) eq '*'
low_end(i) = valid(9) ? column(9) : column(8)
high_end(i) = valid(10) ? column(10) : column(8)
lowest = highest = 1
stats data using (low_end(0)):(high_end(0)) nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
lowest = STATS_min_x; highest = STATS_max_y
stats data using (is_main(0) ? 1 : NaN) nooutput; rows = exists("STATS_records") ? STATS_records : 0
undefine STATS_*
stats data using (is_sized(0) ? column(3) : NaN) nooutput; sized = exists("STATS_records") ? STATS_records : 0
panels = (rows > 0) + (sized > 0)
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'

set output folder.'/'.name.'.'.format
set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
unset title; unset key
far = highest > 1/lowest ? highest : 1/lowest
far = (far > 1.05 ? far : 1.05)**1.1
ticks = "do for [t in (far < 1.3 ? '0.8 0.85 0.9 0.95 1 1.05 1.1 1.15 1.2 1.25' : far < 3 ? '0.4 0.5 0.6 0.7 0.8 0.9 1 1.2 1.4 1.7 2 2.5' : '0.001 0.01 0.1 1 10 100 1000')] "
if (rows) {
    set lmargin 26
    set logscale x; set xrange [1/far:far]; set xtics (); eval ticks.'{ set xtics add (t real(t)) }'
    set yrange [rows-0.5:-0.5]; set ytics ()
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead lt 7 dt 2
    set xlabel 'ratio after / before'
    plot data using (is_main(0) ? column(8) : NaN):0:(low_end(0)):(high_end(0)):yticlabels(is_main(0) ? strcol(2) : '') \
             with xerrorbars lt 1 pt 6 ps 1, \
         data using (is_main(0) && is_sure(0) ? column(8) : NaN):0 with points lt 1 pt 7 ps 1
}
if (sized) {
    unset logscale; unset arrow; set ytics nomirror; set autoscale; set lmargin (rows ? 10 : -1)
    eval size_axis
    set xrange [*:*]; set offsets graph 0.03, graph 0.03, 0, 0
    set logscale y; set yrange [1/far:far]; set ytics nomirror (); eval ticks.'{ set ytics add (t real(t)) }'
    set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lt 7 dt 2
    set ylabel 'ratio after / before'
    size_of(i) = column(3) > 0 ? column(3) : 0.25
    plot data using (is_sized(0) ? size_of(0) : NaN):8:(low_end(0)):(high_end(0)) with yerrorbars lt 2 pt 6, \
         data using (is_sized(0) && is_sure(0) ? size_of(0) : NaN):8 with points lt 2 pt 7
}
unset multiplot
