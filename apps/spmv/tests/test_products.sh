#!/usr/bin/env bash
# The products of fathom-spmv's v4 and v5: each gives the sequential product's bits, what was asked
# for is reported, and so is what was chosen; rows of very different lengths are stored with little
# padding.
# usage: test_products.sh FATHOM-RUN FATHOM-MESH FATHOM-SPMV
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../../runtime/launcher/tests/draw.bash"
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../../support/tests/script.bash"

run=$1
mesh=$2
spmv=$3

# A power law: a few rows have a hundred off-diagonals, most a handful, and every seventh none.
make_matrices()
{
    awk 'BEGIN {
        n = 3000
        for (i = 1; i <= n; i++) {
            line[++m] = i " " i " 0.5"
            many = i % 7 == 0 ? 0 : int(120 / (1 + (i * 37) % 113))
            for (k = 1; k <= many; k++)
                if ((i * 131 + k * k * 17) % n + 1 != i && !((i, (i * 131 + k * k * 17) % n) in at)) {
                    at[i, (i * 131 + k * k * 17) % n] = 1
                    line[++m] = i " " (i * 131 + k * k * 17) % n + 1 " 0.00" k
                }
        }
        print "%%MatrixMarket matrix coordinate real general"
        print n, n, m
        for (l = 1; l <= m; l++)
            print line[l]
    }' >"$work/power.mtx"
    "$mesh" import "$work/power.mtx" "$work/power.h5" >"$work/log" 2>&1 || fail "no power law"
    "$mesh" ventricle --cells 1000 "$work/ventricle.h5" >"$work/log" 2>&1 || fail "no mesh"
}

# One run, checked. usage: checked THREADS NODES MATRIX ARGS...
checked()
{
    local threads=$1 nodes=$2 matrix=$3
    shift 3
    "$run" -n "$threads" --nodes "$nodes" -- "$spmv" "$work/$matrix.h5" -i 2 -r 1 --check \
        --json "$work/out.json" "$@" >"$work/out" ||
        fail "$matrix, $threads threads, $*: $(cat "$work/out")"
    ! grep "traffic" "$work/out" | grep -qv 'ok (error 0.0e+00, traffic as predicted)' ||
        fail "$matrix, $threads threads, $*: other bits: $(cat "$work/out")"
}

# usage: reported NAME
reported()
{
    grep -q "\"product\": \"$1\"" "$work/out.json" || fail "$1 is not in the JSON"
    grep -q "^(v[45]: product $1;" "$work/out" || fail "$1 is not told: $(cat "$work/out")"
}

test_all()
{
    local product products matrix threads
    "$spmv" "$work/power.h5" --product none 2>"$work/err" && fail "a product 'none'"
    products=$(sed 's/.* is not one that this processor can run: //; s/,//g' "$work/err")
    [ "$(wc -w <<<"$products")" -ge 8 ] || fail "few products: $(cat "$work/err")"
    for product in $products; do
        draw 1 2 3 4
        for threads in "${drawn[@]}"; do
            checked "$threads" 1 power -v v4 --product "$product"
            reported "$product"
        done
        checked 2 2 ventricle -v v5 --product "$product"
        reported "$product"
    done
    for matrix in ventricle power; do
        checked 3 2 $matrix
        product=$(sed -n '/"product"/{s/.*: "\(.*\)".*/\1/p;q}' "$work/out.json")
        grep -qw -- "$product" <<<"$products" || fail "'$product' was chosen"
        reported "$product"
    done
}

# Of a power law's rows naive to v3 read mostly padding; v4 stores little of it.
test_padding()
{
    "$run" -n 2 -- "$spmv" "$work/power.h5" -v v4 -i 1 -r 1 --json "$work/out.json" >"$work/out"
    grep -q "naive to v3 read" "$work/out" || fail "padding is not told: $(cat "$work/out")"
    awk '/"entries"/ { gsub(",", ""); entries = $2 } /"nonzeros"/ { gsub(",", ""); nonzeros = $2 }
        END { exit !(nonzeros > 0 && entries < 1.6 * nonzeros) }' "$work/out.json" ||
        fail "too much padding: $(grep -E 'entries|nonzeros' "$work/out.json")"
    "$run" -n 2 -- "$spmv" "$work/ventricle.h5" -v v4 -i 1 -r 1 >"$work/out"
    ! grep -q "naive to v3 read" "$work/out" || fail "padding that does not hurt is told"
}

make_matrices
test_all
test_padding
echo "fathom-spmv: all products passed"
