#!/usr/bin/env bash
# fathom-stream: every command runs in jobs of one to four threads, on one node and on several, its
# JSON has its keys and sensible numbers, and bad input gets one line, a failing status and no file.
# usage: test_stream.sh FATHOM-RUN FATHOM-STREAM CHECK-JSON
set -euo pipefail
# shellcheck source=runtime/launcher/tests/draw.bash
source "$(dirname "$0")/../../../runtime/launcher/tests/draw.bash"
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../../support/tests/script.bash"

run=$1
stream=$2
check_json=$3

# One measurement, its table and its JSON. usage: measured THREADS NODES COMMAND [ARGS...] -- NAMES...
measured()
{
    local threads=$1 nodes=$2 command=$3 arguments=()
    shift 3
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    rm -f "$work/out.json"
    "$run" -n "$threads" --nodes "$nodes" -- "$stream" "$command" "${arguments[@]}" \
        --json "$work/out.json" >"$work/out" 2>"$work/err" ||
        fail "$command on $threads threads, $nodes nodes: $(cat "$work/out" "$work/err")"
    [ -s "$work/out" ] || fail "$command: no table"
    "$check_json" "$work/out.json" threads="$threads" nodes="$nodes" "$@" 2>"$work/err" ||
        fail "$command on $threads threads, $nodes nodes: $(cat "$work/err" "$work/out.json")"
}

test_memory()
{
    local threads=$1 nodes=$2 reps=(--repetitions 2)
    measured "$threads" "$nodes" stream --elements 3001 "${reps[@]}" -- command=stream check=ok \
        results.0.kernel=copy results.3.kernel=triad results.3.bytes_per_element=24 \
        results.3.per_thread results.3.per_node results.3.total results.4.kernel=sum !results.5
    measured "$threads" "$nodes" shared --elements 3001 "${reps[@]}" -- command=shared check=ok \
        results.0.form=pointers results.0.place=own results.4.form=privatised results.8.form=bulk \
        results.11.kernel=triad results.11.per_thread
}

# Arrays as large as the caches ask for.
test_defaults()
{
    measured 2 1 stream --repetitions 1 -- command=stream check=ok results.3.kernel=triad
    measured 2 1 random --repetitions 1 -- command=random check=ok
}

test_messages()
{
    local threads=$1 nodes=$2 place=$3 reps=(--repetitions 2 --seconds 0.0001)
    measured "$threads" "$nodes" pingpong --sizes 1,5000 "${reps[@]}" -- command=pingpong check=ok \
        results.0.place="$place" results.1.nbytes=5000 results.1.bytes_per_second !results.2
    measured "$threads" "$nodes" random --place "$place" --elements 3001 "${reps[@]}" -- \
        command=random check=ok results.0.place="$place" results.0.seconds !results.1
    measured "$threads" "$nodes" latency --sizes 1,5000 "${reps[@]}" -- command=latency check=ok \
        results.0.operation=get results.1.operation=put results.2.mode=explicit \
        results.4.mode=implicit results.11.nbytes=5000 results.11.operations \
        results.11.interface=fathom !results.12 \
        !results.0.depth
    measured "$threads" "$nodes" flood --sizes 1,5000 --depths 1,5 "${reps[@]}" -- command=flood \
        check=ok results.0.depth=1 results.23.depth=5 results.23.bytes_per_second !results.24
}

# Every number of a table has three significant digits, or all that are left of its point; times
# of copies within a node are in nanoseconds. A random read is a difference of two times, and 0
# where a busy machine turns that round. usage: digits COMMAND [ARGS...]
digits()
{
    "$run" -n 2 -- "$stream" "$@" --place local --repetitions 3 >"$work/out"
    awk -v command="$1" '
        $1 !~ /^([0-9]+|local)$/ { next }
        {
            gsub(/[()]|\.\. /, "")
            first = command == "random" ? 4 : 2
            for (i = first; i <= NF; i++) {
                if (command == "random" && $i == "0") {
                    found++
                    continue
                }
                digits = $i
                gsub(/^[0.]+|[.]/, "", digits)
                if ($i !~ /^[0-9.]+$/ || (length(digits) < 3 && $i !~ /^[1-9][0-9][0-9]+$/)) {
                    print "the number " $i " in: " $0
                    exit 1
                }
                found++
            }
        }
        END { if (found < 3) exit 1 }' "$work/out" >"$work/err" ||
        fail "$1: $(cat "$work/err"): $(cat "$work/out")"
}

