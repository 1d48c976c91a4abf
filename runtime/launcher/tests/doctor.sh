#!/bin/bash
# What fathom-run --doctor says is there and true, as far as this machine can tell otherwise.
#
# usage: doctor.sh FATHOM-RUN FATHOM-UCX(0 or 1)
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/jobs.bash"

run=$1
has_ucx=$2
events=${UCX_MEM_EVENTS:-} # sanitizers need their own
unset "${!PGAS_@}" "${!UCX_@}"
[[ -z $events ]] || export UCX_MEM_EVENTS=$events

# look NAME [COMMAND...]: what it prints, run by the command given; always with status 0.
look()
{
    case=$1
    shift
    "$@" "$run" --doctor >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect_words 0
}

# says NAME PATTERN: the item's value.
says()
{
    grep -Eq -- "^  $1 +$2\$" "$work/out" || fail "no line '$1 $2'"
}

# advises PATTERN, and the last line counts it.
advises()
{
    grep -Eq -- "^  ! $1" "$work/out" || fail "no advice '$1'"
    grep -Eq "^$(grep -c '^  ! ' "$work/out") items? needs? action" "$work/out" ||
        fail "the last line counts wrong"
}

advises_not()
{
    ! grep -Eq -- "^  ! $1" "$work/out" || fail "advice '$1' where all is well"
}

count_of()
{
    lscpu -p="$1" | grep -v '^#' | sort -u | wc -l
}

test_machine()
{
    look "the machine"
    says fathom "$("$run" --version | sed 's/.* //')"
    says kernel "$(uname -srm)"
    says host "$(uname -n)"
    says "processing units" "$(count_of cpu)"
    says cores "$(count_of core,socket)"
    says "NUMA nodes" '[1-9][0-9]*'
    says memory "$(awk '/^MemTotal/ { m = $2 / 2 ^ 20; printf m < 100 ? "%.1f" : "%.0f", m }' \
        /proc/meminfo) GiB, .* GiB of it available"
    says /dev/shm '.* free'
    says overcommit_memory "$(cat /proc/sys/vm/overcommit_memory)"
    [[ -n $events ]] ||
        grep -q '^  none of PGAS_\* and UCX_\* is set' "$work/out" || fail "settings that nobody set"
}

test_network()
{
    look "the network"
    if [ "$has_ucx" = 0 ]; then
        says ucx "none in this build"
        advises "this build has no network"
        return
    fi
    says ucx '[0-9]+\.[0-9]+\.[0-9]+'
    local name devices=0
    for name in /sys/class/net/*; do
        [ "$(cat "$name/operstate")" = up ] || continue
        devices=$((devices + 1))
        says "${name##*/}" '.*tcp.*'
    done
    [ $devices -lt 2 ] || advises "$devices network devices: set UCX_NET_DEVICES"
    says "lost threads" 'reported by UCX and by the launcher'
    look "transports that report no loss" env UCX_TLS=posix,self
    says "lost threads" 'reported by the launcher alone: .*'
    says "RMA on one host" 'off: posix reaches only memory that UCX has made; PGAS_SEGMENT=ucx.*'
    look "memory of UCX" env UCX_TLS=posix,self PGAS_SEGMENT=ucx
    says "RMA on one host" 'by posix'
    says "RMA between hosts" 'refused: .*one host'
    look "messages" env UCX_TLS=tcp
    says "RMA on one host" 'off: no transport of UCX_TLS=tcp reads and writes.*'
    advises_not '.*connection'
    look "no transport" env UCX_TLS=ud
    advises 'no connection can be made with UCX_TLS=ud;'
}

# Whether memcpy is slow in places depends on processor and C library.
test_copies()
{
    look "copies"
    says memcpy '(as fast wherever it copies to|takes [0-9]+ times as long to memory .*)'
    if grep -q '^  memcpy  *takes' "$work/out"; then
        advises "glibc's bug 30994: .*GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=100000000"
    else
        advises_not 'glibc'
    fi
}

