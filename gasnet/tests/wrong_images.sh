#!/bin/bash
# Mistakes with several images per node: each ends the job with one line that names the call.
#
# usage: wrong_images.sh FATHOM-RUN CLIENT-OF-PAR CLIENT-OF-PARSYNC
set -u
export LC_ALL=C

run=$1
par=$2
parsync=$3
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

# check CLIENT HOW TEXT: on `layouts` supernodes.
layouts=1
check()
{
    local supernodes status
    for supernodes in $layouts; do
        timeout 60 "$run" -n 2 --nodes "$supernodes" -- "$1" "$2" >"$out" 2>&1
        status=$?
        if [[ $status -eq 0 || $status -eq 124 || $(grep -cF -- "$3" "$out") -ne 1 ]]; then
            echo "FAILED: '$2' on $supernodes supernodes: status $status, no one line with '$3'"
            cat "$out"
            failures=$((failures + 1))
        fi
    done
}

init=gasnet_coll_init
check "$par" "zero" "$init: 0 images on node 0: each node has at least one"
check "$par" "one each" "$init: image 2: that of node 1 is 1"
check "$par" "differ" "images on node 0: another thread of this node has said "
check "$par" "null" "per node: another thread of this node has said "
check "$par" "number" "$init: image 1: those of node 1 are 2 to 3"
check "$par" "taken" "$init: image 2: another thread is it already"
check "$par" "twice" "$init: called twice"
check "$par" "functions" "functions: another thread of this node has given "
check "$par" "function" "$init: function 0 is not that of another thread of this node"
layouts="1 2"
other="$init: node 0 has been given other images, or another number of functions"
check "$par" "other nodes" "$other"
check "$par" "one" "$other"
check "$parsync" "count" "$other"
layouts=1
check "$par" "no image" "gasnet_coll_broadcast: this thread is no image"
check "$par" "root" "gasnet_coll_broadcast: image 4: the job has 4"
begun="of this node has begun another"
check "$par" "operation" "$begun operation here: gasnet_coll_"
check "$par" "size" "$begun size here: gasnet_coll_broadcast_nb"
check "$par" "another root" "$begun root here: gasnet_coll_broadcast_nb"
check "$par" "flags" "of this node has begun other flags here: gasnet_coll_broadcast_nb"
check "$par" "array" "$begun array or function here: gasnet_coll_reduce_nb"
check "$par" "handle" "gasnet_coll_wait_sync: there is no such handle in flight: "
check "$parsync" "several" "$init: 2 images on node 0: without GASNET_PAR there is one"
[[ $failures -eq 0 ]]
