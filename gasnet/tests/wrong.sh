#!/bin/bash
# Mistakes of GASNet programs: each ends the job with one line that names the call.
#
# usage: wrong.sh FATHOM-RUN CLIENT debug|release
set -u

run=$1
client=$2
build=$3
# shellcheck source=gasnet/tests/wrong.bash
source "$(dirname "$0")/wrong.bash"

# check HOW TEXT: on one supernode or on two, or on those of `layouts`.
layouts="1 2"
check()
{
    check_client "$client" "$@"
}

checked_only_in_debug()
{
    if [[ $build == debug ]]; then
        check "$@"
    fi
}

early()
{
    local status=0
    { "$client" "$1" >"$out" 2>&1 || status=$?; } 2>/dev/null
    if [[ $status -ne 134 ]] || ! grep -qF "$2" "$out"; then
        echo "FAILED: '$1': status $status"
        cat "$out"
        failures=$((failures + 1))
    fi
}

early "early" "gasnet_put: called before gasnet_attach"
early "early barrier" "gasnet_barrier_notify: called before gasnet_attach"
PGAS_HEAP_SIZE=none early "init again" "refused twice"
check "early in a job" "node 1: gasnet_put: called before gasnet_attach"

check "notify twice" "gasnet_barrier_notify: called twice without gasnet_barrier_wait"
check "wait" "gasnet_barrier_wait: called without gasnet_barrier_notify"
check "try" "gasnet_barrier_try: called without gasnet_barrier_notify"
check "flags" "gasnet_barrier_notify: flags 0x40: unknown"
check "node" "gasnet_put: node 2: the job has 2"
check "outside" "gasnet_put: 1 bytes at 0x"
check "beyond" "not in the segment of node 1"
check "before" "gasnet_put_nbi: 8 bytes at 0x"
check "far" "not in the segment of node 0"
check "value of 0" "gasnet_put_val: a value of 0 bytes: 1 to 8 are possible"
check "value of 9" "gasnet_get_val: a value of 9 bytes: 1 to 8 are possible"
check "sync in region" "gasnet_wait_syncnbi_all: called inside an access region"
check "region in region" "gasnet_begin_nbi_accessregion: called inside an access region"
check "end of region" "gasnet_end_nbi_accessregion: called outside an access region"
check "list outside" "gasnet_putv_bulk: 16 bytes at 0x"
check "list totals" "gasnet_putv_bulk: 16 bytes at the other node, but 8 bytes here"
check "forged handle" "gasnet_wait_syncnb: handle 0x6000000100000007 is none of this thread's in flight"
check "null handles" "gasnet_wait_syncnb_all: a list of 3 entries is NULL"
check "try null handles" "gasnet_try_syncnb_some: a list of 3 entries is NULL"
check "null remote list" "gasnet_putv_bulk: a list of 1 entries is NULL"
check "null local list" "gasnet_getv_nbi_bulk: a list of 1 entries is NULL"
check "null entry" "gasnet_putv_nb_bulk: the private pointer is NULL"
check "null index" "gasnet_puti_nb_bulk: the private pointer is NULL"
check "null index list" "gasnet_geti_bulk: a list of 1 entries is NULL"
check "null strides" "gasnet_puts_bulk: a list of 1 entries is NULL"
check "null counts" "gasnet_gets_nb_bulk: a list of 2 entries is NULL"
check "null section" "gasnet_gets_nb_bulk: the private pointer is NULL"
# Within a supernode what is inline looks at private pointers in the debug build only.
if [[ $build != debug ]]; then
    layouts=2
fi
check "null put" "gasnet_put: the private pointer is NULL"
check "null get" "gasnet_get: the private pointer is NULL"
check "null put_nb" "gasnet_put_nb: the private pointer is NULL"
check "null put_nbi" "gasnet_put_nbi: the private pointer is NULL"
check "null get_nbi" "gasnet_get_nbi: the private pointer is NULL"
# Within one the handle is GASNET_INVALID_HANDLE.
layouts=2
check "sync twice" "gasnet_wait_syncnb: handle 0x6"
check "try twice" "gasnet_try_syncnb: handle 0x6"
layouts="1 2"
check "team" "gasnet_coll_broadcast: called before gasnet_coll_init"
# Found before anything is sent.
layouts=1
check "coll init flags" "gasnet_coll_init: init_flags are 1: they must be 0"
check "coll init images" "gasnet_coll_init: images must be NULL in GASNET_SEQ"
check "coll init twice" "gasnet_coll_init: called twice"
check "coll scope" "gasnet_coll_broadcast: the flags are 0x12: "
check "coll modes" "gasnet_coll_broadcast: the flags are 0x96: "
check "coll image" "gasnet_coll_gather: image 2: the job has 2"
check "coll segment" "are not in the segment, as GASNET_COLL_SRC_IN_SEGMENT says"
check "coll function" "gasnet_coll_reduce: there is no function 0: gasnet_coll_init was given 0"
check "coll scan" "gasnet_coll_scan: the flags are 0x92: "
check "coll nested" "gasnet_coll_broadcast_nb: called by a function that a reduction or scan calls"
check "coll aggregate" "gasnet_coll_exchange: a blocking call cannot be aggregated"
check "coll handle" "gasnet_coll_wait_sync: there is no such handle in flight: "
check "coll sync twice" "gasnet_coll_wait_sync: there is no such handle in flight: "
layouts="1 2"
check "no handler" "node 1 sends to handler 130, which is not registered here"
check "null lock" "gasnet_hsl_lock: the lock is NULL"
check "lock twice" "gasnet_hsl_lock: this thread holds the lock already"
check "unlock in order" "gasnet_hsl_unlock: another lock"
check "unlock unlocked" "gasnet_hsl_unlock: this"
check "unlock elsewhere" "gasnet_hsl_unlock: this thread does not hold the lock"
check "destroy locked" "gasnet_hsl_destroy: the lock is held"
check "hold twice" "gasnet_hold_interrupts: this thread is in a no-interrupt section already"
check "resume" "gasnet_resume_interrupts: this thread is in no no-interrupt section"
check "reply in reply" "gasnet_AMReplyShort: a handler that runs for a reply must not reply"
check "two replies" "gasnet_AMReplyShort: the handler has replied already"
check "lock at reply" "gasnet_AMReplyShort: called while a handler-safe lock is held"
check "late reply" "gasnet_AMReplyLong: the token is not that of the handler that runs"
check "notify with lock" "gasnet_barrier_notify: called while a handler-safe lock is held"
check "barrier held" "gasnet_barrier: called in a no-interrupt section"
check "lock at end" "the handler has returned with a handler-safe lock held"
checked_only_in_debug "send with lock" "gasnet_AMRequestShort: called while a handler-safe lock"
checked_only_in_debug "send held" "gasnet_AMRequestShort: called in a no-interrupt section"
checked_only_in_debug "poll with lock" "gasnet_AMPoll: called while a handler-safe lock"
checked_only_in_debug "poll held" "gasnet_AMPoll: called in a no-interrupt section"
checked_only_in_debug "request in handler" "gasnet_AMRequestShort: called in a handler"
checked_only_in_debug "poll in handler" "gasnet_AMPoll: called in a handler"
layouts=2 # within a supernode puts are inline
checked_only_in_debug "put in handler" "gasnet_put: called in a handler"
layouts="1 2"
check "barrier in handler" "gasnet_barrier_notify: called in a handler"
[[ $failures -eq 0 ]]
