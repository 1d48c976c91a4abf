#!/bin/bash
# Memory that its owner cannot access, with GASNET_SEGMENT_EVERYTHING: one line that names the owner
# and the address, by system calls, by messages and between supernodes. Memory that the program's
# own handler of SIGSEGV makes accessible is no mistake. A second sync of a handle is one.
#
# usage: everything.sh FATHOM-RUN CLIENT
set -u
export LC_ALL=C
# The sanitizers' own handlers of faults would come first.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigbus=0
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_sigbus=0

run=$1
client=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

# check LAYOUT HOW TEXT: LAYOUT is the number of supernodes and GASNET_PROCESS_VM.
check()
{
    local status
    GASNET_PROCESS_VM=${1#* } timeout 60 "$run" -n 2 --nodes "${1% *}" -- "$client" "$2" >"$out" 2>&1
    status=$?
    if [[ $status -eq 0 || $status -eq 124 || $(grep -cE -- "$3" "$out") -ne 1 ]]; then
        echo "FAILED: '$2' on $1: status $status, no one line with '$3'"
        cat "$out"
        failures=$((failures + 1))
    fi
}

stores="node 0: store for another node: node 1 has named [0-9]+ bytes at 0x[0-9a-f]+ of this node"
for layout in "1 1" "1 0" "2 1"; do
    check "$layout" put "$stores"
    check "$layout" get "node 0: load for another node: node 1 has named 8 bytes at 0x"
    GASNET_PROCESS_VM=${layout#* } timeout 60 "$run" -n 2 --nodes "${layout% *}" -- "$client" handled >"$out" 2>&1 || {
        echo "FAILED: 'handled' on $layout"
        cat "$out"
        failures=$((failures + 1))
    }
done
for how in memset "put nbi" list long; do
    check "1 1" "$how" "$stores"
done
check "2 1" long "$stores"
check "2 1" aside "$stores"
for how in put bulk get memset; do
    check "1 0" "$how twice" "gasnet_try_syncnb: handle 0x[0-9a-f]+ is none of this thread's in flight"
    check "2 1" "$how twice" "gasnet_try_syncnb: handle 0x[0-9a-f]+ is none of this thread's in flight"
done
check "1 1" wraps "node 1: gasnet_put: 8 bytes at 0xfffffffffffffffc: not in the segment of node 0"
check "1 1" "no section" "node 1: gasnet_put: 8 bytes at 0xfffffffffffffffc: not in the segment of node 0"
for layout in "1 1" "2 1"; do
    check "$layout" "null index" "node 1: gasnet_puti_bulk: the private pointer is NULL"
    check "$layout" "close rows" "node 1: gasnet_puts_bulk: strides\[0\] is 4, but count\[0\] is 8"
    check "$layout" many "node 1: gasnet_puti_bulk: 2 regions of 9223372036854775808 bytes overflow"
done
check "1 1" mixed "gasnet_init: node [01] has (not )?GASNET_SEGMENT_EVERYTHING"
[[ $failures -eq 0 ]]
