# shellcheck shell=bash
# Shared by the tests of the watchdog: a job tells what it waits for, and goes on. Sourced, with
# `run` set to FATHOM-RUN, and `limit` to the most seconds that a job may take.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*"
    sed 's/^/    /' "$work/err"
    exit 1
}

# wait_until COMMAND...: until it succeeds, or the job has ended.
wait_until()
{
    until "$@" || ! kill -0 "$job" 2>/dev/null; do
        sleep 0.1
    done
}

# tells THREADS NODES LINE COMMAND...: a job of COMMAND, which has the name of a file as its last
# argument, prints LINE; then it is released by that file, and ends well.
tells()
{
    local threads=$1 nodes=$2 line=$3
    shift 3
    rm -f "$work/release"
    PGAS_WATCHDOG=1 timeout "${limit:?}" "${run:?}" -n "$threads" --nodes "$nodes" -- "$@" \
        "$work/release" >"$work/out" 2>"$work/err" &
    job=$!
    wait_until grep -Eqs -- "^fathom: thread [0-9] on .+: waiting for [0-9]+ s: $line\$" "$work/err"
    touch "$work/release"
    wait "$job" || fail "$*, $threads threads on $nodes nodes: status $?; nobody tells '$line'"
}
