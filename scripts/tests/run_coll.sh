#!/bin/bash
# bench/run-coll ends at once when it is told to, with the program that it runs, and leaves nothing.
#
# usage: run_coll.sh RUN-COLL
set -euo pipefail

run_coll=$1
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
    printf '#!/bin/bash\n' >"$work/bin/bench-coll"
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

# ends SIGNAL STATUS: by a signal to the script alone.
ends()
{
    local script status=0 job
    rm -f "$work/pid"
    # Background commands of a script ignore SIGINT, unless it gives them a default again.
    TMPDIR=$work/tmp env --default-signal=INT "$run_coll" --bin "$work/bin" --patience 100000 2x1 \
        >"$work/out" 2>&1 &
    script=$!
    until_true test -e "$work/pid" || fail "no program begins: $(<"$work/out")"
    job=$(<"$work/pid")
    kill -s "$1" "$script"
    until_true is_gone "$script" || {
        kill -KILL "$script" "$job"
        fail "SIG$1: goes on"
    }
    wait "$script" || status=$?
    [[ $status -eq $2 ]] || fail "SIG$1: status $status: $(<"$work/out")"
    is_gone "$job" || { kill -KILL "$job" && fail "SIG$1: leaves its program"; }
    [[ -z $(ls "$work/tmp") ]] || fail "SIG$1: leaves files"
}

make_programs
ends TERM 143
ends INT 130
echo "all passed"
