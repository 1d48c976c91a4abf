#!/usr/bin/env bash
# The counts of collectives, by every algorithm that the runtime has, in a drawn layout of several.
# usage: test_collective_counts.sh FATHOM-RUN PROGRAM NODES
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../runtime/launcher/tests/draw.bash"

run=$1
program=$2
nodes=$3
names=$("$program" --list)
[ -n "$names" ] || exit 1
layouts=("1 1" "3 1")
[ "$nodes" = one ] || layouts=("4 2" "3 3" "7 3" "6 3" "8 4")
for name in $names; do
    draw "${layouts[@]}"
    for layout in "${drawn[@]}"; do
        "$run" -n "${layout% *}" --nodes "${layout#* }" -- "$program" "$name" || {
            echo "FAILED: $name, threads and nodes $layout" >&2
            exit 1
        }
    done
done
echo "all passed"
