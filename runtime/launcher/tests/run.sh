#!/bin/bash
# What fathom-run promises: statuses, one line, nothing left behind, output, input, signals.
#
# usage: run.sh FATHOM-RUN PMIX-CLIENT
#
# Every job carries a marker among its arguments, by which its processes are found again.
# shellcheck disable=SC2016 # the threads expand what is in single quotes
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/jobs.bash"

client=$2
before=$work/before

# starter FILE OPTION...: makes a program that is fathom-run, started by env with these options.
starter()
{
    local file=$1
    shift
    printf '#!/bin/sh\nexec env %s "%s" "$@"\n' "$*" "$launches" >"$file"
    chmod +x "$file"
}

# What is ignored where this test is started, as SIGINT in the background, is not by the jobs.
launches=$1
run=$work/run
starter "$run" --default-signal

cleanup()
{
    rm -rf "$work"
    find /dev/shm -maxdepth 1 -name "fathom-*-$marker" -delete 2>/dev/null
}

# Files a job might leave: whatever is in its own temporary directory, and what PMIx is known to
# make elsewhere. The rest of the machine belongs to others.
inventory()
{
    find "$TMPDIR"
    files_of_pmix /tmp /dev/shm /run
}

# begin NAME: starts a test case.
begin()
{
    case=$1
    : >"$work/out"
    : >"$work/err"
    inventory >"$before"
}

# job ARGS...: runs fathom-run; leaves status, ticks, milliseconds and its output.
job()
{
    local start=$EPOCHREALTIME before
    before=$(ticks_now)
    timeout -k 1 $hangs "$run" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    measure "$before"
    milliseconds=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
}

# expect STATUS [LINE]: the job's status; the one line on standard error matches LINE, or there is
# none; it left nothing.
expect()
{
    expect_words "$@"
    check_gone
    inventory | diff "$before" - >"$work/left" || fail "left behind: $(cat "$work/left")"
}

# within TICKS
within()
{
    [ "$ticks" -lt "$1" ] || fail "took $ticks ticks, expected less than $1"
}

# start ARGS...: runs fathom-run in the background and waits until its threads have said "ready".
# usage: start COUNT ARGS...
start()
{
    local count=$1
    shift
    "$run" "$@" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    until_ready "$count" "$work/out"
}

test_statuses()
{
    begin "a program without PMIx"
    job -n 3 -- echo hello "$marker"
    expect 0
    [ "$(grep -c "^hello $marker\$" "$work/out")" -eq 3 ] || fail "not three lines"

    begin "PMIx between the threads"
    local n
    for n in 1 2 7; do
        job -n $n "$client" hello 0 0 "$marker"
        expect 0
        [ "$(sort -u "$work/out" | grep -c "^thread [0-9]* of $n\$")" -eq $n ] || fail "not $n threads"
    done

    begin "hwloc as the user has set it, not as the launcher has it"
    job -n 1 sh -c 'env | grep ^HWLOC_ || exit 0' "$marker"
    expect 0
    [ ! -s "$work/out" ] || fail "set for the threads"
    HWLOC_COMPONENTS=linux,stop job -n 1 sh -c 'env | grep ^HWLOC_' "$marker"
    expect 0
    [ "$(cat "$work/out")" = HWLOC_COMPONENTS=linux,stop ] || fail "not what the user has set"

    begin "threads that meet nobody"
    for n in 1 12 40; do
        job -n $n "$client" quick 0 0 "$marker"
        expect 0
    done

    begin "sixty-four threads"
    job -n 64 "$client" hello 0 0 "$marker"
    expect 0
    [ "$(sort -u "$work/out" | wc -l)" -eq 64 ] || fail "not 64 threads"

    begin "a status, of a program that gives up before it joins the job"
    job -n 2 sh -c "exit 5" "$marker"
    expect 5
}

