#!/bin/bash
# scripts/verify: the report states goals reached and missed, worst cases and choices correctly;
# machines are side by side; the families are what their names say; one line for bad input.
#
# usage: verify.sh VERIFY-SCRIPT BIN-DIRECTORY
set -euo pipefail
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../support/tests/script.bash"

verify=$1
bin=$2
scripts=$(dirname "$verify")
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# refuse STATUS LINE OPTION...: one line, with that status, and nothing written.
refuse()
{
    refuses "$1" "$2" "$verify" --out "$work/refused/here" "${@:3}"
    [[ ! -e $work/refused ]] || fail "$*: wrote something"
}

test_refusals()
{
    refuse 2 'unrecognized arguments: --frob' --frob
    refuse 2 "--family: invalid choice: 'cube'" --family cube
    refuse 2 "--threads: '0'" --threads 0
    refuse 2 "--minutes: 'soon' is no number of minutes" --minutes soon
    refuse 2 "--minutes: '-1' is no number of minutes" --minutes=-1
    refuse 2 "--name: 'a/b' is no name" --name a/b
    refuse 2 '--out: the name is empty' --out ''
    refuse 2 '--meshes: the name is empty' --meshes ''
    refuse 2 '--bin: the name is empty' --bin ''
    refuse 2 '--import: the name is empty' --import ''
    refuse 2 "--import: '.*none.mtx' is no file" --import "$work/none.mtx"
    refuse 2 '--nodes: no number of --threads is a multiple' --threads 3 --nodes 2
    refuse 2 'measures nothing again' --report --family heat
    refuse 1 'has no verification.json' --report
    refuse 1 "'$work/none/fathom-model' is missing" --bin "$work/none" --family heat
    refuse 1 "--launcher: '\"x': No closing quotation" --bin "$bin" --family heat --launcher '"x'
    refuse 1 "--launcher: 'nonexistent' is no program that can be started" --bin "$bin" \
        --family heat --launcher 'nonexistent -n {threads}'
    mkdir -p "$work/locked/unfinished"
    exec {lock}>"$work/locked/unfinished/journal"
    flock "$lock"
    refuses 1 "--out: another run is writing to '$work/locked'" "$verify" --out "$work/locked" --report
    exec {lock}>&-
    refuses 1 "--out: '/proc/x/unfinished': " "$verify" --bin "$bin" --family heat --out /proc/x
}

# A run whose lock is on a file that another has removed meanwhile locks the new one.
test_removed_meanwhile()
{
    python '
import sys
from pathlib import Path
from reproduction import journal

out = Path(sys.argv[1])
flock = journal.fcntl.flock
first = journal.Workspace(out).__enter__()

def late(*arguments):
    journal.fcntl.flock = flock
    first.__exit__()
    flock(*arguments)

journal.fcntl.flock = late
with journal.Workspace(out) as second:
    assert second.folder.exists()
    try:
        journal.Workspace(out).__enter__()
    except journal.Failure:
        pass
    else:
        raise SystemExit("two at once")
assert not out.exists()
' "$work/meanwhile"
}

# python CODE: with scripts/ as the place of modules.
python()
{
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$scripts /usr/bin/python3 -c "$1" "${@:2}"
}

