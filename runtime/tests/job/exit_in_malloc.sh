#!/bin/bash
# A handler of a signal that ends the job: it ends, with that status, also where the signal has
# interrupted malloc, whose lock is never given back then.
#
# usage: exit_in_malloc.sh FATHOM-RUN EXIT-IN-MALLOC
set -euo pipefail

for ((i = 0; i < 3; i++)); do
    status=0
    timeout 100 "$1" -n 4 --nodes 2 -- "$2" || status=$?
    if [[ $status -ne 3 ]]; then
        echo "FAILED: status $status"
        exit 1
    fi
done
