#!/bin/bash
# What PGAS_STATS prints and writes when a job ends.
#
# usage: stats.sh FATHOM-RUN RUNTIME-COUNT RUNTIME-COUNT-COLL
set -u
export LC_ALL=C

run=$1
program=$2
collectives=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

check()
{
    "${@:2}" && return
    printf 'FAILED: %s: %s\n' "$1" "${*:2}"
    cat "$work/err"
    failures=$((failures + 1))
}

# Thread k puts k + 1 doubles to thread 0 and copies 100 bytes from the last thread.
for n in 1 2 4; do
    for nodes in 1 $n; do
        PGAS_STATS=1 "$run" -n $n --nodes "$nodes" -- "$program" 2>"$work/err"
        check "table, $n threads" [ $? -eq 0 ]
        check "table, $n threads" grep -Eq '^thread +place +mode +from: operations +bytes +to: operations +bytes$' "$work/err"
        for ((k = 0; k < n; k++)); do
            place=remote
            [ "$nodes" -ne 1 ] || place=local
            [ $k -ne 0 ] || place=own
            check "values of thread $k of $n" grep -Eq \
                "^ +$k +$place +individual +0 +0 +$((k + 1)) +$((8 * (k + 1)))\$" "$work/err"
            place=remote
            [ "$nodes" -ne 1 ] || place=local
            [ $k -ne $((n - 1)) ] || place=own
            check "copies of thread $k of $n" grep -Eq "^ +$k +$place +contiguous +1 +100 +0 +0\$" "$work/err"
        done

        name=$work/counts.json
        PGAS_STATS=$name "$run" -n $n --nodes "$nodes" -- "$program" 2>"$work/err"
        check "file, $n threads" [ $? -eq 0 ]
        check "file, $n threads" [ -s "$name" ]
        command -v python3 >/dev/null || continue
        check "file, $n threads" python3 - "$name" $n "$nodes" <<'PYTHON'
