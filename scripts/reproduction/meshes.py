"""The cache of ventricle meshes."""
import json

from .options import Failure
from .parts import number

#: Fixed whatever the number of threads, as the paper's meshes are.
ORDER = ["--order", "hilbert"]


class Meshes:
    """Meshes by number of cells, each made when it is first asked for and then kept."""

    def __init__(self, settings, programs):
        self.directory = settings.meshes
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
        path = self.directory / f"ventricle-{cells}.h5"
        if not path.exists():
            self.programs.need("fathom-mesh")
            self.programs.say(f"meshing a ventricle of {cells} cells: {path}")
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Failure(f"--meshes: '{self.directory}': {error.strerror}") from None
            self.programs.mesh("ventricle", "--cells", cells, *ORDER, path)
        return path
