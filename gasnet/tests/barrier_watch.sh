#!/bin/bash
# PGAS_WATCHDOG: nodes that wait long for a barrier say so, in PAR too, where they wait a little at a
# time.
#
# usage: barrier_watch.sh FATHOM-RUN CLIENT-SEQ CLIENT-PAR
set -euo pipefail

run=$1
limit=100
# shellcheck source=runtime/tests/node/watchdog.bash
source "$(dirname "$0")/../../runtime/tests/node/watchdog.bash"

for client in "$2" "$3"; do
    tells 2 1 'barrier, .*missing: thread 1 .*' "$client"
    tells 2 2 'barrier, .*missing: thread 1 .*' "$client"
done
