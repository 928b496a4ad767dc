#!/usr/bin/env bats
# beff_plot, beff_report tables and beff_report show --format html: pictures, tables, pages, hostile protocols, a browser.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

samples=$TESTS/../protocols/samples
scripts=$TESTS/../plots

report() {
    "$BUILD/beff_report" "$@"
}

draw() { # RUN [FORMAT]
    "$BUILD/beff_plot" "$@"
}

# sample NAME [DIRECTORY]: copies the protocol of a sample, without its tables, to a directory, by default `run`.
sample() {
    mkdir -p "${2-run}" && cp "$samples/$1/run.prot" "${2-run}"
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
    {
        printf '#: host = %s\n#: cpu = %s\n#: command = %s\n' "${names[3]}${names[5]}" "${names[0]}${names[1]}" "${names[*]}"
        printf '#: mpi = %s\n' "${names[2]}"
        tail -n +3 run/tail | grep -v '^#: mpi = '
    } >>run/run.prot
    rm run/tail
}

nothing_happened() {
    [[ -z $(find . -name 'pwned*') ]] || fail "$(find . -name 'pwned*')"
}

@test "tables writes the tables of all three programs; those of a run of beff and beff_io are what the run wrote" {
    local name
    for name in beff-n2-valid beff_io-n2-valid; do
        sample $name $name
        report tables $name
        diff -r "$samples/$name/patterns" $name/patterns
    done
    report tables "$samples/imb-mpi1-n2" imb
    [[ $(ls imb) == sizes.dat && -n $(awk '!/^#/ && $1 == "PingPong" && $6 == 4096 { print $7 }' imb/sizes.dat) ]]
    grep -q '^#.* time_avg_us ' imb/sizes.dat
    run --separate-stderr report tables "$samples/beff-n2/run.prot"
    [[ $status == 3 ]]
    is_one_line "$stderr" 'name a folder for its tables'
}

@test "a folder that cannot be written is reported in one line; tables replaces links instead of following them" {
    sample beff-n2
    run --separate-stderr report tables run /nonexistent/folder
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" '/nonexistent/folder/' 'No such file or directory'
    echo mine >file
    run --separate-stderr report tables run file
    [[ $status == 3 && $(<file) == mine ]]
    is_one_line "$stderr" 'file/'
    if [[ -e /dev/full ]]; then
        mkdir tables
        ln -s ../file tables/sizes.dat
        report tables run tables
        [[ $(<file) == mine && ! -L tables/sizes.dat ]]
    fi
}

