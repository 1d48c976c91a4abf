#!/usr/bin/env bash
# fathom-spmv: every variant passes its check on every kind of matrix and layout, and bad input gets
# one line and a failing status.
# usage: test_spmv.sh FATHOM-RUN FATHOM-MESH FATHOM-SPMV CORRUPT-CHECK COMPARE-PRODUCT README
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../../runtime/launcher/tests/draw.bash"
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../../support/tests/script.bash"

run=$1
mesh=$2
spmv=$3
corrupt_check=$4
compare_product=$5
readme=$6

make_matrices()
{
    "$mesh" ventricle --cells 1000 "$work/ventricle.h5" >"$work/log" 2>&1 || fail "no mesh"
    {
        echo "%%MatrixMarket matrix coordinate real general"
        echo "11 11 17"
        for i in {1..11}; do
            echo "$i $i 0.$i"
        done
        echo "1 11 0.25"
        echo "1 2 0.125"
        echo "1 5 -0.5"
        echo "6 1 0.3"
        echo "11 1 0.7"
        echo "11 10 -0.1"
    } >"$work/general.mtx"
    {
        echo "%%MatrixMarket matrix coordinate real general"
        echo "3 3 3"
        for i in {1..3}; do
            echo "$i $i 1.$i"
        done
    } >"$work/diagonal.mtx"
    "$mesh" import "$work/general.mtx" "$work/general.h5" >"$work/log" 2>&1 || fail "no general"
    "$mesh" import "$work/diagonal.mtx" "$work/diagonal.h5" >"$work/log" 2>&1 || fail "no diagonal"
    {
        echo "%%MatrixMarket matrix coordinate real symmetric"
        echo "50 50 99"
        for i in {1..50}; do
            echo "$i $i 2e8"
        done
        for i in {1..49}; do
            echo "$((i + 1)) $i -1e8"
        done
    } >"$work/large.mtx"
    "$mesh" import "$work/large.mtx" "$work/large.h5" >"$work/log" 2>&1 || fail "no large values"
    printf '%s\n' "%%MatrixMarket matrix coordinate real general" "4 4 4" "1 1 1.7e308" \
        "1 2 1.7e308" "1 3 1.7e308" "1 4 1.7e308" >"$work/largest.mtx"
    "$mesh" import "$work/largest.mtx" "$work/largest.h5" >"$work/log" 2>&1 || fail "no largest"
}

# Every variant, checked. usage: checked THREADS NODES MATRIX [ARGS...]
checked()
{
    local threads=$1 nodes=$2 matrix=$3
    shift 3
    "$run" -n "$threads" --nodes "$nodes" -- "$spmv" "$work/$matrix.h5" --iterations 3 \
        --repetitions 2 --check "$@" >"$work/out" 2>"$work/err" ||
        fail "$matrix on $threads threads, $nodes nodes, $*: $(cat "$work/out" "$work/err")"
    [ "$(grep -c ' ok (error' "$work/out")" -eq 6 ] || fail "not six checks: $(cat "$work/out")"
}

# Each number of threads with one size of blocks, under FATHOM_TEST_LONG with all of them. Under a
# sanitizer, which is slow, there are fewer numbers of threads.
test_layouts()
{
    local threads blocksize numbers=(1 2 3 4)
    [ -z "${FATHOM_TEST_SANITIZED:-}" ] || numbers=(3)
    for threads in "${numbers[@]}"; do
        draw 1 7 64 1000 100000
        for blocksize in "${drawn[@]}"; do
            checked "$threads" 1 ventricle --blocksize "$blocksize"
        done
        checked "$threads" 1 ventricle
        checked "$threads" "$threads" ventricle --blocksize 64
        checked "$threads" 1 general --blocksize 2
        checked "$threads" 1 ventricle --blocksize 1000000000
        checked "$threads" 1 diagonal --blocksize 1
    done
    checked 3 2 ventricle
    checked 4 2 ventricle --blocksize 7
    checked 4 2 general --blocksize 3
    checked 8 4 ventricle --blocksize 100
}

test_check_finds_errors()
{
    local threads
    for threads in 1 3; do
        "$run" -n $threads -- "$corrupt_check" "$work/ventricle.h5" || fail "the check is blind"
    done
}

# Values that grow beyond 64-bit reals are the matrix's doing: the program is right, and says what
# it has compared.
test_overflow()
{
    local overflow=': values overflow in the first product'
    checked 2 1 large --iterations 30
    ! grep -q overflow "$work/out" || fail "an overflow too early: $(cat "$work/out")"
    checked 3 2 large --iterations 100 --json "$work/out.json"
    grep -q "values overflow in product 36 of 100.* the first 5" "$work/out" ||
        fail "not said: $(cat "$work/out")"
    [ "$(grep -c '"overflow_after": 36' "$work/out.json")" -eq 6 ] || fail "not in the JSON"
    refused 1 "check$overflow" "$work/largest.h5" --check
    refused 1 "y.h5: dataset /y: not all .* finite" "$work/large.h5" -v v3 --y "$work/y.h5"
    [ ! -e "$work/y.h5" ] || fail "something was written"
}