import json, sys
name, n, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
threads = json.load(open(name))["threads"]
assert [t["thread"] for t in threads] == list(range(n)), threads
assert [t["node"] for t in threads] == [k * nodes // n for k in range(n)], threads
for k, t in enumerate(threads):
    def place(other):
        return "own" if k == other else "local" if nodes == 1 else "remote"
    values = dict(mode="individual", direction="to", operations=k + 1, bytes=8 * (k + 1))
    copies = dict(mode="contiguous", direction="from", operations=1, bytes=100)
    assert t["traffic"] == [dict(values, place=place(0)), dict(copies, place=place(n - 1))], t
    assert t["destinations"] == [dict(values, thread=0), dict(copies, thread=n - 1)], t
PYTHON
        rm -f "$name"
    done
done

name=$work/counts.json
: >"$name"
chmod 440 "$name"
PGAS_STATS=$name "$run" -n 2 -- "$program" 2>"$work/err"
check "permissions" [ -s "$name" ]
check "permissions" [ "$(stat -c %a "$name")" = 640 ]
set_list()
{
    python3 "$(dirname "$0")/access_list.py" "$@" 2>/dev/null
}
# The group's bits are what the list allows at most: here one user, and the group nothing. Whom it
# forbids is among others where there is no list.
for permissions in 66060 60444; do
    if set_list "$name" access "$permissions"; then
        PGAS_STATS=$name "$run" -n 2 -- "$program" 2>"$work/err"
        check "access list $permissions" [ "$(stat -c %a "$name")" = 600 ]
    fi
done
mkdir "$work/listed"
name=$work/listed/counts.json
: >"$name"
chmod 640 "$name"
if set_list "$work/listed" default 77770; then
    PGAS_STATS=$name "$run" -n 2 -- "$program" 2>"$work/err"
    check "folder's list" [ "$(stat -c %a "$name")" = 640 ]
    check "folder's list" python3 -c \
        'import os, sys; sys.exit("system.posix_acl_access" in os.listxattr(sys.argv[1]))' "$name"
fi
rm -f "$name"

# A program that goes to another folder leaves the file in the first one.
(cd "$work" && PGAS_STATS=here.json "$run" -n 2 -- "$program" elsewhere 2>"$work/err")
check "another folder" [ $? -eq 0 ]
check "another folder" [ -s "$work/here.json" ]

# The longest name that a file may have, and a longer one.
name=$(printf 'n%.0s' {1..250}).json
PGAS_STATS=$work/$name "$run" -n 2 -- "$program" 2>"$work/err"
check "longest name" [ $? -eq 0 ]
check "longest name" [ -s "$work/$name" ]
PGAS_STATS=$work/n$name "$run" -n 2 -- "$program" 2>"$work/err"
check "a name too long" [ $? -eq 1 ]
check "a name too long" grep -q 'json. cannot be written: File name too long$' "$work/err"

# Without room to collect the counts thread 0 says so, and fails alone.
PGAS_STATS=1 "$run" -n 2 -- "$program" full 2>"$work/err"
check "full heap" [ $? -eq 1 ]
check "full heap" grep -Eq "no statistics \(PGAS_STATS\): they need [0-9]+ bytes of every heap" "$work/err"
check "full heap" [ "$(grep -c "exited with status" "$work/err")" -le 1 ]

# Two barriers of a team, a broadcast of 24 bytes and a barrier of all threads. A meeting of N nodes
# is a message of each node's lowest thread for each power of two below N. The broadcast travels with
# its meeting, in 32 bytes, to each of the other nodes once; members read it on their own node.
for nodes in 1 2 4; do
    name=$work/collectives.json
    PGAS_STATS=$name "$run" -n 4 --nodes $nodes -- "$collectives" 2>"$work/err"
    check "collectives, $nodes nodes" [ $? -eq 0 ]
    command -v python3 >/dev/null || continue
    check "collectives, $nodes nodes" python3 - "$name" $nodes <<'PYTHON'
import json, sys
name, nodes = sys.argv[1], int(sys.argv[2])
rounds = {1: 0, 2: 1, 4: 2}[nodes]
travelled = 0
for t in json.load(open(name))["threads"]:
    found = {c["collective"]: c for c in t["collectives"]}
    assert sorted(found) == ["pgas_barrier", "pgas_broadcast", "pgas_team_barrier"], t
    lowest = t["thread"] % (4 // nodes) == 0
    for kind, calls in ("pgas_barrier", 1), ("pgas_team_barrier", 2):
        c = found[kind]
        assert c["calls"] == calls and c["meetings"] == calls, c
        assert c["algorithm"] == ("" if kind == "pgas_barrier" else "dissemination"), c
        messages = [dict(place="remote", operations=calls * rounds, bytes=0)]
        assert c["traffic"] == (messages if lowest and nodes > 1 else []), c
    c = found["pgas_broadcast"]
    assert c["calls"] == 1, c
    if t["thread"] > 0:
        assert sum(m["bytes"] for m in c["traffic"] if m["place"] != "remote") == 24, c
    remote = [m for m in c["traffic"] if m["place"] == "remote"]
    assert sum(m["operations"] for m in remote) == (rounds if lowest else 0), c
    travelled += sum(m["bytes"] for m in remote)
assert travelled == (nodes - 1) * 32, travelled
PYTHON
    PGAS_STATS=1 "$run" -n 4 --nodes $nodes -- "$collectives" 2>"$work/err"
    check "table of collectives" grep -Eq \
        "^ +3 +pgas_team_barrier by dissemination: 2 calls, 2 meetings, own 0 messages 0 bytes, local " "$work/err"
done

# refuse NAME REASON: no job starts with this name, and one line says why.
refuse()
{
    PGAS_STATS=$1 timeout 300 "$run" -n 2 -- "$program" 2>"$work/err"
    check "refused: $1" [ $? -eq 1 ]
    check "refused: $1" grep -q "^fathom: thread 0 on .*: PGAS_STATS='$1' cannot be written: $2" "$work/err"
    check "refused: $1" [ "$(wc -l <"$work/err")" -eq 1 ]
}

mkdir "$work/folder.json"
mkfifo "$work/fifo.json"
# refuse_others NAME REASON: the same to a user who is not root, in a folder of all users'.
refuse_others()
{
    # shellcheck disable=SC2016 # the inner shell expands it
    setpriv --reuid 65534 --regid 65534 --clear-groups \
        bash -c '[[ -x $1 && -x $2 && -x $3 ]]' bash "$run" "$program" "$work" 2>/dev/null || return 0
    (cd "$work/all/open" && PGAS_STATS=$1 timeout 300 setpriv --reuid 65534 --regid 65534 \
        --clear-groups "$run" -n 2 -- "$program" 2>"$work/err")
    check "refused to others: $1" [ $? -eq 1 ]
    check "refused to others: $1" grep -q "^fathom: thread 0 on .*: PGAS_STATS='.*$1' cannot be written: $2" "$work/err"
    check "refused to others: $1" [ "$(wc -l <"$work/err")" -eq 1 ]
}

mkdir -p "$work/all/open"
chmod 755 "$work"
chmod 1777 "$work/all/open"
echo old >"$work/all/open/old.json"
refuse_others old.json 'Operation not permitted'
chmod 700 "$work/all"
refuse_others new.json 'Permission denied'
chmod 755 "$work/all"
check "another user's file" grep -qx old "$work/all/open/old.json"
refuse "$work/missing/x.json" 'No such file'
refuse "$work/folder.json" 'it is not a regular file'
refuse "$work/fifo.json" 'it is not a regular file'

# A disk that becomes full while the job runs: the old file stays, and nothing lies beside it.
if unshare --mount true 2>/dev/null; then
    mkdir "$work/disk"
    # shellcheck disable=SC2016 # the inner shell expands it
    PGAS_STATS=$work/disk/s.json timeout 300 unshare --mount bash -c '
        disk=$1
        shift
        mount -t tmpfs -o size=64k tmpfs "$disk" || exit 99
        echo old >"$disk/s.json"
        cat /dev/zero >"$disk/zeros" 2>/dev/null
        "$@"
        status=$?
        echo "$(cd "$disk" && echo *) $(<"$disk/s.json")" >&2
        exit $status' bash "$work/disk" "$run" -n 4 -- "$program" 2>"$work/err"
    check "a full disk" [ $? -eq 1 ]
    check "a full disk" grep -q "^fathom: thread 0 on .*/s.json' cannot be written: No space left" "$work/err"
    check "a full disk" grep -q "^fathom-run: thread 0 .* exited with status 1 after pgas_finalize" "$work/err"
    check "a full disk" grep -qx 's.json zeros old' "$work/err"
    check "a full disk" [ "$(wc -l <"$work/err")" -eq 3 ]
fi

"$run" -n 2 -- "$program" 2>"$work/err"
check "nothing asked for" [ ! -s "$work/err" ]

[ $failures -eq 0 ] || exit 1
echo "all passed"