test_endings()
{
    begin "abort without a message"
    job -n 4 "$client" abort 2 42 "$marker"
    expect 42
    within 15

    begin "abort with a message"
    job -n 4 "$client" message 1 43 "$marker"
    expect 43 '^fathom-run: thread 1: found the sea too wide$'
    within 15

    # A thread that saw a connection close would have something to say about it.
    begin "an end that no other thread sees"
    job -n 48 "$client" witness 5 42 "$marker"
    expect 42

    begin "exit without PMIx_Finalize"
    job -n 4 "$client" leave 2 3 "$marker"
    expect 3 '^fathom-run: thread 2 \(pid [0-9]+ on .+\) exited with status 3 before pgas_finalize'
    within 15

    begin "exit with 0 without PMIx_Finalize"
    job -n 4 "$client" leave 3 0 "$marker"
    expect 1 '^fathom-run: thread 3 \(pid [0-9]+ on .+\) exited with status 0 before pgas_finalize'
    within 15

    begin "exit with 0 without PMIx_Init"
    job -n 3 "$client" absent 1 0 "$marker"
    expect 1 '^fathom-run: thread 1 .* exited with status 0 without pgas_init'
    within 15

    begin "crash"
    job -n 4 "$client" crash 0 0 "$marker"
    expect 139 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) was killed by signal 11 \(Segmentation fault'
    within 15

    begin "failure after PMIx_Finalize"
    job -n 3 "$client" late 1 6 "$marker"
    expect 6 '^fathom-run: thread 1 .* exited with status 6 after pgas_finalize$'
    [ "$(grep -c finished "$work/out")" -eq 2 ] || fail "the others did not finish"

    begin "kill -9 of a thread"
    start 3 -n 3 sh -c 'echo ready; sleep 60 & wait' "$marker"
    kill -9 "$(pgrep -f "^sh -c echo ready.*$marker" | tail -1)"
    finish
    expect 137 '^fathom-run: thread [0-2] \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$'
    within 15

    # Thread 0 says who it is, and aborts when thread 1 has read that; thread 1 ends by $2 when it sees
    # the end, as soon as it can: by itself, since commands that it would start take a second each on
    # a busy machine.
    local victim='[ "$PMIX_RANK" = 1 ] || {
            echo $$ >"$1"
            until [ -e "$1.read" ]; do :; done
            kill -ABRT $$
        }
        until read -r pid <"$1"; do :; done 2>/dev/null
        : >"$1.read"
        has_ended()
        {
            while read -r key state; do
                case $key$state in State:Z*) return 0 ;; esac
            done <"/proc/$pid/status"
            return 1
        }
        until has_ended 2>/dev/null; do :; done
        eval "$2"'
    begin "kill -9 of a thread that ends after another has given up because of it"
    job -n 2 sh -c "$victim" sh "$work/pid" 'kill -9 $$' "$marker"
    expect 137 '^fathom-run: thread 1 \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$'

    begin "a thread that aborts, and another that exits because of it"
    rm "$work/pid" "$work/pid.read"
    job -n 2 sh -c "$victim" sh "$work/pid" 'exit 7' "$marker"
    expect 134 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) was killed by signal 6 \(Aborted\); the job is ended$'

    begin "a handler of SIGTERM runs where the program waits for it"
    job -n 8 "$client" caught 5 42 "$marker"
    expect 42

    begin "a handler of SIGTERM below a shell, which has none"
    start 2 -n 2 bash -c 'bash -c "$0" "$1" 2>/dev/null; exit 5' \
        'trap "sleep 0.2; echo cleaned up; exit 6" TERM; echo ready; while :; do sleep 0.02; done' "$marker"
    kill -TERM "$launcher"
    finish
    expect 143 '^fathom-run: interrupted by signal 15'
    [ "$(grep -c '^cleaned up$' "$work/out")" -eq 2 ] || fail "not two that have cleaned up"

    begin "the second signal of timeout, behind a thread that is slow to stop"
    start 2 -n 2 bash -c '[ "$PMIX_RANK" = 0 ] || exec "$0" unstoppable "$1"
        exec 2>/dev/null
        trap "sleep 0.1; echo cleaned up; exit 6" TERM; echo ready; while :; do sleep 0.02; done' "$client" "$marker"
    kill -TERM "$launcher"
    sleep 0.02
    kill -TERM "$launcher"
    finish
    expect 143 '^fathom-run: interrupted by signal 15'
    grep -q '^cleaned up$' "$work/out" || fail "the handler was cut short"

    begin "threads that ignore SIGTERM"
    job -n 3 sh -c '[ "$PMIX_RANK" = 2 ] || trap "" TERM; exec "$0" leave 2 4 "$1"' "$client" "$marker"
    expect 4 '^fathom-run: thread 2 .* exited with status 4 before pgas_finalize; the job is ended$'
    [ "$milliseconds" -ge 300 ] || fail "took $milliseconds ms: nobody ignored SIGTERM"
    within 15

    begin "a thread that aborts behind one that has left"
    rm -f "$work/left"
    job -n 2 sh -c '"$0" leave 0 0 "$1" &
        [ "$PMIX_RANK" = 1 ] || { wait; : >"$2"; exit 0; }
        while [ ! -e "$2" ]; do sleep 0.05; done
        sleep 0.2
        kill -ABRT $$' "$client" "$marker" "$work/left"
    expect 1 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) exited with status 0 before pgas_finalize; the job is ended$'

    begin "a shell that goes on behind a thread that has left"
    job -n 2 sh -c '"$0" leave 1 4 "$1"; sleep 600; : "$1"' "$client" "$marker"
    expect 1 '^fathom-run: thread 1 \(pid [0-9]+ on .+\) goes on though its program has ended before pgas_finalize; the job is ended$'

    begin "a shell that goes on for a moment"
    job -n 2 sh -c '"$0" leave 1 4 "$1"; code=$?; sleep 1; exit $code' "$client" "$marker"
    expect 4 '^fathom-run: thread 1 \(pid [0-9]+ on .+\) exited with status 4 before pgas_finalize; the job is ended$'

    begin "a shell that goes on for a moment, stopped for longer than it may"
    start 1 -n 2 sh -c '"$0" leave 1 4 "$1"; code=$?; echo ready; for i in 1 2 3 4; do sleep 0.4; done; exit $code' "$client" "$marker"
    sleep 0.5 # the launcher has heard of it
    pgrep -f -- "$marker" | xargs -r kill -STOP
    sleep 11
    pgrep -f -- "$marker" | xargs -r kill -CONT
    finish
    expect 4 '^fathom-run: thread 1 \(pid [0-9]+ on .+\) exited with status 4 before pgas_finalize; the job is ended$'

    begin "what stands behind a thread that ends the job"
    job -n 2 sh -c '"$0" abort 1 7 "$1"; echo "code $?"' "$client" "$marker"
    expect 7
    [ "$(cat "$work/out")" = "code 7" ] || fail "not the code of the one that has ended the job"

    begin "a filter behind a thread that ends the job"
    job -n 2 sh -c '{ echo result; exec "$0" abort 1 7 "$1"; } | { sleep 0.2; cat; }' "$client" "$marker"
    expect 7
    grep -q result "$work/out" || fail "the output is lost"

    begin "a filter whose parent has gone, behind a thread that ends the job"
    mkfifo "$work/filter"
    job -n 2 sh -c '[ "$PMIX_RANK" = 1 ] || exec "$0" abort 1 7 "$1"
        ({ sleep 0.2; cat; } <"$2" &)
        { echo result; exec "$0" abort 1 7 "$1"; } >"$2"' "$client" "$marker" "$work/filter"
    expect 7
    grep -q result "$work/out" || fail "the output is lost"

    begin "a filter that another thread of control has started"
    job -n 2 "$client" filtered 1 7 "$marker"
    expect 7
    grep -q result "$work/out" || fail "the output is lost"

    begin "a shell that goes on behind a job of one thread"
    job -n 1 sh -c '"$0" leave 0 4 "$1"; sleep 11; exit 5' "$client" "$marker"
    expect 5 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) exited with status 5 before pgas_finalize; the job is ended$'

    begin "what a thread leaves behind"
    job -n 2 sh -c "sh -c 'sleep 60; : $marker' & setsid sh -c 'sleep 60; : $marker' & exit 0" "$marker"
    expect 0 '^fathom-run: [0-9]+ processes that the threads had left in the background \((sh|sleep)\) did not end: killed$'
    within 20

    begin "one process that a thread leaves behind"
    job -n 1 bash -c "exec -a 'sleep $marker' sleep 60 &" "$marker"
    expect 0 '^fathom-run: 1 process that the threads had left in the background \(sleep\) did not end: killed$'

    begin "what a thread has started and killed itself"
    job -n 1 sh -c 'sleep 60 & kill -9 $!' "$marker"
    expect 0

    begin "what runs when a thread below a shell ends the job well"
    job -n 2 sh -c 'sleep 60 & "$0" abort 1 0 "$1"; exit 0' "$client" "$marker"
    expect 0

    begin "what a thread leaves behind, and what ends by itself"
    job -n 2 bash -c 'sleep 0.2 & sleep 0.3 & exit 0' "$marker"
    expect 0
}

