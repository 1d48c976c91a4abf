# Two hosts for the run-* scripts that need a network; to be sourced after common.sh. They are hosts
# of a test cluster, or emulated nodes on the loopback device.

# hosts_begin EMULATED CLUSTER: EMULATED is yes or no, CLUSTER the test cluster's script, whose
# cluster is started if it is not up. Sets HOSTS to their names.
hosts_begin() {
    EMULATED=$1
    CLUSTER=$2
    STARTED_CLUSTER=no
    # shellcheck disable=SC2034 # the script's that sources this
    HOSTS="two emulated nodes"
    [ "$EMULATED" = no ] || return 0
    [ -x "$CLUSTER" ] || fail "'$CLUSTER' is missing; --cluster names it, --emulated does without" 2
    if ! "$CLUSTER" hosts > /dev/null 2>&1; then
        STARTED_CLUSTER=yes
        "$CLUSTER" up > /dev/null
    fi
    { read -r HOST_A && read -r HOST_B; } < <("$CLUSTER" hosts) ||
        fail "the test cluster has one host only"
    # shellcheck disable=SC2034
    HOSTS="$HOST_A and $HOST_B"
}

# hosts_end: may be called at any time.
hosts_end() {
    [ "${STARTED_CLUSTER:-no}" = no ] || "$CLUSTER" down > /dev/null
}

# on_host a|b COMMAND...: runs it on the first or the second host.
on_host() {
    local host=${HOST_A:-}
    [ "$1" = a ] || host=${HOST_B:-}
    shift
    if [ "$EMULATED" = yes ]; then
        "$@"
    else
        "$CLUSTER" exec "$host" "$@"
    fi
}

# run_hosts_mpi THREADS ARGUMENT...: mpirun over both, half of the processes on each. Nothing is
# bound to a core: the hosts share them.
run_hosts_mpi() {
    local threads=$1
    shift
    local options=(-quiet -n "$threads")
    # A waiting process yields where there are more processes than cores.
    [ "$threads" -le "$(nproc)" ] || options+=(--mca mpi_yield_when_idle 1)
    if [ "$EMULATED" = yes ]; then
        options+=(--oversubscribe --bind-to none)
        [ "$(id -u)" -ne 0 ] || options+=(--allow-run-as-root)
        mpirun "${options[@]}" "$@"
    else
        "$CLUSTER" mpirun "${options[@]}" --map-by "ppr:$((threads / 2)):node" "$@"
    fi
}

# run_hosts_fathom THREADS PROGRAM...: a Fathom job over both.
run_hosts_fathom() {
    local threads=$1
    shift
    if [ "$EMULATED" = yes ]; then
        "$BIN/fathom-run" -n "$threads" --nodes 2 --bind none -- "$@"
    else
        run_hosts_mpi "$threads" "$@"
    fi
}
