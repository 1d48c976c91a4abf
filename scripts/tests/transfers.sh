#!/bin/bash
# bench/run-transfers: tables and a CSV file with every contestant that is built, the paper's figures
# beside them; one line for bad input, and nothing written.
#
# usage: transfers.sh RUN-TRANSFERS BIN-DIRECTORY
set -euo pipefail
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../support/tests/script.bash"

transfers=$1
bin=$2

# refuse STATUS LINE OPTION...: one line, with that status, and nothing written.
refuse()
{
    refuses "$1" "$2" "$transfers" --csv "$work/refused.csv" --bin "$bin" "${@:3}"
    [[ -z $(cat "$work/out") && -z $(find "$work" -name 'refused*') ]] || fail "$*: wrote something"
}

# rows PATTERN: how many lines of the CSV file match.
rows()
{
    grep -Ec "$1" "$work/all.csv" || true
}

# Two rounds of three sizes, by get and put, one at a time and eight in flight.
test_contestants()
{
    local each=12 ways=6 place
    "$transfers" --quick --operations 20 --seconds 0.001 --rounds 2 --bin "$bin" \
        --csv "$work/all.csv" node emulated >"$work/tables"
    for place in node emulated; do
        [[ $(rows "^$place,fathom,") -eq $((ways * 6)) ]] || fail "rows of Fathom: $place"
        [[ $(rows "^$place,gasnet,") -eq $((ways * 6)) ]] || fail "rows of gasnet.h: $place"
        [[ ! -x $bin/bench-transfers-ucx || $(rows "^$place,ucp_am,,") -eq $each ]] ||
            fail "rows of UCX: $place"
        [[ ! -x $bin/bench-transfers-mpi || $(rows "^$place,mpi_[a-z_]*,,") -eq $((2 * each)) ]] ||
            fail "rows of MPI: $place"
    done
    [[ $(rows "^hosts,") -eq 0 ]] || fail "hosts, unasked for"
    [[ $(rows ",20,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+$") -gt 0 ]] || fail "operations: $(<"$work/all.csv")"
    [[ $(grep -c '^Table [123]: ' "$work/tables") -eq 6 ]] || fail "tables: $(<"$work/tables")"
    grep -q '^Fathom: blocking get .* 68.1 .* 43.7$' "$work/tables" || fail "Table 1 of the paper"
    grep -q '^Fathom: explicit put .* 159$' "$work/tables" || fail "Table 2 of the paper"
    grep -q '^Fathom: implicit get .* 28.8 .* 18.2$' "$work/tables" || fail "Table 3 of the paper"
    # Least, median and greatest in order, and the median of a call that copies memory below 1 s.
    awk -F, 'NR > 1 && !($9 <= $8 && $8 <= $10 && $8 > 0 && $8 < 1) { print; exit 1 }' \
        "$work/all.csv" || fail "no spread"
}

test_refusals()
{
    refuse 2 "'--frob' is no option and no place" --frob
    refuse 2 "--rounds: 'x' is not" --rounds x
    refuse 2 "'$work/none' is no directory" --bin "$work/none"
    refuse 1 "--operations: '0' is not" --quick --operations 0 node
    refuse 1 "--seconds: 'x' is not" --quick --seconds x node
    refuse 2 "there is no folder for '$work/none/a.csv'" --csv "$work/none/a.csv"
}

test_refusals
test_contestants
echo "all passed"