@test "beff_plot draws all pictures in all formats, from the tables, and each script draws its picture when run by hand" {
    needs gnuplot python3
    local format script
    sample beff-n2
    for format in svg png pdf eps; do
        run --separate-stderr draw run $format
        [[ $status == 0 && $output == '5 pictures in run/plots/' && -z $stderr ]] || fail "$format: $output $stderr"
        [[ $(find run/plots -name "*.$format" -size +1k | wc -l) == 5 ]] || fail "$format: $(ls -l run/plots)"
    done
    [[ -z $(find run -name '.new*') ]]
    [[ $(head -c 4 run/plots/rings.png | tail -c 3) == PNG && $(head -c 4 run/plots/rings.pdf) == %PDF ]]
    holds run/plots/rings.svg 'b_eff = ' 'vm, 2 processes' 'MB/s' 'NOT VALID' '>16 B<' '>64 KiB<'
    run ! grep -q 'kiB' run/plots/*.svg
    grep -q '#0072B2\|rgb(  *0, 114, 178)' run/plots/rings.svg
    for script in rings methods patterns repetitions loss; do
        mv run/plots/$script.svg drawn.svg
        gnuplot -d -e "caption='a'" -c "$scripts/$script.gp" run
        [[ $(grep -c '<path' run/plots/$script.svg) == $(grep -c '<path' drawn.svg) ]] || fail "$script"
    done
    rm run/plots/rings.svg
    (cd "$scripts" && gnuplot -d -c rings.gp "$BATS_TEST_TMPDIR/here/run")
    [[ -s run/plots/rings.svg ]]
    gnuplot -d -e "mono=1" -c "$scripts/rings.gp" run
    holds run/plots/rings.svg '>run<'
    run ! grep -q '#0072B2\|rgb(  *0, 114, 178)' run/plots/rings.svg
    gnuplot -d -e "format='pdf'; column=1" -c "$scripts/rings.gp" run
    # The width in points. Some versions of cairo compress the objects of a PDF file.
    python3 - run/plots/rings.pdf <<'END'
import re, sys, zlib
data = open(sys.argv[1], "rb").read()
streams = [zlib.decompressobj().decompress(s) for s in re.findall(rb"stream\r?\n(x.*?)endstream", data, re.S)]
assert re.search(rb"MediaBox *\[ *0 0 241 ", data + b" ".join(streams)), data
END
}

@test "beff_plot draws where the bandwidth goes, and the matrix of nodes with a dark row and column of a slow node" {
    needs gnuplot
    local bytes from to
    sample beff-n2
    mkdir run/patterns
    for bytes in 1 1024 1048576; do
        echo "$bytes 1000 $((bytes > 1000 ? 800 : 8)) 400 200 50"
    done >run/patterns/loss.dat
    draw run
    holds run/plots/loss.svg 'link: 1000 MB/s' 'a pair alone' 'all processes of a node' 'all at once' '(%)'
    sed -i 's/ 1000 \([0-9]*\) 400 / - \1 \1 /' run/patterns/loss.dat # neither the link nor several processes of a node
    draw run
    holds run/plots/loss.svg 'a pair alone' 'all at once'
    run ! grep -q 'link: \|all processes of a node' run/plots/loss.svg
    for from in 0 1 2 3; do
        for to in 0 1 2 3; do
            ((from == to)) || echo "$from $to $((from == 2 || to == 2 ? 100 : 900)) -"
        done
    done >run/patterns/node_matrix.dat
    run draw run png
    [[ $output == '2 pictures in run/plots/' && -s run/plots/matrix.png ]] || fail "$output"
    draw run
    # The yellow cells of the three quick nodes, upright.
    [[ $(grep -c "polygon.*rgb(253, 231,  37).* points = '[0-9.]*,\([0-9.]*\) [0-9.]*,\1 " run/plots/matrix.svg) == 6 ]]
}

@test "the user's settings of gnuplot and an unknown terminal change no picture; no picture at all is an error" {
    needs gnuplot
    local file
    sample beff-n2
    draw run
    mv run/plots usual
    mkdir home
    printf '%s\n' 'set datafile separator ","' 'set datafile columnheaders' 'set xrange [5:6]' 'set title "mine"' 'set output "mine"' >home/.gnuplot
    HOME=$PWD/home GNUTERM=unknown CDPATH=/ draw run
    for file in usual/*; do
        cmp "$file" "run/plots/${file##*/}"
    done
    (unset HOME; draw run)
    sed -i '/^[^#]/d' run/patterns/*.dat
    run --separate-stderr draw run
    [[ $status == 3 && -z $output ]]
    is_one_line "$stderr" 'beff_plot: nothing to draw: the tables of run are missing ("beff_report tables" writes them) or empty'
    rm run/patterns/*
    run --separate-stderr draw run
    [[ $status == 3 ]]
    is_one_line "$stderr" 'beff_plot: nothing to draw'
}

@test "the numbers of all axes are plain, whatever the number of processes" {
    needs gnuplot
    local processes bytes
    mkdir -p run/patterns
    for processes in 3 12 128; do
        echo '# bytes accumulated per_process rings random' >run/patterns/sizes.dat
        echo '# bytes bandwidth' >run/patterns/pingpong.dat
        for bytes in 1 16 256 4096 65536 1048576; do
            awk -v b=$bytes -v n=$processes 'BEGIN { r = b * 0.0007; print b, r * n, r, r, r }' >>run/patterns/sizes.dat
            awk -v b=$bytes 'BEGIN { print b, b * 0.0007 }' >>run/patterns/pingpong.dat
        done
        gnuplot -d -c "$scripts/rings.gp" run
        sed 's/<[^>]*>//g; s/[[:space:]]//g' run/plots/rings.svg | grep -x '[0-9.]*[0-9]' >numbers
        [[ $(wc -l <numbers) -gt 10 ]] && ! grep '\.[0-9]*0$' numbers || fail "$processes: $(<numbers)"
    done
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
        gnuplot -d -c "$scripts/rings.gp" run
        local series points=()
        for series in 1 2 3; do points+=("$(positions run/plots/rings.svg $series | head -n 6)"); done
        [[ $(wc -l <<<"${points[0]}") == 6 && ${points[0]} != "${points[1]}" ]] || fail "${points[0]}"
        [[ ${points[0]} == "${points[2]}" ]] || fail "$processes processes: ${points[*]}"
    done
}

@test "repetitions.svg shows b_eff of the protocol, above the ratings of the repetitions" {
    needs gnuplot
    mkdir -p run/patterns
    printf '1 1 yes 100 100 100\n1 2 yes 50 50 50\n1 3 yes 100 100 100\n' >run/patterns/repetitions.dat
    printf '#: result b_eff = 100.0 MB/s\n#: result b_eff_rings = 1000 MB/s\n1\t2\n' >run/run.prot
    gnuplot -d -c "$scripts/repetitions.gp" run
    # The line of b_eff is at the height of the repetitions with this rating.
    local height
    height=$(positions run/plots/repetitions.svg 2 | head -n 1)
    awk '/id="gnuplot_plot_1"/ { inside = 1 } /id="gnuplot_plot_2"/ { inside = 0 } inside' run/plots/repetitions.svg | grep -qF ",${height#*,} " ||
        fail "$height" "$(grep -A 5 'id="gnuplot_plot_1"' run/plots/repetitions.svg)"
}

@test "injection.svg: bandwidth and message rate by processes of each node, and the link's rate" {
    needs gnuplot
    local m
    mkdir -p run/patterns
    printf '#: result injection_bandwidth = 900.0 MB/s\n#: result injection_link_percent = 90.0 %%\n1\t2\n' >run/run.prot
    echo '# processes messages bandwidth' >run/patterns/injections.dat
    for m in 1 2 4 6; do echo "$m $((1000000 * m)) 900" >>run/patterns/injections.dat; done
    gnuplot -d -c "$scripts/injection.gp" run
    holds run/plots/injection.svg '>link: 1000 MB/s<' '>bandwidth<' '>message rate<' '>6<' 'processes of each node'
    # The bandwidth is flat; the message rate grows in proportion. The last point of a series is in the key.
    python3 - <(positions run/plots/injection.svg 2a | head -n -1) <(positions run/plots/injection.svg 2b | head -n -1) <<'END'
import sys
flat, growing = ([float(line.split(",")[1]) for line in open(path)] for path in sys.argv[1:])
assert len(flat) == len(growing) == 4 and len(set(flat)) == 1, (flat, growing)
steps = [growing[i] - growing[i + 1] for i in range(3)]
assert abs(steps[1] / steps[0] - 2) < 0.01 and abs(steps[2] / steps[0] - 2) < 0.01, growing
END
    # One process on each node, and an unknown link.
    printf '1 1000000 900\n' >run/patterns/injections.dat
    rm run/run.prot
    gnuplot -d -c "$scripts/injection.gp" run
    run ! grep -q '>link: ' run/plots/injection.svg
    # Nothing was measured.
    printf '1 - -\n' >run/patterns/injections.dat
    run --separate-stderr gnuplot -d -c "$scripts/injection.gp" run
    [[ $status == 2 && $stderr == *'injections.dat: nothing to draw' ]]
}

@test "runs of beff_io and imb_compat are drawn; the pictures of NAME.prot are in NAME/plots" {
    needs gnuplot
    sample beff_io-n2-valid io
    cp "$samples/imb-mpi1-n2/run.prot" imb.prot
    draw io
    draw imb.prot
    holds io/plots/chunks-n2.svg 'initial write' '+8' '>32 KiB<' '>94 MiB<' 'seg_coll' 'all 2 processes'
    holds io/plots/chunks-n1.svg '1 process (MB/s)'
    holds io/plots/partitions.svg b_eff_io
    [[ $(cd imb/plots && echo *) == 'Allreduce.svg Barrier.svg Biband.svg Exchange.svg PingPong.svg Sendrecv.svg Uniband.svg' ]]
    holds imb/plots/PingPong.svg 'PingPong: vm, 2 processes' 'bandwidth' 'time (µs)' '>2 processes<'
    draw "$PWD/io/run.prot" png
    [[ -s io/plots/chunks-n2.png ]]
    run --separate-stderr gnuplot -d -c "$scripts/rings.gp" nowhere
    [[ $status == 2 && $stderr == *'nowhere/patterns/sizes.dat: nothing to draw' && ! -e nowhere ]]
}

@test "series of imb_compat: one for each number of processes, group and mode" {
    needs gnuplot
    mkdir -p run/patterns
    echo '#: program = imb_compat' >run/run.prot
    local bytes processes
    for processes in 2 4; do
        for bytes in 0 4 16; do echo "Bcast - $processes 1 - $bytes 10 - - - 1$bytes - - - - -"; done
    done >run/patterns/sizes.dat
    for processes in 1 4; do
        for bytes in AGGREGATE NON-AGGREGATE; do echo "Sync $bytes $processes 2 - 0 10 - - - - 1$processes - - - -"; done
    done >>run/patterns/sizes.dat
    draw run
    [[ $(positions run/plots/Bcast.svg 1a | wc -l) == 4 && $(positions run/plots/Bcast.svg 2a | wc -l) == 4 ]] # 3, and the key
    [[ $(positions run/plots/Sync.svg 1a | wc -l) == 3 ]]
    holds run/plots/Bcast.svg '>2 processes<' '>4 processes<'
    holds run/plots/Sync.svg 'all processes, AGGREGATE' 'all processes, NON-AGGREGATE'
}

@test "a comparison is drawn from the tables of compare --tables, for runs with and without a rating" {
    needs gnuplot
    local sample i
    stops_after 3 beff
    cp "$samples/imb-mpi1-n2/run.prot" imb
    for sample in beff imb; do
        for i in 1 2 3 4 5 6 7 8; do "$TESTS/scale_run" $sample $sample-$i.prot $((i < 5 ? 2 : 1)) $sample$i; done
        report compare --tables tables-$sample $sample-[1-4].prot -- $sample-[5-8].prot >/dev/null
        run --separate-stderr draw tables-$sample
        [[ $status == 0 && $output == "1 picture in tables-$sample/plots/" && -z $stderr ]] || fail "$output $stderr"
        holds tables-$sample/plots/compare.svg 'ratio after / before' 'message size'
    done
    holds tables-beff/plots/compare.svg '>b_eff<' '>pingpong_latency_us<'
}

@test "the option --yrange of a run sets the range of its pictures" {
    needs gnuplot
    sample beff-n2
    sed -i '/^#: checksum/d; s/^\(#: option_yrange = \).*/\10.5:70000000/' run/run.prot
    draw run
    holds run/plots/rings.svg '1e+07'
}

