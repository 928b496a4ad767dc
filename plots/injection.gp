# Draws what a node sends while all nodes exchange messages in pairs, by the number of processes of each node: MB/s with large
# messages, with the rate of the node's link if it is known, and messages per second with messages of 8 B.
# beff: patterns/injections.dat
name = 'injection'; run = exists("ARG1") ? ARG1 : ''; panels = 2
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/injections.dat'

# Columns: 1 processes, 2 messages per second, 3 MB/s.
stats data using 2 nooutput; if (!exists("STATS_records") || !STATS_records) { print data.': nothing to draw'; exit status 2 }
stats data using 1 nooutput
least = STATS_min; most = STATS_max
# The lines "#: result NAME = NUMBER UNIT" of the protocol.
link = NaN
undefine STATS_*
set datafile commentschars ''
result(name) = strcol(2) eq 'result' && strcol(3) eq name ? column(5) : NaN
if (is_file(protocol)) {
    stats protocol using (result('injection_bandwidth')) name 'BANDWIDTH' nooutput
    stats protocol using (result('injection_link_percent')) name 'SHARE' nooutput
    if (exists("SHARE_records") && SHARE_records && SHARE_max > 0) { link = 100.0*BANDWIDTH_max/SHARE_max }
}
set datafile commentschars '#'
set output folder.'/'.name.'.'.format
set multiplot layout (column ? panels : 1),(column ? 1 : panels) title caption
unset title
set logscale x 2; set xrange [0.8*least:1.25*most]; set yrange [0:*]
set xlabel 'processes of each node'
do for [i in '3 2'] {
    set ylabel (i eq '3' ? 'large messages, each node (MB/s)' : 'messages of 8 B, each node (1/s)')
    set format y (i eq '3' ? '% h' : '%.0s%c')
    plot (i eq '3' ? link : NaN) with lines lt 7 dt 2 title (i eq '3' && link > 0 ? sprintf('link: %.0f MB/s', link) : ''), \
         data using 1:(known(int(i))):xtic(1) with linespoints lt (4-int(i)) ps 1 title (i eq '3' ? 'bandwidth' : 'message rate')
}
unset multiplot