test_judging()
{
    python '
from reproduction import judging

def point(kind, measured, predicted, family="f", paper=None):
    return {"family": family, "kind": kind, "threads": 2, "nodes": 1, "measured_s": measured,
            "predicted_s": predicted, "paper_formula_s": paper}

points = [point("v2", 1.0, 1.05), point("v2", 1.0, 0.8, "g"), point("v2", 1.0, 1.06, "g"),
          point("v1", 1.0, 2.0, paper=1.5)]
rows = {(row["family"], row["kind"]): row for row in judging.accuracy(points)}
assert round(rows["all", "v2"]["median_percent"], 6) == 6
assert round(rows["all", "v2"]["worst_percent"], 6) == 20
assert rows["all", "v2"]["reached"] and not rows["all", "v1"]["reached"]
assert round(rows["g", "v2"]["median_percent"], 6) == 13 and not rows["g", "v2"]["reached"]
assert rows["all", "v2"]["paper_median_percent"] is None
assert rows["f", "v1"]["paper_median_percent"] == 50
assert rows["f", "v2"]["measured_spread_percent"] is None
loud = [{**point("v2", 1.0, 1.5), "disturbance": 1.6}, {**point("v2", 1.0, 1.1), "disturbance": 1.2},
        point("v2", 1.0, 1.5)]
assert judging.accuracy(loud)[0]["quiet_runs"] == 1
assert round(judging.accuracy(loud)[0]["quiet_median_percent"], 6) == 10
assert judging.accuracy(points)[0]["quiet_median_percent"] is None
turns = [{**point("v2", 2.0, 2.0), "measured_max_s": most} for most in (2.2, 3.0, 2.6)]
assert round(judging.accuracy(turns)[0]["measured_spread_percent"], 6) == 30

good = judging.choice({("v2", 100): 1.0, ("v4", 8): 1.04}, ("v4", 8))
bad = judging.choice({("v2", 100): 1.0, ("v4", 8): 1.5}, ("v4", 8))
assert good["within_5_percent"] and not bad["within_5_percent"]
assert bad["best_variant"] == "v2" and bad["over_best"] == 1.5
assert good["verdict"] == "right" and bad["verdict"] == "wrong"
times = {("v2", 100): 1.0, ("v2", 50): 1.2, ("v4", 8): 1.5}
for alike, disturbed, verdict in (([("v4", 8), ("v2", 100)], False, "cannot tell"),
                                  ([("v4", 8), ("v2", 50)], False, "wrong"),
                                  ([("v4", 8), ("v2", 7)], False, "wrong"),
                                  ([("v4", 8)], True, "cannot tell")):
    assert judging.choice(times, ("v4", 8), alike, disturbed)["verdict"] == verdict, alike
unsure = judging.choice(times, ("v4", 8), [], True)
shape = {"family": "f", "threads": 2, "nodes": 1}
said = judging.headline(points, [{**shape, **bad}, {**shape, **unsure}] + [{**shape, **good}] * 8)
assert "in 8 of 10 cases; in 1 others" in said[-1] and "in 1 it was wrong" in said[-1], said
assert "said so: reached)" in said[-1]
del bad["verdict"]
said = " ".join(judging.headline(points, [{**shape, **bad}] + [{**shape, **good}] * 8))
for text in ("Reached: v2 6.0 % (goal 7 %).", "Missed: v1 100.0 % (goal 10 %).",
             "v2 20 % on g, 2 threads on 1 node", "in 1 it was wrong (goal 9 of 10 right or said so: missed)",
             "v4 with BLOCKSIZE 8 takes 50 % longer than v2 with 100"):
    assert text in said, (text, said)
assert "said so: reached)." in judging.headline(points, [{**shape, **good}] * 9)[-1]

runs = [{"family": "f", "threads": 2, "nodes": 1, "blocksize": b, "kind": k, "predicted_s": p,
         "measured_s": m}
        for b, k, p, m in ((8, "v2", 1.0, 2.0), (8, "v4", 1.0, 1.6), (4, "v2", 1.0, 1.0),
                           (4, "v4", 1.0, 1.5), (2, "v4", 1.0, 9.0), (8, "halo", 1.0, 1.0))]
(pair,) = judging.pairs(runs)
assert pair["variants"] == ["v2", "v4"] and round(pair["median_percent"], 6) == 37.5
assert judging.pairs(runs[:1]) == []
answer = judging.accuracy_file(points, "P", {"row_nonzeros": [16, 4]})
assert answer["coverage"]["row_nonzeros"] == {"least": 4, "most": 16}
assert round(answer["variants"]["v2"]["worst_percent"], 6) == 20
' || fail "judging"
}

# machine FOLDER PREDICTED: what verification.json of a machine has.
machine()
{
    mkdir -p "$work/results/$1"
    cat >"$work/results/$1/verification.json" <<END
{"machine": "$1", "processor": "Processor $1", "cores": 2, "families": {"grid-5-point": {
 "family": "grid-5-point", "shape": [1, 1], "date": "2026-11-21T00:00:00Z", "quick": false,
 "points": [{"family": "grid-5-point", "kind": "v2", "threads": 1, "nodes": 1, "blocksize": 9,
   "measured_s": 1.0, "measured_median_s": 1.0, "measured_max_s": 1.2, "predicted_s": $2,
   "paper_formula_s": 2.0, "features": {"row_nonzeros": 4, "rows_per_thread": 9,
   "lines_out_of_order_per_row": 0, "threads": 1, "nodes": 1}}], "choices": []}}}
END
}

