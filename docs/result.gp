# rings.gp of a run of beff, with notes: gnuplot -d -c docs/result.gp RUN, then mv docs/rings.svg docs/result.svg
run = ARG1
sizes = (run[1:1] eq '/' ? '' : './').run.'/patterns/sizes.dat'
set datafile missing '-'
stats sizes using 2 nooutput; mean = STATS_mean
green = '#1b6b3a'
set label 1 "small messages:\nlatency decides" at graph 0.16, graph 0.14 left textcolor rgb green
set label 2 "b_eff: the mean of sizes, rings, polygons" at graph 0.03, first mean*1.6 left textcolor rgb green
set arrow 2 from graph 0, first mean to graph 1, first mean nohead dashtype (6,4) linecolor rgb green
set label 3 "21 sizes, each with its best method of three;\na dip: the MPI library does worse with that size" at graph 0.43, graph 0.25 left textcolor rgb green
set label 4 "largest messages:\nbandwidth decides" at graph 0.97, graph 0.55 right textcolor rgb green
folder = 'docs'
caption = 'By message size; a run of 2 processes, 12052 MiB each'
call 'plots/rings.gp' run
