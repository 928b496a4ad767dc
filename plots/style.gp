# Style and functions of all pictures, for gnuplot 5.2 or later. Each script reads a table in patterns/ of a run, which its first
# lines name, and draws into plots/. beff_plot calls all scripts that suit a run. To draw one picture, or to change its looks:
# gnuplot -d -e "VARIABLE=VALUE; ..." -c SCRIPT.gp RUN, with these variables:
#   format='svg'  file format: svg, png, pdf or eps
#   mono=1        draws in black and grey
#   column=1      makes the plot 8.5 cm wide, without the caption
#   caption='...' sets the caption
#   yrange='MAX'  sets the range of the bandwidth axis in MB/s: MAX or MIN:MAX
#   folder='DIR'  sets the folder for the pictures
# A script sets `name` and `run` (its first argument), and `panels` if the picture has several, and then loads this file.
if (!exists("format")) { format = 'svg' }
if (!exists("mono")) { mono = 0 }
if (!exists("column")) { column = 0 }
if (!exists("caption")) { caption = run eq '' ? name : run }
if (!exists("yrange")) { yrange = '' }
if (column) { caption = '' }

# All file names begin with / or ./ so that gnuplot does not take them for commands.
dir = (run[1:1] eq '/' ? '' : './').run
if (!exists("folder")) { folder = dir.'/plots' }
patterns = dir.'/patterns'
protocol = dir.'/run.prot'
quoted(s) = strstrt(s, "'") ? s[:strstrt(s, "'")-1]."'\\''".quoted(s[strstrt(s, "'")+1:]) : s
is_file(path) = int(system("[ -f '".quoted(path)."' ]; echo $?")) == 0
system("[ ! -d '".quoted(dir)."' ] || mkdir -p '".quoted(folder)."'")

if (!exists("panels")) { panels = 1 }
width = column ? 450 : 900
height = (column ? 330*panels : 520) + (exists("rows") && rows > 20 ? 18*(rows-20) : 0)
scale = column ? 0.00744 : 0.01
set encoding utf8
if (format eq 'svg') { set terminal svg size width,height font 'sans-serif,13' background rgb 'white' }
if (format eq 'png') { set terminal pngcairo size 2*width,2*height font 'sans-serif,10' fontscale 2 linewidth 2 pointscale 2 }
if (format eq 'pdf') { set terminal pdfcairo size scale*width,scale*height font sprintf('sans-serif,%g', 1000*scale) }
if (format eq 'eps') { set terminal epscairo size scale*width,scale*height font sprintf('sans-serif,%g', 1000*scale) }
set termoption noenhanced

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
do for [i=1:7] {
    colour = mono ? 'black' : word('#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000', i)
    dashes = mono ? i : 1
    point = int(word('7 5 9 13 11 6 4', i))
    set linetype i lc rgb colour dt dashes lw 1.6 pt point ps 0.6
}
set linetype cycle 7
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.7
set bars 0.5
set xlabel offset 0,0.4
set key bmargin center horizontal Left reverse samplen 3 width 1 height 0.5
set title caption font sprintf(',%g', format eq 'svg' ? 13 : 9) offset 0,-0.4
set format '%h' # gnuplot's default adds zeros on some logarithmic axes: 10.00000
set datafile missing '-'
known(i) = valid(i) ? column(i) : NaN # a missing value interrupts a line

# size(BYTES) is a size with its unit, such as '64 KiB'; gnuplot's own format %B writes kiB. `eval size_axis` sets up the axis of
# message sizes, with a tick at each power of `step`; a column has half as many.
if (!exists("step")) { step = 16 }
power(bytes) = bytes < 1024 ? 0 : 1 + power(bytes/1024.0)
size(bytes) = sprintf('%.0f %s', bytes/1024.0**power(bytes), word('B KiB MiB GiB TiB', 1 + power(bytes)))
tick(i) = real(step)**(column ? 2*i : i)
size_axis = "set logscale x 2; set xlabel 'message size'; set xtics (); do for [i=0:8] { set xtics add (size(tick(i)) tick(i)) }"
# The range of bandwidths: the option yrange, or whole powers of ten. The numbers are reals, because gnuplot divides integers
# like C.
low(x) = 10.0**floor(log10(x))
high(x) = 10.0**(floor(log10(x)) + 1)
colon = strstrt(yrange, ':')
exponent(s) = strstrt(s, 'e') + strstrt(s, 'E')
number(s) = real(exponent(s) && !strstrt(s, '.') ? s[:exponent(s)-1].'.0'.s[exponent(s):] : s) # gnuplot 5.4 fails at 1e5
ylow(x) = colon && number(yrange[:colon-1]) > 0 ? number(yrange[:colon-1]) : low(x)
yhigh(x) = yrange eq '' ? high(x) : number(yrange[colon+1:])
