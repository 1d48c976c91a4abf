#!/usr/bin/env bash
# fathom-model: what it counts from a file equals what fathom-spmv and the runtime counted, in many
# shapes; every command writes JSON; bad input gets one line and a failing status.
# usage: test_command.sh FATHOM-RUN FATHOM-MESH FATHOM-SPMV FATHOM-MODEL
set -euo pipefail
export LC_ALL=C
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../runtime/launcher/tests/draw.bash"
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../support/tests/script.bash"

run=$1
mesh=$2
spmv=$3
model=$4
python=$(type -P /usr/bin/python3 || type -P python3 || true) # the system's, which starts at once

# usage: parameter NAME VALUE
parameter()
{
    printf '"%s": {"median": %s, "min": %s, "max": %s}' "$1" "$2" "$2" "$2"
}

# usage: machine FILE NAME VALUE...
machine()
{
    local file=$1 comma=""
    shift
    {
        echo '{"format": "fathom-machine", "version": 1, "name": "test", "threads": 4, "nodes": 2,'
        echo '"threads_per_node": 2, "cache_line_bytes": 64, "parameters": {'
        while [ $# -gt 0 ]; do
            echo "$comma$(parameter "$1" "$2")"
            comma=,
            shift 2
        done
        echo '}}'
    } >"$file"
}

make_inputs()
{
    "$mesh" ventricle --cells 1000 "$work/ventricle.h5" >"$work/log" 2>&1 || fail "no mesh"
    "$mesh" order --method metis --threads 4 "$work/ventricle.h5" "$work/ordered.h5" \
        >"$work/log" 2>&1 || fail "no order"
    machine "$work/paper.json" private_bandwidth 4.9152e9 remote_bandwidth 6.291456e9 \
        remote_latency 3.4e-6
    local rates=(block_latency 2e-8) kernel width move
    for kernel in product sliced pointers; do
        for width in 4 16 64 128; do
            rates+=("${kernel}_row_$width" 2e-8 "${kernel}_held_$width" 1e-8)
            rates+=("${kernel}_close_one_$width" 1e-9 "${kernel}_close_all_$width" 1e-9)
            rates+=("${kernel}_near_one_$width" 2e-9 "${kernel}_near_all_$width" 1e-9)
            rates+=("${kernel}_far_one_$width" 2e-8 "${kernel}_far_all_$width" 1e-8)
        done
    done
    for kernel in shifts pointers_turns shifts_turns pointers_mixed shifts_mixed naive; do
        for width in 4 16 64 128; do
            rates+=("${kernel}_row_$width" 2e-8 "${kernel}_held_$width" 1e-8)
        done
    done
    rates+=(product_sequence_row 2e-9 product_sequence_held 1e-9)
    rates+=(sliced_sequence_row 2e-9 sliced_sequence_held 1e-9)
    rates+=(product_close_held_one 1e-9 product_close_held_all 5e-10)
    rates+=(sliced_close_held_one 1e-9 sliced_close_held_all 5e-10)
    for width in 4 16 64 128; do
        rates+=("product_close_row_$width" 8e-9 "sliced_close_row_$width" 8e-9)
    done
    rates+=(kept_row_half 1e-8 kept_row_one 1.2e-8 kept_row_three_halves 1.6e-8 kept_row_two 2e-8)
    for move in copy copy_other put pack pack_lines unpack unpack_lines plan plan_lines; do
        rates+=("move_${move}_near" 3e-10 "move_${move}_far" 5e-10)
    done
    machine "$work/all.json" "${rates[@]}" private_bandwidth 4.9152e9 remote_bandwidth 6.291456e9 \
        remote_latency 3.4e-6 private_read_bandwidth 6e9 private_scale_bandwidth 4e9 \
        private_copy_bandwidth 12e9 barrier_latency 2e-6 signal_turn_local 1e-7 message_latency 5e-6 \
        pointer_access 2e-9 product_access 5e-10 local_access 5e-8 local_access_cached 4e-9 \
        affinity_test 3e-9 remote_bandwidth_shared 4e9 product_bandwidth 5e9 gather_access 3e-9 \
        signal_flood_remote 5e-7
    sed -i 's/"cache_line_bytes": 64,/& "second_level_cache_bytes": 65536,/' "$work/all.json"
    machine "$work/one-node.json" private_bandwidth 4.9152e9
}

is_json()
{
    [ -z "$python" ] || "$python" -m json.tool "$1" >/dev/null || fail "$1 is no JSON"
}

# A run's counts and traffic are what the matrix says. usage: same_counts THREADS NODES MATRIX ARGS...
same_counts()
{
    local threads=$1 nodes=$2 matrix=$work/$3.h5
    shift 3
    "$run" -n "$threads" --nodes "$nodes" -- "$spmv" "$matrix" --iterations 1 --repetitions 1 \
        --json "$work/run.json" "$@" >"$work/out" 2>&1 || fail "no run: $(cat "$work/out")"
    "$model" compare "$work/run.json" --machine "$work/all.json" --matrix "$matrix" \
        --json "$work/compare.json" >"$work/out" 2>"$work/err" ||
        fail "$threads threads, $nodes nodes, $*: $(cat "$work/err")"
    "$model" compare "$work/run.json" --machine "$work/all.json" >"$work/log" 2>"$work/err" ||
        fail "$threads threads, $nodes nodes, $*, without the matrix: $(cat "$work/err")"
    grep -q "counts as the matrix says" "$work/out" || fail "not counted again"
    is_json "$work/compare.json"
}

test_counts()
{
    local blocksize
    draw 1 7 64 1000 100000
    for blocksize in "${drawn[@]}"; do
        same_counts 3 2 ventricle --blocksize "$blocksize"
        [ "$(grep -c 'ratio' "$work/out")" -eq 6 ] || fail "not six variants: $(cat "$work/out")"
    done
    same_counts 4 2 ordered --blocksize 7
    same_counts 1 1 ventricle
    same_counts 2 2 ordered
    same_counts 5 3 ordered
    same_counts 4 1 ordered
    same_counts 4 4 ventricle --blocksize 100
}

# v4's matrices have as many places as counted. usage: same_storage THREADS BLOCKSIZE
same_storage()
{
    local stored counted
    same_counts "$1" 1 ventricle --blocksize "$2" --variant v4
    "$model" predict "$work/ventricle.h5" -m "$work/all.json" -t "$1" -b "$2" \
        --json "$work/out.json" >"$work/out" || fail "predict"
    stored=$(sed -n 's/^ *"entries": \([0-9]*\).*/\1/p' "$work/run.json")
    counted=$(sed -n 's/^ *"entries": \([0-9]*\).*/\1/p' "$work/out.json")
    [ "${stored:-0}" -gt 0 ] || fail "nothing stored"
    [ "$stored" = "$counted" ] ||
        fail "$1 threads, blocks of $2: $stored places, counted are $counted"
}

test_storage()
{
    same_storage 1 1000
    same_storage 3 7
    same_storage 4 250
}

# The run's file as an expression of sed edits it is refused. usage: bad_count PATTERN EXPRESSION
bad_count()
{
    sed "$2" "$work/run.json" >"$work/bad.json"
    ! cmp -s "$work/run.json" "$work/bad.json" || fail "nothing edited: $2"
    refused 1 "key 'counts': $1" compare "$work/bad.json" -m "$work/all.json"
}

# Counts, traffic and nodes that are not the matrix's are found.
test_compare_finds_differences()
{
    local file=$work/run.json
    same_counts 4 2 ordered --blocksize 64
    sed '0,/"values_in"/s/"values_in"/"values_in_x"/' "$file" >"$work/bad.json"
    refused 1 "thread 0: 'values_in'" compare "$work/bad.json" -m "$work/all.json" \
        --matrix "$work/ordered.h5"
    refused 1 "'values_in' is missing" compare "$work/bad.json" -m "$work/all.json"
    # Counts that contradict the run's shape, or each other, need no matrix to be found.
    bad_count "thread 0: 'rows' is 1[0-9]+, and by the run's rows, threads and blocksize [0-9]+$" \
        '/"counts"/,/"rows"/s/"rows": /&1/'
    bad_count "thread 0: 'blocks' is 1[0-9]+, and by" '/"counts"/,/"blocks"/s/"blocks": /&1/'
    bad_count "thread 0: 'values_in' has 1000[0-9]+ values in 'remote', and 'individual' but [0-9]+$" \
        '/"values_in"/,/"remote"/s/"remote": /&1000/'
    bad_count "thread 0: 'needed_bytes' has [0-9]+ in '[a-z]+', and 'needed_blocks' none$" \
        '/"needed_blocks"/,/}/{s/"local": [0-9]*/"local": 0/;s/"remote": [0-9]*/"remote": 0/}'
    bad_count "thread 0: 'values_in' has [0-9]+ in '[a-z]+', and 'messages_in' none$" \
        '/"messages_in"/,/}/{s/"local": [0-9]*/"local": 0/;s/"remote": [0-9]*/"remote": 0/}'
    bad_count "thread 0: 'values_out' has [0-9]+ in '[a-z]+', and 'messages_out' none$" \
        '/"messages_out"/,/}/{s/"local": [0-9]*/"local": 0/;s/"remote": [0-9]*/"remote": 0/}'
    sed 's/"operations": /"operations": 1/' "$file" >"$work/bad.json"
    refused 1 "the traffic of thread 0" compare "$work/bad.json" -m "$work/all.json"
    refused 1 "thread 0: 'individual' is not what" compare "$file" -m "$work/all.json" \
        --matrix "$work/ventricle.h5"
    sed 's/"traffic_as_predicted": true/"traffic_as_predicted": false/' "$file" >"$work/bad.json"
    refused 1 "found its traffic not" compare "$work/bad.json" -m "$work/all.json"
    sed 's/"check": "[a-z]*"/"check": "failed"/' "$file" >"$work/bad.json"
    refused 1 "found its result wrong" compare "$work/bad.json" -m "$work/all.json"
    sed '0,/"node": 0/s/"node": 0/"node": 1/' "$file" >"$work/bad.json"
    refused 1 "key 'node'" compare "$work/bad.json" -m "$work/all.json"
    refused 1 "remote_bandwidth" compare "$file" -m "$work/one-node.json"
    sed '0,/"median": /s//&-/' "$file" >"$work/bad.json"
    refused 1 "'median' is not 0 or a number of seconds" compare "$work/bad.json" -m "$work/all.json"
    # The last variant alone is wrong, and nothing is printed of those before it.
    sed 's/"variant": "v5"/"variant": "v6"/' "$file" >"$work/bad.json"
    refused 1 "variant 'v6' is not known" compare "$work/bad.json" -m "$work/all.json"
    [ ! -s "$work/out" ] || fail "printed before all was checked: $(cat "$work/out")"
    refused 1 "'program'" compare "$work/compare.json" -m "$work/all.json"
    "$model" compare "$file" -m "$work/all.json" -m "$work/paper.json" >"$work/out" ||
        fail "two calibrations"
    grep -q "v4: not predicted without --matrix" "$work/out" || fail "v4 without the matrix"
    same_counts 2 1 ordered --blocksize 64
    bad_count "thread 0 has counts in 'remote', but the run has one node$" \
        '/"individual"/,/}/s/"remote": 0/"remote": 1/'
    bad_count "thread 0: 'node_values_out' has 5 in 'remote', and 'node_messages_out' none$" \
        's/"node_values_out": 0/"node_values_out": 5/'
}

test_predict()
{
    "$model" predict "$work/ordered.h5" -m "$work/paper.json" -t 1024 --threads-per-node 16 \
        -b 3 --json "$work/out.json" >"$work/out" || fail "predict"
    is_json "$work/out.json"
    grep -q "measured with 2 threads per node, the job has 16" "$work/out" || fail "no note"
    grep -q '"nodes": 64' "$work/out.json" || fail "not 64 nodes"
    [ "$(grep -c "left out" "$work/out")" -eq 6 ] || fail "nothing left out: $(cat "$work/out")"
    "$model" predict "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 -v v3 --json - \
        >"$work/out" || fail "predict to standard output"
    is_json "$work/out"
    grep -q '"variant": "v3"' "$work/out" || fail "no v3"
    ! grep -q '"variant": "v2"' "$work/out" || fail "v2 was not asked for"
    grep -q '"left_out": \[\]' "$work/out" || fail "something is left out"
    sed 's/"second_level_cache_bytes": 65536,//' "$work/all.json" >"$work/no-cache.json"
    "$model" predict "$work/ordered.h5" -m "$work/no-cache.json" -t 4 --nodes 2 -v v3 \
        >"$work/out" || fail "predict without a cache"
    grep -q "does not have: gather_access with second_level_cache_bytes$" "$work/out" || fail "lines of x for an unknown cache"
    sed '/sliced_far_one_128/d' "$work/all.json" >"$work/old.json"
    "$model" predict "$work/ordered.h5" -m "$work/old.json" -t 4 --nodes 2 -v v4 >"$work/out" ||
        fail "predict without a rate"
    grep -q "does not have: sliced_row_4 and the rates like it$" "$work/out" ||
        fail "a rate is missing: $(cat "$work/out")"
    sed '/signal_flood_remote/d' "$work/all.json" >"$work/old.json"
    "$model" predict "$work/ordered.h5" -m "$work/old.json" -t 4 --nodes 2 -v v4 >"$work/out" ||
        fail "predict without a message's price"
    grep -q "does not have: signal_flood_remote$" "$work/out" || fail "a message: $(cat "$work/out")"
}

# Every summary is what the list by thread says, and the slowest thread is the one of the list.
check_summaries()
{
    [ -n "$python" ] || return 0
    "$python" - "$1" <<'END' || fail "summaries of $1"
import json, math, statistics, sys

def check(summary, values, what):
    expected = {"min": min(values), "median": statistics.median(values), "max": max(values)}
    for key, value in expected.items():
        if summary[key] != value:
            sys.exit(f"{what}: {key} is {summary[key]}, not {value}")
    if not math.isclose(summary["mean"], statistics.fmean(values), rel_tol=1e-12):
        sys.exit(f"{what}: mean")

def check_all(summary, elements, what):
    for key, inner in summary.items():
        values = [element[key] if key != "total" else sum(element.values()) for element in elements]
        if "median" in inner:
            check(inner, values, f"{what} {key}")
        else:
            check_all(inner, values, f"{what} {key}")

def check_threads(part, what):
    threads = part["threads"]
    summary = {key: value for key, value in part["threads_summary"]["seconds_per_iteration"].items()}
    times = [thread["seconds_per_iteration"] for thread in threads]
    totals = [sum(time.values()) for time in times]
    total = summary.pop("total")
    check_all(summary, times, what)
    if not math.isclose(total["max"], max(totals), rel_tol=1e-12):
        sys.exit(f"{what}: total")
    slowest = part["slowest_thread"]
    if slowest != threads[slowest["thread"]]:
        sys.exit(f"{what}: the slowest thread is not in the list")
    if not math.isclose(sum(slowest["seconds_per_iteration"].values()), max(totals), rel_tol=1e-12):
        sys.exit(f"{what}: another thread is slower")

answer = json.load(open(sys.argv[1]))
if answer["command"] == "heat":
    check_threads(answer, "heat")
    sys.exit()
check_all(answer["counts_summary"], answer["counts"], "counts")
for variant in answer["variants"]:
    check_threads(variant, variant["variant"])
    key = "communication_seconds_per_iteration"
    nodes = [node[key] for node in variant["nodes"]]
    check(variant["nodes_summary"][key], nodes, "nodes")
    if variant["slowest_node"][key] != max(nodes):
        sys.exit("the slowest node")
END
}

test_a_million_threads()
{
    local size
    "$model" predict "$work/ordered.h5" -m "$work/all.json" -t 1048576 --threads-per-node 16 \
        --json "$work/out.json" >"$work/out" || fail "predict for 1048576 threads"
    is_json "$work/out.json"
    "$model" heat --size 40000x40000 --grid 1024x1024 -m "$work/paper.json" --threads-per-node 16 \
        --json "$work/out.json" >"$work/out" || fail "heat for 1048576 threads"
    size=$(wc -c <"$work/out.json")
    [ "$size" -lt 100000 ] || fail "$size bytes of JSON of the heat equation"
}

# In ten steps by eight an exchange a thread makes as many exchanges as in sixteen.
test_halo_of_threads()
{
    local steps part halo=()
    for steps in 10 16; do
        for part in threads_summary slowest_thread threads; do
            "$model" heat --size 300x200 --grid 5x4 -k 8 -i $steps -m "$work/all.json" --nodes 3 \
                --per-thread --json "$work/out.json" >"$work/out" || fail "heat of $steps steps"
            halo+=("$(sed -n "/^  \"$part\":/,\$ s/^ *\"\(halo\|max\)\": \([0-9][0-9.e-]*\).*/\2/p" \
                "$work/out.json" | head -n 1)")
        done
    done
    awk -v values="${halo[*]}" 'BEGIN {
        split(values, halo)
        for (part = 1; part <= 3; part++)
            if (!(halo[part] > 0 && (10 * halo[part]) / (16 * halo[part + 3]) > 0.999 &&
                  (10 * halo[part]) / (16 * halo[part + 3]) < 1.001))
                exit 1
    }' || fail "exchanges of threads: ${halo[*]}"
}

