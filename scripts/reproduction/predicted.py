"""Predictions with Abel's parameters, on our meshes of the paper's sizes."""
from . import paper


class Abel:
    """Asks fathom-model, each question once."""

    def __init__(self, programs, meshes):
        self.programs = programs
        self.meshes = meshes
        self._known = {}

    def spmv(self, cells, shape, blocksize, per_thread=False):
        """What `fathom-model predict` says of all variants."""
        key = (cells, shape, blocksize, per_thread)
        if key not in self._known:
            self.programs.say(f"predicting for Abel: {cells} cells, {shape}, BLOCKSIZE {blocksize}")
            self._known[key] = self.programs.predict(
                self.meshes.path(cells), paper.ABEL, shape, blocksize, per_thread
            )
        return self._known[key]

    def seconds(self, cells, shape, blocksize, variant):
        """Seconds for 1000 products by the paper's formulas; for naive, which has none there, by
        what fathom-model has for it."""
        entry = variant_of(self.spmv(cells, shape, blocksize), variant)
        return (entry.get("paper_seconds") or entry["seconds"])["predicted"]

    def heat(self, size, rows, columns, shape):
        """What `fathom-model heat` says of 1000 steps."""
        return self.programs.model(
            "heat",
            "--size",
            f"{size}x{size}",
            "--grid",
            f"{rows}x{columns}",
            "--machine",
            paper.ABEL,
            "--nodes",
            shape.nodes,
            "--iterations",
            1000,
        )


def variant_of(answer, name):
    """The entry of one variant."""
    return next(entry for entry in answer["variants"] if entry["variant"] == name)


def elsewhere(places):
    """A count by place, without the thread's own."""
    return places.get("local", 0) + places.get("remote", 0)


def volumes(answer, variant):
    """Bytes per product that each thread gets from others, of an answer with lists by thread."""
    size = 8
    counts = answer["counts"]
    if variant == "v1":
        return [size * elsewhere(count["individual"]) for count in counts]
    if variant == "v2":
        return [elsewhere(count["needed_bytes"]) for count in counts]
    return [size * elsewhere(count["values_in"]) for count in counts]