test_digits()
{
    local times='round-trip latency, ns'
    digits latency --sizes 1,8,4096
    grep -q "$times" "$work/out" || fail "copies within a node are not in ns: $(cat "$work/out")"
    digits flood --sizes 1,131072 --depths 8
    grep -q 'inverse throughput, ns per message' "$work/out" || fail "flood: $(cat "$work/out")"
    digits latency --sizes 67108864 --operations 1
    grep -q 'round-trip latency, us' "$work/out" || fail "64 MiB are not in us: $(cat "$work/out")"
    digits pingpong --sizes 1,8 --seconds 0.001
    digits random --elements 3001 --seconds 0.001
}

# As many operations as are asked for, unless that takes longer than it may.
test_operations()
{
    local flood=(flood --sizes 1 --depths "1,8" --repetitions 1)
    measured 2 1 latency --sizes 1 --repetitions 1 --seconds 100 -- results.0.operations=10000 \
        results.5.operations=10000
    measured 2 1 "${flood[@]}" --operations 777 --seconds 100 -- results.0.operations=777 \
        results.11.operations=777
    measured 2 1 "${flood[@]}" --operations 3 -- results.11.operations=3
    measured 2 1 "${flood[@]}" --seconds 1e-6 --operations 1000000 -- results.11.operations
    grep -q '"operations": 1000000' "$work/out.json" && fail "a million in a microsecond"
    return 0
}

# Through gasnet.h too: every transfer by both interfaces, side by side; checked as Fathom's own.
test_gasnet()
{
    local threads=$1 nodes=$2 options=(--repetitions 2 --seconds 0.0001 --gasnet)
    measured "$threads" "$nodes" latency --sizes "1,70000" "${options[@]}" -- check=ok \
        results.0.interface=fathom results.1.interface=gasnet results.1.operation=get \
        results.3.interface=gasnet results.3.operation=put results.23.nbytes=70000 \
        results.23.mode=implicit !results.24
    grep -q "^through gasnet.h:" "$work/out" || fail "no table of gasnet.h: $(cat "$work/out")"
    measured "$threads" "$nodes" flood --sizes 5000 --depths "1,5" "${options[@]}" -- check=ok \
        results.23.interface=gasnet results.23.depth=5 !results.24
}

# Lines of x are priced where the second-level cache's size is known.
test_calibrate()
{
    local threads=$1 nodes=$2 rounds=$3 cache lines=()
    [ -z "${FATHOM_TEST_SANITIZED:-}" ] || rounds=1
    shift 3
    cache=$(getconf LEVEL2_CACHE_SIZE || true)
    if [ "${cache:-0}" -gt 0 ]; then
        lines=(parameters.gather_access parameters.product_row_4 parameters.product_far_all_128 parameters.sliced_row_16
            parameters.sliced_near_one_4 parameters.product_close_all_64
            parameters.shifts_turns_held_128 parameters.move_copy_near
            parameters.move_plan_lines_far)
    fi
    measured "$threads" "$nodes" calibrate --elements 262144 --seconds 0.02 --repetitions "$rounds" \
        --name "test machine" -- format=fathom-machine version=1 name="test machine" host processor date source \
        threads_per_node cache_line_bytes first_level_cache_bytes second_level_cache_bytes last_level_share_bytes \
        parameters.private_bandwidth parameters.private_read_bandwidth \
        parameters.private_scale_bandwidth parameters.private_copy_bandwidth \
        parameters.product_bandwidth parameters.barrier_latency parameters.pointer_access \
        parameters.product_access parameters.block_latency parameters.column_access \
        parameters.heat_point parameters.heat_first_row parameters.heat_last_row \
        parameters.heat_first_get parameters.fetch_latency_own parameters.update_flood_own \
        parameters.signal_bulk_own parameters.am_flood_own parameters.fetch_far \
        parameters.meeting_own parameters.round_8_own parameters.combine_element "${lines[@]}" "$@"
    grep -q '"date": "20..-..-..T..:..:..Z"' "$work/out.json" || fail "no date"
}

