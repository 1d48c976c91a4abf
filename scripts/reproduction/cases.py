"""What is predicted and what is measured: meshes, job shapes, BLOCKSIZEs, grids."""
from dataclasses import dataclass, replace

from . import paper


#: The fraction of the paper's sizes that a quick run uses.
SMALL = 64


@dataclass(frozen=True, order=True)
class Shape:
    """A job: its threads and the nodes they are on, as many on each."""

    threads: int
    nodes: int

    def __str__(self):
        return (
            f"{self.threads} {_plural(self.threads, 'thread')} on {self.nodes} "
            f"{_plural(self.nodes, 'node')}"
        )


@dataclass(frozen=True)
class SpmvCase:
    """A run of fathom-spmv. `cells` names the mesh."""

    cells: int
    shape: Shape
    blocksize: int
    variant: str

    def __str__(self):
        return f"{self.variant}, {self.cells} cells, {self.shape}, BLOCKSIZE {self.blocksize}"


@dataclass(frozen=True)
class HeatCase:
    """A run of fathom-heat2d on a square of `size` points a side."""

    size: int
    rows: int
    columns: int
    shape: Shape

    def __str__(self):
        return f"heat, {self.size} x {self.size}, {self.rows} x {self.columns}, {self.shape}"


def _plural(count, word):
    return word if count == 1 else word + "s"


