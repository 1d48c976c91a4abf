#!/bin/sh
# fathom-mesh from the outside: every command once, one line and a failing status for each kind of
# bad input, and nothing left behind, also after a signal.
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
cd "$work" || exit 1
command -v tetgen >/dev/null || exit 77

die() {
    echo "FAILED: $*"
    exit 1
}

# expect STATUS TEXT ARGUMENT...: the program ends so, with exactly one line on standard error.
expect() {
    status=$1
    text=$2
    shift 2
    "$program" "$@" >out 2>err
    found=$?
    [ $found -eq "$status" ] || die "'$*' ended with $found, not $status: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || die "'$*' said not one line but: $(cat err)"
    LC_ALL=C grep -a -q "^fathom-mesh: .*$text" err || die "'$*' did not say '$text' but: $(cat err)"
    [ ! -s out ] || die "'$*' wrote to standard output"
}

# clean: nothing is left of the temporary files, and no output that was not asked for.
clean() {
    left=$(ls -A "$TMPDIR")
    [ -z "$left" ] || die "left in TMPDIR: $left"
    # shellcheck disable=SC2010
    left=$(ls -A | grep -v -e '^tmp$' -e '^out$' -e '^err$' -e '^keep')
    [ -z "$left" ] || die "left behind: $left"
}

touch keep.msh
"$program" --help | grep -q ventricle || die "--help does not list the commands"
for command in ventricle import order info export; do
    "$program" $command --help | grep -q "^Usage: fathom-mesh $command" || die "$command --help"
    "$program" $command --version | grep -q "^fathom-mesh (Fathom)" || die "$command --version"
done
expect 2 "no command given"
expect 2 "'ventrcle' is not a command" ventrcle
expect 2 "'--cellz' is not an option" ventricle --cellz 5000 x.h5
expect 2 "'--cells' lacks its value" ventricle x.h5 --cells
expect 2 "'many' is not a whole number" ventricle --cells many x.h5
expect 2 "needed: --cells N" ventricle x.h5
expect 2 "not a whole number from 1" import --max-row-nonzeros 0 a.mtx b.h5
expect 2 "not one of none, rcm, metis, hilbert" order --method best a b
expect 2 "--metis goes with --method metis" order --method rcm --metis kway a b
expect 2 "--metis goes with --method metis" order --metis nested --method hilbert a b
expect 2 "--parts goes with --method metis --metis kway" order --method hilbert --parts 2 a b
expect 2 "--parts goes with --method metis --metis kway" \
    order --method metis --metis nested --parts 2 a b
expect 2 "--metis goes with --order metis" ventricle --cells 5000 --metis kway x.h5
expect 2 "--metis goes with --order metis" ventricle --cells 5000 --order rcm --metis nested x.h5
expect 2 "--threads goes with --order metis --metis kway" ventricle --cells 5000 --threads 8 x.h5
expect 2 "--threads goes with --order metis --metis kway" \
    ventricle --cells 5000 --order rcm --threads 8 x.h5
expect 2 "--threads goes with --order metis --metis kway" \
    ventricle --cells 5000 --order metis --metis nested --threads 8 x.h5
expect 2 "--max-row-nonzeros goes with a matrix" import --max-row-nonzeros 1 a.node b.h5
expect 2 "OUT.h5 and --json: './x.h5' is one and the same file" \
    ventricle --cells 5000 --json ./x.h5 x.h5
