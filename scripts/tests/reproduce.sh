#!/bin/bash
# scripts/reproduce: Table 5 from the formulas alone equals the paper's to the printed digit; parts
# stay when others are made; one line for bad input; nothing is left of an interrupted run.
#
# usage: reproduce.sh REPRODUCE-SCRIPT BIN-DIRECTORY
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../runtime/launcher/tests/draw.bash"
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../support/tests/script.bash"

reproduce=$1
bin=$2
paper=$(dirname "$reproduce")/../results/paper
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# refuse STATUS LINE OPTION...: one line, with that status, and nothing written.
refuse()
{
    refuses "$1" "$2" "$reproduce" --out "$work/refused" "${@:3}"
    [[ ! -e $work/refused ]] || fail "$*: wrote something"
}

# column FILE NAME [DIGITS]: a column of a CSV file, rounded.
column()
{
    awk -F, -v name="$2" -v digits="${3:-}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; if (!column) exit 1; next }
        digits == "" { print $column; next }
        { printf "%.*f\n", digits, $column }' "$1"
}

test_refusals()
{
    refuse 2 "'--frob' is not an option" --frob
    refuse 2 '--table: invalid choice: 9' --table 9
    refuse 2 '--figure: invalid choice: 3' --figure 3
    refuse 2 "--threads: '1,x'" --threads 1,x
    refuse 2 '--out: the name is empty' --out ''
    refuse 2 '--meshes: the name is empty' --meshes ''
    refuse 2 '--bin: the name is empty' --bin ''
    refuse 2 'exclude each other' --tune --predict-only
    refuse 2 '--transfers and --predict-only exclude each other' --transfers --predict-only
    refuse 1 'has no parts' --report
    refuse 1 "'$work/none/fathom-model' is missing" --table 5 --predict-only --bin "$work/none"
    PYTHONPATH=$work/without refuse 1 'has no matplotlib; .scripts/packages' --figure 1 \
        --predict-only --bin "$work/none"
}

test_table5()
{
    local out=$work/table5 computed printed said
    PYTHONPATH=$work/without "$reproduce" --predict-only --table 5 --bin "$bin" --out "$out" \
        >/dev/null || fail "Table 5 has no pictures"
    computed=$(column "$out/table5.csv" comp_formula_s 2)
    printed=$(column "$paper/table5.csv" comp_predicted_s 2)
    [[ $(wc -l <<<"$printed") -eq 12 ]] || fail "the paper's Table 5 has not 12 rows"
    [[ $computed == "$printed" ]] || fail "T_comp is $computed, the paper prints $printed"
    # Formulas (19) to (21), worked out by hand for 4 x 4 threads on one node.
    [[ $(column "$out/table5.csv" halo_formulas_s 2 | head -n 1) == 0.36 ]] || fail "T_halo"
    grep -q '<h2>Table 5' "$out/report.html" || fail "the report lacks Table 5"
    grep -q 'printed number for 6 of the 6 square thread grids' "$out/report.html" ||
        fail "what the paper's halo times follow from"
    grep -q '<td>488.28</td>' "$out/report.html" || fail "the report lacks 488.28"
    cp "$out/report.html" "$work/first"
    "$reproduce" --report --out "$out" >/dev/null
    cmp "$work/first" "$out/report.html" || fail "the report made again differs"
    said=$("$reproduce" --report --out "$out" 2>&1 >/dev/full) && fail "a full standard output"
    [[ $said == 'scripts/reproduce: standard output: No space left on device' ]] ||
        fail "says '$said' of a full standard output"
    "$reproduce" --report --out "$out" >&- 2>&- || fail "closed standard streams"
    # What a part replaces is not read; what stays is read before anything is made.
    echo 'no JSON' >"$out/table5.json"
    "$reproduce" --predict-only --table 5 --bin "$bin" --out "$out" >/dev/null ||
        fail "a part that is made again is in the way"
    echo '{}' >"$out/accuracy.json"
    said=$("$reproduce" --predict-only --table 5 --bin "$work/none" --out "$out" 2>&1) && fail "no failure"
    [[ $said == *"/accuracy.json' is no part 'accuracy' of this program's" ]] || fail "says '$said'"
    rm "$out/accuracy.json"
    [[ -z $(find "$out" -name '.*' -type f) ]] || fail "temporary files are left"
}