# Lists by thread on request alone: what is written does not grow with the threads.
test_per_thread()
{
    local size
    "$model" predict "$work/ordered.h5" -m "$work/all.json" -t 60 --nodes 7 -b 10 --per-thread \
        --json "$work/out.json" >"$work/out" || fail "predict by thread"
    is_json "$work/out.json"
    check_summaries "$work/out.json"
    [ "$(grep -c '"paper_seconds_per_iteration"' "$work/out.json")" -eq $((3 * 61)) ] ||
        fail "not the paper's parts of three variants"
    "$model" heat --size 300x200 --grid 5x4 -m "$work/all.json" --nodes 3 --per-thread \
        --json "$work/out.json" >"$work/out" || fail "heat by thread"
    check_summaries "$work/out.json"
    test_halo_of_threads
    "$model" predict "$work/ordered.h5" -m "$work/all.json" -t 65536 --threads-per-node 16 \
        --json "$work/out.json" >"$work/out" || fail "predict for 65536 threads"
    size=$(wc -c <"$work/out.json")
    [ "$size" -lt 100000 ] || fail "$size bytes of JSON for 65536 threads"
    [ -n "${FATHOM_TEST_SANITIZED:-}" ] || test_a_million_threads
    refused 2 "--per-thread goes with --json" predict "$work/ordered.h5" -m "$work/all.json" -t 4 \
        --per-thread
    refused 2 "--per-thread goes with --json" heat --size 99x99 --grid 2x2 -m "$work/all.json" \
        --per-thread
}