# What is written by --y is what a program of its own computes, for rows in any order.
test_vectors()
{
    local variant matrix shape
    "$mesh" order --method rcm "$work/general.h5" "$work/ordered.h5" >"$work/log" 2>&1
    "$compare_product" make "$work/x.h5" 11 0.5
    local matrices=(general ordered)
    if [ -n "${FATHOM_TEST_SANITIZED:-}" ]; then
        draw "${matrices[@]}"
        matrices=("${drawn[@]}")
    fi
    for matrix in "${matrices[@]}"; do
        for variant in naive v1 v2 v3 v4 v5; do
            draw "3 1 2" "4 2 3"
            for shape in "${drawn[@]}"; do
                read -r threads nodes blocksize <<<"$shape"
                "$run" -n "$threads" --nodes "$nodes" -- "$spmv" "$work/$matrix.h5" -i 3 -r 2 --check \
                    -v $variant -b "$blocksize" --x "$work/x.h5" --y "$work/y.h5" >"$work/out" ||
                    fail "$matrix, $variant, $shape: $(cat "$work/out")"
                "$compare_product" "$work/general.mtx" "$work/y.h5" 3 "$work/x.h5" ||
                    fail "$matrix, $variant, $shape: another product"
            done
        done
    done
    "$run" -n 2 -- "$spmv" "$work/ordered.h5" -i 1 -r 1 -v v1 --y "$work/y.h5" >"$work/out"
    "$compare_product" "$work/general.mtx" "$work/y.h5" 1 || fail "other values at the start"
    "$spmv" "$work/ordered.h5" -i 1 -r 1 -v v1 --x "$work/y.h5" --y "$work/z.h5" >"$work/out"
    "$compare_product" "$work/general.mtx" "$work/z.h5" 1 "$work/y.h5" || fail "not its own /x"
    refused 2 "--y: needed beside it: --variant" "$work/general.h5" --y "$work/z.h5"
    refused 2 "--x and --y: '.*' is one" "$work/general.h5" -v v1 --x "$work/y.h5" --y "$work/y.h5"
    refused 2 "MATRIX and --y" "$work/general.h5" -v v1 --y "$work/general.h5"
    refused 2 "--y and --json" "$work/general.h5" -v v1 --y "$work/a" --json "$work/a"
    refused 1 "dataset /x: has 11 elements, the matrix 3 rows" "$work/diagonal.h5" --x "$work/x.h5"
    refused 1 "dataset /x: is missing" "$work/general.h5" --x "$work/diagonal.h5"
    # Each thread opens another file of the same shape.
    cp "$work/general.h5" "$work/rank0.h5"
    cp "$work/ordered.h5" "$work/rank1.h5"
    # shellcheck disable=SC2016 # expanded by the inner shell
    refuses 1 'rank[01].h5: the threads have opened different files: it has been replaced' \
        "$run" -n 2 -- sh -c 'exec "$0" "$1/rank$PMIX_RANK.h5" -v v1' "$spmv" "$work"
    # So with start values, of which one differs.
    mkdir "$work/dir0" "$work/dir1"
    "$compare_product" make "$work/dir0/x.h5" 11 0.5
    "$compare_product" make "$work/dir1/x.h5" 11 0.25
    # shellcheck disable=SC2016 # expanded by the inner shell
    refuses 1 'x.h5: the threads have opened different files: it has been replaced' \
        "$run" -n 2 --nodes 2 -- sh -c 'cd "$1/dir$PMIX_RANK" && exec "$0" "$1/general.h5" -v v1 --x x.h5' \
        "$spmv" "$work"
    "$compare_product" make "$work/dir1/x.h5" 11 0.5
    # shellcheck disable=SC2016 # expanded by the inner shell
    "$run" -n 2 --nodes 2 -- sh -c 'cd "$1/dir$PMIX_RANK" && exec "$0" "$1/general.h5" -v v1 --x x.h5' \
        "$spmv" "$work" >"$work/out" || fail "equal files are different: $(cat "$work/out")"
    refused 1 "--y: $work/nowhere/y.h5: cannot create a file beside it" "$work/general.h5" -v v1 --y "$work/nowhere/y.h5"
}

# The lines of the README that compare with SciPy, where that is installed.
test_readme()
{
    local python candidate
    sed -n '/^    python3 - general.mtx/,/^    END/p' "$readme" |
        sed -e '1d;$d' -e 's/^    //' >"$work/compare.py"
    grep -q mmread "$work/compare.py" || fail "the README does not compare"
    for candidate in python3 /usr/bin/python3; do
        python=$candidate
        "$python" -c 'import h5py, scipy' 2>/dev/null && break
        python=
    done
    if [ -n "$python" ]; then
        (cd "$work" && "$python" compare.py general.mtx z.h5 >out) || fail "the README's lines fail"
        awk '{ exit !($1 < 1e-15) }' "$work/out" || fail "SciPy differs: $(cat "$work/out")"
    fi
}