# A small mesh in place of the quick run's; Table 5 of the run before stays in the report.
test_pictures()
{
    local out=$work/table5
    /usr/bin/python3 -c 'import matplotlib' 2>/dev/null || return 0
    "$reproduce" --quick --predict-only --figure 1 --figure 2 --table 4 --bin "$bin" \
        --meshes "$work/meshes" --out "$out" >/dev/null
    [[ $(wc -l <"$out/figure1.csv") -eq 33 ]] || fail "figure1.csv has not a line per thread"
    # Threads 0 and 3 have one block each; that of thread 3 is the last one and is short, but
    # formula (7) counts both as whole.
    [[ $(column "$out/figure1.csv" compute_s 6 | sed -n 1p) == \
        $(column "$out/figure1.csv" compute_s 6 | sed -n 4p) ]] || fail "Figure 1 has a short block"
    grep -q '<svg' "$out/report.html" || fail "the report has no picture"
    grep -q '<h2>Table 5' "$out/report.html" || fail "Table 5 is lost"
    check_captions "$out/report.html" "$work/meshes/ventricle-106415-nested.h5"
}

# Orders of a small mesh: a line for each variant, order and number of threads; the files are gone.
test_orders()
{
    local out=$work/orders
    "$reproduce" --quick --predict-only --orders --bin "$bin" --meshes "$work/meshes" --out "$out" \
        >/dev/null
    [[ $(wc -l <"$out/orders.csv") -eq $((1 + 7 * 7 * 3)) ]] || fail "orders.csv lacks orders"
    [[ $(cut -d, -f6- "$out/orders.csv" | sort -u | wc -l) -gt 100 ]] || fail "all orders are alike"
    [[ $(find "$work/meshes" -name '*ordered*') == '' ]] || fail "an ordered mesh is left"
}

# The GASNet paper's figures beside ours; on emulated nodes, and by a launcher that knows no MPI.
test_transfers()
{
    local out=$work/transfers programs=$work/transfer-programs start name
    mkdir "$programs"
    for name in "$bin"/fathom-{run,stream,model,spmv,heat2d} "$bin/bench-transfers-ucx"; do
        [[ ! -x $name ]] || ln -s "$name" "$programs/"
    done
    start="$bin/fathom-run -n {threads} --nodes {nodes} --"
    "$reproduce" --quick --transfers --bin "$programs" --out "$out" >/dev/null
    grep -q '^emulated,gasnet,explicit,put,8,131072,' "$out/transfers.csv" || fail "no flood"
    grep -q '<caption>Table 1: round-trip latency of 1 byte, two threads on one node' \
        "$out/report.html" || fail "the report lacks Table 1"
    grep -q '<td class="stub">Fathom: blocking get</td>.*<td>68.1</td><td>43.7</td></tr>' \
        "$out/report.html" || fail "the report lacks the printed latencies"
    [[ $(grep -c '<figcaption>Figure [678]: .*measured here' "$out/report.html") -eq 6 ]] ||
        fail "pictures of the report"
    grep -q 'Goal for gasnet.h .*: <strong>' "$out/report.html" || fail "no verdict on gasnet.h"
    "$reproduce" --quick --transfers --launcher "$start" --bin "$programs" --out "$out" >/dev/null
    grep -q '^far,fathom,implicit,get,1,1,' "$out/transfers.csv" || fail "no far nodes"
    ! grep -q '^emulated' "$out/transfers.csv" || fail "emulated nodes beside a cluster's"
}

# fake_programs DIRECTORY: the real ones, except that a calibration takes no time, and that products
# are counted and one of them ends the run: files `runs` (started so far), `end_at` and `signal`.
fake_programs()
{
    mkdir "$1"
    ln -s "$bin"/fathom-{model,mesh,run,heat2d} "$1/"
    "$bin/fathom-run" -n 1 -- "$bin/fathom-stream" calibrate --seconds 0.05 --elements 262144 \
        --out "$1/machine.json" >/dev/null
    cat >"$1/fathom-stream" <<END
#!/bin/bash
while [[ \$1 != --out ]]; do shift; done
cp "$1/machine.json" "\$2"
END
    cat >"$1/fathom-spmv" <<END
#!/bin/bash
echo run >>"$1/runs"
if [[ \$(wc -l <"$1/runs") == "\$(cat "$1/end_at")" ]]; then
    echo \$\$ >"$1/asleep"
    kill -s "\$(cat "$1/signal")" "\$(cat "$1/pid")"
    exec sleep 1000
fi
exec "$bin/fathom-spmv" "\$@"
END
    chmod +x "$1/fathom-stream" "$1/fathom-spmv"
}

