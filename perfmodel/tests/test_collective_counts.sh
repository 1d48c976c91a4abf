#!/usr/bin/env bash
# The counts of collectives, by every algorithm that the runtime has, in several layouts.
# usage: test_collective_counts.sh FATHOM-RUN PROGRAM NODES
set -euo pipefail

run=$1
program=$2
nodes=$3
names=$("$program" --list)
[ -n "$names" ] || exit 1
layouts=("1 1" "3 1")
[ "$nodes" = one ] || layouts=("4 2" "3 3" "7 3" "6 3" "8 4")
for name in $names; do
    for layout in "${layouts[@]}"; do
        "$run" -n "${layout% *}" --nodes "${layout#* }" -- "$program" "$name" || {
            echo "FAILED: $name, threads and nodes $layout" >&2
            exit 1
        }
    done
done
echo "all passed"
