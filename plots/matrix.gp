# Draws the bandwidth of each pair of nodes as a heat map. A slow node is a dark row and column.
# beff: patterns/node_matrix.dat
name = 'matrix'; run = exists("ARG1") ? ARG1 : ''
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/node_matrix.dat'

stats data using 3 nooutput; if (!exists("STATS_records")) { print data.': nothing to draw'; exit status 2 }
least = STATS_min; most = STATS_max
stats data using 1 nooutput; last = STATS_max

set output folder.'/'.name.'.'.format
set size ratio 1
unset grid; unset key
set xrange [-0.5:last+0.5]; set yrange [last+0.5:-0.5]
set xlabel 'node'; set ylabel 'node'
if (mono) { set palette gray } else { set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725') }
set cbrange [least < most ? least : 0.9*least:most]
set cblabel 'MB/s'
# Without the diagonal, the pairs are no grid for `with image`.
plot data using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):(known(3)) with boxxyerror fillstyle solid noborder linecolor palette