test_side_by_side()
{
    local page=$work/results/verification.md
    machine one 1.03
    machine two 1.5
    "$verify" --report --out "$work/results/two" >"$work/said" || fail "--report"
    grep -q '^Missed: v2 50.0 % (goal 7 %)\.$' "$work/said" || fail "says $(<"$work/said")"
    grep -q '^| grid-5-point | v2 | 7 % | 3.0 % (3 %), 1; 20 % | 50.0 % (50 %), 1; 20 % |$' "$page" ||
        fail "not side by side: $(<"$page")"
    grep -q '^Processor one, 2 cores; 2026' "$page" || fail "no machine"
    sed -n '/^## Last measurements on one$/,/^## /p' "$page" | grep -q '^| grid-5-point | 2026-11-21T00:00:00Z |$' ||
        fail "no date of a family: $(<"$page")"
    [[ $(wc -l <"$work/results/two/verification-points.csv") -eq 2 ]] || fail "no points"
    # A file of another form, the own or another machine's: one line, and nothing is written.
    for content in '[]' '{}' 'null' '{"families": {"a": {}}}' "$(printf '[%.0s' {1..5000})"; do
        mkdir -p "$work/results/three"
        echo "$content" >"$work/results/three/verification.json"
        rm -f "$page"
        refuses 1 "three/verification.json' (has not the form|cannot be read)" \
            "$verify" --report --out "$work/results/two"
        [[ ! -e $page ]] || fail "wrote the page beside $content"
    done
    rm -r "$work/results/three"
    "$verify" --report --out "$work/results/two" >"$work/said" || fail "--report again"
    # What it writes is what fathom-model reads.
    "$bin/fathom-mesh" ventricle --cells 1000 "$work/mesh.h5" >/dev/null
    printf '%s' '{"format": "fathom-machine", "version": 1, "cache_line_bytes": 64, "parameters":
        {"private_bandwidth": {"median": 5e9, "min": 5e9, "max": 5e9}}}' >"$work/machine.json"
    "$bin/fathom-model" tune "$work/mesh.h5" --threads 1 --machine "$work/machine.json" \
        --variant v2 --accuracy "$work/results/two/verification-accuracy.json" >"$work/said"
    grep -q 'off by 50.0 % in the median' "$work/said" || fail "tune says $(<"$work/said")"
    grep -q 'covers no such product: row_nonzeros 16 (4 .. 4)' "$work/said" || fail "no coverage"
}

# A measurement in one job shape leaves the others unchanged, unless their matrices had another
# size.
test_merging()
{
    python '
from reproduction import verification

def family(shape, values, quick=False):
    rows = [{"threads": shape[0], "nodes": shape[1], "value": value} for value in values]
    return {"family": "f", "shape": list(shape), "quick": quick, "points": rows, "choices": rows}

known = {"families": {"f": family((1, 1), [1])}}
known["families"]["f"] = verification._merged(known, family((2, 1), [2, 3]))
merged = verification._merged(known, family((2, 1), [4]))
assert [row["value"] for row in merged["points"]] == [1, 4], merged
assert [row["value"] for row in merged["choices"]] == [1, 4], merged
assert verification._merged(known, family((2, 1), [4], True))["points"][0]["value"] == 4
assert len(verification._merged(known, family((2, 1), [4], True))["points"]) == 1
assert verification._merged({"families": {}}, family((2, 1), [5]))["points"][0]["value"] == 5
' || fail "merging"
}