@test "text in a protocol is drawn and printed, never executed" {
    needs gnuplot python3
    local sample
    for sample in beff-n2 beff_io-n2 imb-mpi1-n2; do
        rm -rf run
        hostile $sample
        run --separate-stderr draw run
        [[ $status == 0 && -z $stderr ]] || fail "$sample: $output $stderr"
        nothing_happened
        python3 -c 'import sys, xml.etree.ElementTree as e; [e.parse(f) for f in sys.argv[1:]]' run/plots/*.svg
        report show --format html run >page.html
        nothing_happened
        "$TESTS/inspect_page" page.html '<script>document.title="pwned"</script>' 'touch pwned2' 'touch pwned3' 'Jülich'
        run ! grep -q $'\x1b' page.html
    done
}

@test "hostile tables are drawn, never executed, and pictures are only in plots" {
    needs gnuplot python3
    sample imb-mpi1-n2
    report tables run
    # shellcheck disable=SC2016 # must not be expanded
    sed -i -e 's|^ *PingPong *-|`touch${IFS}pwned` -|; s|^ *Sendrecv *-|../../pwned -|' \
        -e 's|^ *Allreduce *-|Allreduce %s@a@<b>\\|' run/patterns/sizes.dat
    draw run
    nothing_happened
    holds run/plots/Allreduce.svg '2 processes, %s@a@&lt;b>'
    [[ -z $(find . -name '*.svg' -not -path './run/plots/*') ]] || fail "$(find .)"
}

@test "names of directories, and scripts and data in them, are never executed" {
    needs gnuplot python3
    local name
    # shellcheck disable=SC2016 # must not be expanded
    for name in '|touch pwned' '< touch pwned' '`touch pwned`' "x'; system('touch pwned'); '" '-e' $'a\nb\x7f\x1b[31m' '$(touch pwned)'; do
        mkdir -p "./$name/patterns"
        cp "$samples/beff-n2/run.prot" "./$name"
        cp "$samples"/beff-n2/patterns/{sizes,repetitions}.dat "./$name/patterns"
        printf 'system("touch pwned")\n' | tee "./$name/rings.gp" >"./$name/style.gp"
        run --separate-stderr draw "./$name"
        [[ $status == 0 && $(find "./$name/plots" -name '*.svg' -printf x) == xxx && $output$stderr != *[$'\x7f\x1b']* ]] || fail "$name: $output $stderr"
        report show --format html "./$name" >page.html
        nothing_happened
        printf '< touch pwned\n' >"./$name/patterns/sizes.dat"
        draw "./$name"
        nothing_happened
        rm -r "./$name"
    done
}

@test "beff_plot and the page follow no link" {
    needs gnuplot python3
    sample beff-n2
    mkdir victim run/plots
    echo mine >victim/file
    ln -s ../../victim/file run/plots/rings.svg
    report show --format html run >page.html
    [[ $("$TESTS/inspect_page" page.html) == '0 plots'* ]]
    draw run
    [[ $(<victim/file) == mine && ! -L run/plots/rings.svg ]]
    rm -r run/plots
    ln -s ../victim run/plots
    run --separate-stderr draw run
    [[ $status == 3 && $(ls victim) == file ]]
    is_one_line "$stderr" 'run/plots is a symbolic link'
}

@test "without gnuplot, beff_plot prints one line, and the page has no pictures" {
    needs python3
    local tool
    sample beff-n2
    mkdir bin
    for tool in sh dirname readlink sed tr; do ln -s "$(command -v $tool)" bin/; done
    run --separate-stderr env PATH="$PWD/bin" "$BUILD/beff_plot" run
    [[ $status == 3 && -z $output ]] || fail "$status $output"
    is_one_line "$stderr" 'beff_plot: gnuplot is missing'
    report show --format html run >page.html
    "$TESTS/inspect_page" page.html 'beff_plot run draws them'
}

@test "a bad command line, and a directory without a run, are reported in one line" {
    needs gnuplot
    local line
    mkdir empty
    while read -r line; do
        # shellcheck disable=SC2086 # word splitting is intended
        run --separate-stderr draw $line
        [[ $status == 2 ]] || fail "$line: status $status"
        is_one_line "$stderr" 'beff_plot: '
    done <<<$'\n--nonsense\nrun gif\nrun svg more'
    for line in nowhere empty "$BUILD/config.mk"; do
        run --separate-stderr draw "$line"
        [[ $status == 3 ]] || fail "$line: status $status"
        is_one_line "$stderr" 'beff_plot: '
    done
}

@test "if gnuplot fails, this is reported, no partial picture is left, and the page is still created" {
    needs python3
    mkdir bin
    printf '#!/bin/sh\necho "some words" >&2\necho "it is broken" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    sample beff-n2
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$BUILD/beff_plot" run
    [[ $status == 3 && -z $(find run/plots -type f) && $(wc -l <<<"$stderr") == 5 ]] || fail "$stderr"
    is_one_line "$(tail -n 1 <<<"$stderr")" 'gnuplot cannot draw rings: it is broken'
    report show --format html run >page.html
    "$TESTS/inspect_page" page.html
}

@test "the page has verdicts, figures, pictures, tables and metadata of several runs, and refers to no other file" {
    needs gnuplot python3
    cp "$samples/beff_io-n2/run.prot" io.prot
    sample beff-n2
    draw run
    draw io.prot
    run --separate-stderr report show --format html run io.prot nowhere "$samples/beff-n2-stopped"
    [[ $status == 3 ]]
    is_one_line "$stderr" nowhere
    echo "$output" >page.html
    run "$TESTS/inspect_page" page.html 'VALID for comparison' "$(report show run | tail -n 1)" "$(report show io.prot | tail -n 1)" \
        'beff_report verify' 'By message size' 'cart2d-x' 'option_polygons' 'b_eff at Lmax'
    [[ $status == 0 && ${output%% *} == 8 ]] || fail "$output"
    grep -q '<title>vm: b_eff [0-9]* MB/s and 3 other runs</title>' page.html
    [[ $(grep -c '<h2>' page.html) == 3 ]]
}

@test "a page marks no run as VALID if its results do not follow from its records, and states the cost of noise" {
    needs python3
    grep -v '^#: checksum' "$samples/beff_io-n2-valid/run.prot" | sed 's/^#: result b_eff_io = [0-9]/&2/' >edited.prot
    report show --format html "$samples/beff_io-n2-valid" >page.html
    [[ $(grep -c '<article class="card valid"' page.html) == 1 ]]
    report show --format html edited.prot "$samples/beff-n2" >page.html
    "$TESTS/inspect_page" page.html 'FAIL: run completed' 'NOT VALID for comparison, noise costs '
    run ! grep 'card valid\|, VALID' page.html
}

@test "pictures of a run with errors are marked NOT VALID" {
    needs gnuplot
    sample beff-n2-valid
    draw run
    run ! grep -q 'NOT VALID' run/plots/rings.svg
    sed -i '/^#: checksum/d; s/^#: result b_eff = ./&3/' run/run.prot
    draw run
    grep -q 'NOT VALID' run/plots/rings.svg
}

@test "a browser opens the page without console messages, and shows its pictures" {
    needs gnuplot chromium
    sample beff-n2
    draw run
    report show --format html run "$samples/imb-ext-n2" | sed 's/; style-src/; script-src '"'unsafe-inline'"'&/; s/script-src.*script-src/script-src/' >page.html
    cat >>page.html <<'END'
<script>
onload = () => document.title = `${[...document.querySelectorAll("img")].filter((i) => i.naturalWidth > 0).length} ${document.body.scrollWidth <= innerWidth}`;
</script>
END
    local width
    for width in 500 1200; do
        timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --enable-logging=stderr \
            --window-size=$width,900 --virtual-time-budget=2000 --dump-dom "file://$PWD/page.html" >dom 2>messages </dev/null
        run ! grep CONSOLE messages
        grep -q '<title>5 true</title>' dom || fail "$(grep -o '<title>[^<]*' dom)"
    done
}