expect 2 "what is read and OUT.h5: 'a.mtx' is one and the same file" import a.mtx a.mtx
expect 2 "IN.h5 and --json: 'a.h5'" order --method rcm --json a.h5 a.h5 b.h5
expect 2 "OUT.h5 and --json: 'b.h5'" order --method rcm --json b.h5 a.h5 b.h5
expect 2 "FILE.h5 and --json: 'a.h5'" info --json=a.h5 a.h5
expect 2 "FILE.h5 and --xdmf: 'a.h5'" export --xdmf a.h5 a.h5
expect 1 "the program 'no-such-tetgen' is not there" ventricle --cells 5000 --tetgen no-such-tetgen x.h5
expect 1 "inner half axes" ventricle --cells 5000 --inner-radius 4 x.h5
for nines in 99 99999999999; do
    expect 1 "is too thin for 1000 cells: .*--inner-radius, --inner-height" ventricle --cells 1000 \
        --inner-radius 3.4$nines --inner-height 8.4$nines x.h5
done
expect 1 "is too thin for 100000000 cells: .*--inner-radius, --inner-height" \
    ventricle --cells 100000000 --inner-radius 3.49999 --inner-height 8.49999 x.h5
expect 1 "has no volume: --inner-radius, --inner-height" \
    ventricle --cells 1000 --outer-radius 6.3 --outer-height 6.34 --inner-radius 6.299999999999999 \
    --inner-height 6.339999999999999 --cut 5.266 x.h5
expect 1 "base at 7.4 cm" ventricle --cells 5000 --cut 7.4 x.h5
expect 1 "ended with status 1" ventricle --cells 5000 --tetgen false x.h5
expect 1 "the program 'true' has ended well, but has written no in.1.node; --tetgen names another" \
    ventricle --cells 5000 --tetgen true x.h5
# shellcheck disable=SC2016 # the script expands it
printf '#!/bin/sh\necho what it says\n: >"${2%%.poly}.1.node"\n' >keep-half-tetgen
chmod +x keep-half-tetgen
expect 1 "'./keep-half-tetgen' has ended well, but has written no in.1.ele; --tetgen names another; it said: what it says" \
    ventricle --cells 5000 --tetgen ./keep-half-tetgen x.h5
# tetgen gets the path of its file as it is: absolute, and no longer than it takes.
# shellcheck disable=SC2016 # the script expands it
printf '#!/bin/sh\necho "$2"\nexit 3\n' >keep-say-tetgen
chmod +x keep-say-tetgen
mkdir ./-tmp
TMPDIR=-tmp expect 1 "it said: $(pwd -P)/-tmp/fathom-mesh-" \
    ventricle --cells 5000 --tetgen ./keep-say-tetgen x.h5