# In pieces: what these programs have measured is left out, what would take too long is left over,
# and the first job shape begins in any case.
test_pieces()
{
    python '
import json, pathlib, sys
from reproduction import verification
from reproduction.cases import Shape
from reproduction.programs import DIGESTED, digest

class Settings:
    resume = True
    minutes = 6
    quick = True
    out = pathlib.Path(sys.argv[1])

def family(shape, programs, seconds, quick=True):
    runs = {f"{shape[0]} on {shape[1]}": {"programs": programs, "seconds": seconds}}
    return {"family": "f", "shape": list(shape), "date": "2026-11-21T00:00:00Z", "quick": quick,
            "points": [], "choices": [], "runs": runs}

known = {"processor": verification.processor(), "cores": 2, "families": {"f": family((1, 1), "old", 50)}}
known["families"]["f"] = verification._merged(known, family((2, 1), "new", 70))
assert sorted(known["families"]["f"]["runs"]) == ["1 on 1", "2 on 1"], known
Settings.out.mkdir()
(Settings.out / "verification.json").write_text(json.dumps(known))
now = 0
agenda = verification.Agenda(Settings, "new", lambda: now)
assert not agenda.takes("f", Shape(2, 1)) and not agenda.left
now = 400
assert agenda.takes("f", Shape(1, 1))
assert agenda.done(55.0) == {"programs": "new", "seconds": 55.0}
# An import of another content under the same name.
assert agenda.done(55.0, "content") == {"programs": "new", "seconds": 55.0, "matrix": "content"}
assert verification.Agenda(Settings, "new", lambda: 0).takes("f", Shape(2, 1), "content")
imported = pathlib.Path(sys.argv[1]).with_name("f.mtx")
imported.write_text("content")
Settings.files = [imported]
another = family((3, 1), "new", 70)
content = verification._content(imported)
for written in (content, "another"):
    another["runs"]["3 on 1"]["matrix"] = written
    both = {**known, "families": {"import-f.mtx": verification._merged(known, another)}}
    assert len(both["families"]["import-f.mtx"]["runs"]) == 3
    (Settings.out / "verification.json").write_text(json.dumps(both))
    try:
        verification._refuse_to_lose(Settings, ["import-f.mtx"])
        assert written == content
    except verification.Failure as failure:
        assert "f.mtx with another content" in str(failure), failure
Settings.files = []
(Settings.out / "verification.json").write_text(json.dumps(known))
now = 300
assert agenda.takes("g", Shape(1, 1))
now = 306
assert not agenda.takes("g", Shape(2, 1)) and agenda.takes("f", Shape(1, 1))
assert agenda.left == ["g, 2 threads on 1 node"], agenda.left
Settings.resume = False
assert verification.Agenda(Settings, "new", lambda: now).takes("f", Shape(2, 1))
Settings.resume, Settings.quick = True, False
assert verification.Agenda(Settings, "new", lambda: now).takes("f", Shape(2, 1))
folder = Settings.out
for name in DIGESTED:
    (folder / name).write_text(name)
before = digest(folder)
assert before == digest(folder)
(folder / verification.PROGRAMS[-1]).write_text("another")
assert before != digest(folder)
assert digest(folder) != verification.digest(folder, "srun")

Settings.quick = True
known["families"]["f"]["quick"] = False
(Settings.out / "verification.json").write_text(json.dumps(known))
verification._refuse_to_lose(Settings, ["g"])
try:
    verification._refuse_to_lose(Settings, ["f"])
    raise SystemExit("a family in full is replaced")
except verification.Failure as failure:
    assert "has f in full" in str(failure), failure
for wanted, said in ((["g", "g"], "asked for twice"), (["g"], "is of another: give")):
    try:
        verification._refuse_to_lose(Settings, wanted)
        raise SystemExit(f"not refused: {wanted}")
    except verification.Failure as failure:
        assert said in str(failure), failure
    known["processor"] = "another"
    (Settings.out / "verification.json").write_text(json.dumps(known))
' "$work/pieces" || fail "pieces"
}

test_families()
{
    python '
from reproduction import families

def rows(name, cells):
    return list(families.GENERATED[name][0](cells))

grid = rows("grid-5-point", 100)
assert len(grid) == 100 and sum(map(len, grid)) == 2 * 2 * 10 * 9
assert grid[0] == [1, 10] and grid[55] == [45, 54, 56, 65]
cube = rows("grid-27-point", 1000)
assert len(cube) == 1000 and len(cube[0]) == 7 and max(map(len, cube)) == 26
body = rows("elasticity", 3 * 64)
assert len(body) == 192 and max(map(len, body)) == 80 and min(map(len, body)) == 23
assert body[4][:4] == [0, 1, 2, 3] and body[4][4] == 5
assert all(row in body[column] for row, columns in enumerate(body) for column in columns)
for name in ("banded-random", "power-law", "circuit"):
    made = rows(name, 2000)
    assert made == rows(name, 2000), name
    assert all(row not in columns and columns == sorted(set(columns))
               and min(columns) >= 0 and max(columns) < 2000
               for row, columns in enumerate(made) if columns), name
assert max(map(len, rows("power-law", 20000))) == 120
wide = [row for row, columns in enumerate(rows("circuit", 20000)) if len(columns) > 6]
assert 300 < len(wide) < 500
assert max(abs(c - r) for r, cs in enumerate(rows("banded-random", 2000)) for c in cs) <= 50
' || fail "families"
}

test_refusals
test_removed_meanwhile
test_judging
test_side_by_side
test_merging
test_pieces
test_families
echo "all passed"