# measured STATUS SIGNAL RUN [OPTION...]: a run that gets the signal in its RUN-th product.
measured()
{
    local expected=$1 status=0
    echo "$2" >"$work/fake/signal"
    echo "$3" >"$work/fake/end_at"
    shift 3
    /usr/bin/python3 -c 'import os, sys
open(sys.argv[1], "w").write(str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])' "$work/fake/pid" "$reproduce" --quick --threads 1 --table 2 \
        --table 3 --bin "$work/fake" --meshes "$work/meshes" --out "$work/measured" "$@" \
        >"$work/measured.out" 2>"$work/said" || status=$?
    [[ $status -eq $expected ]] || fail "status $status, expected $expected: $(<"$work/said")"
}

# Seven products: four on one mesh, three on the other, with a calibration after three at the
# latest. Products followed by a calibration are not run again, whatever ended the run.
test_resumed()
{
    local cells left=$work/measured/unfinished
    for cells in 600000 1200000 203274-nested 399803-nested; do
        cp "$work/meshes/ventricle-106415-none.h5" "$work/meshes/ventricle-$cells.h5"
    done
    fake_programs "$work/fake"
    measured 130 TERM 1
    [[ ! -e $work/measured ]] || fail "a run without a finished product leaves something"
    rm "$work/fake/runs"
    measured 137 KILL 1
    kill "$(<"$work/fake/asleep")" # nobody else ends it
    echo '# changed' >>"$work/fake/fathom-stream"
    measured 1 TERM 0 --resume
    grep -q 'was begun with other programs than these' "$work/said" ||
        fail "a calibration by other programs: $(<"$work/said")"
    sed -i '$d' "$work/fake/fathom-stream"
    rm -r "$work/fake/runs" "$work/measured"
    measured 130 TERM 5
    grep -q 'interrupted; 4 finished measurements are kept: go on with --resume' "$work/said" ||
        fail "an interrupted run says: $(<"$work/said")"
    [[ $(find "$work/measured" -type f) == "$left/journal" ]] || fail "more than the journal is left"
    measured 1 TERM 0 --resume --threads 1,2
    grep -q 'was begun with --threads \[1\], this one has \[1, 2\]' "$work/said" ||
        fail "other options: $(<"$work/said")"
    measured 137 KILL 7 --resume
    kill "$(<"$work/fake/asleep")"
    refuses 1 'has no verification.json' "$(dirname "$reproduce")/verify" --report \
        --out "$work/measured" # and it leaves the journal
    echo '# changed' >>"$work/fake/fathom-stream"
    measured 1 TERM 0 --resume
    grep -q 'was begun with other programs than these' "$work/said" ||
        fail "other programs: $(<"$work/said")"
    sed -i '$d' "$work/fake/fathom-stream"
    mkdir "$left/files-killed"
    printf '{"name": "torn' >>"$left/journal"
    measured 0 TERM 0 --resume
    # Four, the one that was ended; two, of which none had its calibration; three.
    [[ $(wc -l <"$work/fake/runs") -eq 10 ]] || fail "$(wc -l <"$work/fake/runs") products, not 10"
    [[ ! -e $left ]] || fail "the journal of a finished run is left"
    [[ $(tail -n +2 "$work/measured/table3-measured.csv" | wc -l) -eq 6 ]] || fail "rows of Table 3"
    [[ $(tail -n +2 "$work/measured/table2-measured.csv" | wc -l) -eq 2 ]] || fail "rows of Table 2"
    # Calibrations of all three runs: before and after each four; before; before and after three.
    [[ $(tail -n +2 "$work/measured/calibrations.csv" | wc -l) -eq 7 ]] ||
        fail "$(tail -n +2 "$work/measured/calibrations.csv" | wc -l) calibrations, not 7"
    refuses 1 "--predict-only: '$work/measured' has table2 measured: give another --out" \
        "$reproduce" --table 2 --predict-only --bin "$work/fake" --out "$work/measured"
    sed -i 's/"quick": true/"quick": false/' "$work/measured/table3.json"
    refuses 1 "--quick: '$work/measured' has table3 in full: give another --out" \
        "$reproduce" --table 3 --quick --bin "$work/fake" --out "$work/measured"
    echo '{"part": "transfers", "quick": false, "rows": {}}' >"$work/measured/transfers.json"
    refuses 1 "--quick: '$work/measured' has transfers in full: give another --out" \
        "$reproduce" --transfers --quick --bin "$work/fake" --out "$work/measured"
    rm "$work/measured/transfers.json"
}

