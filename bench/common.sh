# Shared by the run-* scripts, which source it. Sets BIN and MPIRUN.

# Numbers have points, in what is read and in what awk computes.
export LC_ALL=C

fail() {
    echo "${0##*/}: $1" >&2
    exit "${2:-1}"
}

# find_programs DIRECTORY NAME...: checks that the programs are there.
find_programs() {
    BIN=$1
    shift
    [ -d "$BIN" ] || fail "'$BIN' is no directory; --bin names the one with the programs" 2
    for name; do
        [ -x "$BIN/$name" ] || fail "'$BIN/$name' is missing; configure with -DFATHOM_BENCH=ON"
    done
}

# attended COMMAND...: runs it, a program or a function, and returns its status. A signal that comes
# meanwhile is dealt with at once, where bash would otherwise wait for the command's end. A function
# runs in a subshell. Not inside pipelines and subshells, which the traps do not see.
attended() {
    set -m # a process group of its own
    "$@" < /dev/null &
    set +m
    wait $!
}

# end_attended: ends what still runs, with its children, and returns when it has ended. For traps.
end_attended() {
    local group
    for group in $(jobs -pr); do
        kill -- "-$group" 2> /dev/null || true
    done
    wait
}

# run_mpi THREADS PROGRAM...: bound to cores where there are enough, as by fathom-run.
run_mpi() {
    local threads=$1
    shift
    local options=(-quiet -n "$threads")
    if [ "$threads" -le "$(nproc)" ]; then
        options+=(--bind-to core)
    else
        options+=(--oversubscribe --bind-to none)
    fi
    [ "$(id -u)" -ne 0 ] || options+=(--allow-run-as-root)
    mpirun "${options[@]}" "$@"
}

# summarise [REFERENCE]: reads "GROUP NAME VALUE" lines from standard input and prints, group by
# group in the order of appearance, the median, least and greatest value of each name, and the
# median divided by that of the name REFERENCE in the same group.
# shellcheck disable=SC2120 # other scripts give it
summarise() {
    sort -s -k1,1 -k2,2 -k3,3g | awk -v reference="${1:-}" '
        function median(key, n) {
            n = count[key]
            return (value[key, int((n + 1) / 2)] + value[key, int(n / 2) + 1]) / 2
        }
        {
            key = $1 " " $2
            if (!(key in count)) { keys[++total] = key; group[key] = $1; name[key] = $2 }
            value[key, ++count[key]] = $3
        }
        END {
            printf "%-12s %-28s %12s %12s %12s %5s %9s\n", "#", "what", "median", "min", "max",
                   "runs", "ratio"
            for (i = 1; i <= total; i++) {
                key = keys[i]
                ratio = "-"
                if ((group[key] " " reference) in count)
                    ratio = sprintf("%.3f", median(key) / median(group[key] " " reference))
                printf "%-12s %-28s %12.5g %12.5g %12.5g %5d %9s\n", group[key], name[key],
                       median(key), value[key, 1], value[key, count[key]], count[key], ratio
            }
        }'
}
