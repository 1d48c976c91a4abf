# Shared by the scripts, which source it after they have set `program` and `root`.
# shellcheck shell=bash disable=SC2154
export LC_ALL=C

# fail STATUS TEXT...: one line on standard error, and the end.
fail()
{
    local status=$1
    shift
    printf '%s: %s\n' "$program" "$*" >&2
    exit "$status"
}

# Prints a script's own usage: its comment from line 2 on.
usage()
{
    sed -n '2,/^[^#]/ { s/^# \{0,1\}//p }' "$0"
}

bad_option()
{
    fail 2 "'$1' is not an option (see $program --help)"
}

# need_number OPTION TEXT: a whole number from 1.
need_number()
{
    [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || fail 2 "$1: '$2' is not a whole number from 1"
}

# quietly COMMAND...: keeps its output in a file and shows it only if it fails. The file has no name,
# so that nothing is left whatever ends the script.
quietly()
{
    local name log status=0
    name=$(mktemp)
    exec {log}<>"$name"
    rm "$name"
    "$@" >&"$log" 2>&1 || status=$?
    [[ $status -eq 0 ]] || cat "/proc/self/fd/$log"
    exec {log}>&-
    return "$status"
}

# build PRESET [CMAKE-OPTION...]
build()
{
    quietly cmake --preset "$@" && quietly cmake --build --preset "$1"
}
