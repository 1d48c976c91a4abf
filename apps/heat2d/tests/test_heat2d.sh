#!/usr/bin/env bash
# fathom-heat2d: its check passes and finds errors, its traffic is what the halo says, the
# method is of second order, and bad input gets one line and a failing status.
# usage: test_heat2d.sh FATHOM-RUN FATHOM-HEAT2D CORRUPT-CHECK
set -euo pipefail
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../../support/tests/script.bash"

run=$1
heat=$2
corrupt_check=$3

# Checked. usage: checked THREADS NODES ARGS...
checked()
{
    local threads=$1 nodes=$2
    shift 2
    "$run" -n "$threads" --nodes "$nodes" -- "$heat" --check "$@" >"$work/out" 2>"$work/err" ||
        fail "$threads threads, $nodes nodes, $*: $(cat "$work/out" "$work/err")"
    grep -q '^check  *ok (.*: 0, .*traffic as predicted)$' "$work/out" ||
        fail "$threads threads, $nodes nodes, $*: not checked: $(cat "$work/out")"
}

# What test_forms.c does not have: more threads, from the command line.
test_layouts()
{
    local halo
    for halo in memget strided async signal; do
        checked 6 2 --size 23x30 -i 11 -r 2 --halo $halo
        checked 9 3 --size 26x23 --grid 3x3 -i 9 -r 1 --halo $halo -k 4
    done
    checked 1 1 --size 3x3 -i 5
    checked 2 1 --size 8x8 -i 0
}

# usage: expect_grid THREADS GRID ARGS...: the grid that is chosen where none is given.
expect_grid()
{
    local threads=$1 grid=$2 found
    shift 2
    checked "$threads" 1 "$@" -i 3 -r 1
    found=$(sed -n '1s/.* on a grid of \([0-9x]*\) threads.*/\1/p' "$work/out")
    [ "$found" = "$grid" ] || fail "$threads threads, $*: a grid of $found, expected $grid"
}

# The grid with the least halo, of those whose blocks have enough rows and columns.
test_grid_choice()
{
    expect_grid 4 2x2 --size 50x50
    expect_grid 2 1x2 --size 50x50
    expect_grid 6 2x3 --size 50x50
    expect_grid 6 3x2 --size 90x50
    expect_grid 4 1x4 --size 3x100
    expect_grid 4 4x1 --size 100x3
    expect_grid 7 7x1 --size 100x3
    expect_grid 4 4x1 --size 400x20
    expect_grid 6 6x1 --size 30x4 -k 2
    # The cuts are as long as those of 1 x 4, but no thread has two neighbours along the long sides.
    expect_grid 4 2x2 --size 22x42
    # 7 + 2 x 7 points; of 1 x 8 threads 2 x 14, of 4 x 2 2 x 14 + 4.
    expect_grid 8 2x4 --size 16x30
    # Seven rows in blocks of 2, 2 and 3: the thread in the middle has 2 x (3 + 2) points; threads of
    # 1 x 9 have 2 x 7.
    expect_grid 9 3x3 --size 9x12
    # 6 points at most, as with 1 x 8 threads, but 34 in all, not 42.
    expect_grid 8 2x4 --size 5x10
}

test_check_finds_errors()
{
    local threads
    for threads in 1 3; do
        "$run" -n $threads -- "$corrupt_check" >"$work/out" 2>"$work/err" ||
            fail "$(cat "$work/out" "$work/err")"
    done
}

# The value of a key of the JSON, if it is a number in a line of its own.
number()
{
    sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$work/out.json"
}

# usage: traffic FORM DEPTH: operations and bytes of all kinds of traffic of thread 0.
traffic()
{
    "$run" -n 4 --nodes 2 -- "$heat" --size 23x31 -i 6 -r 2 --halo "$1" -k "$2" \
        --json "$work/out.json" >"$work/out"
    # Thread 0 comes first: up to the end of its list.
    sed '0,/"traffic": \[/d; /\]/,$d' "$work/out.json" | tr -d ' \n' |
        sed 's/"[a-z]*"://g; s/},{/ /g; s/[{}"]//g'
}

# usage: expect_traffic FORM DEPTH WHAT
expect_traffic()
{
    local found
    found=$(traffic "$1" "$2")
    [ "$found" = "$3" ] || fail "traffic of $1, depth $2: '$found', expected '$3'"
}

