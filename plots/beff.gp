# Plots of one run of beff from its patterns/*.dat:
#   gnuplot -e "run='DIRECTORY'" plots/beff.gp              writes DIRECTORY/plots/*.svg
#   ... -e "run='DIRECTORY'; yrange_='0:5000'" ...          with a bandwidth axis of one's own (MB/s)
# Needs gnuplot 5.0 or later. Colours of Okabe and Ito (colour-blind-safe), and points that differ in mono.
if (!exists("run")) { print "usage: gnuplot -e \"run='DIRECTORY'\" plots/beff.gp"; exit status 2 }
# The range may have been given to beff itself.
if (!exists("yrange_")) {
    yrange_ = system(sprintf("sed -n 's/^#: option_yrange = //p' '%s/run.prot'", run))
    if (strlen(yrange_) > 0 && strstrt(yrange_, ":") == 0) { yrange_ = "0:" . yrange_ }
}
system(sprintf("mkdir -p '%s/plots'", run))
meta(key) = system(sprintf("sed -n 's/^#: %s = //p' '%s/run.prot' | tail -n 1", key, run))
data(pattern) = sprintf("%s/patterns/%s.dat", run, pattern)
subtitle = sprintf("%s, %s processes, %s", meta("host"), meta("processes"), meta("started"))

set terminal svg size 900,560 dynamic font "sans,12" background rgb "white"
set encoding utf8
set datafile missing "-"
set key left top
set grid
set logscale x 2
set xlabel "message size (bytes)"
set ylabel "bandwidth of all processes (MB/s)"
set format x "%.0f"
set xtics rotate by -45
if (strlen(yrange_) > 0) { set yrange [@yrange_] } else { set yrange [0:*] }
array colour[7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

set output run . "/plots/rings.svg"
set title "b_eff: ring patterns, best method\n" . subtitle noenhanced
plot for [i = 1:6] data(sprintf("ring-%d", i)) using 1:2 with linespoints lc rgb colour[i] pt i \
     title sprintf("ring-%d", i)

set output run . "/plots/random.svg"
set title "b_eff: random polygons, best method\n" . subtitle noenhanced
polygons = int(meta("option_polygons"))
plot for [i = 1:polygons] data(sprintf("random-%02d", i)) using 1:2 with lines lc rgb "#999999" notitle, \
     data("random-01") using 1:2 with linespoints lc rgb colour[1] pt 1 title "random-01", \
     data("ring-6") using 1:2 with linespoints lc rgb colour[2] pt 2 title "ring-6 (all in one ring)"

set output run . "/plots/methods.svg"
set title "b_eff: methods on ring-6\n" . subtitle noenhanced
plot data("ring-6") using 1:3 with linespoints lc rgb colour[1] pt 1 title "Sendrecv", \
     data("ring-6") using 1:4 with linespoints lc rgb colour[2] pt 2 title "Alltoallv", \
     data("ring-6") using 1:5 with linespoints lc rgb colour[3] pt 3 title "nonblocking"