more_memory()
{
    test_memory 2 1
    test_memory 4 4
}

more_messages()
{
    test_messages 4 4 remote
}

more_gasnet()
{
    test_gasnet 4 4
}

more_calibrations()
{
    test_calibrate 1 1 3 "${remote[@]/#/!}" parameters.local_access '!parameters.affinity_test' \
        "${node[@]/#/!}"
    [ -n "${FATHOM_TEST_LONG:-}" ] || return 0
    test_calibrate 3 1 3 "${remote[@]/#/!}" parameters.local_access parameters.affinity_test
    test_calibrate 4 2 3 "${remote[@]}" parameters.local_access threads_per_node=2
}

test_shapes()
{
    local remote=(parameters.remote_bandwidth parameters.remote_latency parameters.message_latency
        parameters.remote_bandwidth_shared parameters.exchange_latency
        parameters.exchange_bandwidth parameters.exchange_send parameters.exchange_send_bandwidth
        parameters.fetch_flood_remote parameters.am_latency_remote parameters.meeting_remote
        parameters.round_read_4096_remote parameters.round_read_alone_65536_remote)
    local node=(parameters.update_latency_local parameters.fetch_contended parameters.round_65536_local)
    test_memory 1 1
    test_memory 3 2
    test_defaults
    test_messages 2 1 local
    test_messages 3 2 remote
    test_gasnet 2 1
    test_gasnet 3 2
    test_calibrate 3 2 1 "${remote[@]}" parameters.local_access threads_per_node=2
    if [ -z "${FATHOM_TEST_SANITIZED:-}" ]; then # of which these would be too much
        test_calibrate 2 1 1 "${remote[@]/#/!}" parameters.local_access parameters.affinity_test \
            "${node[@]}"
        draw memory messages gasnet calibrations
        for shape in "${drawn[@]}"; do
            "more_$shape"
        done
    fi
    measured 4 2 random --elements 3001 --repetitions 2 --seconds 0.0001 -- \
        results.0.place=local results.1.place=remote !results.2
}

# '-' is JSON alone; --out is calibrate's name for --json.
test_output()
{
    "$run" -n 2 -- "$stream" stream -e 1000 -r 1 --json - >"$work/out"
    "$check_json" "$work/out" command=stream || fail "'-' is not JSON alone"
    [ -z "${FATHOM_TEST_SANITIZED:-}" ] || return 0 # a calibration takes a sanitizer 15 s
    "$run" -n 2 -- "$stream" calibrate -e 262144 -r 1 -s 0.01 --out "$work/machine.json" >"$work/out"
    "$check_json" "$work/machine.json" format=fathom-machine || fail "no calibration"
    "$stream" calibrate -e 262144 -r 1 -s 0.01 --name $'na\xffme' --out - >"$work/out"
    grep -q $'"name": "na\xef\xbf\xbdme"' "$work/out" || fail "a name that is not UTF-8"
    "$check_json" "$work/out" threads=1 || fail "by hand, without a launcher"
}

# usage: refused THREADS STATUS PATTERN ARGS...
refused()
{
    refuses "$2" "$3" "$run" -n "$1" -- "$stream" "${@:4}"
    [ ! -s "$work/out" ] || fail "$*: a table all the same"
}