test_limits()
{
    exec 9>"$work/file"
    look "memory files"
    # What another process of this user can do with a file, it can do with a memory file.
    if (: >"/proc/$$/fd/9") 2>/dev/null; then
        says "memory files" "can be opened through /proc/PID/fd"
    else
        says "memory files" "barred"
    fi
    exec 9>&-
    if env --ignore-signal=CHLD true 2>/dev/null; then
        local shared
        shared=$(grep '^  memory files' "$work/out")
        look "memory files where ended children go unnoticed" env --ignore-signal=CHLD
        grep -qxF -- "$shared" "$work/out" || fail "not as before: $shared"
    fi

    look "a small limit of open files" bash -c 'ulimit -n 100; exec "$@"' bash
    says "open files" "100, may be raised to 100"
    advises "open files 100: too few"

    look "a limit of locked memory" bash -c 'ulimit -l 64; exec "$@"' bash
    says memlock '64.0 KiB.*'

    if unshare --mount true 2>/dev/null; then
        look "a small /dev/shm" unshare --mount sh -c \
            'mount -t tmpfs -o size=64M tmpfs /dev/shm && exec "$@"' sh
        says /dev/shm '64.0 MiB, 64.0 MiB of it free'
        advises '/dev/shm has 64.0 MiB free'
    fi
}

test_settings()
{
    look "settings" env PGAS_HEAP_SIZE=1G UCX_TLS=tcp UCX_NET_DEVICES=eth0
    grep -qx '  PGAS_HEAP_SIZE=1G' "$work/out" || fail "PGAS_HEAP_SIZE is missing"
    grep -qx '  UCX_TLS=tcp' "$work/out" || fail "UCX_TLS is missing"
    advises_not 'PGAS_'
    advises_not '.*set UCX_NET_DEVICES'

    look "a misspelt setting" env PGAS_HAEP_SIZE=1G
    advises 'PGAS_HAEP_SIZE is set, but is no setting of the runtime: is PGAS_HEAP_SIZE meant '

    look "values that make no sense" env PGAS_WATCHDOG=abc PGAS_HEAP_SIZE=12Q PGAS_GATE=2 \
        PGAS_SEGMENT=foo PGAS_RMA=maybe PGAS_STATS=yes PGAS_COLL=scan=ring
    advises "PGAS_WATCHDOG='abc' is not a whole number up to 4294967295 "
    advises "PGAS_HEAP_SIZE='12Q' is not a whole number with an optional suffix K, M, G or T "
    advises "PGAS_GATE='2' is not 0 or 1 "
    advises "PGAS_SEGMENT='foo' is not one of memfd, "
    advises "PGAS_RMA='maybe' is not one of on, "
    advises "PGAS_STATS='yes' is not 0, 1 or "
    advises "PGAS_COLL='scan=ring': 'ring' is no algorithm of scan; "
    grep -qx '  PGAS_WATCHDOG=abc' "$work/out" || fail "PGAS_WATCHDOG is missing"

    case="nowhere to print"
    "$run" --doctor >/dev/full 2>"$work/err" </dev/null
    status=$?
    expect_words 1 '^fathom-run: standard output cannot be written'
    "$run" --doctor 2>"$work/err" </dev/null >&-
    status=$?
    expect_words 1 '^fathom-run: standard output cannot be written: Bad file descriptor$'
}

# labels: the names of sections and items in a report, but for what differs from host to host: the
# devices, which stand before "shared memory", the settings and the advice.
labels()
{
    awk '/^[^ ]/ { section = $0; print; next }
        section == "settings" { exit }
        /^  shared memory/ { devices_end = 1 }
        section == "network" && !devices_end { next }
        /^  [^ !]/ { sub(/^  /, ""); sub(/  .*/, ""); print "  " $0 }' "$1"
}

# The example in docs/clusters.md has the items that there are.
test_example()
{
    [ "$has_ucx" = 1 ] || return 0
    look "the example in docs/clusters.md"
    sed -n '/^    versions$/,/^    [0-9]* items* needs* action/s/^    //p' \
        "$(dirname "$0")/../../../docs/clusters.md" >"$work/example"
    diff <(labels "$work/example") <(labels "$work/out") >"$work/difference" ||
        fail "not what is printed: $(cat "$work/difference")"
    grep -q '^  RMA between hosts' "$work/example" || fail "no example"
}

test_machine
test_example
test_copies
test_network
test_limits
test_settings

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
