# Ratings by number of processes or time: gnuplot -c by.gp FOLDER processes|time_s, from FOLDER/by-processes.dat, a block for
# each system, to FOLDER/by-processes.svg
name = 'by'; run = exists("ARG1") ? ARG1 : ''; key = exists("ARG2") ? ARG2 : 'processes'
folder = (run[1:1] eq '/' ? '' : './').run
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = folder.'/by-'.key.'.dat'
stats data using 2 nooutput; if (!exists("STATS_records")) exit
systems = STATS_blocks

set output folder.'/by-'.key.'.'.format
set logscale x 2; set logscale y; set yrange [ylow(STATS_min):yhigh(STATS_max)]
set offsets graph 0.1, graph 0.1, 0, 0
set xlabel (key eq 'time_s' ? 'scheduled time T (s)' : key); set ylabel 'rating (MB/s)'
plot for [k=0:systems-1] data index k using 1:2:xticlabels(1) with points lt k+1 title columnheader(2)
