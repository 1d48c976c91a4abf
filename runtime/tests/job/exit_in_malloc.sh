#!/bin/bash
# A handler of a signal that ends the job: it ends, with that status, also where the signal has
# interrupted malloc, whose lock is never given back then. Where another launcher than fathom-run may
# not notice, the thread ends those of its node that it knows by their process numbers, and no others.
#
# usage: exit_in_malloc.sh FATHOM-RUN EXIT-IN-MALLOC
set -euo pipefail

work=$(mktemp -d)
launcher=
trap '[[ -z $launcher ]] || kill "$launcher" 2>/dev/null || true; rm -rf "$work"' EXIT

# fathom-run takes a thread that is killed for the cause.
for ((i = 0; i < 3; i++)); do
    status=0
    killed=$(timeout 100 "$1" -n 4 --nodes 2 -- "$2") || status=$?
    if [[ $status -ne 3 || -n $killed ]]; then
        echo "FAILED: status $status: $killed"
        exit 1
    fi
done

# below_another FATHOM-RUN EXIT-IN-MALLOC STARTER: the job as by another launcher, which hears of no
# end: each thread is below a shell that tells how it has ended; that of thread 1 is started by
# STARTER. Until thread 0 has ended.
below_another()
{
    rm -f "$work"/*
    # shellcheck disable=SC2016 # the threads expand it
    "$1" -n 4 --nodes 2 -- sh -c 'first=
        [ "$PMIX_RANK" != 1 ] || first=$2
        env -u FATHOM_RUN $first "$0" deaf >"$1/out.$PMIX_RANK"
        echo $? >"$1/new.$PMIX_RANK"
        mv "$1/new.$PMIX_RANK" "$1/status.$PMIX_RANK"
        sleep 600' "$2" "$work" "$3" 2>"$work/err" &
    launcher=$!
    while [[ ! -e $work/status.0 ]] && kill -0 "$launcher" 2>/dev/null; do sleep 0.05; done
}

# expect NAME FILE TEXT
expect()
{
    if [[ $(cat "$work/$2" 2>&1) != "$3" ]]; then
        echo "FAILED: $1: $2: $(cat "$work/$2" 2>&1)"
        cat "$work/err"
        exit 1
    fi
}

finish()
{
    kill "$launcher" 2>/dev/null || true
    wait "$launcher" || true
    launcher=
}

below_another "$1" "$2" ""
expect "another launcher" status.0 3
while [[ ! -e $work/status.1 ]] && kill -0 "$launcher" 2>/dev/null; do sleep 0.05; done
expect "another launcher" status.1 137
[[ $(wc -l <"$work/out.0") -eq 1 ]]
[[ ! -e $work/status.2 && ! -e $work/status.3 ]]
finish

# Its number is another thread's, or a stranger's, where others read it.
if unshare --pid --fork true 2>/dev/null; then
    below_another "$1" "$2" "unshare --pid --fork"
    expect "a namespace of its own" status.0 3
    expect "a namespace of its own" out.0 ""
    finish
fi
echo "all passed"