# A run of the heat equation with OLD replaced by NEW is refused. usage: bad_heat PATTERN OLD NEW
bad_heat()
{
    sed "s/$2/$3/" "$work/heat.json" >"$work/bad.json"
    refused 1 "$1" compare "$work/bad.json" -m "$work/all.json"
    [ ! -s "$work/out" ] || fail "printed before all was checked: $(cat "$work/out")"
}

test_heat()
{
    "$model" heat --size 20000x20000 --grid 4x4 -m "$work/paper.json" --threads-per-node 16 \
        --json "$work/out.json" >"$work/out" || fail "heat"
    is_json "$work/out.json"
    grep -q "122.07031" "$work/out.json" || fail "Table 5: $(cat "$work/out")"
    cat >"$work/heat.json" <<'END'
{"program": "fathom-heat2d", "size": [102, 202], "grid": [2, 1], "nodes": 2, "iterations": 10,
 "steps": 10, "halo": "memget", "steps_per_exchange": 1, "stores": "cached",
 "seconds": {"halo": {"median": 0.5, "min": 0.4, "max": 0.6},
             "compute": {"median": 1.0, "min": 0.9, "max": 1.1}},
 "threads": [
  {"thread": 0, "node": 0, "seconds_per_iteration": {"halo": 1, "compute": 2, "barrier": 3}},
  {"thread": 1, "node": 1, "seconds_per_iteration": {"halo": 1, "compute": 2, "barrier": 3}}]}
END
    "$model" compare "$work/heat.json" -m "$work/all.json" --json "$work/out.json" >"$work/out" ||
        fail "compare heat"
    is_json "$work/out.json"
    grep -q '"kind": "heat"' "$work/out.json" || fail "not of heat"
    # Ten steps by eight an exchange: two exchanges, as the run says, or as follows; not ten eighths.
    local halo=() run
    for run in '"exchanges": 2, ' '' '"exchanges": 3, '; do
        sed "s/\"steps_per_exchange\": 1/$run\"steps_per_exchange\": 8/" "$work/heat.json" >"$work/eight.json"
        "$model" compare "$work/eight.json" -m "$work/all.json" >"$work/out" || fail "compare heat, 8 steps"
        halo+=("$(sed -n 's/^halo .* predicted \([^ ]*\) .*/\1/p' "$work/out")")
    done
    awk -v two="${halo[0]}" -v none="${halo[1]}" -v three="${halo[2]}" 'BEGIN {
        exit !(two > 0 && two == none && three / two > 1.499 && three / two < 1.501) }' ||
        fail "exchanges: ${halo[*]}"
    bad_heat "key 'exchanges': too few for 10 steps" '"steps": 10' '"steps": 10, "exchanges": 9'
    bad_heat "key 'exchanges': too many for 10 steps" '"steps": 10' '"steps": 10, "exchanges": 11'
    bad_heat "the run itself found its result wrong" '"stores"' '"check": "failed", "stores"'
    bad_heat "found its traffic not as" '"stores"' '"traffic_as_predicted": false, "stores"'
    bad_heat "key 'stores': 'streeming' is not known" '"cached"' '"streeming"'
    bad_heat "'stores' is" '"cached"' '1'
    sed 's/"steps_per_exchange": 1, //' "$work/heat.json" >"$work/bad.json"
    refused 2 "--matrix: a run of fathom-heat2d" compare "$work/heat.json" -m "$work/all.json" \
        --matrix "$work/ordered.h5"
    refused 1 "'steps_per_exchange' is missing" compare "$work/bad.json" -m "$work/all.json"
    bad_heat "--steps-per-exchange 0: at least one" '"steps_per_exchange": 1' '"steps_per_exchange": 0'
    bad_heat "key 'halo': median 0 is not between a positive min and max" '"median": 0.5' '"median": 0'
    bad_heat "key 'halo': median 0.7 is not between .* 0.4 and 0.6" '"median": 0.5' '"median": 0.7'
    bad_heat "'max' is not 0 or a number of seconds from 1e-30 to 1e\\+09" '"max": 1.1' '"max": 1e308'
    bad_heat "'min' is not 0 or" '"min": 0.9' '"min": 1e-31'
    bad_heat "'barrier' is not 0 or" '"barrier": 3' '"barrier": -3'
    refused 2 "--size 10x10: too small" heat --size 10x10 --grid 4x20 -m "$work/paper.json"
    refused 2 "--size: '10' is not two" heat --size 10 --grid 4x20 -m "$work/paper.json"
    refused 2 "--grid: '0' is not" heat --size 10x10 --grid 0x2 -m "$work/paper.json"
    refused 2 "--streaming-stores: steps that share" heat --size 99x99 --grid 2x2 -k 2 \
        --streaming-stores -m "$work/paper.json"
    refused 2 "needed: --size" heat -m "$work/paper.json"
}

