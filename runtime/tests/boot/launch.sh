#!/bin/bash
# Jobs that are not what they seem: MPI in a program of fathom-run, launchers without PMIx, fathom-run
# under another launcher. One line for all threads.
#
# usage: launch.sh FATHOM-RUN COUNT WITH-MPI NO-THREAD NESTED ODD-LAUNCHER
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"

run=$1
program=$2
with_mpi=$3
no_thread=$4
nested=$5
odd_launcher=$6
unset "${!PMIX_@}" "${!PMI_@}" "${!OMPI_@}" "${!SLURM_@}" FATHOM_RUN FATHOM_THREAD

# job NAME COMMAND...
job()
{
    case=$1
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

job "nothing special" "$run" -n 2 -- "$program"
expect_words 0
job "by hand" "$program"
expect_words 0

for launcher in "PMI_SIZE=4 PMI_RANK" "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID" \
    "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK"; do
    variable=${launcher%%=*}
    read -r -a setting <<<"$launcher"
    job "a launcher without PMIx: $variable" env "${setting[0]}" "${setting[1]}=0" "$program"
    expect_words 0 "^fathom: thread 0 on .+: one of 4 processes \\($variable\\) that were started without PMIx: each is a job of one thread"
    job "its other processes: $variable" env "${setting[0]}" "${setting[1]}=3" "$program"
    expect_words 0
    job "its fathom-run: $variable" env "${setting[0]}" "${setting[1]}=0" "$run" -n 2 -- "$program"
    expect_words 0 "^fathom-run: one of 4 that a launcher has started \\($variable\\): each runs a job of its own"
    job "its other fathom-runs: $variable" env "${setting[0]}" "${setting[1]}=1" "$run" -n 2 -- "$program"
    expect_words 0
    job "one process of a launcher: $variable" env "$variable=1" "$program"
    expect_words 0
done

job "MPI in the program" "$run" -n 3 -- "$with_mpi"
expect_words 0 "^fathom-run: '.*with_mpi' is linked with MPI \\(libmpi_stand_in\\.so\\)"
job "MPI in a program of one thread" "$run" -n 1 -- "$with_mpi"
expect_words 0
job "MPI behind a script" "$run" -n 3 -- sh -c "exec '$with_mpi'"
expect_words 0 '^fathom: thread 0 on .+: the program has MPI: under fathom-run, MPI_Init finds each thread alone'
job "MPI by hand" "$with_mpi"
expect_words 0

# MPI_Init has made every thread a separate job.
for t in 0 1; do
    job "MPI_Init before pgas_init, thread $t" env FATHOM_RUN=2:$t TEST_MPI_INITIALIZED=1 "$with_mpi"
    expect_words 1 "^fathom: thread $t on .+: pgas_init: one of 2 threads of fathom-run, but MPI_Init has made each a job of its own"
done
job "MPI_Init in a job of one" env FATHOM_RUN=1:0 TEST_MPI_INITIALIZED=1 "$with_mpi"
expect_words 0

# PMIx says much about it, and pgas_init a line.
job "no operating-system thread for PMIx" "$run" -n 1 -- "$no_thread"
[ "$status" -eq 1 ] || fail "status $status"
grep -Eq '^fathom: thread 0 on .+: PMIx_Init: ' "$work/err" || fail "no line about PMIx_Init"

# refused THREADS LINE: the job has ended with status 1, and one of the threads has said the line.
refused()
{
    [ "$status" -eq 1 ] || fail "status $status, expected 1"
    grep -Eq "^fathom: thread $1 on .+: $2\$" "$work/err" || fail "no line: $(cat "$work/err")"
}

# odd KEY VALUE LINE: what a launcher may say of two threads, and the line of pgas_init.
odd()
{
    job "a launcher says: $1=$2" timeout 60 "$run" -n 2 -- "$odd_launcher" "$1" "$2"
    refused '[01]' "$3"
}
odd pmix.job.size two "what the launcher says of 'pmix\\.job\\.size' is no number of 32 bits"
odd pmix.job.size "#4294967298" "what the launcher says of 'pmix\\.job\\.size' is no number of 32 bits"
odd pmix.job.size "#0" "the launcher calls this thread [01] of 0"
odd pmix.job.size "#1" "the launcher (calls this thread 1 of 1|names threads '0,1' of 1 on this host)"
odd pmix.lpeers "#2" "the launcher names threads '' of 2 on this host"
odd pmix.lpeers "0,1,1" "the launcher names threads '0,1,1' of 2 on this host"
odd pmix.lpeers "0-4294967295" "the launcher names threads '0-4294967295' of 2 on this host"
odd pmix.lpeers "1" "the launcher names threads '1' on this host, without this one"

# differing THREADS LIST...: each thread is told another list of those on its host.
differing()
{
    local threads=$1
    shift
    # shellcheck disable=SC2016 # the inner shell expands it
    job "a launcher names to each thread: $*" timeout 60 "$run" -n "$threads" -- \
        bash -c 'launcher=$1; shift; shift "$PMIX_RANK"; exec "$launcher" pmix.lpeers "$1"' bash \
        "$odd_launcher" "$@"
    refused '[0-2]' 'the launcher names other threads of this host to thread [01] \([1-3]\) than to this one \([1-3]\)'
}
differing 2 0,1 1
differing 3 0,1,2 0,1,2 2
differing 3 0,1,2 1,2 0-2
differing 3 0,1,2 0,1 2
differing 3 0,1 0,1,2 2

job "a launcher says what is so" "$run" -n 2 -- "$odd_launcher" pmix.job.size "#2"
expect_words 0

# A thread's program has the thread's place in the job, in which it must not wait.
for when in inside behind; do
    job "a program of a thread, $when" timeout 60 "$run" -n 2 -- "$nested" $when "'$nested' inside true; [ \$? = 1 ]"
    expect_words 0 "^fathom: thread 0 on .+: pgas_init: thread 0 of the job, process [0-9]+, has started this program"
    job "a job of a thread, $when" "$run" -n 2 -- "$nested" $when "'$run' -n 2 -- '$program'"
    expect_words 0
    job "a program with another environment, $when" "$run" -n 2 -- "$nested" $when "env -i '$program'"
    expect_words 0
done

# Nor does one end the job, nor does a child that forks before the thread is in it.
for how in exit exit3 fail; do
    expected=${how#exit}
    lines=()
    [ "$how" != fail ] || { expected=5; lines=('^runtime_nested: gives up$'); }
    job "a program of a thread ends: $how" "$run" -n 2 -- "$nested" inside "'$nested' $how; [ \$? = ${expected:-0} ]"
    expect_words 0 "${lines[@]}"
    job "a child ends: $how" "$run" -n 1 -- sh -c "'$nested' fork $how; [ \$? = ${expected:-0} ]"
    expect_words 0 "${lines[@]}"
done
for threads in "-n 1" "-n 2 --nodes 2"; do
    # shellcheck disable=SC2086 # several words
    job "a child calls pgas_init, $threads" timeout 60 "$run" $threads -- sh -c "'$nested' fork init; [ \$? = 4 ]"
    [ "$status" -eq 0 ] || fail "status $status"
    grep -Evq '^fathom: thread [01] on .+: pgas_init: process [0-9]+, from which this one has forked' "$work/err" && fail "another line"
done
job "children are the thread" timeout 60 "$run" -n 2 -- "$nested" join none
expect_words 0
job "children that have been the thread end" timeout 60 "$run" -n 2 -- "$nested" join print
expect_words 0
[ "$(grep -o kept "$work/out" | wc -l)" -eq 4 ] || fail "printed: $(cat "$work/out")"

# A thread of one program may leave the job when another's next one is in it.
for ((i = 0; i < 8; i++)); do
    job "programs one after another" timeout 60 "$run" -n 8 -- sh -c "'$nested' plain; '$nested' plain; '$nested' plain"
    expect_words 0
    [ "$status" -eq 0 ] || break
done

for thread in 0 1; do
    job "an end before pgas_init, thread $thread" timeout 60 "$run" -n 2 -- "$nested" early $thread
    expect_words 5 "^fathom: thread $thread on .+: pgas_exit\\(5\\): the job is ended\$"
done
job "all end before pgas_init" timeout 60 "$run" -n 6 -- "$nested" early all
expect_words 5 '^fathom: thread 0 on .+: pgas_exit\(5\): the job is ended$'

# Nor has a program the place that the process had as another one in the job.
job "a thread becomes another program in the job" timeout 60 "$run" -n 1 -- "$nested" become inside
[ "$status" -eq 1 ] || fail "status $status"
grep -Eq '^fathom: thread 0 on .+: pgas_init: this process has been thread 0 of the job already' "$work/err" ||
    fail "no line"
job "a thread becomes another program behind the job" timeout 60 "$run" -n 2 -- "$nested" become behind
expect_words 0

# What joins the job when its thread has ended is not ended in silence; it may come too late to join.
for ((i = 0; i < 20; i++)); do
    job "a program in the background" "$run" -n 2 -- sh -c "'$nested' inside 'sleep 20' &"
    [ "$status" -eq 0 ] || break
done
# The program may have joined before its starter has ended.
expect_words 1 '^fathom-run: thread [01] .* (has ended before a program that it has left in the background|exited with status 0 before pgas_finalize)'

# Files that are not programs with a table of libraries.
for odd in /dev/null "$0" nonesuch; do
    job "linked with what: $odd" "$run" -n 2 -- "$odd"
    grep -q "MPI" "$work/err" && fail "tells of MPI"
done

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
