#!/bin/bash
# PGAS_COLL: what is wrong ends the job with one line, different settings in two threads too, and
# "show" prints the choices.
#
# usage: coll_setting.sh FATHOM-RUN RUNTIME-COLL-VALUES RUNTIME-COLL-VALUES-LIBRARY
run=$1
program=$2
failures=0

# says PATTERN STATUS COMMAND...: the command ends so and prints one line, which is like that.
says()
{
    local pattern=$1 wanted=$2 said status
    shift 2
    said=$("$@" 2>&1)
    status=$?
    said=$(grep '^fathom: ' <<<"$said")
    if [ "$status" -ne "$wanted" ] || ! [[ $said =~ $pattern ]] || [ "$(wc -l <<<"$said")" -ne 1 ]; then
        echo "$*: status $status, said: $said"
        failures=$((failures + 1))
    fi
}

names='barrier, broadcast, scatter, scatterv, gather, gatherv, allgather, allgatherv, alltoall, alltoallv, reduce, allreduce, reduce_scatter, scan'
for nodes in 1 3; do
    job=("$run" -n 3 --nodes "$nodes" --)
    says "PGAS_COLL='bcast=linear': 'bcast' is no collective; there are $names\$" 1 \
        env PGAS_COLL=bcast=linear "${job[@]}" "$program" 3
    says "PGAS_COLL='scan=ring': 'ring' is no algorithm of scan; there are .*linear" 1 \
        env PGAS_COLL=scan=ring "${job[@]}" "$program" 3
    says "PGAS_COLL='reduce=library:65536': no library of collectives is built into this runtime\$" 1 \
        env PGAS_COLL=reduce=library:65536 "${job[@]}" "$program" 3
    says "PGAS_COLL='scan=library': 'library' is no algorithm of scan; there are .*linear" 1 \
        env PGAS_COLL=scan=library "${job[@]}" "$program" 3
    # shellcheck disable=SC2016
    says "thread 2 on .*: PGAS_COLL='reduce=rabenseifner:1' is not what thread 0 has: it must be the same in all threads\$" 1 \
        "${job[@]}" sh -c '[ "$PMIX_RANK" != 2 ] || export PGAS_COLL=reduce=rabenseifner:1; exec "$@"' sh "$program" 3
done
shown=$(PGAS_COLL=show,reduce=rabenseifner:64 "$run" -n 2 -- "$program" 3 2>&1 | grep '^fathom: ')
if [ "$(wc -l <<<"$shown")" -ne 14 ] || ! grep -q '^fathom: thread 0 on .*: reduce: linear, from 64 bytes on rabenseifner$' <<<"$shown"; then
    echo "shown: $shown"
    failures=$((failures + 1))
fi
shown=$(PGAS_COLL=show,allreduce=library:65536 "$run" -n 2 -- "$3" 3 2>&1 | grep '^fathom: ')
if ! grep -q '^fathom: thread 0 on .*: allreduce: linear, from 65536 bytes on library$' <<<"$shown" ||
    ! grep -q '^fathom: thread 0 on .*: library: test, where it serves a call$' <<<"$shown"; then
    echo "shown with a library: $shown"
    failures=$((failures + 1))
fi

# Long blocks go in pieces where the host has a processor for each thread, all threads' together.
# shows WHETHER COMMAND...
shows()
{
    local wanted=$1 found=no
    shift
    if PGAS_COLL=show "$@" "$program" 3 2>&1 | grep -q 'broadcast: linear, from 262145 bytes on pipelined$'; then
        found=yes
    fi
    if [ "$found" != "$wanted" ]; then
        echo "$*: in pieces: $found"
        failures=$((failures + 1))
    fi
}

processors=$(nproc)
shows no "$run" -n $((processors + 1)) --
first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
shows no taskset -c "$first" "$run" -n 2 --
if [ "$processors" -ge 2 ]; then
    shows yes "$run" -n 2 --
    shows yes "$run" -n 2 --bind core --
fi
[ "$failures" -eq 0 ] && echo "all passed"
