"""Matrices of several kinds, each made when it is first asked for and then kept."""
import hashlib
import os
import random
import tempfile
from pathlib import Path

from .options import Failure

ORDERS = ("none", "hilbert", "metis", "rcm")
SEED = 20261121


def _five_points(cells):
    """A square grid: rows of neighbours, by row."""
    side = round(cells**0.5)
    for row in range(side * side):
        y, x = divmod(row, side)
        yield [
            row + dy * side + dx
            for dy, dx in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= y + dy < side and 0 <= x + dx < side
        ]


def _twenty_seven_points(cells):
    """A cubic grid."""
    side = round(cells ** (1 / 3))
    for row in range(side**3):
        z, rest = divmod(row, side * side)
        y, x = divmod(rest, side)
        yield [
            (c * side + b) * side + a
            for c in range(max(0, z - 1), min(side, z + 2))
            for b in range(max(0, y - 1), min(side, y + 2))
            for a in range(max(0, x - 1), min(side, x + 2))
            if (c, b, a) != (z, y, x)
        ]


def _banded(cells):
    """16 columns at random within a band of a twentieth of the matrix."""
    chance = random.Random(SEED)
    reach = max(8, cells // 40)
    for row in range(cells):
        low, high = max(0, row - reach), min(cells - 1, row + reach)
        yield sorted({chance.randint(low, high) for _ in range(16)} - {row})


def _power_law(cells):
    """Row lengths by a power law, half of the columns near and half of them mostly in front."""
    chance = random.Random(SEED)
    for row in range(cells):
        count = min(120, int(4 * chance.paretovariate(1.2)))
        columns = set()
        while len(columns) < count:
            if chance.random() < 0.5:
                columns.add(int(cells * chance.random() ** 2))
            else:
                columns.add(min(cells - 1, max(0, row + chance.randint(-1000, 1000))))
        yield sorted(columns - {row})


def _elasticity(cells):
    """Blocks as of an elastic body: three unknowns a node, each with all of 27 nodes."""
    side = round((cells / 3) ** (1 / 3))
    for node, others in enumerate(_twenty_seven_points(side**3)):
        unknowns = [3 * other + axis for other in sorted([*others, node]) for axis in range(3)]
        for row in range(3 * node, 3 * node + 3):
            yield [column for column in unknowns if column != row]


def _circuit(cells):
    """Few columns, mostly near, and one row in fifty with 60 anywhere."""
    chance = random.Random(SEED)
    for row in range(cells):
        if chance.random() < 0.02:
            columns = {chance.randrange(cells) for _ in range(60)}
        else:
            near = [row + chance.randint(-50, 50) for _ in range(chance.randint(2, 6))]
            columns = {min(cells - 1, max(0, column)) for column in near}
        yield sorted(columns - {row})


#: By name: the rows, and how many of them there are in full.
GENERATED = {
    "grid-5-point": (_five_points, 1000000),
    "grid-27-point": (_twenty_seven_points, 512000),
    "banded-random": (_banded, 400000),
    "power-law": (_power_law, 200000),
    "elasticity": (_elasticity, 165888),
    "circuit": (_circuit, 800000),
}
VENTRICLES = {f"ventricle-{order}": order for order in ORDERS}
NAMES = (*VENTRICLES, *GENERATED, "heat")


class Matrices:
    """The files of the families, in a directory that is kept."""

    def __init__(self, directory, programs, quick):
        self.directory = directory
        self.programs = programs
        self.scale = 0.25 if quick else 1

    def path(self, family, shape):
        """The mesh file of a family; METIS needs the job's threads."""
        if family in VENTRICLES:
            order = VENTRICLES[family]
            parts = ["--threads", shape.threads] if order == "metis" else []
            cells = round(1200000 * self.scale)
            name = f"{family}-{cells}{f'-{shape.threads}' if parts else ''}.h5"
            return self._make(
                name,
                lambda to: self._mesh("ventricle", "--cells", cells, "--order", order, *parts, to),
            )
        rows, cells = GENERATED[family]
        cells = round(cells * self.scale)
        return self._make(f"{family}-{cells}.h5", lambda to: self._write(rows(cells), to))

    def imported(self, file):
        """The mesh file of a Matrix Market file."""
        name = os.path.basename(file).removesuffix(".gz").removesuffix(".mtx")
        content = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:8]
        return self._make(f"import-{name}-{content}.h5", lambda to: self._mesh("import", file, to))

    def _make(self, name, make):
        path = self.directory / name
        if not path.exists():
            self.programs.need("fathom-mesh")
            self.programs.say(f"making {path}")
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Failure(f"--meshes: '{self.directory}': {error.strerror}") from None
            make(path)
        return path

    def _mesh(self, *arguments):
        self.programs.mesh(*arguments)

    def _write(self, rows, to):
        """By way of a Matrix Market file, as a user's matrix comes."""
        rows = list(rows)
        count = sum(map(len, rows)) + len(rows)
        with tempfile.TemporaryDirectory(dir=self.directory) as work:
            path = os.path.join(work, "matrix.mtx")
            with open(path, "w", encoding="ascii") as stream:
                stream.write("%%MatrixMarket matrix coordinate real general\n")
                stream.write(f"{len(rows)} {len(rows)} {count}\n")
                for row, columns in enumerate(rows, 1):
                    value = f"{0.4 / max(1, len(columns)):.6g}"
                    stream.write(f"{row} {row} 0.5\n")
                    stream.writelines(f"{row} {column + 1} {value}\n" for column in columns)
            self._mesh("import", path, to)
