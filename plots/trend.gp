# Draws a history of runs, with one panel for each figure.
# gnuplot -c trend.gp FOLDER: from FOLDER/trend.dat, which has one block for each figure, to FOLDER/trend.svg
name = 'trend'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run
data = folder.'/trend.dat'
stats data using 2 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
panels = STATS_blocks
stats data using 1 nooutput; span = STATS_max - STATS_min
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'

# Columns: 1 start (seconds since 1970), 2 value, 3 yes if VALID, 4 median before or after a change.
set output folder.'/'.name.'.'.format
set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
unset title
set xdata time; set timefmt '%s'; set format x (span > 2*86400 ? '%Y-%m-%d' : '%m-%d %H:%M')
set xtics rotate by 30 right; set lmargin 12; set offsets graph 0.05, graph 0.05, graph 0.1, graph 0.1
set key autotitle columnhead
do for [k=0:panels-1] {
    plot data index k using 1:2 with points pt 6 lt 2 title columnheader(2).', NOT VALID', \
         data index k using 1:(strcol(3) eq 'yes' ? $2 : NaN) with points lt 1 title columnheader(2).', VALID', \
         data index k using 1:4 with steps lt 3 title 'median'
}
unset multiplot
