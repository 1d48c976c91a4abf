"""The cache of ventricle meshes."""
from .options import Failure

#: Fixed whatever the number of threads, as the paper's meshes are.
ORDER = ["--order", "hilbert"]


class Meshes:
    """Meshes by number of cells, each made when it is first asked for and then kept."""

    def __init__(self, settings, programs):
        self.directory = settings.meshes
        self.programs = programs

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