# What speaks against a verdict is said, a line each, and what has no reason is not.
test_verdict()
{
    local accuracy=$work/accuracy.json
    grep -q "^warning: .*does not say on which host" "$work/out" || fail "no origin: $(cat "$work/out")"
    grep -q "^warning: how far predictions are off .* is not known" "$work/out" || fail "accuracy"
    [ "$(grep -c '^warning' "$work/out")" -eq 2 ] || fail "other warnings: $(cat "$work/out")"
    grep -q '"doubts": \[' "$work/out.json" || fail "no doubts in JSON"
    sed 's/"name": "test"/& , "host": "elsewhere", "processor": "another"/' "$work/all.json" \
        >"$work/other.json"
    cat >"$accuracy" <<'END'
{"format": "fathom-accuracy", "version": 1, "processor": "another", "coverage": {
 "row_nonzeros": {"least": 4, "most": 8}, "rows_per_thread": {"least": 1, "most": 1e6},
 "lines_out_of_order_per_row": {"least": 0, "most": 20}, "threads": {"least": 1, "most": 8},
 "nodes": {"least": 1, "most": 2}},
 "variants": {"v4": {"median_percent": 3, "worst_percent": 12},
              "v3": {"median_percent": 3, "worst_percent": 12}}}
END
    "$model" tune "$work/ordered.h5" -m "$work/other.json" -t 2 --nodes 2 -v v3 \
        --accuracy "$accuracy" >"$work/out" || fail "tune with an accuracy file"
    grep -q "^warning: .*measured on elsewhere, another, which is another processor" "$work/out" ||
        fail "another processor: $(cat "$work/out")"
    grep -q "^warning: .*threads: 4, nodes: 2, the job has 2 and 2" "$work/out" || fail "shape"
    grep -q "^warning: .* covers no such product: row_nonzeros 16 (4 .. 8)$" "$work/out" ||
        fail "coverage: $(cat "$work/out")"
    grep -q "predictions of v3 were off by 3.0 % in the median and 12.0 % at worst" "$work/out" ||
        fail "no accuracy: $(cat "$work/out")"
    [ "$(grep -c '^warning' "$work/out")" -eq 3 ] || fail "other warnings: $(cat "$work/out")"
    grep -q "no significant difference between v" "$work/out" && fail "nothing to tell apart"
    local pairs='' pair
    for pair in '"v1", "v2"' '"v1", "v3"' '"v1", "v4"' '"v2", "v3"' '"v2", "v4"' '"v3", "v4"'; do
        pairs+="${pairs:+, }{\"variants\": [$pair], \"median_percent\": 900}"
    done
    sed "s/\"variants\"/\"pairs\": [$pairs], &/" "$accuracy" >"$work/pairs.json"
    "$model" tune "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 -b 940 \
        --accuracy "$work/pairs.json" --json "$work/out.json" >"$work/out" || fail "tune with pairs"
    grep -q "no significant difference between v[234] and .*v[234]" "$work/out" ||
        fail "told apart in spite of the model's errors: $(cat "$work/out")"
    grep -q "^warning: predictions of v. and v. were off against each other by 900.0 %" "$work/out" ||
        fail "no doubt: $(cat "$work/out")"
    grep -q '"gain_error": 9.0' "$work/out.json" || fail "no error in JSON"
    grep -q '"cannot_tell": true' "$work/out.json" || fail "told in JSON"
    "$model" tune "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 --blocksizes 940,939 \
        >"$work/out" || fail "tune of two block sizes"
    grep -q "no significant difference between BLOCKSIZE 939 and 940" "$work/out" ||
        fail "a hair's breadth decides: $(cat "$work/out")"
    refused 1 "not an accuracy file" tune "$work/ordered.h5" -m "$work/all.json" -t 4 \
        --accuracy "$work/all.json"
}