# zombies: those that the launcher has not reaped.
zombies()
{
    ps -o pid=,stat= --ppid "$launcher" | awk '$2 ~ /^Z/ { print $1 }' | sort -n
}

# Nobody else can reap the background commands of a thread that runs, and their numbers are few. The
# threads that have ended, and the reaper, keep theirs: the launcher kills by them.
test_zombies()
{
    [ -e /proc/self/task/$$/children ] || return 0
    local kept since
    begin "background commands of a thread that goes on"
    : >"$work/stay"
    start 1 -n 2 bash -c '[ "$PMIX_RANK" = 0 ] || { echo $$ >"$0/ended"; exit 0; }
        for ((i = 0; i < 400; i++)); do (sleep 600 &) ; done; echo ready
        while [ -e "$0/stay" ]; do sleep 0.05; done; exit 5' "$work" "$marker"
    until [ -s "$work/ended" ] && [ "$(pgrep -c -P "$launcher" -x sleep)" -eq 400 ]; do sleep 0.05; done
    mapfile -t kept < <({ cat "$work/ended"; pgrep -P "$launcher" -x fathom-reaper; } | sort -n)
    pkill -KILL -P "$launcher" -x fathom-reaper
    until is_over "${kept[@]}"; do sleep 0.05; done
    # All at once: more than a list of children has in one read. Nothing else makes the launcher look.
    sleep 1
    kill -STOP "$launcher"
    pkill -P "$launcher" -x sleep
    until ps -o stat=,comm= --ppid "$launcher" | awk '/^[^Z].* sleep/ { alive = 1 } END { exit alive }'; do
        sleep 0.05
    done
    kill -CONT "$launcher"
    since=$(ticks_now)
    until [ "$(zombies | wc -l)" -le 2 ] || [ $(($(ticks_now) - since)) -gt 15 ]; do sleep 0.05; done
    [ "$(zombies)" = "$(printf '%s\n' "${kept[@]}")" ] ||
        fail "$(zombies | wc -l) zombies, expected ${kept[*]}"
    rm "$work/stay"
    finish
    expect 5
}

