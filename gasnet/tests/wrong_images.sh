#!/bin/bash
# Mistakes with several images per node: each ends the job with one line that names the call.
#
# usage: wrong_images.sh FATHOM-RUN CLIENT-OF-PAR CLIENT-OF-PARSYNC
set -u

run=$1
par=$2
parsync=$3
# shellcheck source=gasnet/tests/wrong.bash
source "$(dirname "$0")/wrong.bash"

init=gasnet_coll_init
check_client "$par" "zero" "$init: 0 images on node 0: each node has at least one"
check_client "$par" "one each" "$init: image 2: that of node 1 is 1"
check_client "$par" "differ" "images on node 0: another thread of this node has said "
check_client "$par" "null" "per node: another thread of this node has said "
check_client "$par" "number" "$init: image 1: those of node 1 are 2 to 3"
check_client "$par" "taken" "$init: image 2: another thread is it already"
check_client "$par" "twice" "$init: called twice"
check_client "$par" "functions" "functions: another thread of this node has given "
check_client "$par" "function" "$init: function 0 is not that of another thread of this node"
layouts="1 2"
other="$init: node 0 has been given other images, or another number of functions"
check_client "$par" "other nodes" "$other"
check_client "$par" "one" "$other"
check_client "$parsync" "count" "$other"
layouts=1
check_client "$par" "no image" "gasnet_coll_broadcast: this thread is no image"
check_client "$par" "no image of a list" "gasnet_coll_broadcast: this thread is no image"
check_client "$par" "root" "gasnet_coll_broadcast: image 4: the job has 4"
begun="of this node has begun another"
check_client "$par" "operation" "$begun operation here: gasnet_coll_"
check_client "$par" "size" "$begun size here: gasnet_coll_broadcast_nb"
check_client "$par" "another root" "$begun root here: gasnet_coll_broadcast_nb"
check_client "$par" "flags" "of this node has begun other flags here: gasnet_coll_broadcast_nb"
check_client "$par" "array" "$begun array or function here: gasnet_coll_reduce_nb"
check_client "$par" "handle" "gasnet_coll_wait_sync: there is no such handle in flight: "
check_client "$parsync" "several" "$init: 2 images on node 0: without GASNET_PAR there is one"
[[ $failures -eq 0 ]]
