#!/usr/bin/env bash
# Meshes of Gmsh and VTK, converted by the lines of the README and imported: cells, points and volume
# are what they were. Without meshio the test is skipped.
# usage: test_convert.sh FATHOM-MESH README
set -euo pipefail
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../support/tests/script.bash"

mesh=$1
readme=$2

# A python3 of the user's own may stand before the system's.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import meshio' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || {
    echo "skipped: there is no meshio"
    exit 77
}

# A box of 2^3 boxes of six cells each, with triangles on one side, as Gmsh adds them, in four files;
# prints its cells, points and volume.
make_meshes()
{
    "$python" - "$work" <<'END'
import itertools, sys
import meshio, numpy

n = 3
points = [(i / 2 + 0.01 * j * k, j / 2, k / 3) for k in range(n) for j in range(n) for i in range(n)]
cells = []
triangles = []
for corner in itertools.product(range(n - 1), repeat=3):
    for path in itertools.permutations(range(3)):
        at = list(corner)
        cell = [at[0] + n * at[1] + n * n * at[2]]
        for axis in path:
            at[axis] += 1
            cell.append(at[0] + n * at[1] + n * n * at[2])
        cells.append(cell)
        if corner[0] == 0:
            triangles.append(cell[:3])
points = numpy.array(points)
cells = numpy.array(cells)
mixed = meshio.Mesh(points, [("triangle", numpy.array(triangles)), ("tetra", cells)])
mixed.write(sys.argv[1] + "/mixed.vtu")
mixed.write(sys.argv[1] + "/mixed.vtk")
mixed.write(sys.argv[1] + "/gmsh2.msh", file_format="gmsh22")
meshio.Mesh(points, [("tetra", cells)]).write(sys.argv[1] + "/gmsh4.msh", file_format="gmsh")
print(len(cells), len(points))
print(abs(numpy.linalg.det(points[cells[:, 1:]] - points[cells[:, :1]])).sum() / 6)
END
}

# The lines between "python3 - heart.msh" and END, without their indentation.
sed -n '/^    python3 - heart.msh/,/^    END/p' "$readme" |
    sed -e '1d;$d' -e 's/^    //' >"$work/convert.py"
grep -q meshio.write "$work/convert.py" || fail "the README has no recipe"

make_meshes >"$work/expected" 2>"$work/log" || fail "no meshes: $(cat "$work/log")"
for name in mixed.vtu mixed.vtk gmsh2.msh gmsh4.msh; do
    rm -f "$work"/converted.*
    "$python" "$work/convert.py" "$work/$name" "$work/converted.node" >"$work/log" 2>&1 ||
        fail "$name is not converted: $(cat "$work/log")"
    "$mesh" import "$work/converted.node" "$work/converted.h5" >"$work/log" 2>&1 ||
        fail "$name is not imported: $(cat "$work/log")"
    "$mesh" info --json "$work/converted.h5" >"$work/found"
    "$python" - "$work/found" "$work/expected" <<'END' || fail "$name: $(cat "$work/found")"
import json, sys

mesh = json.load(open(sys.argv[1]))["mesh"]
cells, points, volume = open(sys.argv[2]).read().split()
same = [mesh["cells"], mesh["points"]] == [int(cells), int(points)]
sys.exit(not (same and abs(mesh["volume"] - float(volume)) < 1e-12))
END
done
echo "four meshes converted and imported"
