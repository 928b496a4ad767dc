#!/usr/bin/env bats
# bats file_tags=together
# beff_report plot and html: pictures, pages, hostile protocols, a browser.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

samples=$TESTS/../protocols/samples

report() {
    "$BUILD/beff_report" "$@"
}

# hostile SAMPLE: copies a sample without its results to `run`, with a host, a processor and a command that attack the shell,
# the page and the terminal.
hostile() {
    mkdir run
    # shellcheck disable=SC2016,SC1003 # must not be expanded
    local names=('"; system("touch pwned1"); print "' '`touch pwned2`' "'; system('touch pwned3'); '"
        '<script>document.title="pwned"</script>' '<img src=x onerror=alert(1)> & @x $(touch pwned4) \' $'J\xc3\xbclich \xff\xfe\x1b[31m')
    sed -e '/^#: end/d' -e '/^#: checksum/d' -e '/^#: result/d' -e '/^#: \(host\|cpu\|command\) = /d' "$samples/$1/run.prot" >run/tail
    head -n 2 run/tail >run/run.prot
    printf '#: host = %s\n#: cpu = %s\n#: command = %s\n' "${names[3]}${names[5]}" "${names[0]}${names[1]}" "${names[*]}" >>run/run.prot
    tail -n +3 run/tail >>run/run.prot
    rm run/tail
}

nothing_happened() {
    [[ -z $(find . -name 'pwned*') ]] || fail "$(find . -name 'pwned*')"
}

@test "plot draws all pictures in all formats, and each script draws its picture when run by hand, in any directory" {
    needs gnuplot python3
    local format script
    cp -r "$samples/beff-n2" run
    for format in svg png pdf eps; do
        run --separate-stderr report plot --format $format run
        [[ $status == 0 && $output == '4 plots in run/plots/' && -z $stderr ]] || fail "$format: $output $stderr"
        [[ $(find run/plots -name "*.$format" -size +1k | wc -l) == 4 ]] || fail "$format: $(ls -l run/plots)"
    done
    [[ $(head -c 4 run/plots/rings.png | tail -c 3) == PNG && $(head -c 4 run/plots/rings.pdf) == %PDF ]]
    holds run/plots/rings.svg 'b_eff = ' '2 processes' 'Rings, random polygons' 'MB/s'
    grep -q '#0072B2\|rgb(  *0, 114, 178)' run/plots/rings.svg
    for script in rings methods patterns repetitions; do
        cmp run/plots/$script.gp "$TESTS/../plots/$script.gp"
        mv run/plots/$script.svg drawn.svg
        gnuplot -e "caption=''" -c run/plots/$script.gp run
        # equal except for the caption and its space
        [[ $(grep -c '<path' run/plots/$script.svg) == $(grep -c '<path' drawn.svg) ]] || fail "$script"
        rm run/plots/$script.svg
        (cd run/plots && gnuplot -c $script.gp ..)
        [[ -s run/plots/$script.svg ]] || fail "$script"
    done
    rm -r run/plots
    gnuplot -c "$TESTS/../plots/rings.gp" run # from the files that the run itself wrote
    holds run/plots/rings.svg '>run<'
    report plot --mono run
    run ! grep -q '#0072B2\|rgb(  *0, 114, 178)' run/plots/rings.svg
}

# positions SVG SERIES: prints the position of each point of a series; the last point is in the key.
positions() {
    awk -v series="$2" '/id="gnuplot_plot_/ { inside = index($0, "id=\"gnuplot_plot_" series "\"") } inside' "$1" |
        sed -n "s/.*href='#gpPt[0-9]*' transform='translate(\([0-9.,]*\)).*/\1/p"
}

@test "both axes of rings.svg agree: if the ping-pong is as fast as the rings per process, their curves coincide" {
    needs gnuplot
    local processes bytes rate
    mkdir -p run/patterns
    for processes in 2 3 12 1000; do
        echo '# bytes accumulated per_process rings random' >run/patterns/sizes.dat
        echo '# bytes bandwidth' >run/patterns/pingpong.dat
        for bytes in 1 16 256 4096 65536 1048576; do
            rate=$((7 * bytes)) # rate of each process; polygons are a third as fast
            echo "$bytes $((rate * processes)) $rate $rate $((rate / 3))" >>run/patterns/sizes.dat
            echo "$bytes $rate" >>run/patterns/pingpong.dat
        done
        gnuplot -c "$TESTS/../plots/rings.gp" run
        local series points=()
        for series in 1 2 3; do points+=("$(positions run/plots/rings.svg $series | head -n 6)"); done
        [[ $(wc -l <<<"${points[0]}") == 6 && ${points[0]} != "${points[1]}" ]] || fail "${points[0]}"
        [[ ${points[0]} == "${points[2]}" ]] || fail "$processes processes: ${points[*]}"
    done
}

@test "runs of beff_io and imb_compat are drawn; the plots of a protocol file are in its directory" {
    needs gnuplot
    cp -r "$samples/beff_io-n2-valid" io
    cp "$samples/imb-mpi1-n2/run.prot" imb.prot
    report plot io imb.prot
    holds io/plots/chunks-n2.svg 'initial write' '+8' '32ki' '94Mi' 'seg_coll'
    holds io/plots/partitions.svg b_eff_io
    holds plots/PingPong.svg 'bandwidth' 'time (µs)' '2 processes'
    rm plots/PingPong.svg io/plots/*.svg
    [[ ! -e io/plots/chunks.dat ]]
    cp "$samples/beff-n2/run.prot" beff.prot
    report plot beff.prot # without tables next to it
    rm plots/rings.svg
    gnuplot -e "patterns='plots'" -c plots/rings.gp .
    [[ -s plots/rings.svg ]]
    gnuplot -c plots/imb.gp . PingPong
    run --separate-stderr gnuplot -c plots/imb.gp .
    [[ $status == 2 && $stderr == *'usage: gnuplot -c plots/imb.gp RUN BENCHMARK'* ]] || fail "$status" "$stderr"
    gnuplot -c io/plots/chunks.gp io
    gnuplot -c io/plots/chunks.gp io 1
    run --separate-stderr gnuplot -c plots/rings.gp nowhere
    [[ $status == 2 && $stderr == *'nowhere/patterns/sizes.dat: nothing to draw' && ! -e nowhere ]]
    [[ -s plots/PingPong.svg && -s io/plots/chunks-n2.svg && -s io/plots/chunks-n1.svg ]]
}

@test "the option --yrange of a run sets the range of its pictures" {
    needs gnuplot
    sed '/^#: checksum/d; s/^\(#: option_yrange = \).*/\10.5:70000000/' "$samples/beff-n2/run.prot" >run.prot
    report plot run.prot
    holds plots/rings.svg '1e+07'
}

@test "pictures with --column are 8.5 cm wide and have their caption in a file, for one run and for several runs" {
    needs gnuplot
    local name
    cp -r "$samples/beff-n2" run
    report plot --column --mono --format pdf run
    grep -aq 'MediaBox \[ 0 0 241 ' run/plots/rings.pdf # points
    "$TESTS/scale_run" run/run.prot later.prot 1 1
    report compare --allow-invalid --column --mono --plots over run -- later.prot >/dev/null || [[ $? == 3 ]]
    report trend --allow-invalid --column --mono --plots over run later.prot >/dev/null || [[ $? == 3 || $? == 5 ]]
    report rank --allow-invalid --column --mono --plots over run later.prot >/dev/null
    for name in compare sizes trend rank; do
        grep -q 'viewBox="0 0 450 ' over/$name.svg || fail "$name: $(head -n 5 over/$name.svg)"
        run ! grep -qi '#0072B2\|rgb(  *0, 114, 178)\|History' over/$name.svg
    done
}

@test "trend and rank draw their results" {
    needs gnuplot
    local day
    for day in 1 5; do
        "$TESTS/scale_run" "$samples/beff-n2/run.prot" $day.prot 1 $day started=2026-11-0${day}T10:00:00Z \
            finished=2026-11-0${day}T10:01:00Z
    done
    sed -i 's/^#: host = .*/#: host = <b>100%s host/' 5.prot
    "$TESTS/seal" 5.prot
    report trend --any-host --allow-invalid --plots over 1.prot 5.prot >/dev/null || [[ $? == 5 ]]
    holds over/trend.svg 'History of runs' '2026-11-0' 'b_eff (MB/s)' VALID
    # shellcheck disable=SC2016 # must not be expanded
    report rank --allow-invalid --plots over 1.prot -- --label '<b>100%s `x` "y" $HOME |' 5.prot >/dev/null
    holds over/rank.svg 'Systems by rating' '&lt;b>100%s `x` '"'y' \$HOME |"
    for day in trend rank; do
        rm over/$day.svg
        gnuplot -c over/$day.gp over
        [[ -s over/$day.svg ]]
    done
}

@test "compare --plots draws both sides in one picture, with the names of their directories" {
    needs gnuplot
    cp -r "$samples/beff-n2" '100%s $HOME `x`'
    report compare --allow-invalid --plots over "$samples/beff-n2" -- '100%s $HOME `x`' >/dev/null || [[ $? == 3 ]]
    holds over/sizes.svg 'before: ' 'beff-n2' 'after: 100%s $HOME `x`' 'after / before' 'no difference'
    holds over/compare.svg 'ratio after / before' b_eff
    (($(grep -c "href='#gpPt" over/compare.svg) > 20)) # a point for each value, even for values without a verdict
}

@test "text in a protocol is drawn and printed, never executed" {
    needs gnuplot python3
    local sample
    for sample in beff-n2 beff_io-n2 imb-mpi1-n2; do
        rm -rf run
        hostile $sample
        run --separate-stderr report plot run
        [[ $status == 0 ]] || fail "$sample: $stderr"
        nothing_happened
        python3 -c 'import sys, xml.etree.ElementTree as e; [e.parse(f) for f in sys.argv[1:]]' run/plots/*.svg
        run --separate-stderr report html -o page.html run
        [[ $status == 0 ]] || fail "$sample: $stderr"
        nothing_happened
        "$TESTS/inspect_page" page.html '<script>document.title="pwned"</script>' 'touch pwned2' 'Jülich'
        run ! grep -q $'\x1b' page.html
    done
}

@test "hostile names of benchmarks and modes are drawn, never executed" {
    needs gnuplot python3
    mkdir run
    # shellcheck disable=SC2016 # must not be expanded
    sed -e '/^#: end/,$d' -e 's|^PingPong\t-|PingPong\t`touch${IFS}pwned`|; s|^Sendrecv\t-|Sendrecv\t";system("id>pwned")#|' \
        -e 's|^Allreduce\t-|Allreduce\t%s@a@<b>\\|' "$samples/imb-mpi1-n2/run.prot" >run/run.prot
    run --separate-stderr report plot run
    [[ $status == 0 ]] || fail "$stderr"
    nothing_happened
    # shellcheck disable=SC2016 # must not be expanded
    holds run/plots/PingPong.svg '2 processes, `touch${IFS}pwned`'
    holds run/plots/Allreduce.svg '2 processes, %s@a@&lt;b>\'
    [[ -z $(find . -newer run/run.prot -type f -not -path './run/plots/*') ]] || fail "$(find .)"
}

@test "names of directories, and scripts and data in them, are never executed" {
    needs gnuplot python3
    local name
    # shellcheck disable=SC2016 # must not be expanded
    for name in '|touch pwned' '< touch pwned' '`touch pwned`' "x'; system('touch pwned'); '" '-e' $'a\nb'; do
        cp -r "$samples/beff-n2" "./$name"
        mkdir "./$name/plots"
        printf 'system("touch pwned")\n' | tee "./$name/plots/rings.gp" "./$name/plots/style.gp" >"./$name/plots/imb.gp"
        printf '< touch pwned\n' >"./$name/patterns/sizes.dat"
        run --separate-stderr report plot "./$name"
        [[ $status == 0 ]] || fail "$name: $stderr"
        grep -q 'ping-pong' "./$name/plots/rings.gp"
        run --separate-stderr report html -o page.html "./$name"
        [[ $status == 0 ]] || fail "$name: $stderr"
        nothing_happened
        cp "$samples/beff-n2/patterns/sizes.dat" "./$name/patterns"
        gnuplot -c "./$name/plots/rings.gp" "$name"
        nothing_happened
        [[ -s ./$name/plots/rings.svg ]]
        rm -r "./$name"
    done
}

@test "plot and html never write through a link" {
    needs gnuplot
    cp -r "$samples/beff-n2" run
    mkdir victim run/plots
    echo mine >victim/file
    ln -s ../../victim/file run/plots/rings.svg
    ln -s ../../victim/file run/plots/rings.gp
    ln -s "$PWD/victim/file" page.html
    ln -s "$PWD/victim/file" page.html.part
    report plot run
    report html -o page.html run
    [[ $(<victim/file) == mine && ! -L run/plots/rings.svg && ! -L run/plots/rings.gp && ! -L page.html ]]
    rm -r run/plots
    ln -s ../victim run/plots
    run --separate-stderr report plot run
    [[ $status == 3 && $(ls victim) == file ]]
    is_one_line "$stderr" 'run/plots' 'symbolic link'
    run --separate-stderr report rank --allow-invalid --plots run/plots run
    [[ $status == 3 && $(ls victim) == file ]]
    [[ -z $(find . -name '.beff-*') ]]
}

@test "without gnuplot, plot prints one line, and the page has no plots" {
    needs python3
    cp -r "$samples/beff-n2" run
    mkdir nothing
    run --separate-stderr env PATH="$PWD/nothing" "$BUILD/beff_report" plot run
    [[ $status == 3 ]]
    is_one_line "$stderr" 'beff_report: ' 'gnuplot is missing'
    run --separate-stderr env PATH="$PWD/nothing" "$BUILD/beff_report" html -o page.html run
    [[ $status == 3 ]]
    is_one_line "$stderr" 'page.html' 'gnuplot is missing'
    "$TESTS/inspect_page" page.html 'There are no plots: gnuplot is missing'
}

@test "if gnuplot fails, this is reported, no partial picture is left, and the page is still created" {
    mkdir bin tmp
    printf '#!/bin/sh\necho "some words" >&2\necho "it is broken" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    cp -r "$samples/beff-n2" run
    run --separate-stderr env PATH="$PWD/bin:$PATH" TMPDIR="$PWD/tmp" "$BUILD/beff_report" plot run
    [[ $status == 3 && -z $(find run -name '*.svg') && -z $(ls tmp) ]]
    is_one_line "$stderr" "gnuplot cannot draw this plot: it is broken"
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$BUILD/beff_report" html -o page.html run
    [[ $status == 3 ]]
    is_one_line "$stderr" "run: rings: gnuplot cannot draw this plot: it is broken"
    "$TESTS/inspect_page" page.html "gnuplot cannot draw this plot: it is broken"
}

@test "the page has all sections, plots and tables of several runs, and refers to no other file" {
    needs gnuplot python3
    cp "$samples/beff_io-n2/run.prot" io.prot
    run --separate-stderr report html -o page.html "$samples/beff-n2" io.prot "$samples/beff-n2-stopped"
    [[ $status == 0 && $output == page.html && -z $stderr ]] || fail "$output $stderr"
    run "$TESTS/inspect_page" page.html 'VALID for comparison' "$(report show "$samples/beff-n2" | tail -n 1)" \
        "$(report show "$samples/beff_io-n2" | tail -n 1)" 'beff_report verify' 'By message size' 'cart2d-x'
    [[ $status == 0 ]] || fail "$output"
    [[ ${output%% *} -ge 9 ]] || fail "$output"
    run --separate-stderr report html -o /nonexistent/page.html "$samples/beff-n2"
    [[ $status == 3 ]]
    is_one_line "$stderr" /nonexistent/page.html
}

@test "a page marks no run as VALID if its results do not follow from its records, and states the cost of noise" {
    needs gnuplot python3
    grep -v '^#: checksum' "$samples/beff_io-n2-valid/run.prot" | sed 's/^#: result b_eff_io = [0-9]/&2/' >edited.prot
    report html -o page.html "$samples/beff_io-n2-valid"
    [[ $(grep -c '<article class="card valid"' page.html) == 1 ]]
    report html -o page.html edited.prot "$samples/beff-n2"
    "$TESTS/inspect_page" page.html 'FAIL: run completed' \
        "the run's files are consistent (2 faults found by beff_report verify)" 'NOT VALID for comparison, noise costs '
    run ! grep 'card valid\|, VALID' page.html
    [[ $(grep -c '<th scope="row">option_\(T\|p\|time\|path\)</th>' page.html) == 2 ]] # settings are listed under one spelling
}

@test "a page of one run has the host and the rating as its title, complete commands, and one row for all polygons" {
    needs gnuplot python3
    cp -r "$samples/beff-n2-valid" run
    report html -o page.html run
    grep -q '<title>vm: b_eff [0-9]* MB/s</title>' page.html
    "$TESTS/inspect_page" page.html 'build/beff_report verify run' 'mpiexec -n 2 build/beff --time 100 ' '30 polygons'
    grep -q '<td>30 polygons</td><td class="">median</td>' page.html
    run ! grep -E '<td class="right">([1-9][0-9]*\.[0-9]{4,}|0\.0*[1-9][0-9]{4,})<' page.html
    sed -n '/<article/,/<\/article>/p' page.html >card
    run ! grep 'not verified\|absent' card
}

@test "a page of many runs starts with a list, the best first, and stays below 2 MB" {
    needs gnuplot python3
    local i
    for i in 1 2 3 4 5 6 7 8; do
        mkdir run-$i
        "$TESTS/scale_run" "$samples/beff-n2-valid/run.prot" run-$i/run.prot 1.$i $i started=2026-11-0${i}T10:00:00Z \
            finished=2026-11-0${i}T10:03:00Z
    done
    report html -o page.html run-?
    [[ $(stat -c %s page.html) -lt 2000000 ]]
    "$TESTS/inspect_page" page.html 'run-3: beff on vm'
    [[ $(grep -o '<tr><th scope="row">run-[0-9]' page.html | grep -o '[0-9]$' | tr -d '\n') == 87654321 ]]
}

@test "a page distinguishes runs of IMB's programs" {
    needs gnuplot
    grep -v '^#: checksum\|^Iallreduce\|^Ialltoall_pure' "$samples/imb-nbc-n2/run.prot" >one.prot
    report html -o page.html "$samples/imb-mpi1-n2" one.prot
    grep -q '<h3>.*/imb-mpi1-n2: imb_compat MPI1 on ' page.html
    grep -q '<h3>one.prot: imb_compat NBC on ' page.html
}

@test "a picture that cannot be drawn is reported, and the page of all runs is still created" {
    needs gnuplot
    local value
    for value in 0 1:0 e 1e400; do
        cp -r "$samples/beff-n2" "run$value"
        sed -i "s/^#: option_yrange = .*/#: option_yrange = $value/" "run$value/run.prot"
        "$TESTS/seal" "run$value/run.prot"
        run report verify "run$value"
        [[ $status == 1 && $output == *"--yrange \"$value\""* ]] || fail "$output"
    done
    run report html -o page.html "$samples/beff_io-n2" run*
    [[ $status == 3 && $output == *"run0: rings: gnuplot cannot draw this plot"* ]] || fail "$output"
    grep -q "gnuplot cannot draw this plot" page.html
}

@test "plots of a run with errors are marked NOT VALID" {
    needs gnuplot
    cp -r "$samples/beff-n2-valid" run
    sed -i '/^#: checksum/d; s/^#: result b_eff = ./&3/' run/run.prot
    report plot run
    grep -q 'NOT VALID' run/plots/rings.svg
}

@test "a browser opens the page without console messages, and sorts its tables" {
    needs gnuplot chromium
    report html -o page.html "$samples/beff-n2" "$samples/beff_io-n2"
    # Clicks as a user would; the result is written to the title.
    sed '$d' page.html | sed 's#</body>##' >clicked.html
    cat >>clicked.html <<'END'
<script>
const table = document.querySelector("table.sortable"), button = table.tHead.querySelector("button");
const first = () => table.tBodies[0].rows[0].cells[0].textContent;
button.click();
const least = first();
button.click();
const wide = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).length;
const closed = () => document.querySelectorAll("details:not([open])").length;
const before = closed();
dispatchEvent(new Event("beforeprint"));
// The font size of the drawings is 13 (plots/style.gp).
const letters = [...document.querySelectorAll("img.plot")].map((plot) => 13 * plot.clientWidth / plot.naturalWidth);
const key = document.querySelector("table.keys tbody th");
document.title = `sorted ${least} ${first()} ${letters.length} ${wide} ${before} ${closed()} ` +
    `${Math.min(...letters) >= 11} ${key.clientWidth > 60 && document.body.scrollWidth <= innerWidth}`;
</script></body></html>
END
    local width
    for width in 500 1200 1900; do
        timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --enable-logging=stderr \
            --window-size=$width,900 --virtual-time-budget=2000 --dump-dom "file://$PWD/clicked.html" >dom 2>messages </dev/null
        run ! grep CONSOLE messages
        run grep -o '<title>[^<]*' dom
        [[ $output =~ ^'<title>sorted 1 '[0-9]{4,}' '[0-9]+' '([0-9]+)' '[1-9][0-9]*' 0 true true'$ ]] || fail "$width: $output"
        [[ $width == 500 || ${BASH_REMATCH[1]} == 0 ]] || fail "$width: $output" # tables need no scrolling
    done
    [[ $(grep -o '<section id="[a-z]*"' dom | wc -l) == 5 ]]
}