# Candidates are run, and what was measured decides, with a closed standard input, too; a run that
# fails says why.
test_measure()
{
    local matrix=$work/ordered.h5
    "$model" tune "$matrix" -m "$work/all.json" -t 2 --nodes 2 --measure 3 --json "$work/out.json" \
        >"$work/out" 2>"$work/err" || fail "tune --measure: $(cat "$work/err")"
    [ "$(grep -c '<- chosen$' "$work/out")" -eq 2 ] || fail "not chosen twice: $(cat "$work/out")"
    grep -q "^measured: --blocksize [0-9]* --variant v" "$work/out" || fail "nothing measured"
    grep -q "^predicted: --blocksize" "$work/out" || fail "no prediction beside it"
    is_json "$work/out.json"
    [ "$(grep -c '"predicted_seconds"' "$work/out.json")" -eq 3 ] || fail "not three candidates"
    mkdir "$work/o'brien" # programs in a folder that a shell would read otherwise
    cp "$model" "$run" "$spmv" "$work/o'brien/"
    "$work/o'brien/${model##*/}" tune "$matrix" -m "$work/all.json" -t 2 -b 100 --measure 1 \
        >"$work/out" 2>"$work/err" || fail "tune --measure beside an apostrophe: $(cat "$work/err")"
    "$model" tune "$matrix" -m "$work/all.json" -t 2 -v v3 -b 1500,100 --measure 9 \
        --launcher "'$run' -n {threads} --nodes {nodes}" <&- >"$work/out" 2>"$work/err" ||
        fail "tune --launcher: $(cat "$work/err")"
    [ "$(grep -c '^v3 ' "$work/out")" -eq 2 ] || fail "not both candidates: $(cat "$work/out")"
    refused 1 "the run failed: fathom-run: .*whole number" tune "$matrix" -m "$work/all.json" -t 2 --measure 1 \
        --launcher "'$run' --threads x"
    refused 1 "'/nowhere/launch' cannot be started" tune "$matrix" -m "$work/all.json" -t 2 \
        --measure 1 --launcher /nowhere/launch
    refused 1 "--launcher: '.*' makes no command" tune "$matrix" -m "$work/all.json" -t 2 \
        --measure 1 --launcher "a \$(b)"
    refused 2 "nothing is run without --measure" tune "$matrix" -m "$work/all.json" -t 2 \
        --launcher "$run"
    refused 2 "--measure: no job of 3 threads can be started with 2 on each" tune "$matrix" \
        -m "$work/all.json" -t 3 --threads-per-node 2 --measure 1
    refused 1 "--json: /nowhere" tune "$work/missing.h5" -m "$work/all.json" -t 2 \
        --json /nowhere/out.json
    refused 2 "--measure: '0' is not" tune "$matrix" -m "$work/all.json" -t 2 --measure 0
}

