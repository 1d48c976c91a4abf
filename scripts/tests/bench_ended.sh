#!/bin/bash
# The scripts in bench/ that keep files or start hosts end at once when they are told to, with the
# program that they run, and leave nothing.
#
# usage: bench_ended.sh BENCH
set -euo pipefail

bench=$1
patience=${FATHOM_TEST_PATIENCE:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# A launcher that leaves its process number, and whose job has no end of its own.
make_programs()
{
    mkdir "$work/bin" "$work/tmp"
    cat >"$work/bin/fathom-run" <<END
#!/bin/bash
echo \$\$ >"$work/pid.part"
mv "$work/pid.part" "$work/pid"
exec sleep infinity
END
    local name
    for name in bench-{coll,net,plan,vis} fathom-stream; do
        printf '#!/bin/bash\n' >"$work/bin/$name"
    done
    chmod +x "$work/bin/"*
}

# until_true COMMAND...: tries it until it succeeds.
until_true()
{
    local end=$((SECONDS + patience))
    until "$@"; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.05
    done
}

is_gone()
{
    ! kill -0 "$1" 2>/dev/null
}

# ends SIGNAL STATUS NAME [ARGUMENT...]: a script, by a signal to it alone.
ends()
{
    local script status=0 job signal=$1 expected=$2 name=$3
    shift 3
    rm -f "$work/pid"
    # Background commands of a script ignore SIGINT, unless it gives them a default again.
    TMPDIR=$work/tmp env --default-signal=INT "$bench/$name" --bin "$work/bin" "$@" \
        >"$work/out" 2>&1 &
    script=$!
    until_true test -e "$work/pid" || fail "$name: no program begins: $(<"$work/out")"
    job=$(<"$work/pid")
    kill -s "$signal" "$script"
    until_true is_gone "$script" || {
        kill -KILL "$script" "$job"
        fail "$name: SIG$signal: goes on"
    }
    wait "$script" || status=$?
    [[ $status -eq $expected ]] || fail "$name: SIG$signal: status $status: $(<"$work/out")"
    until_true is_gone "$job" || { kill -KILL "$job" && fail "$name: SIG$signal: leaves its program"; }
    [[ -z $(ls "$work/tmp") ]] || fail "$name: SIG$signal: leaves files"
}

make_programs
for ending in "TERM 143" "INT 130"; do
    read -r signal status <<<"$ending"
    ends "$signal" "$status" run-coll --patience 100000 2x1
    ends "$signal" "$status" run-net --emulated
    ends "$signal" "$status" run-transfers node
    ends "$signal" "$status" run-vis --emulated
done
echo "all passed"
