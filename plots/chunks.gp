# Draws I/O bandwidth by chunk size on disk for each type of pattern. "+8" marks unaligned chunks, which are 8 bytes larger. Draws
# one picture for each number of processes, chunks-nPROCESSES.
# beff_io: patterns/chunks.dat
name = 'chunks'; run = exists("ARG1") ? ARG1 : ''; panels = 3
load ARG0[:strlen(ARG0)-strlen(name)-3].'style.gp'
data = patterns.'/chunks.dat'

# Columns: 1 processes, 2 pos, 3 chunk size, 4 access, 5 to 9 bandwidth of each type.
partitions = ''
add(n) = (partitions = strstrt(partitions, sprintf(' %d ', n)) ? partitions : partitions.sprintf(' %d ', n), 1)
stats data using (add(column(1))) nooutput
of(access, type) = column(1) == int(processes) && strcol(4) eq access && valid(type) ? column(type) : NaN
lines(s) = strstrt(s, "\n") ? 1 + lines(s[strstrt(s, "\n")+1:]) : strlen(s) > 0
top = 1 - (35 + 20.0*lines(caption))/height # below the caption and the titles
types = 'scatter shared separated segmented seg_coll'
# Powers of two are 5 units apart; sizes with 8 bytes more are 2 units to the right of them.
place(i) = valid(2) ? 1 + 5*int((column(2)-1)/2) + 2*(int(column(2)-1)%2) : 99
label(i) = !valid(2) ? '' : int(column(2))%2 ? size(column(3)) : '+8'
stats data using (valid(2) ? place(0) : NaN) nooutput; last = exists("STATS_max") ? STATS_max : 0
unset key
set logscale y
set xtics rotate by 90 right

drawn = 0
do for [processes in partitions] {
    lowest = highest = NaN
    set autoscale # otherwise, stats skips values that are out of range
    do for [access in 'write rewrite read'] {
        do for [type=5:9] {
            undefine STATS_*
            stats data using (of(access, type)) nooutput
            if (exists("STATS_records") && STATS_records) { lowest = lowest < STATS_min ? lowest : STATS_min }
            if (exists("STATS_records") && STATS_records) { highest = highest > STATS_max ? highest : STATS_max }
        }
    }
    if (!(highest > 0)) { continue }
    drawn = 1
    set output sprintf('%s/%s-n%s.%s', folder, name, processes, format)
    if (column) { set multiplot layout 3,1 margins 0.18,0.97,0.12,0.96 spacing 0.1 }
    if (!column) { set multiplot layout 1,3 margins 0.11,0.98,130.0/height,top spacing 0.02 title caption }
    do for [i=1:5] {
        x = column ? 0.3*((i-1)%3)+0.1 : 0.18*i-0.09; y = column ? 0.03-0.015*(i>3) : 25.0/height
        set label i word(types, i) at screen x, screen y point lt i ps 1 offset 1,0
    }
    set xrange [0:last+1]; set yrange [ylow(lowest):yhigh(highest)]
    do for [access in 'write rewrite read'] {
        set title (access eq 'write' ? 'initial write' : access) font ',13'
        if (access eq 'write') { set ylabel (processes == 1 ? '1 process' : 'all '.processes.' processes').' (MB/s)' } else { unset ylabel; unset label }
        set format y (!column && access ne 'write' ? '' : '% h')
        if (access eq (column ? 'read' : 'rewrite')) { set xlabel 'chunk size on disk' } else { unset xlabel }
        plot for [type=5:9] data using (place(0)):(of(access, type)):xticlabels(label(0)) \
            with linespoints lt type-4 notitle
    }
    unset multiplot
}
if (!drawn) { print data.': nothing to draw'; exit status 2 }