# A signal ends the launcher and what it started, too, and removes the directory of the run.
# usage: interrupted SIGNAL LAUNCHER, which writes its process number to $work/pid
interrupted()
{
    local status=0 tune try
    rm -f "$work/pid"
    mkdir -p "$work/tmp"
    TMPDIR=$work/tmp "$model" tune "$work/ordered.h5" -m "$work/all.json" -t 2 -b 100 --measure 1 \
        --launcher "$2" >"$work/out" 2>"$work/err" &
    tune=$!
    for ((try = 0; try < 10000; try++)); do
        [ ! -s "$work/pid" ] || break
        sleep 0.01
    done
    kill -s "$1" $tune
    wait $tune || status=$?
    [ $status -eq $((128 + $(kill -l "$1"))) ] || fail "$1: status $status: $(cat "$work/err")"
    ! kill -s KILL "$(cat "$work/pid")" 2>"$work/err" || fail "$1: the launcher was still there"
    [ -z "$(ls -A "$work/tmp")" ] || fail "$1: left are $(ls -A "$work/tmp"/*)"
}

test_interrupted()
{
    echo "trap 'touch $work/ended; exit' TERM; echo \$\$ >$work/pid; while :; do sleep 0.1; done" \
        >"$work/launch"
    interrupted TERM "sh $work/launch"
    [ -e "$work/ended" ] || fail "the launcher had no time to end by itself"
    interrupted HUP "sh $work/launch"
    # One that does not end by itself, nor by a signal that can be ignored.
    echo "trap '' TERM; echo \$\$ >$work/pid; while :; do sleep 0.1; done" >"$work/launch"
    interrupted TERM "sh $work/launch"
}

