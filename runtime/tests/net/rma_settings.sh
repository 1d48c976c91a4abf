#!/bin/bash
# PGAS_RMA and PGAS_SEGMENT=ucx: what cannot be is refused in one line, and the statistics tell what
# is used.
#
# usage: rma_settings.sh FATHOM-RUN CONTACT
set -euo pipefail

run=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
events=${UCX_MEM_EVENTS:-} # sanitizers need their own
unset "${!PGAS_@}" "${!UCX_@}"
[[ -z $events ]] || export UCX_MEM_EVENTS=$events

fail()
{
    printf 'FAILED: %s\n' "$*"
    cat "$work/err"
    exit 1
}

# job NODES NAME=VALUE...
job()
{
    local nodes=$1
    shift
    status=0
    env "$@" timeout 200 "$run" -n 4 --nodes "$nodes" -- "$program" >"$work/out" 2>"$work/err" ||
        status=$?
}

# refuses LINE NAME=VALUE...: one line for all threads.
refuses()
{
    local line=$1
    shift
    job 2 "$@"
    [ $status = 1 ] || fail "$*: status $status"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "$*: more than a line"
    grep -Eq "^fathom: thread 0 on .+: $line" "$work/err" || fail "$*: not '$line'"
}

# uses WHAT NODES NAME=VALUE...: as the statistics tell; "messages", or a transport.
uses()
{
    local what=$1
    shift
    job "$@" PGAS_STATS="$work/stats.json"
    [ $status = 0 ] || fail "$*: status $status"
    if [ "$what" = messages ]; then
        ! grep -q '"rma"' "$work/stats.json" || fail "$*: not only messages"
    else
        [ "$(grep -c "\"transport\": \"$what\"" "$work/stats.json")" = 4 ] || fail "$*: not by $what"
    fi
}

refuses "PGAS_RMA='yes' is not one of on, off, auto" PGAS_RMA=yes
refuses 'PGAS_RMA=on: no transport of UCX_TLS=tcp reads and writes' PGAS_RMA=on
refuses 'PGAS_RMA=on: no transport of UCX_TLS=tcp,self reads' PGAS_RMA=on UCX_TLS=tcp,self
refuses 'PGAS_RMA=on: posix reaches only memory that UCX has made; PGAS_SEGMENT=ucx' PGAS_RMA=on \
    UCX_TLS=posix,self
refuses 'PGAS_SEGMENT=ucx needs the transport posix \(UCX_TLS=posix,self\), which UCX_TLS=tcp ' PGAS_SEGMENT=ucx
refuses 'PGAS_SEGMENT=ucx needs the transport posix' PGAS_SEGMENT=ucx UCX_TLS=sysv,self PGAS_RMA=off
refuses 'PGAS_SEGMENT=ucx: [0-9]+ bytes for the node.s heaps, and /dev/shm has .*PGAS_HEAP_SIZE' \
    PGAS_SEGMENT=ucx UCX_TLS=posix,self PGAS_HEAP_SIZE=1T

status=0
PGAS_SEGMENT=ucx UCX_TLS=posix,self timeout 200 "$run" -n 2 --nodes 2 -- \
    sh -c "PGAS_HEAP_SIZE=\$((16 - 8 * PMIX_RANK))M exec '$program'" 2>"$work/err" || status=$?
[ $status = 1 ] || fail "two sizes of heaps: status $status"
grep -q "^fathom: thread 1 on .*: PGAS_HEAP_SIZE is less than that of the host's lowest thread" \
    "$work/err" || fail "two sizes of heaps: no line"

uses messages 2 PGAS_RMA=auto
uses messages 2 PGAS_RMA=off UCX_TLS=posix,self PGAS_SEGMENT=ucx
uses messages 2 UCX_TLS=posix,self
uses messages 1 PGAS_SEGMENT=ucx UCX_TLS=posix,self PGAS_RMA=on
uses posix 2 UCX_TLS=posix,self PGAS_SEGMENT=ucx
uses posix 4 UCX_TLS=posix,tcp,self PGAS_SEGMENT=ucx PGAS_RMA=on
