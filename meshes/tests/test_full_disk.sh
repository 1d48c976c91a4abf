#!/bin/sh
# fathom-mesh whose $TMPDIR, or whose file sizes, are too small for tetgen's files: one line that
# says so, whichever file it is that finds no room.
program=$1
command -v tetgen >/dev/null || exit 77

# In a mount namespace of its own, with a small file system in it.
if [ $# -eq 1 ]; then
    for options in -m -rm; do
        unshare $options sh -c 'mount -t tmpfs -o size=64k none /mnt' 2>/dev/null &&
            exec unshare $options "$0" "$program" inside
    done
    echo "skipped: no file system can be mounted"
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

die() {
    echo "FAILED: $*"
    exit 1
}

# check STATUS TEXT: what the run that ended so said: one line, with the text in it.
check() {
    [ "$1" -eq 1 ] || die "$size: ended with $1: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || die "$size: said not one line but: $(cat err)"
    grep -q "$2" err || die "$size: did not say '$2' but: $(cat err)"
    [ ! -e x.h5 ] || die "$size: left an output file"
}

TMPDIR=/mnt
export TMPDIR
full=0
enough=0
for size in 16k 100k 200k 250k 350k 500k 700k 900k 64m; do
    mount -t tmpfs -o size=$size none /mnt || die "mount"
    "$program" ventricle --cells 20000 x.h5 >out 2>err
    status=$?
    if [ $status -eq 0 ]; then
        enough=$((enough + 1))
        rm x.h5
    else
        full=$((full + 1))
        check $status '^fathom-mesh: /mnt/.*No space left on device (TMPDIR names another place)$'
    fi
    # shellcheck disable=SC2012
    [ -z "$(ls -A /mnt)" ] || die "$size: left in TMPDIR: $(ls -A /mnt)"
    umount /mnt
done
if [ $full -lt 5 ] || [ $enough -lt 1 ]; then
    die "$full too small, $enough large enough"
fi

mount -t tmpfs -o size=64m none /mnt || die "mount"
limit() {
    size=$1
    (ulimit -f "$1" && exec "$program" ventricle --cells 20000 x.h5 >out 2>err)
    check $? "$2"
}
limit 100 '^fathom-mesh: /mnt/.*: cannot be written: File too large (ulimit -f)$'
limit 700 '^fathom-mesh: /mnt/.*tetgen stopped at the limit of file sizes (ulimit -f)$'
limit 4000 '^fathom-mesh: x.h5: .*cannot be written: File too large$'

# The output file's disk.
mkdir out.d
mount -t tmpfs -o size=1m none out.d || die "mount"
"$program" ventricle --cells 20000 out.d/x.h5 >out 2>err
check $? '^fathom-mesh: out.d/x.h5: .*No space left on device$'
[ -z "$(ls -A out.d)" ] || die "left beside the output: $(ls -A out.d)"
umount out.d
exit 0
