# shellcheck shell=bash
# Shared by the tests of mistakes: each must end the job with one line. Sourced, with `run` set to
# FATHOM-RUN; the test ends with [[ $failures -eq 0 ]].
export LC_ALL=C
# shellcheck source=runtime/launcher/tests/draw.bash
source "${BASH_SOURCE[0]%/*}/../../runtime/launcher/tests/draw.bash"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

# check_client CLIENT HOW TEXT: on `layouts` supernodes, a number of them or several to draw from.
layouts=1
check_client()
{
    local supernodes status
    # shellcheck disable=SC2086 # several numbers
    draw $layouts
    for supernodes in "${drawn[@]}"; do
        timeout 60 "${run:?}" -n 2 --nodes "$supernodes" -- "$1" "$2" >"$out" 2>&1
        status=$?
        if [[ $status -eq 0 || $status -eq 124 || $(grep -cF -- "$3" "$out") -ne 1 ]]; then
            echo "FAILED: '$2' on $supernodes supernodes: status $status, no one line with '$3'"
            cat "$out"
            failures=$((failures + 1))
        fi
    done
}
