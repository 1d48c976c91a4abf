#!/bin/sh
# Runs a program, in threads of odd numbers without a progress thread.
#
# usage: poll_odd.sh PROGRAM [ARGUMENT...]
[ $((PMIX_RANK % 2)) -eq 0 ] || export PGAS_PROGRESS=poll
exec "$@"
