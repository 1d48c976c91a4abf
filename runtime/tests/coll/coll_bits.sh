#!/bin/bash
# What collectives that combine leave has the same bits in every run with the same layout.
#
# usage: coll_bits.sh FATHOM-RUN RUNTIME-COLL-BITS NODES...
run=$1
program=$2
shift 2
failures=0

for nodes in "$@"; do
    job=("$run" -n 5 --nodes "$nodes" --)
    first=$("${job[@]}" "$program" 0)
    if [ "$(wc -l <<<"$first")" -ne 5 ]; then
        echo "on $nodes nodes, said: $first"
        exit 1
    fi
    for hurry in 1 2 3; do
        progress=thread
        [ "$hurry" -ne 2 ] || progress=poll
        again=$(PGAS_PROGRESS=$progress "${job[@]}" "$program" "$hurry")
        if [ "$again" != "$first" ]; then
            echo "on $nodes nodes, hurry $hurry, progress $progress: $again, before: $first"
            failures=$((failures + 1))
        fi
    done
done
[ "$failures" -eq 0 ] && echo "all passed"