# The part that is made of all measurements, beside which tables need none of their own.
test_accuracy()
{
    echo 0 >"$work/fake/end_at"
    "$reproduce" --quick --threads 1 --accuracy --bin "$work/fake" --meshes "$work/meshes" \
        --out "$work/accuracy" >"$work/out" 2>"$work/said" ||
        fail "the accuracy of predictions: $(<"$work/said")"
    [[ $(tail -n +2 "$work/accuracy/accuracy.csv" | wc -l) -ge 4 ]] ||
        fail "rows of the accuracy: $(<"$work/accuracy/accuracy.csv")"
}

# check_captions REPORT MESH: the cells that the mesh has, and that the run was in small.
check_captions()
{
    local cells pictures
    cells=$("$bin/fathom-mesh" info --json "$2" | /usr/bin/python3 -c '
import json, sys
rows = json.load(sys.stdin)["matrix"]["rows"]
print(f"{rows:,}".replace(",", "\u202f"))')
    pictures=$(grep -c "<figcaption>.*[ ,]$cells cells" "$1" || true)
    [[ $pictures -eq 4 ]] || fail "$pictures of 4 pictures name their $cells cells"
    grep -q "<caption>UPCv1 on Abel, problem 1 in small, $cells cells" "$1" ||
        fail "the caption of Table 4 hides that it is in small"
}

# A killed process takes a moment to end, and long on a busy machine.
is_gone()
{
    for _ in {1..600}; do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.05
    done
    return 1
}

# A model that takes for ever: the run is interrupted in the middle of it.
test_interrupted()
{
    local signal pid status
    mkdir "$work/slow"
    printf '#!/bin/bash\necho $$ >%q\nexec sleep 1000\n' "$work/slow/pid" >"$work/slow/fathom-model"
    chmod +x "$work/slow/fathom-model"
    for signal in INT TERM HUP; do
        rm -f "$work/slow/pid"
        # Background jobs of a script ignore SIGINT, unless they are told not to.
        /usr/bin/python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' "$reproduce" --predict-only --table 5 --bin "$work/slow" \
            --out "$work/interrupted" >/dev/null 2>"$work/said" &
        pid=$!
        until [[ -s $work/slow/pid ]]; do
            kill -0 "$pid" || fail "no model was run: $(<"$work/said")"
            sleep 0.05
        done
        kill -s "$signal" "$pid"
        status=0
        wait "$pid" || status=$?
        [[ $status -eq 130 ]] || fail "status $status after SIG$signal: $(<"$work/said")"
        [[ ! -e $work/interrupted ]] || fail "SIG$signal left something behind"
        is_gone "$(<"$work/slow/pid")" || fail "the model runs on after SIG$signal"
        [[ -z $(ls -A "$TMPDIR") ]] || fail "SIG$signal left $(ls -A "$TMPDIR")"
    done
}

mkdir "$work/meshes" "$work/without"
echo 'raise ImportError' >"$work/without/matplotlib.py"
for order in none nested; do
    "$bin/fathom-mesh" ventricle --cells 4000 "$work/meshes/ventricle-106415-$order.h5" >/dev/null
done
test_refusals
test_table5
test_pictures
if [[ -z ${FATHOM_TEST_SANITIZED:-} ]]; then # what is tested of the script, which is no C
    draw test_orders test_transfers
    for part in "${drawn[@]}"; do
        $part
    done
    test_resumed
    test_accuracy
    test_interrupted
fi
echo "all passed"