test_tune()
{
    "$model" sweep "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 --blocksizes 100,700 \
        --variant v3 --json "$work/out.json" >"$work/out" || fail "sweep"
    is_json "$work/out.json"
    [ "$(grep -c '"blocksize"' "$work/out.json")" -eq 3 ] || fail "not two points and the best"
    # Blocks larger than the matrix are one layout, with its number of rows.
    local rows
    rows=$(sed -n 's/^ *"rows": \([0-9]*\).*/\1/p' "$work/out.json")
    "$model" sweep "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 -v v3 \
        -b 100,1048576,100000 --json "$work/out.json" >"$work/out" || fail "sweep of large blocks"
    [ "$(grep -c '"blocksize"' "$work/out.json")" -eq 3 ] || fail "a layout twice: $(cat "$work/out")"
    [ "$(grep -c "\"blocksize\": $rows," "$work/out.json")" -ge 1 ] || fail "not cut: $(cat "$work/out")"
    grep -q "^(a BLOCKSIZE of more than $rows rows is $rows, as for fathom-spmv)\$" "$work/out" ||
        fail "not said: $(cat "$work/out")"
    "$model" tune "$work/ordered.h5" -m "$work/all.json" -t 4 --nodes 2 --json "$work/out.json" \
        >"$work/out" || fail "tune"
    is_json "$work/out.json"
    grep -q "^best: --blocksize [0-9]* --variant v" "$work/out" || fail "no best"
    test_verdict
    sed -E '/bandwidth/!s/(median|min|max)": [^,}]*/\1": 0/g' "$work/all.json" >"$work/zero.json"
    "$model" tune "$work/ordered.h5" -m "$work/zero.json" -t 2 >"$work/out" || fail "tune at 0 seconds"
    grep -Eqi "nan|inf" "$work/out" && fail "not a number: $(cat "$work/out")"
    grep -q "^  this one  *0 s  load" "$work/out" || fail "not 0 seconds: $(cat "$work/out")"
    refused 2 "--blocksizes: '0' in '.*' is not" sweep "$work/ordered.h5" -m "$work/all.json" -t 4 \
        --blocksizes 0
}

# Traffic counted by a program, with the prices and without; what has none is said in one line.
test_traffic()
{
    local stats=$work/stats.json all=$work/all.json run_of=(-n 3 --nodes 2)
    PGAS_STATS=$stats "$run" "${run_of[@]}" -- "$spmv" "$work/ordered.h5" --variant v1 \
        --iterations 2 --repetitions 1 >"$work/log" 2>&1 || fail "no statistics: $(cat "$work/log")"
    "$model" traffic "$stats" -m "$all" --json "$work/out.json" --per-thread >"$work/out" \
        2>"$work/err" || fail "traffic: $(cat "$work/err")"
    is_json "$work/out.json"
    grep -q "^remote  individual  from" "$work/out" || fail "no values: $(cat "$work/out")"
    grep -q "^communication of the slowest threads" "$work/out" || fail "no sum"
    grep -q "unknown" "$work/out" && fail "values are unknown: $(cat "$work/out")"
    [ "$(grep -c '"link_seconds"' "$work/out.json")" -eq 4 ] || fail "not three threads and one"
    sed 's/"individual"/"atomic"/' "$stats" >"$work/atomic.json"
    "$model" traffic "$work/atomic.json" -m "$all" >"$work/out" || fail "traffic without prices"
    [ "$(grep -c '^unknown is what needs .*fetch_latency_remote.*calibrate' "$work/out")" -eq 1 ] ||
        fail "not said what is unknown: $(cat "$work/out")"
    machine "$work/prices.json" private_bandwidth 4.9152e9 fetch_latency_own 5e-9 \
        fetch_latency_local 6e-9 fetch_latency_remote 1e-5 fetch_flood_own 1e-8 \
        fetch_flood_local 1e-8 fetch_flood_remote 5e-8 update_latency_own 1e-8 update_flood_own 1e-8
    "$model" traffic "$work/atomic.json" -m "$work/prices.json" -f 4 --json - >"$work/out.json" ||
        fail "traffic with prices"
    is_json "$work/out.json"
    grep -q '"in_flight": 4.0' "$work/out.json" || fail "not four in flight"
    refused 2 "no STATISTICS" traffic -m "$all"
    refused 2 "needed: --machine" traffic "$stats"
    refused 2 "one STATISTICS" traffic "$stats" "$stats" -m "$all"
    refused 2 "--in-flight: '0' is not" traffic "$stats" -m "$all" -f 0
    refused 2 "--per-thread goes with --json" traffic "$stats" -m "$all" --per-thread
    refused 2 "--json and STATISTICS: '.*' is" traffic "$stats" -m "$all" --json "$stats"
    refused 1 "not a file that PGAS_STATS writes" traffic "$all" -m "$all"
    refused 1 "missing.json" traffic "$work/missing.json" -m "$all"
}

# usage: refused STATUS PATTERN ARGS...
refused()
{
    refuses "$1" "$2" "$model" "${@:3}"
}