# Children of a shell that has become the launcher are none of the job's: they have the last lines.
test_inherited()
{
    begin "a child of the shell that becomes the launcher"
    bash -c 'exec > >(sleep 0.3; cat >"$0"); exec "$1" -n 1 -- echo "last $2"' "$work/late" "$run" "$marker"
    local tries=0
    until [ -s "$work/late" ] || [ $tries -ge 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    grep -q "^last $marker\$" "$work/late" || fail "its output is lost"
}

# However many they are.
test_many_inherited()
{
    local count=100 left
    begin "$count children of the shell that becomes the launcher"
    bash -c 'for ((i = 0; i < $1; i++)); do sleep 600 & echo $! >>"$0"; done; exec "$2" -n 2 -- true "$3"' \
        "$work/children" $count "$run" "$marker" >"$work/out" 2>"$work/err"
    left=$(xargs -r ps -o pid= -p <"$work/children" | wc -l)
    [ "$left" -eq $count ] || fail "$left of $count are left"
    xargs -r kill <"$work/children" 2>/dev/null
}

# What such a child leaves behind is no orphan of the job, and what a thread leaves is one.
test_orphans_beside()
{
    begin "an orphan of a child of the shell that becomes the launcher"
    bash -c '(sleep 600 >/dev/null 2>&1 & echo $! >"$0") & exec "$@"' "$work/orphan" "$run" -n 2 -- sh -c \
        'until [ -s "$0" ]; do sleep 0.05; done; sleep 0.2; setsid sh -c "sleep 60; : $1" & exit 0' \
        "$work/orphan" "$marker" >"$work/out" 2>"$work/err"
    status=$?
    kill "$(cat "$work/orphan")" 2>/dev/null || fail "it was killed"
    expect 0 '^fathom-run: [0-9]+ processes that the threads had left in the background \((sh|sleep)\) did not end: killed$'
}

# names: the names of this test in shared memory.
names()
{
    find /dev/shm -maxdepth 1 -name "fathom-*-$marker"
}

# What a node's leader leaves that is killed before it has removed the name of its segment, which has
# the launcher's number: that of the job's namespace.
test_names()
{
    [ -w /dev/shm ] || return 0
    local stranger=/dev/shm/fathom-$$-$marker
    local make=': >"/dev/shm/${PMIX_NAMESPACE%-*}-$PMIX_RANK-$0"; '
    : >"$stranger"

    begin "the name of a killed thread's segment"
    job -n 2 sh -c "$make"'[ "$PMIX_RANK" = 1 ] || sleep 60; kill -9 $$' "$marker"
    expect 137 '^fathom-run: thread 1 .* was killed by signal 9'
    [ "$(names)" = "$stranger" ] || fail "names in shared memory: $(names)"

    begin "the name of a segment, kill -9 of fathom-run"
    start 2 -n 2 sh -c "$make"'echo ready; sleep 60' "$marker"
    [ "$(names | wc -l)" -eq 3 ] || fail "the threads made no names"
    kill -9 "$launcher"
    finish
    expect 137
    for _ in {1..600}; do
        [ "$(names)" = "$stranger" ] && break
        sleep 0.05
    done
    [ "$(names)" = "$stranger" ] || fail "names in shared memory: $(names)"
    rm -f "$stranger"
}

# ucx_memory: the names of this test in UCX's shared memory, and the jobs' directories for them.
ucx_memory()
{
    find /dev/shm -maxdepth 2 -name "*$marker-ucx"
    [ ! -s "$work/directory" ] || find "$(cat "$work/directory")" -maxdepth 0 2>/dev/null
}

# no_ucx_memory: waits until there are none, as the reaper may need a moment.
no_ucx_memory()
{
    for _ in {1..600}; do
        [ -n "$(ucx_memory)" ] || return 0
        sleep 0.05
    done
    fail "names in shared memory: $(ucx_memory)"
    find /dev/shm -maxdepth 2 -name "*$marker-ucx" -delete
}

# What a thread leaves that is killed before UCX has removed the name of the memory that it shares.
test_ucx_memory()
{
    [ -w /dev/shm ] || return 0
    local make=': >"${UCX_POSIX_DIR:-/dev/shm}/$$-$0-ucx"; echo "${UCX_POSIX_DIR-}" >"$1"; '
    export UCX_TLS=posix,self

    begin "UCX's memory of a killed thread"
    job -n 2 sh -c "$make"'[ "$PMIX_RANK" = 1 ] || sleep 60; kill -9 $$' "$marker" "$work/directory"
    expect 137 '^fathom-run: thread 1 .* was killed by signal 9'
    no_ucx_memory

    begin "UCX's memory, kill -9 of fathom-run"
    start 2 -n 2 sh -c "$make"'echo ready; sleep 60' "$marker" "$work/directory"
    kill -9 "$launcher"
    finish
    expect 137
    no_ucx_memory

    begin "UCX's memory of a job that ends well"
    job -n 2 sh -c "$make" "$marker" "$work/directory"
    expect 0
    [ -s "$work/directory" ] || fail "no directory for UCX"
    no_ucx_memory

    begin "directories for UCX that killed launchers left"
    local gone held
    gone=/dev/shm/fathom-$(sh -c 'echo $$')-ucx
    held=/dev/shm/fathom-$(sh -c 'echo $$')-ucx
    mkdir "$gone-new" "$held-new" "/dev/shm/fathom-$$-ucx"
    : >"$gone-new/memory"
    mv "$gone-new" "$gone"
    # Launchers of other tests look, too: it has its name as long as it is locked.
    exec 9<"$held-new"
    flock -n 9
    mv "$held-new" "$held"
    job -n 1 true "$marker"
    expect 0
    [ ! -e "$gone" ] || fail "$gone stays"
    [ -d "$held" ] || fail "removed in use: $held"
    exec 9<&-
    [ -d "/dev/shm/fathom-$$-ucx" ] || fail "removed though its process lives"
    job -n 1 true "$marker"
    [ ! -e "$held" ] || fail "$held stays"
    rm -rf "$gone" "$held" "/dev/shm/fathom-$$-ucx"

    begin "a directory for UCX that the user has named"
    UCX_POSIX_DIR=$work job -n 1 sh -c 'echo "$UCX_POSIX_DIR"; : "$0"' "$marker"
    expect 0
    [ "$(cat "$work/out")" = "$work" ] || fail "UCX_POSIX_DIR became $(cat "$work/out")"
    unset UCX_TLS
}

test_odd_starts()
{
    begin "an entry of the environment that is no variable"
    timeout -k 1 $hangs "$client" oddly "$run" -n 2 "$client" hello 0 0 "$marker" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect 0

    # PMIx makes a map of the host's name. Only root may give another one.
    local name
    if unshare -u true 2>/dev/null && [ -w /proc/sys/kernel/hostname ]; then
        for name in "$(printf 'h%.0s' {1..62})" a,b; do
            begin "a host called $name"
            unshare -u sh -c 'echo "$0" >/proc/sys/kernel/hostname; exec "$@"' "$name" timeout -k 1 $hangs \
                "$run" -n 2 "$client" brief 0 0 "$marker" >"$work/out" 2>"$work/err" </dev/null
            status=$?
            expect 0
        done
    fi

    begin "more files open than PMIx can count"
    if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 2000 ]; then
        bash -c 'ulimit -Sn 2000; for ((fd = 10; fd < 1100; fd++)); do eval "exec $fd</dev/null"; done; exec "$@"' \
            bash "$run" -n 2 "$client" hello 0 0 "$marker" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        expect 1 '^fathom-run: [0-9]+ files with numbers below 1024 are open already'
    fi
}