test_json()
{
    "$run" -n 3 --nodes 2 -- "$spmv" "$work/ventricle.h5" -i 2 -r 1 --json "$work/out.json" >"$work/out"
    grep -q '"variant": "v3"' "$work/out.json" || fail "no v3 in the JSON"
    grep -q '"unpack"' "$work/out.json" || fail "no parts in the JSON"
    "$run" -n 2 -- "$spmv" "$work/ventricle.h5" -i 2 -r 1 -v v2 --json - >"$work/out"
    head -c 1 "$work/out" | grep -q '{' || fail "'-' is not JSON alone"
    # A name that is not UTF-8.
    cp "$work/general.h5" "$work/na"$'\xff'"me.h5"
    "$spmv" "$work/na"$'\xff'"me.h5" -i 1 -r 1 -v v1 --json - >"$work/name.json"
    grep -q $'"path": ".*/na\xef\xbf\xbdme.h5"' "$work/name.json" ||
        fail "a name that is not UTF-8: $(cat "$work/name.json")"
    if command -v python3 >/dev/null; then
        python3 -m json.tool "$work/out" >/dev/null || fail "'-' is no JSON"
        python3 -m json.tool "$work/out.json" >/dev/null || fail "the file is no JSON"
    fi
}

# usage: refused STATUS PATTERN ARGS...
refused()
{
    refuses "$1" "$2" "$run" -n 3 -- "$spmv" "${@:3}"
}

test_bad_input()
{
    refused 2 "--product: 'gather9' is not one that .*: rows-16, .*lanes-32-x" "$work/general.h5" \
        --product gather9
    refused 2 "--product: v3 is the paper's" "$work/general.h5" --product rows-32 -v v3
    refused 2 "'--blocksiz0' is not an option" "$work/ventricle.h5" --blocksiz0 3
    refused 2 "--variant: 'v9' is not one of" "$work/ventricle.h5" --variant v9
    refused 2 "--blocksize: '0' is not" "$work/ventricle.h5" --blocksize 0
    refused 2 "--iterations: 'x' is not" "$work/ventricle.h5" --iterations x
    refused 2 "no MATRIX" --check
    refused 2 "'--check' takes no value" "$work/ventricle.h5" --check=1
    refused 2 "'--iterations' lacks its value" "$work/ventricle.h5" --iterations
    refused 2 "MATRIX and --json: '.*' is one and the same file" "$work/ventricle.h5" \
        --json "$work/../${work##*/}/ventricle.h5"
    refused 1 "missing.h5" "$work/missing.h5"
    refused 1 "general.mtx" "$work/general.mtx"
    refused 1 "nowhere" "$work/ventricle.h5" -i 1 -r 1 --json "$work/nowhere/out.json"
    [ ! -e "$work/nowhere" ] || fail "something was written"
    mkfifo "$work/pipe"
    refused 1 "--json: $work/pipe: cannot be replaced: it is not a regular" "$work/ventricle.h5" \
        --json "$work/pipe"
    [ -p "$work/pipe" ] || fail "a pipe was replaced"
    PGAS_HEAP_SIZE=64K refused 1 "PGAS_HEAP_SIZE" "$work/ventricle.h5"
    head -c 8000 "$work/ventricle.h5" >"$work/cut.h5"
    refused 1 "cut.h5" "$work/cut.h5"
    "$run" -n 2 -- "$spmv" --help | grep -q -- --blocksize || fail "no help"
    [ "$("$run" -n 2 -- "$spmv" --version | wc -l)" -eq 1 ] || fail "no version"
    "$spmv" "$work/general.h5" -i 1 -r 1 --check >"$work/out" || fail "by hand, without a launcher"
}

# Standard output that cannot be written is a failure, in one line, with and without a launcher.
test_full_device()
{
    local status launcher json
    for launcher in "" "$run -n 2 --"; do
        for json in "" "--json -"; do
            status=0
            # shellcheck disable=SC2086 # two words, or none
            $launcher "$spmv" "$work/general.h5" -i 1 -r 1 $json >/dev/full 2>"$work/err" || status=$?
            [ $status -eq 1 ] || fail "a full device: status $status"
            grep -q "standard output.*: No space left on device" "$work/err" ||
                fail "a full device: $(cat "$work/err")"
            [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
        done
    done
}

make_matrices
test_layouts
test_check_finds_errors
test_overflow
test_vectors
test_readme
test_json
test_bad_input
[ ! -w /dev/full ] || test_full_device
echo "fathom-spmv: all checks passed"
