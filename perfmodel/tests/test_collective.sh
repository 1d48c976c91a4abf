#!/usr/bin/env bash
# fathom-model collective: algorithms, the best and the chosen one in words and as JSON; bad input
# gets one line and a failing status.
# usage: test_collective.sh FATHOM-MODEL
set -euo pipefail
export LC_ALL=C

model=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "FAILED: $*" >&2
    cat "$work/log" >&2
    exit 1
}

# usage: machine FILE PRICE...: two threads on a node, two nodes
machine()
{
    local comma="" place price seconds
    {
        echo '{"format": "fathom-machine", "version": 1, "name": "test", "threads": 4, "nodes": 2,'
        echo '"threads_per_node": 2, "cache_line_bytes": 64, "parameters": {'
        for place in own local remote; do
            seconds=1e-7
            [ $place != remote ] || seconds=1e-5
            for price in meeting round_read_{8,4096,65536,1048576,16777216} \
                round_{8,4096,65536,1048576,16777216}; do
                [[ $price != round_[0-9]* ]] || seconds=3e-7
                echo "$comma\"${price}_$place\": {\"median\": $seconds, \"min\": $seconds, \"max\": $seconds}"
                comma=,
            done
        done
        for price in private_bandwidth remote_bandwidth remote_latency fetch_flood_remote "${@:2}"; do
            echo ",\"$price\": {\"median\": 1e-8, \"min\": 1e-8, \"max\": 1e-8}"
        done
        echo '}}'
    } >"$1"
}

# usage: refused STATUS TEXT ARGUMENTS...: one line that has the text
refused()
{
    local status=0
    "$model" collective "${@:3}" >"$work/log" 2>&1 || status=$?
    [ $status -eq "$1" ] || fail "status $status, not $1: ${*:3}"
    grep -qF -- "$2" "$work/log" || fail "no '$2': ${*:3}"
    [ "$(wc -l <"$work/log")" -eq 1 ] || fail "more than a line: ${*:3}"
}

# usage: says PATTERN ARGUMENTS...
says()
{
    "$model" collective "${@:2}" >"$work/log" 2>&1 || fail "status $?: ${*:2}"
    grep -Eq -- "$1" "$work/log" || fail "no '$1': ${*:2}"
}

alone=(round_read_alone_{8,4096,65536,1048576}_remote)
machine "$work/machine.json" combine_element "${alone[@]}"
machine "$work/old.json" "${alone[@]}"
machine "$work/before.json" combine_element
job=(-t 4 -n 2 -m "$work/machine.json")

says "^ +8 linear .*best" allreduce -b 8,1048576 -t 2 -m "$work/machine.json"
says "no significant difference between bruck, combining$" allreduce -b 8,1048576 "${job[@]}"
says "^ +100000 combining .*<- the runtime's choice" allreduce -b 100000 "${job[@]}"
says "^ +1048576 hierarchical .*<- the runtime's choice" allreduce -b 8,1048576 "${job[@]}"
says "^ +8 rabenseifner .*<- the runtime's choice" allreduce -b 8 "${job[@]}" --setting allreduce=rabenseifner
says "^ +0 dissemination .*best  <- the runtime's choice" barrier "${job[@]}"
says "^ +65536 bruck .*<- the runtime's choice" allgatherv -b 65536 "${job[@]}"
says "^ +1048576 linear .*<- the runtime's choice" allgatherv -b 1048576 "${job[@]}"
says "^ +1048576 eager .*<- the runtime's choice" alltoallv -b 1048576 "${job[@]}"
says "^scan: threads: 6, nodes: 3" scan -b 16 -t 6 --threads-per-node 2 -m "$work/machine.json"
says "measured with 2 threads per node, the job has 4" scan -b 16 -t 4 -m "$work/machine.json"
says "element-bytes" --help
# Members are counted once, not for every price that is varied.
says "^ +8 .*<- the runtime's choice" allreduce -b 8 -t 1048576 -n 1048576 -m "$work/machine.json"

"$model" collective alltoallv -b 100 "${job[@]}" --json "$work/out.json" >"$work/log"
grep -q '"chosen": "eager"' "$work/out.json" || fail "no choice in JSON"
grep -q '"cannot_tell": false' "$work/out.json" || fail "no verdict in JSON"
"$model" collective allreduce -b 8 "${job[@]}" --json - >"$work/log"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$work/log" >/dev/null || fail "no JSON on standard output"
fi

refused 2 "'allreduc' is no collective; there are barrier, broadcast," allreduc -b 8 "${job[@]}"
refused 2 "no COLLECTIVE given" -b 8 "${job[@]}"
refused 2 "'scan': one COLLECTIVE is enough" allreduce scan -b 8 "${job[@]}"
refused 2 "needed: --bytes, --threads and --machine" allreduce "${job[@]}"
refused 2 "needed: --bytes, --threads and --machine" allreduce -b 8 -m "$work/machine.json"
refused 2 "--bytes" allreduce -b 8,x "${job[@]}"
refused 2 "--bytes: 12 is not a multiple of an element's 8 bytes" allreduce -b 12 "${job[@]}"
refused 2 "--root: there is no rank 4 among 4 threads" broadcast -b 12 -r 4 "${job[@]}"
refused 2 "--setting: 'ring' is no algorithm of scan" scan -b 8 "${job[@]}" --setting scan=ring
refused 1 "missing.json: No such file" scan -b 8 -t 4 -m "$work/missing.json"
refused 1 "old.json: parameter 'combine_element' is missing ('fathom-stream calibrate'" \
    scan -b 8 -t 4 -m "$work/old.json"
refused 1 "before.json: parameter 'round_read_alone_8_remote' is missing ('fathom-stream calibrate'" \
    broadcast -b 8 -t 4 -n 2 -m "$work/before.json"
says "^ +8 linear .*best" allreduce -b 8 -t 2 -m "$work/before.json"
refused 2 "is one and the same file" scan -b 8 -t 4 -m "$work/machine.json" --json "$work/machine.json"
echo "all passed"