test_missing_programs()
{
    begin "a program that is missing"
    job -n 4 "nonesuch-$marker"
    expect 127 "^fathom-run: cannot run 'nonesuch-$marker': No such file or directory\$"

    begin "a program that is not executable"
    job -n 4 "$work/err" "$marker"
    expect 126 "^fathom-run: cannot run '$work/err': Permission denied\$"

    begin "a pipe that nobody writes to, as program"
    mkfifo -m 700 "$work/pipe"
    job -n 2 "$work/pipe" "$marker"
    expect 126 "^fathom-run: cannot run '$work/pipe': Permission denied\$"
}

# refuse LINE ARGS...: the command line is refused with that one line.
refuse()
{
    local line=$1
    shift
    begin "refused: $*"
    job "$@"
    expect 2 "$line"
    [ ! -s "$work/out" ] || fail "something was started"
}

test_refusals()
{
    refuse '^fathom-run: -n: missing' echo "$marker"
    refuse "^fathom-run: -n: '0' is not a whole number from 1" -n 0 echo "$marker"
    refuse "^fathom-run: -n: 'x' is not a whole number from 1" -n x echo "$marker"
    refuse "^fathom-run: -n: '-3' is not a whole number from 1" -n -3 echo "$marker"
    refuse "^fathom-run: -n: '99999999' is more than the [0-9]+ threads.*open files" \
        -n 99999999 echo "$marker"
    refuse "^fathom-run: --nodes: '9' is not a whole number from 1 to 4" -n 4 --nodes 9 echo "$marker"
    refuse "^fathom-run: --nodes: '0' is not a whole number" -n 4 --nodes 0 echo "$marker"
    refuse "^fathom-run: --bind: 'foo' is not one of core, none" -n 4 --bind foo echo "$marker"
    refuse "^fathom-run: --bind: 'core' is for at most" -n 4000 --bind core echo "$marker"
    refuse '^fathom-run: PROGRAM: missing' -n 4
    refuse "^fathom-run: '--frob' is not an option" -n 4 --frob echo "$marker"
    refuse "^fathom-run: '-n' lacks its value" -n

    begin "--help and --version"
    "$run" --help | grep -q '128+N' || fail "--help does not tell the statuses"
    "$run" --version | grep -q '^fathom-run (Fathom) [0-9]' || fail "--version"
}

