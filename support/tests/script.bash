# shellcheck shell=bash
# What tests of programs have in common: a folder for their files, their failure, and what a program
# says of bad input. Sourced.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# refuses STATUS PATTERN COMMAND...: one line that says PATTERN, and STATUS.
refuses()
{
    local status=0 expected=$1 pattern=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$expected" ] || fail "$*: status $status, expected $expected: $(cat "$work/err")"
    grep -Eq -- "$pattern" "$work/err" || fail "$*: '$(cat "$work/err")' does not say $pattern"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$*: not one line: $(cat "$work/err")"
}
