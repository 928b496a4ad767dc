# Draws systems in the order of their ratings.
# gnuplot -c rank.gp FOLDER: from FOLDER/rank.dat to FOLDER/rank.svg
name = 'rank'; run = exists("ARG1") ? ARG1 : ''; folder = (run[1:1] eq '/' ? '' : './').run
data = folder.'/rank.dat'
stats data index 0 using 2 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
rows = STATS_records
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'

# Columns of block 0: 1 system, 2 median, 3 and 4 the median's interval. Block 1 has one row for each run. Its columns: 1 number
# of the run's system, 2 rating.
set output folder.'/'.name.'.'.format
set yrange [rows-0.5:-0.5]; set offsets graph 0.1, graph 0.1, 0, 0
set xlabel 'rating (MB/s)'
plot data index 0 using 2:0:yticlabels(1) with points lt 2 title 'median', \
     data index 0 using 2:0:3:4 with xerrorbars lt 2 title '95 % interval (6 or more runs)', \
     data index 1 using 2:1 with points lt 6 pt 6 title 'each run'
