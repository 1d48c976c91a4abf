#!/bin/bash
# Another user attacks a job through its ports: the job ends well and with the right result. Needs
# root, to be another user.
#
# usage: foreign.sh FATHOM-RUN VICTIM FOREIGN
set -euo pipefail

run=$1
victim=$2
foreign=$3
[[ $(id -u) -eq 0 ]] || exit 77
command -v setpriv >/dev/null || exit 77

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
chmod 755 "$work"
install -m 755 "$foreign" "$work/foreign"

fail()
{
    printf 'FAILED: %s\n' "$*"
    cat "$work/out" "$work/err"
    exit 1
}

as_another()
{
    env -i PATH="$PATH" UCX_TLS=tcp setpriv --reuid 65534 --regid 65534 --clear-groups \
        timeout 120 "$work/foreign" "$@" >>"$work/attacks" 2>&1
}

# attacked NAME COMMAND...: the job while COMMAND runs.
attacked()
{
    local name=$1 pid
    shift
    rm -f "$work"/address.* "$work"/ports.* "$work/stop"
    timeout 300 "$run" -n 3 --nodes 3 -- "$victim" "$work" >"$work/out" 2>"$work/err" &
    pid=$!
    until [[ -s $work/address.0 && -s $work/address.1 && -s $work/address.2 ]]; do
        kill -0 $pid 2>/dev/null || fail "$name: the job has not come up"
        sleep 0.05
    done
    : >"$work/attacks"
    "$@" || true
    : >"$work/stop"
    wait $pid || fail "$name: status $?"
    grep -qx right "$work/out" || fail "$name: no result"
}

ports()
{
    local kind=$1 list
    mapfile -t list < <(cat "$work"/ports.*)
    [[ ${#list[@]} -gt 0 ]] || fail "no ports"
    as_another "$kind" "${list[@]}"
}

inject()
{
    chmod 644 "$work"/address.*
    as_another inject "$work"/address.*
}

attacked "nobody" true
attacked "forged messages" inject
attacked "garbage" ports garbage
attacked "slow connections" ports slow
attacked "open connections" ports open
# UCX itself gives up where its greeting is followed by garbage (docs/clusters.md): the job may end,
# but not hang, and not with a result and a good status that are wrong.
(attacked "greetings" ports greeting) >"$work/greetings" ||
    grep -q "killed by signal" "$work/greetings" || fail "greetings: $(cat "$work/greetings")"
