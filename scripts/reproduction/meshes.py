"""The cache of ventricle meshes."""
import json
import os
from contextlib import contextmanager

from .options import Failure
from .parts import number

#: The order does not depend on the number of threads, as in the paper. The order for the paper's
#: problems comes nearest to its Table 4, see orders.py; in the other one, cells need the fewest
#: cells of others.
PAPER_ORDER = ["--order", "metis", "--metis", "nested-product"]
ORDER = ["--order", "hilbert"]


class Meshes:
    """Meshes by number of cells, each made when it is first asked for and then kept."""

    def __init__(self, settings, programs, paper_cells):
        self.directory = settings.meshes
        self.paper_cells = paper_cells
        self.programs = programs
        self._rows = {}

    def rows(self, cells):
        """The rows of that mesh's matrix, which are never exactly `cells`."""
        if cells not in self._rows:
            answer = self.programs.file("info.json")
            self.programs.mesh("info", f"--json={answer}", self.path(cells))
            with open(answer, encoding="utf-8") as stream:
                self._rows[cells] = json.load(stream)["matrix"]["rows"]
        return self._rows[cells]

    def text(self, cells):
        """That mesh for a caption: the cells it really has."""
        return f"{number(self.rows(cells))} cells"

    def path(self, cells):
        """The file of the mesh of about that many cells."""
        if cells in self.paper_cells:
            return self._made(f"ventricle-{cells}-nested.h5", cells, PAPER_ORDER)
        return self._made(f"ventricle-{cells}.h5", cells, ORDER)

    @contextmanager
    def ordered(self, cells, method):
        """The same mesh in another order, by options of fathom-mesh order, for a while."""
        mesh = self._made(f"ventricle-{cells}-none.h5", cells, [])
        path = self.directory / f".ordered-{os.getpid()}.h5"
        try:
            self.programs.mesh("order", *method, mesh, path)
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _made(self, name, cells, order):
        path = self.directory / name
        if not path.exists():
            self.programs.need("fathom-mesh")
            self.programs.say(f"meshing a ventricle of {cells} cells: {path}")
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Failure(f"--meshes: '{self.directory}': {error.strerror}") from None
            self.programs.mesh("ventricle", "--cells", cells, *order, path)
        return path