test_bad_input()
{
    local matrix=$work/ordered.h5 machine=$work/paper.json command
    refused 2 "no command"
    refused 2 "'foretell' is not a command" foretell
    refused 2 "not an option" predict "$matrix" -m "$machine" -t 4 --blocksiz0 3
    refused 2 "--threads: '0' is not" predict "$matrix" -m "$machine" -t 0
    refused 2 "needed: --threads" predict "$matrix" -m "$machine"
    refused 2 "needed: --machine" predict "$matrix" -t 4
    refused 2 "no MATRIX" predict -t 4 -m "$machine"
    refused 2 "--nodes: '5' is not" predict "$matrix" -m "$machine" -t 4 --nodes 5
    refused 2 "only one of them" predict "$matrix" -m "$machine" -t 4 --nodes 2 --threads-per-node 2
    refused 2 "--variant: 'v9'" predict "$matrix" -m "$machine" -t 4 --variant v9
    refused 2 "--blocksizes: '' in '1,,2' is not" sweep "$matrix" -m "$machine" -t 4 -b 1,,2
    refused 2 "--json and MATRIX: '.*' is one and the same file" tune "$matrix" -m "$machine" -t 4 \
        --json "$matrix"
    refused 2 "--json and --machine: '.*' is" heat --size 99x99 --grid 2x2 -m "$machine" \
        --json "$machine"
    refused 2 "--json and RUN.json: '.*' is" compare a.json -m "$machine" --json a.json
    refused 1 "missing.h5" predict "$work/missing.h5" -m "$machine" -t 4
    refused 1 "missing.json" predict "$matrix" -m "$work/missing.json" -t 4
    sed 's/"name": "test",/& "processor": "One",/' "$machine" >"$work/one.json"
    sed 's/"name": "test",/& "processor": "Two",/' "$machine" >"$work/two.json"
    sed 's/"threads": 4, "nodes": 2/"threads": 8, "nodes": 4/' "$machine" >"$work/eight.json"
    refused 1 "two.json: measured on Two, and .*one.json on One, are not combined" \
        predict "$matrix" -m "$work/one.json" -m "$machine" -m "$work/two.json" -t 4
    refused 1 "eight.json: measured by 8 threads .* are not combined" \
        tune "$matrix" -m "$work/one.json" -m "$work/eight.json" -t 4
    refused 1 "not an HDF5 file" predict "$machine" -m "$machine" -t 4
    refused 1 "'remote_bandwidth' is missing" predict "$matrix" -m "$work/one-node.json" -t 4 -n 2
    refused 1 "$work: is not a regular file" predict "$matrix" -m "$work" -t 4
    refused 1 "/dev/null: is not a regular file" traffic /dev/null -m "$machine"
    refused 1 "$work: is not a regular file" compare "$work" -m "$machine"
    refused 1 "$work: is not a regular file" tune "$matrix" -m "$machine" -t 4 --accuracy "$work"
    mkfifo "$work/fifo"
    refused 1 "fifo: is not a regular file" heat --size 99x99 --grid 2x2 -m "$work/fifo"
    # shellcheck disable=SC2002 # a pipe
    cat "$machine" | "$model" heat --size 99x99 --grid 2x2 -m /dev/stdin >"$work/out" || fail "no pipe"
    sed 's/"name": "test"/"name": "\\u001b[31m\\u009bn\\u00fc\\n"/' "$machine" >"$work/control.json"
    "$model" heat --size 99x99 --grid 2x2 -m "$work/control.json" >"$work/out" || fail "control.json"
    grep -q "machine: ?\[31m??n$(printf '\303\274')?\$" "$work/out" ||
        fail "control characters: $(cat -v "$work/out")"
    refused 1 "nowhere" predict "$matrix" -m "$machine" -t 4 --json "$work/nowhere/out.json"
    refused 1 "missing.json" compare "$work/missing.json" -m "$machine"
    [ ! -e "$work/nowhere" ] || fail "something was written"
    for command in predict heat compare sweep tune traffic; do
        "$model" $command --help | grep -q -- --machine || fail "no help of $command"
        [ "$("$model" $command --version | wc -l)" -eq 1 ] || fail "no version of $command"
    done
    "$model" --help | grep -q compare || fail "no help"
}

# Names that are not UTF-8 have U+FFFD in the JSON, in every place.
test_odd_names()
{
    local odd=$work/na$'\xff'me shown=$'na\xef\xbf\xbdme'
    cp "$work/ordered.h5" "$odd.h5"
    cp "$work/all.json" "$odd.json"
    for command in predict sweep tune; do
        "$model" $command "$odd.h5" -m "$odd.json" -t 4 --json - >"$work/out" || fail "$command: a name"
        is_json "$work/out"
        [ "$(grep -c "\"path\": \".*/$shown" "$work/out")" -eq 2 ] || fail "$command: $(cat "$work/out")"
    done
}

# Standard output that cannot be written is a failure, in one line.
test_full_device()
{
    local status json
    for json in "" "--json -"; do
        status=0
        # shellcheck disable=SC2086 # two words, or none
        "$model" tune "$work/ordered.h5" -m "$work/all.json" -t 4 $json >/dev/full 2>"$work/err" ||
            status=$?
        [ $status -eq 1 ] || fail "a full device: status $status"
        [ "$(cat "$work/err")" = "fathom-model: standard output cannot be written: No space left on device" ] ||
            fail "a full device: $(cat "$work/err")"
    done
}

make_inputs
test_counts
test_storage
test_compare_finds_differences
test_predict
test_per_thread
test_heat
test_tune
test_measure
test_interrupted
test_traffic
test_bad_input
test_odd_names
[ ! -w /dev/full ] || test_full_device
echo "fathom-model: all checks passed"