# Limits of address space: the job ends, and where it does not do what it should one line says why.
test_limits()
{
    local limit
    [ -z "${FATHOM_TEST_SANITIZED:-}" ] || return 0 # a sanitizer wants terabytes
    for limit in 12000 20000 24000 28000 36000 44000 52000 60000 68000 80000 120000; do
        begin "ulimit -v $limit"
        timeout -k 1 $hangs bash -c 'ulimit -v "$1"; shift; exec "$@"' bash $limit \
            "$run" -n 2 "$client" hello 0 0 "$marker" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        if [ "$status" -eq 0 ]; then
            expect 0
        else
            expect 1 '^fathom-run: .*(ulimit -v|NO-MEM|memory)'
        fi
    done
    [ "$status" -eq 0 ] || fail "not even that is enough"
}

test_output()
{
    begin "tags"
    job -n 3 --tag sh -c 'echo one; echo two >&2; printf three' "$marker"
    [ "$status" -eq 0 ] || fail "status $status"
    local t
    for t in 0 1 2; do
        grep -qx "\[$t\] one" "$work/out" || fail "no tagged line of thread $t"
        grep -qx "\[$t\] three" "$work/out" || fail "no unfinished line of thread $t"
        grep -qx "\[$t\] two" "$work/err" || fail "no tagged line of thread $t on standard error"
    done

    begin "whole lines"
    job -n 8 bash -c 'line=$(printf "%0200d" "$PMIX_RANK")
        for i in {1..500}; do printf "%s" "${line:0:100}"; printf "%s\n" "${line:100}"; done' "$marker"
    expect 0
    [ "$(wc -l <"$work/out")" -eq 4000 ] || fail "not 4000 lines"
    [ "$(sort "$work/out" | uniq -c | awk '$1 == 500 && length($2) == 200' | wc -l)" -eq 8 ] ||
        fail "lines are mixed"

    begin "a long line and bytes of all kinds"
    head -c 3000000 /dev/urandom >"$work/bytes"
    job -n 1 sh -c "cat '$work/bytes'" "$marker"
    expect 0
    cmp -s "$work/bytes" "$work/out" || fail "the bytes changed"
    : >"$work/out" # not to be shown

    begin "a reader that leaves"
    timeout -k 1 $hangs "$run" -n 2 yes "$marker" 2>"$work/err" | head -1 >"$work/out"
    status=${PIPESTATUS[0]}
    expect 141
    [ "$(cat "$work/out")" = "$marker" ] || fail "not the first line"

    begin "a slow reader"
    timeout -k 1 $hangs "$run" -n 4 seq 100000 2>"$work/err" | (sleep 1 && wc -l) >"$work/out"
    status=${PIPESTATUS[0]}
    expect 0
    [ "$(cat "$work/out")" -eq 400000 ] || fail "lines are missing"

    begin "output that cannot be written"
    timeout -k 1 $hangs "$run" -n 2 echo "$marker" >/dev/full 2>"$work/err"
    status=$?
    expect 1 '^fathom-run: standard output: No space left on device'

    begin "closed standard files"
    timeout -k 1 $hangs "$run" -n 2 sh -c 'cat; echo "$0"' "$marker" 2>"$work/err" <&- >&-
    status=$?
    expect 1 '^fathom-run: standard output: Bad file descriptor'

    begin "closed standard files that nobody uses"
    timeout -k 1 $hangs "$run" -n 2 true "$marker" 2>"$work/err" <&- >&-
    status=$?
    expect 0

    begin "help to a closed standard output"
    timeout -k 1 $hangs "$run" --help 2>"$work/err" >&-
    status=$?
    expect 1 '^fathom-run: standard output cannot be written: Bad file descriptor$'
}

