#!/usr/bin/env bats
# bats file_tags=together
# beff_report plot and html: pictures, pages, hostile protocols, a browser.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load helpers

samples=$TESTS/../protocols/samples

report() {
    "$BUILD/beff_report" "$@"
}

# hostile SAMPLE: a copy of it in `run`, cut short, in which host, processor and command try what they can.
hostile() {
    mkdir run
    # shellcheck disable=SC2016,SC1003 # not to be expanded by anything
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

@test "plot draws every figure in every format, and each script draws it again" {
    needs gnuplot
    local format
    cp -r "$samples/beff-n2" run
    for format in svg png pdf eps; do
        run --separate-stderr report plot --format $format run
        [[ $status == 0 && $output == '7 plots in run/plots/' && -z $stderr ]] || fail "$format: $output $stderr"
        [[ $(find run/plots -name "*.$format" -size +1k | wc -l) == 7 ]] || fail "$format: $(ls -l run/plots)"
    done
    [[ $(head -c 4 run/plots/kinds.png | tail -c 3) == PNG && $(head -c 4 run/plots/kinds.pdf) == %PDF ]]
    report plot run
    cd run/plots
    gnuplot kinds.gp >again.svg
    cmp again.svg kinds.svg
    holds kinds.svg 'b_eff = ' '2 processes' 'Rings and random polygons' 'MB/s'
    grep -q '#0072B2\|rgb(  *0, 114, 178)' kinds.svg
    cd ../..
    report plot --mono run
    run ! grep -q '#0072B2\|rgb(  *0, 114, 178)' run/plots/kinds.svg
}

@test "beff_io's and imb_compat's runs are drawn, a protocol's file beside it" {
    needs gnuplot
    cp -r "$samples/beff_io-n2-valid" io
    cp "$samples/imb-mpi1-n2/run.prot" imb.prot
    report plot io imb.prot
    holds io/plots/chunks-n2.svg 'initial write' '+8' '32K' '94M' 'seg_coll'
    holds io/plots/partitions.svg b_eff_io
    holds io/plots/slowest.svg 'rank 0, vm' 'slowest process'
    holds plots/PingPong.svg bandwidth 'time of one repetition'
}

@test "a picture with --column is 8.5 cm wide and leaves the words beside it, of several runs, too" {
    needs gnuplot
    local name
    cp -r "$samples/beff-n2" run
    report plot --column --mono --format pdf run
    grep -aq 'MediaBox \[ 0 0 241 ' run/plots/kinds.pdf # points
    grep -q "^caption = 'Rings and random polygons. vm, 2 processes.*no bars" run/plots/kinds.gp
    sed 's/^#: started = 2026/&1/; /^#: checksum/d' run/run.prot >later.prot
    cp "$samples/imb-mpi1-n2/run.prot" imb.prot # the rates of Biband have six digits: their label stays in the picture
    report plot --column imb.prot >/dev/null
    margin() { sed -n '0,/^set lmargin at screen /s/^set lmargin at screen 0.//p' "plots/$1.gp"; }
    [[ $(margin Biband) -gt $(margin PingPong) ]]
    report compare --column --mono --plots over run -- later.prot >/dev/null || [[ $? == 3 ]]
    report trend --column --mono --plots over run later.prot >/dev/null || [[ $? == 3 || $? == 5 ]]
    report rank --allow-invalid --column --mono --plots over run later.prot >/dev/null
    for name in kinds ratios trend systems; do
        grep -q 'viewBox="0 0 450 ' over/$name.svg || fail "$name: $(head -n 5 over/$name.svg)"
        run ! grep -qi '#0072B2\|rgb(  *0, 114, 178)' over/$name.svg
    done
}

@test "trend and rank draw what they say; rank makes a page" {
    needs gnuplot python3
    local day
    for day in 1 5; do
        sed "s/^#: \(started\|finished\) = 2026-11-../#: \1 = 2026-11-0$day/; /^#: result/d; /^#: checksum/d" "$samples/beff-n2/run.prot" >$day.prot
    done
    sed -i 's/^#: host = .*/#: host = <b>other/' 5.prot
    report trend --any-host --allow-invalid --plots over 1.prot 5.prot >/dev/null || [[ $? == 5 ]]
    holds over/trend.svg 'History of runs' '2026-11-0' 'NOT VALID'
    report rank --allow-invalid --plots over 1.prot 5.prot >/dev/null
    holds over/systems.svg 'Systems by rating' 'other, 2 processes'
    sed '/^#: checksum/d; s/^#: time_s = .*/#: time_s = 3600/; s/^#: started = 2026/&1/' "$samples/beff_io-n2-valid/run.prot" >long.prot
    report rank --allow-invalid --plots over "$samples/beff_io-n2-valid" long.prot >/dev/null
    holds over/by-time_s.svg 'scheduled time T (s)' 1800 3600
    report rank --allow-invalid --format html 1.prot 5.prot >rank.html
    python3 - rank.html <<'END'
import html.parser, sys
class Page(html.parser.HTMLParser):
    tags, text = [], ""
    def handle_starttag(self, tag, attributes): self.tags.append(tag)
    def handle_data(self, data): self.text += data
page = Page()
page.feed(open(sys.argv[1]).read())
assert page.tags.count("img") == 1 and page.tags.count("table") == 1 and "b" not in page.tags
assert "<b>other" in page.text and "not told apart" in page.text
END
}

@test "compare --plots lays both sides over one another" {
    needs gnuplot
    report compare --plots over "$samples/beff-n2" -- "$samples/beff-n2" >/dev/null || [[ $? == 3 ]]
    holds over/kinds.svg 'before: ring patterns' 'after: ring patterns' 'after / before'
    holds over/ratios.svg 'no difference'
}

@test "what a protocol says is drawn and printed, never obeyed" {
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

@test "benchmarks and patterns with hostile names" {
    needs gnuplot python3
    mkdir run
    # shellcheck disable=SC2016 # not to be expanded by anything
    sed -e '/^#: end/,$d' -e 's|^PingPong\t|`touch${IFS}pwned`\t|; s|^Sendrecv\t|<b>../a"\x27\t|; s|^Allreduce\t|@a@\\\t|' \
        "$samples/imb-mpi1-n2/run.prot" >run/run.prot
    run --separate-stderr report plot run
    [[ $status == 0 || $status == 3 ]] || fail "$stderr"
    nothing_happened
    [[ -z $(find . -newer run/run.prot -type f -not -path './run/plots/*') ]] || fail "$(find .)"
}

@test "without gnuplot plot says it in a line, and the page is made without plots" {
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

@test "a gnuplot that fails is named, and no half a picture or page is left" {
    mkdir bin
    printf '#!/bin/sh\necho "some words" >&2\necho "it is broken" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    cp -r "$samples/beff-n2" run
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$BUILD/beff_report" plot run
    [[ $status == 3 && -z $(find run -name '*.svg') ]]
    is_one_line "$stderr" "gnuplot can't draw it: it is broken"
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$BUILD/beff_report" html -o page.html run
    [[ $status == 3 && -z $(ls page.html* 2>/dev/null) ]]
}

@test "the page has every section, plot and table of several runs, and needs nothing else" {
    needs gnuplot python3
    run --separate-stderr report html -o page.html "$samples/beff-n2" "$samples/beff_io-n2" "$samples/beff-n2-stopped"
    [[ $status == 0 && $output == page.html && -z $stderr ]] || fail "$output $stderr"
    run "$TESTS/inspect_page" page.html 'VALID for comparison' "$(tail -n 1 "$TESTS/golden/beff-n2.text")" \
        "$(tail -n 1 "$TESTS/golden/beff_io-n2.text")" 'beff_report verify' 'By message size' 'cart2d-x'
    [[ $status == 0 ]] || fail "$output"
    [[ ${output%% *} -ge 12 ]] || fail "$output"
    run --separate-stderr report html -o /nonexistent/page.html "$samples/beff-n2"
    [[ $status == 3 ]]
    is_one_line "$stderr" /nonexistent/page.html
}

@test "a page calls no run VALID whose lines do not follow from its records, and says that a machine is noisy" {
    needs gnuplot python3
    grep -v '^#: checksum' "$samples/beff_io-n2-valid/run.prot" | sed 's/^#: result b_eff_io = 2/&2/' >edited.prot
    report html -o page.html "$samples/beff_io-n2-valid"
    [[ $(grep -c '<article class="card valid"' page.html) == 1 ]]
    report html -o page.html edited.prot "$samples/beff-n2"
    "$TESTS/inspect_page" page.html 'not reached: the run came to its end' \
        "no fault in the run's files (2 found)" 'NOT VALID for comparison, on a noisy machine'
    run ! grep 'card valid\|, VALID' page.html
    [[ $(grep -c '<th scope="row">\(T\|p\|time\|path\)</th>' page.html) == 2 ]] # settings without their other spellings
}

@test "a page tells runs of IMB's programs apart, and has no heading without a picture" {
    needs gnuplot
    grep -v '^#: checksum\|^Iallreduce\|^Ialltoall_pure' "$samples/imb-nbc-n2/run.prot" >one.prot
    report html -o page.html "$samples/imb-mpi1-n2" one.prot
    grep -q '<h3>imb_compat MPI1 on ' page.html
    grep -q '<h3>imb_compat NBC on ' page.html
    [[ $(sed -n '/<section id="plots"/,/<\/section>/p' page.html | grep -c '<h3>') == 1 ]]
}

@test "plots of a run with faults say so" {
    needs gnuplot
    cp -r "$samples/beff-n2" run
    sed -i '/^#: checksum/d; s/^#: result b_eff = 3/&3/' run/run.prot
    report plot run
    grep -q 'NOT VALID: faults in its files: ' run/plots/kinds.svg
}

@test "a browser opens the page without a word on its console, and sorts its tables" {
    needs gnuplot chromium
    report html -o page.html "$samples/beff-n2" "$samples/beff_io-n2"
    # A click as a person would make it; what comes of it is told in the title.
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
document.title = `sorted ${least} ${first()} ${document.querySelectorAll("img.plot").length} ${wide} ${before} ${closed()}`;
</script></body></html>
END
    timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --enable-logging=stderr \
        --window-size=1200,900 --virtual-time-budget=2000 --dump-dom "file://$PWD/clicked.html" >dom 2>messages </dev/null
    run ! grep CONSOLE messages
    run grep -o '<title>[^<]*' dom
    [[ $output =~ ^'<title>sorted 1 '[0-9]{4,}' '[0-9]+' 0 '[1-9]' 0'$ ]] || fail "$output"
    [[ $(grep -o '<section id="[a-z]*"' dom | wc -l) == 6 ]]
}
