#!/bin/bash
# A program with two threads on each of two hosts under Open MPI. Threads with neighbouring numbers
# are on the same host, or on different ones.
#
# usage: test_mpirun.sh TESTCLUSTER PROGRAM [ARG...]
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../runtime/launcher/tests/draw.bash"

testcluster=$1
shift
draw slot node
for by in "${drawn[@]}"; do
    echo "by $by"
    "$testcluster" mpirun -n 4 --map-by "$by" "$@"
done