# 21 x 29 points on 2 x 2 threads: thread 0 has 10 rows and 14 columns; thread 1, to the right, is of
# the same node, 2 and 3 are of the other.
test_traffic()
{
    expect_traffic memget 1 "local,contiguous,from,1,80 remote,contiguous,from,1,112"
    expect_traffic async 1 "local,contiguous,from,1,80 remote,contiguous,from,1,112"
    expect_traffic strided 1 "local,condensed,from,1,80 remote,condensed,from,1,112"
    expect_traffic signal 1 \
        "local,contiguous,to,1,80 local,signal,to,1,8 remote,contiguous,to,1,112 remote,signal,to,1,8"
    # Three layers, and a corner of 3 x 3 of thread 3.
    expect_traffic memget 3 "local,contiguous,from,1,240 remote,contiguous,from,2,408"
    expect_traffic strided 3 "local,condensed,from,1,240 remote,condensed,from,2,408"
}

# A mesh twice as fine, at the same time (four times the steps), is four times as near.
test_convergence()
{
    local cells error last='' steps=20
    for cells in 16 32 64; do
        "$run" -n 2 -- "$heat" --size $((cells + 1))x$((cells + 1)) -i $steps -r 1 --start sine \
            --check --json "$work/out.json" >"$work/out"
        error=$(number solution_error)
        if [ -n "$last" ]; then
            awk -v a="$last" -v b="$error" 'BEGIN { exit !(a / b > 3.7 && a / b < 4.3) }' ||
                fail "not of second order: errors $last, $error"
        fi
        last=$error
        steps=$((4 * steps))
    done
    awk -v e="$last" 'BEGIN { exit !(e > 1e-6 && e < 1e-2) }' || fail "error $last"
}

test_json()
{
    "$run" -n 3 --nodes 2 -- "$heat" --size 40x50 -i 4 -r 2 --halo signal --check \
        --json "$work/out.json" >"$work/out"
    grep -q '"halo": "signal"' "$work/out.json" || fail "no form in the JSON"
    [ "$(grep -c '"barrier": [0-9]' "$work/out.json")" -eq 3 ] || fail "not three threads"
    [ "$(number iterations)" = 4 ] || fail "no iterations"
    [ "$(number nodes)" = 2 ] || fail "no nodes"
    [ "$(number differing)" = 0 ] || fail "no check"
    "$run" -n 2 -- "$heat" --size 40x50 -i 2 -r 1 --json - >"$work/out"
    head -c 1 "$work/out" | grep -q '{' || fail "'-' is not JSON alone"
    if command -v python3 >/dev/null; then
        python3 -m json.tool "$work/out" >/dev/null || fail "'-' is no JSON"
        python3 -m json.tool "$work/out.json" >/dev/null || fail "the file is no JSON"
    fi
}

# usage: picture THREADS SIZE ARGS...: makes $work/picture.png; prints width and height.
picture()
{
    local threads=$1 size=$2
    shift 2
    "$run" -n "$threads" -- "$heat" --size "$size" -i 30 -r 1 --picture "$work/picture.png" "$@" \
        >"$work/out"
    [ "$(head -c 4 "$work/picture.png" | tail -c 3)" = PNG ] || fail "no PNG"
    od -An -tu1 -j16 -N8 "$work/picture.png" |
        awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'
}

test_picture()
{
    [ "$(picture 1 70x90)" = 90x70 ] || fail "the picture has another size"
    mv "$work/picture.png" "$work/one.png"
    [ "$(picture 4 70x90 --halo signal -k 3)" = 90x70 ] || fail "the picture has another size"
    cmp "$work/one.png" "$work/picture.png" || fail "4 threads draw another picture"
    [ "$(picture 1 3000x1500)" = 500x1000 ] || fail "a large picture has another size"
    [ -z "$(find "$work" -name 'picture.png?*')" ] || fail "something is left behind"
}

# usage: refused STATUS PATTERN ARGS...
refused()
{
    refuses "$1" "$2" "$run" -n 3 -- "$heat" "${@:3}"
}

# The thread that prints may be late.
test_late_word()
{
    local status=0
    # shellcheck disable=SC2016 # expanded by the inner shell
    "$run" -n 3 -- sh -c '[ "$PMIX_RANK" != 0 ] || sleep 1; exec "$@"' sh "$heat" --size 300 \
        >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "a late thread 0: status $status"
    grep -q -- "--size: '300' is not" "$work/err" || fail "a late thread 0: '$(cat "$work/err")'"
}