def blocks_per_thread(cells, threads):
    """The BLOCKSIZE of one block per thread."""
    return -(-cells // threads)


class PaperPlan:
    """The paper's problems and job shapes, to be predicted with Abel's parameters. In small:
    meshes of a fraction of the size, and BLOCKSIZEs to scale, so that the blocks are as many."""

    def __init__(self, quick):
        wanted = [row["tetrahedra"] for row in paper.table(1)]
        self.small = quick
        self.scale = 1 / SMALL if quick else 1
        self.cells = [round(cells * self.scale) for cells in wanted]
        self.threads = sorted({row["threads"] for row in paper.table(3)})

    @staticmethod
    def shape(threads):
        """That many threads on Abel, 16 to a node."""
        return Shape(threads, max(1, threads // paper.ABEL_THREADS_PER_NODE))

    def blocksize(self, problem, threads):
        """Table 4's for problem 1; for the others, where the paper prints none, 65536."""
        rows = paper.table4_blocksize(threads) if problem == 1 else paper.BLOCKSIZE
        return max(1, round(rows * self.scale))

    def even_blocksize(self, rows, threads):
        """One block per thread of a matrix with that many rows, where blocks of 65536 would leave
        threads without any; else None."""
        if rows >= threads * paper.BLOCKSIZE * self.scale:
            return None
        return blocks_per_thread(rows, threads)

    def figure2_blocksizes(self):
        """For the lower half of Figure 2; the paper does not say which it took."""
        return [max(1, round(rows * self.scale)) for rows in (8192, 16384, 32768, 65536, 131072)]


class LocalPlan:
    """What this machine can carry, on emulated nodes."""

    on_cluster = False

    def __init__(self, quick, threads, rows):
        self.rows = rows  # of the matrix, by cells
        self.cells = [600000, 1200000] if quick else [1300000, 2700000]
        self.threads = threads or [1, 2, 4]
        self.sizes = [4000, 5000] if quick else [6000, 9000]
        self.repetitions = 3 if quick else 5
        self.seconds = 0.1 if quick else 0.6  # of one repetition
        self.calibration_seconds = 0.5 if quick else 2
        self.runs_per_calibration = 3 if quick else 1
        self.tune_turns = 2 if quick else 3
        self.quick = quick

    def shapes(self):
        """One node, two, and every thread a node of its own; in small, no more than two."""
        return [
            Shape(threads, nodes)
            for threads in self.threads
            for nodes in sorted({1, 2, threads})
            if threads % nodes == 0 and nodes <= (2 if self.quick else 4)
        ]

    def blocksizes(self, cells, shape):
        """One block per thread, and smaller ones."""
        sizes = [blocks_per_thread(self.rows(cells), shape.threads)]
        if shape.threads > 1 and not self.quick:
            sizes.append(paper.BLOCKSIZE)
        return sizes

    def tried_blocksizes(self, cells, shape):
        """The candidates when BLOCKSIZE is tuned: one block per thread, fractions of it, and powers
        of two."""
        even = blocks_per_thread(self.rows(cells), shape.threads)
        sizes = {-(-even // parts) for parts in ((1, 2, 4) if self.quick else (1, 2, 3, 4, 8))}
        sizes |= {16384} if self.quick else {65536, 16384, 4096}
        return sorted(size for size in sizes if size <= even)

    def problems(self):
        """(problem or None, cells) of the meshes."""
        return [(None, cells) for cells in self.cells]

    def naive(self):
        """Table 2: on one node, on the smaller mesh."""
        return [
            SpmvCase(self.cells[0], shape, self.blocksizes(self.cells[0], shape)[0], variant)
            for shape in self.shapes()
            if shape.nodes == 1
            for variant in ("naive", "v1")
        ]

    def spmv(self):
        """Tables 3 and 4: the paper's variants."""
        return [
            SpmvCase(cells, shape, blocksize, variant)
            for cells in self.cells
            for shape in self.shapes()
            for blocksize in self.blocksizes(cells, shape)
            for variant in ("v1", "v2", "v3")
        ]

    def beyond(self):
        """The other variants in the same cases."""
        return [
            replace(case, variant=variant)
            for case in self.spmv()
            if case.variant == "v3"
            for variant in ("naive", "v4", "v5")
        ]

    def figure1(self):
        """As in the paper, two nodes and several blocks per thread."""
        shapes = [shape for shape in self.shapes() if shape.nodes == 2] or self.shapes()
        shape = max(shapes)
        return SpmvCase(self.cells[-1], shape, self.blocksizes(self.cells[-1], shape)[-1], "v3")

    def heat(self):
        """Table 5."""
        cases = []
        for size in self.sizes:
            for shape in self.shapes():
                for rows, columns in grids(shape.threads):
                    cases.append(HeatCase(size, rows, columns, shape))
        return cases

    def tune(self):
        """Meshes and shapes for which the choice of BLOCKSIZE is tried out."""
        shapes = [shape for shape in self.shapes() if shape.threads > 1]
        if self.quick:
            return [(self.cells[-1], max(shapes or self.shapes()))]
        return [(cells, shape) for cells in self.cells for shape in shapes]


class ClusterPlan(LocalPlan):
    """The tables' own cases, on a cluster; in small, to try the launcher."""

    on_cluster = True

    def __init__(self, quick, threads, threads_per_node, rows):
        super().__init__(quick, threads or [16 << step for step in range(7)], rows)
        self.paper = PaperPlan(quick)
        self.cells = self.paper.cells
        self.sizes = sorted({self._side(row) for row in paper.table(5)})
        self.per_node = threads_per_node
        if not quick:
            self.seconds = 2

    def _side(self, row):
        """Points a side in a row of Table 5; in small, the points are as few as the cells."""
        return round(row["mesh"] * self.paper.scale**0.5)

    def shapes(self):
        return [Shape(threads, -(-threads // self.per_node)) for threads in self.threads]

    def problems(self):
        return list(enumerate(self.cells, 1))

    def blocksizes(self, cells, shape):
        return [self.paper.blocksize(self.cells.index(cells) + 1, shape.threads)]

    def naive(self):
        return [
            SpmvCase(self.cells[0], Shape(threads, 1), self.paper.blocksize(1, 16), variant)
            for threads in (1, 2, 4, 8, 16)
            if threads <= self.per_node
            for variant in ("naive", "v1")
        ]

    def heat(self):
        """The grids of Table 5, and one for numbers of threads that are not in it."""
        cases = []
        for shape in self.shapes():
            rows = [row for row in paper.table(5) if row["threads"] == shape.threads]
            cases += [
                HeatCase(self._side(row), row["grid_rows"], row["grid_cols"], shape) for row in rows
            ]
            if not rows:
                cases += [
                    HeatCase(size, *grid, shape)
                    for size in self.sizes
                    for grid in grids(shape.threads)
                ]
        return cases


def grids(threads):
    """Thread grids to measure: a square one or two squares side by side, and for two threads both
    directions, since only one of them packs."""
    if threads == 2:
        return [(1, 2), (2, 1)]
    columns = 1
    while columns * columns < threads:
        columns *= 2
    return [(threads // columns, columns)] if threads % columns == 0 else [(1, threads)]
