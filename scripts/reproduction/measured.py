"""Measurements on this machine, each between two calibrations in the same job shape."""
import json

from . import paper
from .cases import HeatCase
from .predicted import variant_of

#: A single product predicted to take longer than this is not measured (naive and v1 between
#: emulated nodes).
LONGEST_SECONDS = 4

REAL_BYTES = 8
LEVELS = 2  # of the heat solver

#: Arrays of 128 MiB per thread exceed its share of any cache; larger ones would only take memory.
MOST_ELEMENTS = 1 << 24
#: The least that fathom-stream calibrate needs.
LEAST_ELEMENTS = 1 << 18


class Measurements:
    """Runs cases and keeps what fathom-model compare says of each."""

    def __init__(self, programs, meshes, plan, journal):
        self.journal = journal
        self.programs = programs
        self.meshes = meshes
        self.plan = plan
        self.results = {}  # by case
        self.skipped = {}  # predicted seconds per iteration, by case
        self.calibrations = journal.calibrations
        self._forecasts = {}

    def run(self, cases):
        """Measures the cases, shape by shape and problem by problem; a calibration stands before
        and after each, on arrays of the problem's size."""
        cases = [case for case in dict.fromkeys(cases) if case not in self.results]
        for case in cases:
            if str(case) in self.journal.values:
                self.results[case] = self.journal.values[str(case)]
        cases = [case for case in cases if case not in self.results]
        done = 0
        for kind in sorted({self._kind(case) for case in cases}):
            mine = [case for case in cases if self._kind(case) == kind]
            elements = self._elements(mine[0])
            before, waiting = self.calibrate(mine[0].shape, elements), []
            for case in mine:
                done += 1
                steps = self._iterations(case, before)
                if steps is not None:
                    self.programs.say(f"measuring {done} of {len(cases)}: {case}")
                    waiting.append((case, self._measure(case, steps, self.plan.repetitions), steps))
                if len(waiting) == self.plan.runs_per_calibration or (waiting and case == mine[-1]):
                    after = self.calibrate(case.shape, elements)
                    for turn in waiting:
                        self.results[turn[0]] = self._compare(*turn, before, after)
                        self.journal.keep(str(turn[0]), self.results[turn[0]])
                    before, waiting = after, []

    @staticmethod
    def _kind(case):
        """What cases have in common that are predicted with the same calibrations."""
        if isinstance(case, HeatCase):
            return (case.shape, "heat", case.size)
        return (case.shape, "spmv", case.cells)

    def _elements(self, case):
        """Elements of arrays of which three are as large as what a thread of the case works on."""
        if isinstance(case, HeatCase):
            return self._fitting(case.size**2 * LEVELS // (3 * case.shape.threads))
        return self.spmv_elements(case.cells, case.shape)

    def spmv_elements(self, cells, shape):
        """The same for products."""
        answer = self.programs.predict(self.meshes.path(cells), paper.ABEL, shape)
        return self._fitting(answer["working_set_bytes"] // (3 * REAL_BYTES))

    @staticmethod
    def _fitting(elements):
        return max(LEAST_ELEMENTS, min(MOST_ELEMENTS, elements))

    def calibrate(self, shape, elements):
        """Measures the machine's parameters in this shape, on three arrays of so many elements per
        thread; the file's path."""
        path = self.programs.file("machine.json")
        self.programs.job(
            shape,
            "fathom-stream",
            "calibrate",
            "--seconds",
            self.plan.calibration_seconds,
            "--elements",
            elements,
            "--out",
            path,
        )
        with open(path, encoding="utf-8") as stream:
            machine = json.load(stream)
        self.journal.keep_calibration(
            {
                "seconds": round(self.programs.clock(), 1),
                "threads": shape.threads,
                "nodes": shape.nodes,
                **{name: value["median"] for name, value in machine["parameters"].items()},
            }
        )
        return path

    def kept_calibration(self, name, shape, elements):
        """The same, kept by that name for the case that this run is interrupted."""

        def measure():
            with open(self.calibrate(shape, elements), encoding="utf-8") as stream:
                return json.load(stream)

        path = self.programs.file("machine.json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(self.journal.once(name, measure), stream)
        return path

    def forecast(self, cells, shape, blocksize, machine):
        """Predicted seconds per product, by variant."""
        key = (cells, shape, blocksize)
        if key not in self._forecasts:
            answer = self.programs.predict(self.meshes.path(cells), machine, shape, blocksize)
            self._forecasts[key] = {
                entry["variant"]: entry["seconds"]["predicted"] / 1000
                for entry in answer["variants"]
            }
        return self._forecasts[key]

    def _iterations(self, case, machine):
        """So many that a repetition takes about the plan's seconds; None if one takes too long."""
        if isinstance(case, HeatCase):
            answer = self.programs.model(
                "heat",
                "--size",
                f"{case.size}x{case.size}",
                "--grid",
                f"{case.rows}x{case.columns}",
                "--machine",
                machine,
                "--nodes",
                case.shape.nodes,
                "--iterations",
                1000,
            )
            seconds = (
                sum(answer[part]["seconds"]["predicted"] for part in ("halo", "compute")) / 1000
            )
        else:
            seconds = self.forecast(case.cells, case.shape, case.blocksize, machine)[case.variant]
        if seconds > LONGEST_SECONDS:
            self.skipped[case] = seconds
            self.programs.say(f"not measured, as one product would take {seconds:.0f} s: {case}")
            return None
        return min(1000, max(1, round(self.plan.seconds / seconds)))

    def _measure(self, case, iterations, repetitions):
        path = self.programs.file("run.json")
        repeat = [
            "--iterations",
            iterations,
            "--repetitions",
            repetitions,
            "--json",
            path,
        ]
        if isinstance(case, HeatCase):
            self.programs.job(
                case.shape,
                "fathom-heat2d",
                "--size",
                f"{case.size}x{case.size}",
                "--grid",
                f"{case.rows}x{case.columns}",
                "--halo",
                "memget",
                # Stores that fetch the line first, which is what formula (22) counts.
                "--stores",
                "cached",
                *repeat,
            )
        else:
            self.programs.job(
                case.shape,
                "fathom-spmv",
                self.meshes.path(case.cells),
                "--variant",
                case.variant,
                "--blocksize",
                case.blocksize,
                *repeat,
            )
        return path

    def spmv_seconds(self, case, iterations, repetitions=1):
        """Seconds for 1000 products, the median of the repetitions, without calibrations."""
        path = self._measure(case, iterations, repetitions)
        with open(path, encoding="utf-8") as stream:
            run = json.load(stream)
        return variant_of(run, case.variant)["seconds_per_1000_iterations"]["median"]

    def _compare(self, case, run, iterations, before, after):
        arguments = [run, "--machine", before, "--machine", after]
        if not isinstance(case, HeatCase):
            arguments += ["--matrix", self.meshes.path(case.cells)]
        compared = self.programs.model("compare", *arguments)
        answer = {**compared["variants"][0], "disturbance": compared["machine"]["disturbance"]}
        if isinstance(case, HeatCase):
            for part in ("halo", "compute"):
                for key in ("measured_seconds", "seconds", "paper_seconds"):
                    answer[part][key] = {
                        bound: value * 1000 / iterations
                        for bound, value in answer[part][key].items()
                    }
        return answer
