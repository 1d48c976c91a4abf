#!/bin/bash
# scripts/reproduce --launcher on a cluster with Slurm: jobs over two hosts, and on a host other
# than the script's, which has a separate temporary folder; on small meshes of a few thousand cells.
#
# usage: reproduce_cluster.sh REPRODUCE-SCRIPT TESTCLUSTER-SCRIPT BIN-DIRECTORY
set -euo pipefail

reproduce=$(realpath "$1")
testcluster=$(realpath "$2")
bin=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# on_cluster OUT SRUN-OPTIONS OPTION...: the script on node1.
on_cluster()
{
    local out=$work/$1 launcher="srun --mpi=pmix $2 -N {nodes} -n {threads}"
    shift 2
    "$testcluster" exec node1 "$reproduce" --quick --launcher "$launcher" --threads-per-node 2 \
        --bin "$bin" --meshes "$work/meshes" --out "$out" "$@" >"$work/said" 2>&1 ||
        fail "$*: $(tail -n 1 "$work/said")"
    [[ ! -e $out/unfinished ]] || fail "$*: the journal of a finished run is left"
}

# rows FILE THREADS NODES: how many lines of such a job there are.
rows()
{
    /usr/bin/python3 -c 'import csv, sys
print(sum(row["threads"] == sys.argv[2] and row["nodes"] == sys.argv[3]
          for row in csv.DictReader(open(sys.argv[1]))))' "$@"
}

# skipped: how many cases the last run did not measure, as one product alone would take seconds: on a
# busy machine v1's single accesses to another host do.
skipped()
{
    grep -c 'not measured, as one product would take' "$work/said" || true
}

mkdir "$work/meshes"
"$bin/fathom-mesh" ventricle --cells 4000 "$work/meshes/ventricle-106415-nested.h5" >/dev/null

# Three variants; two sizes of a square, halo and computation each. Each mesh would have calibrations
# of its own, most of a minute.
on_cluster both '' --threads 4 --table 4 --table 5
[[ $(($(rows "$work/both/table4-measured.csv" 4 2) + $(skipped))) -eq 3 ]] ||
    fail "Table 4 over two hosts: $(rows "$work/both/table4-measured.csv" 4 2) rows, $(skipped) skipped"
[[ $(rows "$work/both/table5-measured.csv" 4 2) -eq 4 ]] || fail "Table 5 over two hosts"
on_cluster other '-w node2' --threads 2 --table 4
[[ $(rows "$work/other/table4-measured.csv" 2 1) -eq 3 ]] || fail "Table 4 on the other host"
echo "all passed"