test_input()
{
    begin "standard input"
    head -c 1000000 /dev/zero | tr '\0' 'a\n' >"$work/input"
    timeout -k 1 $hangs "$run" -n 3 sh -c 'wc -c' "$marker" <"$work/input" >"$work/out" 2>"$work/err"
    status=$?
    expect 0
    [ "$(sort -n "$work/out" | tr -d ' ' | paste -sd,)" = "0,0,1000000" ] || fail "not all for thread 0"

    begin "standard input that cannot be read"
    timeout -k 1 $hangs "$run" -n 2 sh -c 'cat; sleep 60' "$marker" <"$work" >"$work/out" 2>"$work/err"
    status=$?
    expect 1 '^fathom-run: standard input: Is a directory; the job is ended$'

    begin "standard input that is closed"
    timeout -k 1 $hangs "$run" -n 2 sh -c 'wc -c' "$marker" <&- >"$work/out" 2>"$work/err"
    status=$?
    expect 0

    begin "standard input nobody reads"
    yes | timeout -k 1 $hangs "$run" -n 2 true "$marker" >"$work/out" 2>"$work/err"
    status=$?
    expect 0
}

test_signals()
{
    local name number
    for name in INT TERM HUP QUIT; do
        begin "SIG$name"
        number=$(kill -l $name)
        start 3 -n 3 sh -c 'echo ready; sleep 60' "$marker"
        kill -$name "$launcher"
        finish
        expect $((128 + number)) "^fathom-run: interrupted by signal $number \\(.*\\); the job is ended\$"
        within 15
    done

    begin "SIGINT to threads that ignore it"
    start 2 -n 2 bash -c 'trap "" INT TERM; echo ready; while :; do sleep 0.1; done' "$marker"
    kill -INT "$launcher"
    finish
    expect 130 '^fathom-run: interrupted by signal 2'
    within 15

    begin "SIGINT before the first thread starts"
    env --default-signal --block-signal=INT bash -c 'kill -INT $$; exec "$@"' bash "$launches" -v -n 60 -- sh -c 'sleep 60' "$marker" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 130 ] || fail "status $status"
    [ "$(grep -c 'is pid' "$work/err")" -le 1 ] || fail "threads start after it"
    check_gone

    begin "SIGUSR1 before the first thread starts"
    env --default-signal --block-signal=USR1 bash -c 'kill -USR1 $$; exec "$@"' bash "$launches" -n 5 -- bash -c \
        'for i in {1..200}; do grep -q "^ShdPnd:.*[2367abef]..$" /proc/$$/status && echo told && exit; sleep 0.05; done' \
        "$marker" >"$work/out" 2>"$work/err"
    status=$?
    expect 0
    [ "$(grep -c told "$work/out")" -eq 5 ] || fail "not all threads were told"

    begin "SIGUSR1 is passed on"
    start 2 -n 2 bash -c 'exec 2>/dev/null; trap "echo told; exit 0" USR1; echo ready; while :; do sleep 0.1; done' "$marker"
    kill -USR1 "$launcher"
    finish
    expect 0
    [ "$(grep -c told "$work/out")" -eq 2 ] || fail "not all threads were told"

    begin "stopped and continued"
    start 2 -n 2 bash -c 'echo ready; for i in {1..10}; do sleep 0.1; done; echo over' "$marker"
    kill -TSTP "$launcher"
    local stopped=0 turn
    for ((turn = 0; turn < 20 * hangs && stopped < 3; turn++)); do
        stopped=$(pgrep -f -- "$marker" | xargs -r ps -o stat= -p | grep -c '^T')
        sleep 0.05
    done
    [ "$stopped" -ge 3 ] || fail "only $stopped processes stopped"
    kill -CONT "$launcher"
    finish
    expect 0
    [ "$(grep -c over "$work/out")" -eq 2 ] || fail "the threads did not finish"

    begin "kill -9 of fathom-run"
    start 2 -n 2 sh -c "echo ready; sh -c 'sleep 60; : $marker'; :" "$marker"
    kill -9 "$launcher"
    finish
    expect 137

    begin "kill -9 of fathom-run with PMIx threads"
    "$run" -n 2 "$client" sleep 0 0 "$marker" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    sleep 0.5
    kill -9 "$launcher"
    finish
    expect 137
}