test_bad_input()
{
    refused 2 "'--sizes' is not an option" --sizes 3x3
    refused 2 "no --size"
    refused 2 "--size: '300' is not two whole numbers" --size 300
    refused 2 "--size: '2' is not a whole number from 3" --size 2x9
    refused 2 "--size: '' is not a whole number" --size 9x
    refused 2 "--grid: '0' is not" --size 9x9 --grid 0x3
    refused 2 "--halo: 'mpi' is not one of memget, strided, async, signal" --size 9x9 --halo mpi
    refused 2 "--steps-per-exchange: '0'" --size 9x9 -k 0
    refused 2 "--stores streaming: steps that share" --size 9x9 --stores streaming -k 2
    refused 2 "--iterations: '-1'" --size 9x9 -i -1
    refused 2 "--repetitions: '1000001' is not a whole number from 1 to 1000000" --size 9x9 -i 0 \
        -r 1000001
    refused 2 "'extra': not an option" --size 9x9 extra
    refused 2 "--checkpoint and --checkpoint-every" --size 9x9 --checkpoint "$work/c.h5"
    refused 2 "--checkpoint and --checkpoint-every" --size 9x9 --checkpoint-every 5
    refused 2 "--json and --picture: '.*' is one and the same file" --size 9x9 \
        --json "$work/a" --picture "$work/a"
    refused 2 "--json and --restart" --json "$work/a" --restart "$work/a"
    refused 2 "only one" --size 9x9 --checkpoint "$work/c.h5" --checkpoint-every 5 -r 2
    refused 1 "--grid 2x2: needs 4 threads, the job has 3" --size 9x9 --grid 2x2
    refused 1 "--size 4x4: too small for 3 threads in any grid" --size 4x4
    refused 1 "--size 11x13: too small .* at least 4 rows" --size 11x13 -k 4
    refused 1 "--size 9x4: too small for a grid of 1x3" --size 9x4 --grid 1x3
    refused 1 "nowhere" --size 9x9 -i 1 --json "$work/nowhere/out.json"
    refused 1 "--picture: $work/nowhere" --size 9x9 -i 1 --picture "$work/nowhere/p.png"
    refused 1 "--checkpoint: $work/nowhere" --size 9x9 --checkpoint "$work/nowhere/c.h5" \
        --checkpoint-every 5
    [ ! -e "$work/nowhere" ] || fail "something was written"
    PGAS_HEAP_SIZE=256K refused 1 "PGAS_HEAP_SIZE" --size 999x999
    "$run" -n 2 -- "$heat" --help | grep -q -- --steps-per-exchange || fail "no help"
    [ "$("$run" -n 2 -- "$heat" --version | wc -l)" -eq 1 ] || fail "no version"
    "$heat" --size 30x30 -i 5 -r 1 --check >"$work/out" || fail "by hand, without a launcher"
}

# Only regular files are replaced, and no file of the user's beside them.
test_outputs()
{
    local option
    mkfifo "$work/pipe"
    echo precious >"$work/own"
    cp "$work/own" "$work/new.part"
    for option in --json --picture --checkpoint; do
        local args=("$option" "$work/pipe")
        [ $option != --checkpoint ] || args+=(--checkpoint-every 5)
        refused 1 "$option: $work/pipe: cannot be replaced: it is not a regular file" \
            --size 9x9 "${args[@]}"
        [ -p "$work/pipe" ] || fail "$option: a pipe was replaced"
        args[1]=$work/new
        ln -sf own "$work/new"
        "$heat" --size 9x9 -i 5 -r 1 "${args[@]}" >"$work/out" || fail "$option: a link"
        [ ! -L "$work/new" ] || fail "$option: a link was not replaced"
        cmp -s "$work/own" "$work/new.part" || fail "$option: a file of the user's has changed"
        [ "$(cat "$work/own")" = precious ] || fail "$option: what a link points to has changed"
        [ -z "$(find "$work" -name 'new.??????')" ] || fail "$option: something is left behind"
    done
}

# Standard output that cannot be written is a failure, in one line, with and without a launcher.
test_full_device()
{
    local status launcher json
    for launcher in "" "$run -n 2 --"; do
        for json in "" "--json -"; do
            status=0
            # shellcheck disable=SC2086 # two words, or none
            $launcher "$heat" --size 30x30 -i 1 -r 1 $json >/dev/full 2>"$work/err" || status=$?
            [ $status -eq 1 ] || fail "a full device: status $status"
            grep -q "standard output.*: No space left on device" "$work/err" ||
                fail "a full device: $(cat "$work/err")"
            [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
        done
    done
}

# A limit of file sizes is a failure in one line, too: here it is the heap that is larger.
test_file_size()
{
    # ThreadSanitizer writes a file of its own at its start.
    [ "${FATHOM_TEST_SANITIZED:-}" != thread ] || return 0
    local status=0
    (ulimit -f 8 && exec "$heat" --size 30x30 -i 1 -r 1 >"$work/out" 2>"$work/err") || status=$?
    [ $status -eq 1 ] || fail "ulimit -f: status $status"
    grep -q "(ulimit -f)" "$work/err" || fail "ulimit -f: $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
}

test_layouts
test_grid_choice
test_check_finds_errors
test_traffic
test_convergence
test_json
test_picture
test_late_word
test_bad_input
test_outputs
test_file_size
[ ! -w /dev/full ] || test_full_device
echo "fathom-heat2d: all checks passed"