rmdir ./-tmp
long=$TMPDIR
while [ ${#long} -lt 1000 ]; do
    long=$long/$(printf '%099d' 0)
done
mkdir -p "$long"
TMPDIR=$long expect 1 "TMPDIR: the name is too long for tetgen" ventricle --cells 5000 x.h5
rm -r "${TMPDIR:?}"/0*
expect 1 "cannot create a file beside it" ventricle --cells 5000 nowhere/x.h5
expect 1 "none.h5: cannot be opened" info none.h5
expect 1 "none.node: cannot be opened" import none x.h5
expect 1 "none.mtx: cannot be opened" import none.mtx x.h5
expect 1 "is not an HDF5 file" info "$0"
expect 2 "'keep.msh': this kind of file is not read" import keep.msh keep-m.h5
expect 2 "'$0': this kind of file is not read" import "$0" x.h5
expect 2 "'a.mtx': this kind of file is not read" import a.mtx b.mtx x.h5
expect 2 "'b.node': beside 'a.node' the file of its cells, .ele, is needed" import a.node b.node x.h5
expect 2 "'a.gz': this kind of file is not read" import a.gz x.h5
clean

"$program" ventricle --cells 5000 --json keep.json keep.h5 >out || die "ventricle"
grep -q '"wanted_cells": 5000' keep.json || die "JSON of ventricle: $(cat keep.json)"
"$program" info keep.h5 | grep -q '16 places' || die "info"
"$program" info --json keep.h5 | grep -q '"row_nonzeros": 16' || die "info --json"
for method in none rcm metis hilbert; do
    "$program" order --method $method --threads 4 --blocksize 100 --json - keep.h5 keep-o.h5 |
        grep -q '"foreign_cells"' || die "order $method"
    "$program" info keep-o.h5 >out || die "info after order $method"
done
for algorithm in nested nested-product; do
    "$program" order --method metis --metis $algorithm --json - keep.h5 keep-o.h5 |
        grep -q "\"metis\": \"$algorithm\"" || die "order $algorithm"
done
"$program" ventricle --cells 5000 --order metis --metis nested-product keep-p.h5 >out ||
    die "ventricle nested-product"
"$program" info keep-p.h5 | grep -q -e '--order metis --metis nested-product' || die "its source"
"$program" ventricle --cells 1000 --order metis --threads 3 keep-p.h5 >out || die "ventricle metis"
"$program" info keep-p.h5 | grep -q -e '--order metis --threads 3$' || die "its source"
# The source of an ordered file tells of its orders, at least of the last one.
"$program" order --method rcm --json keep-o.json keep.h5 keep-o.h5 >out || die "order rcm"
grep -q '"metis"' keep-o.json && die "JSON of order rcm: $(cat keep-o.json)"
ordered="--order none; ordered by fathom-mesh order --method rcm"
"$program" info keep-o.h5 | grep -q -e "^source .*$ordered\$" || die "source after an order"
"$program" order --method metis --threads 3 keep-o.h5 keep-o.h5 >out || die "order metis"
last="; ordered by fathom-mesh order --method metis --threads 3 --blocksize [0-9]*"
"$program" info keep-o.h5 | grep -q -e "^source    fathom-mesh ventricle .*$last\$" ||
    die "source after two orders: $("$program" info keep-o.h5)"
for threads in 4 5; do
    "$program" order --method metis --parts $threads keep-o.h5 keep-o.h5 >out || die "order metis"
    last="\.\.\.; ordered by fathom-mesh order --method metis --parts $threads"
    "$program" info keep-o.h5 | grep -q -e "^source    fathom-mesh ventricle .*$last\$" ||
        die "source after more orders: $("$program" info keep-o.h5)"
done
"$program" order --method metis --metis nested keep.h5 keep-p.h5 >out || die "order nested"
"$program" info keep-p.h5 | grep -q -e 'order --method metis --metis nested$' || die "its source"
"$program" order --method none keep-p.h5 keep-o.h5 >out || die "order none"
"$program" info keep-o.h5 | grep -q -e 'order --method metis --metis nested$' || die "order none"
"$program" export --xdmf keep.xdmf keep.h5 >out || die "export"
grep -q 'keep.h5:/mesh/cells' keep.xdmf || die "XDMF: $(cat keep.xdmf)"
# Line feed, no UTF-8, cut off, DEL, longer than need be, a surrogate, no character, beyond the last.
for bytes in "\\012" "\\0377" "\\0303" "\\0177" "\\0340\\0237\\0277" "\\0360\\0217\\0277\\0277" \
    "\\0355\\0240\\0200" "\\0357\\0277\\0276" "\\0357\\0277\\0277" "\\0364\\0220\\0200\\0200"; do
    odd=$(printf %b "odd$bytes"x.h5)
    ln keep.h5 "$odd"
    expect 1 "cannot be named in XML" export --xdmf odd.xdmf "$odd"
    rm "$odd"
done
# The last and first ones beside them.
for bytes in "\\0340\\0240\\0200" "\\0360\\0220\\0200\\0200" "\\0355\\0237\\0277" "\\0356\\0200\\0200" \
    "\\0357\\0277\\0275" "\\0364\\0217\\0277\\0277"; do
    odd=$(printf %b "odd$bytes"x.h5)
    ln keep.h5 "$odd"
    "$program" export --xdmf keep.xdmf "$odd" >out || die "export of $odd"
    rm "$odd"
done
ln keep.h5 'keep & ü.h5'
"$program" export --xdmf keep.xdmf 'keep & ü.h5' >out || die "export"
grep -q 'keep &amp; ü.h5:/mesh/cells' keep.xdmf || die "XDMF: $(cat keep.xdmf)"

printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2\n3 1 -1\n' >keep.mtx
"$program" import keep.mtx keep-m.h5 >out || die "import of a matrix"
"$program" info --json keep-m.h5 >keep-m.json
# A name that is not UTF-8.
odd=$(printf 'keep-o\377.h5')
"$program" import --json keep-o.json keep.mtx "$odd" >out || die "import of a matrix"
grep -q "\"file\": \"$(printf 'keep-o\357\277\275.h5')\"" keep-o.json || die "$(cat keep-o.json)"
"$program" info --json "$odd" >keep-o.json
grep -q "\"file\": \"$(printf 'keep-o\357\277\275.h5')\"" keep-o.json || die "$(cat keep-o.json)"
gzip -k keep.mtx
cp keep.mtx keep-upper.MTX
cp keep.mtx.gz keep-upper.Mtx.GZ
for file in keep.mtx.gz keep-upper.MTX keep-upper.Mtx.GZ; do
    "$program" import $file keep-z.h5 >out || die "import of $file"
    "$program" info --json keep-z.h5 | grep -v -e '"file"' -e '"source"' >out
    grep -v -e '"file"' -e '"source"' keep-m.json | cmp -s - out || die "$file is read as another"
done
head -c 50 keep.mtx.gz >keep-short.mtx.gz
expect 1 "keep-short.mtx.gz: gzip: the file ends too early" import keep-short.mtx.gz x.h5
(cat keep.mtx.gz; echo more) >keep-long.mtx.gz
expect 1 "keep-long.mtx.gz: gzip: 5 bytes follow the end" import keep-long.mtx.gz x.h5
printf '%%%%MatrixMarket matrix coordinate real general\n1000 1000 1\n7 8 9\n' >keep-sparse.mtx
"$program" import keep-sparse.mtx keep-s.h5 | grep -q '1000 rows of 1 places, 1 off-diagonals' ||
    die "import of a sparse matrix"
expect 1 "the file has no mesh" order --method hilbert keep-m.h5 x.h5
expect 1 "holds no mesh" export --xdmf x.xdmf keep-m.h5
mkfifo keep-pipe
expect 1 "the name of a file to write is empty" import keep.mtx ""
longest=keep-$(printf '%0247d' 0).h5
"$program" import keep.mtx "$longest" >out || die "import to the longest name"
[ -s "$longest" ] || die "no file of the longest name"
expect 1 "File name too long" import keep.mtx "0$longest"
expect 1 "keep-pipe: cannot be replaced: it is not a regular file" import keep.mtx keep-pipe
ln -s /proc/self/fd/1 keep-output # as /dev/stdout
expect 1 "keep-output: cannot be replaced: it is not a regular file" import keep.mtx keep-output
[ -L keep-output ] || die "a link to the output was replaced"
[ -p keep-pipe ] || die "a pipe was replaced"
expect 1 "nowhere/x.json: cannot create a file beside it" import --json nowhere/x.json keep.mtx keep-n.h5
expect 1 "nowhere/x.json: cannot create a file beside it" order --method rcm --json nowhere/x.json keep-m.h5 keep-n.h5
[ ! -e keep-n.h5 ] || die "a file is written although the JSON cannot be"
printf '4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n' >keep.node
printf '1 4 0\n1 1 2 3 4\n' >keep.ele
"$program" import keep.node keep.ele keep-t.h5 >out || die "import of a mesh"
"$program" import keep keep-t.h5 >out || die "import of a mesh by its name"
gzip -k keep.node keep.ele
"$program" import keep.ele.gz keep-t.h5 >out || die "import of a packed mesh"
cp keep.node keep.1.NODE
cp keep.ele keep.1.ELE
"$program" import keep.1.NODE keep-t.h5 >out || die "import of a mesh with upper-case names"
cp keep.node keep.2.node
cp keep.ele keep.2.ele
touch keep.2
"$program" import keep.2 keep-t.h5 >out || die "import of a mesh by a name with a number"
# What is read is not written, though the command line does not name it.
for files in "keep.node keep.ele" "keep.ele keep.node" "keep keep.node" "keep keep.ele" \
    "keep.node.gz keep.ele.gz"; do
    # shellcheck disable=SC2086 # two words
    expect 2 "what is read and OUT.h5: '${files#* }' is one and the same file" import $files
done
for files in "keep.ele keep.node" "keep.node keep.ele" "keep.node keep"; do
    # shellcheck disable=SC2086 # two words
    expect 2 "what is read and --json: '${files%% *}' is one" import --json $files x.h5
done
printf '1 4 0\n1 1 2 3 9\n' >keep-bad.ele
expect 1 "keep-bad.ele:2: corner '9'" import keep.node keep-bad.ele x.h5
printf '2 4 0\n1 1 2 3 4\n2 4 2 3 1\n' >keep-bad.ele
expect 1 "cells 0 and 1 (0-based) have the same corners" import keep.node keep-bad.ele x.h5
printf '5 3 0 0\n1 0 0 0\n2 1e200 0 0\n3 0 1 0\n4 0 0 1\n5 1e200 1 1\n' >keep-bad.node
printf '2 4 0\n1 1 2 3 4\n2 5 2 3 4\n' >keep-bad.ele
expect 1 "diffusion matrix: cell 0" import keep-bad.node keep-bad.ele x.h5
head -c 3000 keep.h5 >keep-short.h5
expect 1 "truncated or damaged" info keep-short.h5
clean

# full COMMAND...: standard output that cannot be written is a failure, in one line.
full() {
    status=0
    "$program" "$@" >/dev/full 2>err || status=$?
    [ $status -eq 1 ] || die "'$*' to a full device ended with $status"
    [ "$(wc -l <err)" -eq 1 ] || die "'$*' said not one line but: $(cat err)"
    grep -qx "fathom-mesh: standard output cannot be written: No space left on device" err ||
        die "'$*': $(cat err)"
}
if [ -w /dev/full ]; then
    full --help
    full info --help
    full info keep.h5
    full info --json keep.h5
    full order --method rcm keep.h5 keep-o.h5
    full order --method rcm --json - keep.h5 keep-o.h5
    full import keep.mtx keep-m.h5
fi

# An output that exists survives a run that fails, and one that is stopped.
cp keep.h5 keep-old.h5
expect 1 "ended with status" ventricle --cells 5000 --tetgen false keep-old.h5
cmp -s keep.h5 keep-old.h5 || die "a failing run changed its output"
for signal in INT TERM HUP ABRT; do
    timeout --preserve-status -s $signal 1.5 "$program" ventricle --cells 3000000 keep-old.h5 \
        >out 2>err
    status=$?
    [ $status -gt 128 ] || die "SIG$signal: ended with $status"
    clean
    cmp -s keep.h5 keep-old.h5 || die "SIG$signal changed the output"
done
# METIS handles SIGTERM and SIGABRT by itself: whatever it is at, the run ends by the signal or to its
# end.
for moment in 01 02 03 04 05 06 07 08 09 10 12 14 16 18 20 25 30 35 40; do
    for signal in INT TERM ABRT; do
        timeout --preserve-status -s $signal 0.$moment "$program" order --method metis --threads 64 \
            keep.h5 keep-o.h5 >out 2>err
        status=$?
        [ $status -eq 0 ] || [ $status -gt 128 ] || die "SIG$signal: ended with $status: $(cat err)"
        left=$(find . -name 'keep-o.h5.*')
        [ -z "$left" ] || die "SIG$signal: left $left"
    done
done
exit 0
