#!/bin/bash
# Another user attacks a job through its ports: the job ends well and with the right result. Needs
# root, to be another user.
#
# usage: foreign.sh FATHOM-RUN VICTIM FOREIGN IMPOSTOR
set -euo pipefail

run=$1
victim=$2
foreign=$3
impostor=$4
[[ $(id -u) -eq 0 ]] || exit 77
command -v setpriv >/dev/null || exit 77

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
chmod 755 "$work"
install -m 755 "$foreign" "$work/foreign"
install -m 755 "$impostor" "$work/impostor"

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

# attacked NAME COMMAND...: the job while COMMAND runs. A job that has not ended after `patience`
# seconds hangs.
patience=300
attacked()
{
    local name=$1
    shift
    rm -f "$work"/address.* "$work"/ports.* "$work"/places.* "$work/stop"
    timeout "$patience" "$run" -n 3 --nodes 3 -- "$victim" "$work" >"$work/out" 2>"$work/err" &
    job=$!
    until [[ -s $work/address.0 && -s $work/address.1 && -s $work/address.2 ]]; do
        kill -0 "$job" 2>/dev/null || fail "$name: the job has not come up"
        sleep 0.05
    done
    : >"$work/attacks"
    "$@" || true
    : >"$work/stop"
    wait "$job" || fail "$name: status $?"
    grep -qx right "$work/out" || fail "$name: no result"
}

ports()
{
    local kind=$1 list
    mapfile -t list < <(cat "$work"/ports.*)
    [[ ${#list[@]} -gt 0 ]] || fail "no ports"
    as_another "$kind" "${list[@]}"
}

puts()
{
    local list
    mapfile -t list < <(cat "$work"/places.*)
    [[ ${#list[@]} -gt 0 ]] || fail "no places"
    as_another put "${list[@]}"
}

inject()
{
    chmod 644 "$work"/address.*
    as_another inject "$work"/address.*
}

attacked "nobody" true
attacked "forged messages" inject
attacked "garbage" ports garbage
# UCX itself gives up where its greeting is followed by garbage, and writes where it is told.
attacked "greetings" ports greeting
attacked "puts of UCX" puts
# Without the gate they arrive, which proves that the attack works.
(PGAS_GATE=0 attacked "puts of UCX without the gate" puts) >"$work/open_gate" 2>&1 &&
    fail "nothing was written where there is no gate"
grep -q 'untouched\[k\] == 0) failed' "$work/open_gate" || fail "$(cat "$work/open_gate")"
attacked "slow connections" ports slow
attacked "open connections" ports open
# The launcher's own port.
launcher()
{
    local child
    for child in $(pgrep -P "$job"); do
        [[ $(readlink "/proc/$child/exe") != "$run" ]] || printf '%s\n' "$child"
    done
}

launcher_port()
{
    local socket
    for socket in "/proc/$1/fd"/*; do
        socket=$(readlink "$socket") || continue
        [[ $socket == socket:* ]] || continue
        awk -v inode="${socket//[^0-9]/}" '$10 == inode && $4 == "0A" {
            print substr($2, index($2, ":") + 1) }' /proc/net/tcp
    done | head -1 | while read -r port; do printf '%d\n' "0x$port"; done
}

# steal NAMESPACE SECONDS: what the impostor finds out in that time. His PMIx library prints a lot
# when it is refused.
steal()
{
    local pid
    pid=$(launcher)
    env -i PATH="$PATH" setpriv --reuid 65534 --regid 65534 --clear-groups timeout "$2" \
        "$work/impostor" "$1" "fathom-$pid-server" "$(launcher_port "$pid")" \
        >"$work/stolen" 2>"$work/stolen.err" || true
}

steal_by_guessing()
{
    steal "fathom-$(launcher)" 20
}

# An impostor who knows the name is accepted, however long a busy machine takes and however often he
# has to try, which proves that the attack works. That job is not needed any longer then.
steal_by_knowing()
{
    local thread name end=$((SECONDS + patience / 2))
    thread=$(pgrep -f -- "^$victim $work" | head -1)
    name=$(tr '\0' '\n' <"/proc/$thread/environ" | sed -n 's/^PMIX_NAMESPACE=//p')
    while steal "$name" "$patience" && [[ ! -s $work/stolen && $SECONDS -lt $end ]]; do
        sleep 0.5
    done
    kill "$job"
}

attacked "an impostor" steal_by_guessing
[[ ! -s $work/stolen ]] || fail "an impostor has read: $(cat "$work/stolen")"
(attacked "an impostor who knows the name" steal_by_knowing) >/dev/null || true
grep -q '^record: ' "$work/stolen" || { cat "$work/stolen.err"; fail "the impostor cannot steal from anybody"; }

# A silent connection to the launcher: the job does not wait for its end.
hold()
{
    local port
    port=$(launcher_port "$(launcher)")
    setpriv --reuid 65534 --regid 65534 --clear-groups \
        bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; echo connected; exec sleep 600" >"$work/held" &
    holder=$!
    until [[ -s $work/held ]]; do sleep 0.05; done
}

attacked "a silent connection" hold
kill "$holder" 2>/dev/null || fail "the job has waited for a silent connection"

# A thread without the gate cannot connect to one that has it, and says so.
status=0
# shellcheck disable=SC2016 # expanded by the threads
"$run" -n 2 --nodes 2 -- bash -c 'export PGAS_GATE=$PMIX_RANK; exec "$@"' bash "$victim" "$work" \
    >"$work/out" 2>"$work/err" || status=$?
[[ $status -eq 1 ]] || fail "gates differ: status $status"
grep -q 'cannot connect to thread 0: strangers are refused here but not there (PGAS_GATE' \
    "$work/err" || fail "gates differ: no line"