test_bad_input()
{
    local command
    refused 3 2 "no command"
    refused 3 2 "'strem' is not a command" strem
    refused 3 2 "'--element5' is not an option" stream --element5 3
    refused 3 2 "--elements: '0' is not" stream --elements 0
    refused 3 2 "--repetitions: 'x' is not" calibrate --repetitions x
    refused 3 2 "--operations: '0' is not" latency --operations 0
    refused 3 2 "--operations: '-5' is not" flood --operations -5
    refused 3 2 "'--operations' is not an option" pingpong --operations 5
    refused 3 2 "'--gasnet' is not an option" pingpong --gasnet
    refused 1 2 "--place: .* threads: 1" latency --gasnet
    PGAS_HEAP_SIZE=4M refused 2 1 "GASNet segment of 5001216 bytes: .*PGAS_HEAP_SIZE" \
        latency --gasnet --sizes 5000000
    refused 3 2 "--seconds: '-1' is not" calibrate --seconds -1
    refused 3 2 "--elements: '262143' is not" calibrate --elements 262143
    refused 3 2 "'file.json': calibrate takes options only" calibrate file.json
    refused 3 2 "--out and --json are the same" calibrate --out a --json b
    refused 3 2 "'file.h5': the command takes options only" flood file.h5
    refused 3 2 "--sizes: '' in '1,,8' is not" latency --sizes 1,,8
    refused 3 2 "--depths: '70000' in '70000' is not" flood --depths 70000
    refused 3 2 "--place: 'far' is not one of" pingpong --place far
    refused 3 2 "--place: .*another node: threads: 3, nodes: 1" random --place remote
    for command in pingpong random latency flood; do
        refused 1 2 "--place: .* threads: 1" $command
    done
    for command in stream shared pingpong random latency flood calibrate; do
        refused 2 1 "$work/nowhere/out.json: cannot create a file beside it: No such file" $command \
            --json "$work/nowhere/out.json"
        [ ! -e "$work/nowhere" ] || fail "something was written"
        "$stream" $command --help | grep -q -- --json || fail "$command: no help"
    done
    mkdir "$work/directory"
    refused 2 1 "--out: $work/directory: cannot be replaced: it is not a regular" calibrate --out "$work/directory"
    mkfifo "$work/pipe"
    refused 2 1 "--json: $work/pipe: cannot be replaced: it is not a regular" stream --json "$work/pipe"
    [ -p "$work/pipe" ] || fail "a pipe was replaced"
    [ -z "$(find "$work" -name 'directory?*' -o -name 'pipe?*')" ] || fail "half-written files"
    PGAS_HEAP_SIZE=128K refused 2 1 PGAS_HEAP_SIZE shared --elements 100000
    "$run" -n 2 -- "$stream" --help | grep -q calibrate || fail "no help"
    [ "$("$run" -n 2 -- "$stream" --version | wc -l)" -eq 1 ] || fail "no version"
}

# Standard output that cannot be written is a failure, in one line, with and without a launcher.
test_full_device()
{
    local status launcher json
    for launcher in "" "$run -n 2 --"; do
        for json in "" "--json -"; do
            status=0
            # shellcheck disable=SC2086 # two words, or none
            $launcher "$stream" stream -e 1000 -r 1 $json >/dev/full 2>"$work/err" || status=$?
            [ $status -eq 1 ] || fail "a full device: status $status"
            grep -q "standard output.*: No space left on device" "$work/err" ||
                fail "a full device: $(cat "$work/err")"
            [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
        done
    done
    status=0
    "$run" -n 2 -- "$stream" latency --gasnet -z 1 -r 1 >/dev/full 2>"$work/err" || status=$?
    [ $status -eq 1 ] || fail "a full device with gasnet.h: status $status"
    grep -q "standard output.*: No space left on device" "$work/err" ||
        fail "a full device: $(cat "$work/err")"
}

test_shapes
test_digits
test_operations
test_output
test_bad_input
[ ! -w /dev/full ] || test_full_device
echo "fathom-stream: all checks passed"