test_ignored_signals()
{
    local number signals=HUP,INT,QUIT,TERM,USR1,USR2,TSTP,CHLD,PIPE,XFSZ,ALRM
    begin "the program ignores what it would outside"
    for number in "$signals" HUP TERM CHLD PIPE; do
        starter "$work/ignoring" --default-signal --ignore-signal="$number"
        run=$work/ignoring job -n 2 grep SigIgn /proc/self/status
        expect 0
        env --default-signal --ignore-signal="$number" grep SigIgn /proc/self/status >"$work/outside"
        [ "$(sort -u "$work/out")" = "$(cat "$work/outside")" ] || fail "not $(cat "$work/outside")"
    done
    job -n 1 grep SigIgn /proc/self/status
    expect 0
    grep -qx 'SigIgn:.0*' "$work/out" || fail "ignored, and not outside"

    starter "$work/ignoring" --default-signal --ignore-signal="$signals"
    begin "signals that fathom-run ignores as the program does"
    run=$work/ignoring start 2 -n 2 "$client" told 0 0 "$marker"
    number=$((0x$(awk '/^SigIgn/ { print $2 }' "/proc/$launcher/status")))
    [ $((number & 0x80007)) -eq $((0x80007)) ] || fail "not all four are ignored"
    for number in HUP INT QUIT; do
        kill -$number "$launcher"
    done
    kill -USR1 "$launcher"
    finish
    expect 0

    begin "SIGTERM, where it is ignored"
    run=$work/ignoring start 2 -n 2 sh -c 'echo ready; sleep 60' "$marker"
    kill -TERM "$launcher"
    finish
    expect 143 '^fathom-run: interrupted by signal 15'
    within 15

    begin "the status of a thread where SIGCHLD is ignored"
    run=$work/ignoring job -n 2 sh -c 'exit 5' "$marker"
    expect 5
}

# is_over PID...: all these processes have ended, whether they have been reaped or not.
is_over()
{
    local pid
    for pid; do
        grep -qs '^State:[[:space:]]*[RSDTtI]' "/proc/$pid/status" && return 1
    done
    return 0
}

# A launcher that stands still while its threads finish finds all at once, in any order, when it
# goes on: what PMIx has to tell, and that they have ended. Several jobs, since the order is chance.
test_stalled()
{
    local jobs=12 i pid launchers=() threads
    begin "stopped while the threads finish"
    for ((i = 0; i < jobs; i++)); do
        "$run" -n 4 "$client" told 0 0 "$marker" >"$work/out.$i" 2>"$work/err.$i" </dev/null &
        launchers+=($!)
    done
    for ((i = 0; i < jobs; i++)); do
        until_ready 4 "$work/out.$i"
    done
    mapfile -t threads < <(sed -n 's/^ready //p' "$work"/out.*)
    kill -STOP "${launchers[@]}"
    kill -USR1 "${threads[@]}"
    until is_over "${threads[@]}"; do
        sleep 0.1
    done
    kill -CONT "${launchers[@]}"
    for ((i = 0; i < jobs; i++)); do
        launcher=${launchers[i]}
        finish
        mv "$work/out.$i" "$work/out"
        mv "$work/err.$i" "$work/err"
        expect 0
    done
}

test_environment()
{
    begin "--nodes"
    job -n 4 --nodes 2 sh -c 'echo $PGAS_NODES' "$marker"
    expect 0
    [ "$(sort -u "$work/out")" = 2 ] || fail "PGAS_NODES is not 2"

    begin "--bind core"
    local cores
    cores=$(lscpu -p=core,socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
    if [ "$cores" -ge 2 ]; then
        job -n 2 --bind core sh -c 'grep Cpus_allowed_list /proc/self/status' "$marker"
        expect 0
        [ "$(sort -u "$work/out" | wc -l)" -eq 2 ] || fail "the threads share a core"
    fi

    # Processors that the user says there are.
    begin "a binding that fails"
    HWLOC_SYNTHETIC="core:4096 pu:1" job -n 2 true "$marker"
    expect 1 '^fathom-run: cannot start thread [01] of 2: binding it \(--bind none does not\): Invalid argument$'

    begin "--bind none"
    job -n 2 --bind none grep Cpus_allowed_list /proc/self/status
    expect 0
    [ "$(sort -u "$work/out")" = "$(grep Cpus_allowed_list /proc/self/status)" ] ||
        fail "the threads are bound"

    begin "the limit of open files is the user's"
    local limit
    limit=$(ulimit -Sn)
    job -n 1 sh -c 'ulimit -Sn' "$marker"
    expect 0
    [ "$(cat "$work/out")" = "$limit" ] || fail "the limit changed"

    begin "a file that is too large ends a program as it does outside"
    job -n 1 sh -c 'ulimit -f 1; exec head -c 9999 /dev/zero >"$1"' "$marker" "$work/large"
    expect 153 'thread 0 .* was killed by signal 25'

    if command -v ss >/dev/null; then
        begin "the server listens on the loopback interface"
        start 1 -n 1 sh -c 'echo ready; sleep 60' "$marker"
        ss -Hltnp | grep "pid=$launcher," | awk '{ print $4 }' >"$work/listens"
        grep -Evq '^(127\.|\[::1\])' "$work/listens" && fail "listens on $(cat "$work/listens")"
        kill -TERM "$launcher"
        finish
    fi
}

start_ticks "$run" -n 2 "$client" hello
test_statuses
test_endings
test_zombies
test_inherited
test_many_inherited
test_orphans_beside
test_names
test_ucx_memory
test_odd_starts
test_missing_programs
test_refusals
test_limits
test_output
test_input
test_signals
test_ignored_signals
test_stalled
test_environment

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
