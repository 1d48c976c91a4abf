# shellcheck shell=bash
# What the tests of jobs share: a place to work in, and judging how a job ended. Sourced.
#
# A test names its case in `case`, runs a job whose arguments hold `marker`, leaves its output in
# $work/out and $work/err and its status in `status`, and then expects. A job in the background is
# the process `launcher`.
set -u
export LC_ALL=C
# shellcheck source=runtime/launcher/tests/draw.bash
source "${BASH_SOURCE[0]%/*}/draw.bash"

marker=marker-$$-$RANDOM
work=$(mktemp -d) || exit 1
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
touch "$work/start"
case=
launcher=
status=0
failures=0

cleanup()
{
    rm -rf "$work"
}

# The clock by which a job is soon or late: a companion that runs another one again and again, which
# ends well, with pauses of 250 ms. Where the machine has other work, or stands still, the companion is
# as slow as the job that is looked at; so that is held to what it takes of these ticks, and not to
# seconds. On an idle machine 15 of them are some five seconds.
ticker=
trap '[ -z "$ticker" ] || kill "$ticker" 2>/dev/null; cleanup' EXIT

# start_ticks COMMAND...: the job that the companion runs.
start_ticks()
{
    : >"$work/ticks"
    mkdir "$work/companion"
    while sleep 0.25; do
        TMPDIR=$work/companion "$@" >/dev/null 2>&1 </dev/null
        printf . >>"$work/ticks"
    done &
    ticker=$!
}

ticks_now()
{
    stat -c %s "$work/ticks"
}

# A job that has not ended by then hangs, in seconds: more than the busiest machine takes. For those
# who source this file.
export hangs=300

# The ticks that the last job took, and the most that one did. For those who source this file.
ticks=0
export slowest=0

# measure TICKS: notes how many have passed since then.
measure()
{
    ticks=$(($(ticks_now) - $1))
    [ "$ticks" -le "$slowest" ] || slowest=$ticks
}

# finish: waits for the job `launcher`, which runs in the background; notes status and ticks.
finish()
{
    local before
    before=$(ticks_now)
    wait "$launcher" 2>/dev/null
    status=$?
    measure "$before"
}

# until_ready COUNT FILE: waits until so many threads have said so there.
until_ready()
{
    local i
    for ((i = 0; i < 20 * hangs; i++)); do
        [ "$(grep -c ready "$2")" -ge "$1" ] && return 0
        sleep 0.05
    done
    fail "the threads were not ready"
}

fail()
{
    printf 'FAILED: %s: %s\n' "$case" "$*"
    sed 's/^/    stdout: /' "$work/out" | head -20
    sed 's/^/    stderr: /' "$work/err" | head -20
    failures=$((failures + 1))
}

# No process of this test's jobs is left. A killed one takes a moment to go.
check_gone()
{
    for _ in {1..600}; do
        pgrep -f -- "$marker" >/dev/null || return 0
        sleep 0.05
    done
    fail "left running: $(pgrep -af -- "$marker" | head -5)"
    pgrep -f -- "$marker" | xargs -r kill -9
}

# expect_words STATUS [LINE]: the job's status; the one line on standard error matches LINE, or
# there is none.
expect_words()
{
    [ "$status" -eq "$1" ] || fail "status $status, expected $1"
    if [ $# -gt 1 ]; then
        [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on standard error"
        grep -Eq -- "$2" "$work/err" || fail "standard error does not say '$2'"
    else
        [ ! -s "$work/err" ] || fail "something on standard error"
    fi
}

# What PMIx is known to make outside a job's temporary directory. The rest belongs to others.
files_of_pmix()
{
    find "$@" -maxdepth 1 -user "$(id -u)" -newer "$work/start" \
        \( -iname '*pmix*' -o -iname '*dstor*' \) 2>/dev/null | sort
}
