"""scripts/verify: predicted and measured times over families of matrices, jobs and BLOCKSIZEs."""
import argparse
import hashlib
import json
import os
import re
from datetime import datetime, timezone
from pathlib import Path
from statistics import median

from . import judging
from .cases import HeatCase, Shape, SpmvCase, blocks_per_thread, grids
from .command import run, tell
from .families import NAMES, Matrices
from .journal import Measured, Workspace
from .measured import LONGEST_SECONDS, Measurements
from .options import ROOT, Failure, Parser, form_of, numbers, path
from .output import as_csv, read_json, require_writable, write_all
from .parts import measured_row
from .programs import Programs, digest

PROGRAM = "scripts/verify"
DESCRIPTION = """\
Runs every variant on families of matrices in several job shapes and with several BLOCKSIZEs, and
compares the times with predictions; says which goals are reached, which are missed and where, and
whether the variant and BLOCKSIZE that fathom-model tune chooses are within 5 % of the best measured.
"""
EPILOG = """\
OUT gets verification.json, CSV files, and verification-accuracy.json for fathom-model tune --accuracy; what
is not measured again stays, by family and job shape. The folder above it gets verification.md, with all machines that
have been verified side by side. In pieces: `--minutes 6 --resume` again and again, until the status
is 0. Exit status: 0; 1 if a step fails; 2 for a bad option; 3 if the minutes are over and job shapes
are left; 130 if interrupted.
"""
VARIANTS = ("naive", "v1", "v2", "v3", "v4", "v5")


#: What a job shape of a family takes if nothing is known, in seconds: with --quick, and without.
EXPECTED_SECONDS = {True: 120, False: 480}
PROGRAMS = ("fathom-model", "fathom-stream", "fathom-spmv", "fathom-heat2d")
OVER = 3  # the exit status if job shapes are left


def _minutes(text):
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0
    if not 0 < minutes < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of minutes")
    return minutes


def _parse(arguments):
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("--quick", action="store_true", help="matrices of a quarter of the size, shorter runs")
    add(
        "--family",
        choices=NAMES,
        action="append",
        default=[],
        metavar="NAME",
        help=f"only this family; may be repeated: {', '.join(NAMES)}",
    )
    add(
        "--import",
        dest="files",
        type=path,
        action="append",
        default=[],
        metavar="FILE.mtx",
        help="a Matrix Market file as a family of its own; may be repeated",
    )
    add("--threads", type=numbers, default=[1, 2], metavar="LIST", help="threads (default: 1,2)")
    add("--nodes", type=numbers, default=[1, 2], metavar="LIST", help="nodes (default: 1,2)")
    add("--name", metavar="NAME", help="this machine's folder (default: by its processor)")
    add("--out", type=path, metavar="DIR", help="where to (default: results/NAME)")
    add(
        "--meshes",
        type=path,
        default=ROOT / "build" / "meshes",
        metavar="DIR",
        help="where matrices are kept (default: build/meshes)",
    )
    add("--launcher", metavar="TEXT", help="what starts a job, as for scripts/reproduce")
    add("--bin", type=path, metavar="DIR", help="where the programs are; nothing is built then")
    add(
        "--resume",
        action="store_true",
        help="leave out job shapes that these very programs have measured before, as OUT says",
    )
    add(
        "--minutes",
        type=_minutes,
        metavar="N",
        help="begin no job shape but the first that would not be done by then, as far as is known",
    )
    add("--report", action="store_true", help="judge what was measured before, and run nothing")
    settings = parser.parse_args(arguments)
    if settings.name is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", settings.name):
        parser.error(f"--name: '{settings.name}' is no name of letters, digits and . _ -")
    for file in settings.files:
        if not file.is_file():
            parser.error(f"--import: '{file}' is no file")
    if settings.report and (settings.family or settings.files):
        parser.error("--report measures nothing again")
    if not _shapes(settings):
        parser.error("--nodes: no number of --threads is a multiple of one of them")
    return settings


def _shapes(settings):
    return [
        Shape(threads, nodes)
        for threads in settings.threads
        for nodes in settings.nodes
        if threads % nodes == 0
    ]


def processor():
    """The processor as machine files name it (support/host.h)."""
    found = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                key, _, value = line.partition(":")
                found.setdefault(key.strip(), value.strip())
    except OSError:
        pass
    if "model name" not in found:
        return os.uname().machine
    if "cpu family" not in found or "model" not in found:
        return found["model name"]
    return f"{found['model name']} (family {found['cpu family']}, model {found['model']})"


def folder_of(name):
    """A folder's name for a processor."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "machine"


class _Plan:
    """What scripts/reproduce's measurements ask of a plan."""

    def __init__(self, quick):
        self.calibration_seconds = 1 if quick else 3
        self.seconds = 0.05 if quick else 0.2  # of a repetition
        self.repetitions = 3
        self.runs_per_calibration = 1 << 30
        self.turns = 3
        self.sizes = [3000] if quick else [6000]


class _Files:
    """Stands in for scripts/reproduce's meshes: a matrix is named by its path."""

    @staticmethod
    def path(matrix):
        return matrix


def main(arguments=None):
    """The program; its exit status."""

    def body():
        settings = _parse(arguments)
        settings.name = settings.name or folder_of(processor())
        settings.out = Path(os.path.abspath(settings.out or ROOT / "results" / settings.name))
        settings.meshes = Path(os.path.abspath(settings.meshes))
        with Workspace(settings.out) as workspace, Programs(settings, workspace) as programs:
            return _verify(settings, programs)

    return run(PROGRAM, body, interrupted="job shapes that were done are written")


def _verify(settings, programs):
    if settings.report:
        known = _read(settings.out)
        if known is None:
            raise Failure(f"--report: '{settings.out}' has no verification.json")
        _write(settings, known)
        _say(known)
        return 0
    if settings.bin is None:
        programs.build()
    programs.need(*PROGRAMS, *([] if settings.launcher else ["fathom-run"]))
    wanted = settings.family or ([] if settings.files else list(NAMES))
    _refuse_to_lose(settings, [*wanted, *map(_name_of, settings.files)])
    require_writable(settings.out)
    require_writable(settings.out.parent)
    _siblings(settings)  # before hours of measurements
    agenda = Agenda(settings, digest(programs.bin, settings.launcher), programs.clock)
    for family in [*wanted, *settings.files]:
        for made in _Family(settings, programs, family).measure(agenda):
            known = _read(settings.out) or {"families": {}}
            families = {**known["families"], made["family"]: _merged(known, made)}
            _write(
                settings,
                {
                    "machine": settings.name,
                    "processor": processor(),
                    "cores": len(os.sched_getaffinity(0)),
                    "families": families,
                },
            )
    known = _read(settings.out)
    if known is not None:
        _say(known)
    for left in agenda.left:
        programs.say(f"left: {left}")
    return OVER if agenda.left else 0


def _refuse_to_lose(settings, wanted):
    """What is measured with --quick replaces no family in full, nor one import another of its name,
    nor what one processor has measured what another has."""
    before = _read(settings.out) or {"families": {}}
    known = before["families"]
    if before.get("processor", processor()) != processor():
        raise Failure(f"--out: '{settings.out}' is of {before['processor']}: give another --out")
    for family in wanted:
        if wanted.count(family) > 1:
            raise Failure(f"'{family}' is asked for twice: matrices need names of their own")
        if settings.quick and family in known and not known[family]["quick"]:
            raise Failure(f"--quick: '{settings.out}' has {family} in full: give another --out")
    for file in settings.files:
        if _contents(known.get(_name_of(file), {})) - {_content(file)}:
            raise Failure(
                f"--import: '{settings.out}' has {file.name} with another content: give another "
                "--out"
            )


class Agenda:
    """Which job shapes are measured: with --resume those that these programs have not measured
    yet, and with --minutes the first of them and those that are expected to be done in time."""

    def __init__(self, settings, programs, clock):
        self.settings = settings
        self.programs = programs
        self.clock = clock
        self.began = False
        self.longest = 0  # seconds of a job shape measured by this run
        self.left = []

    def takes(self, family, shape, matrix=None):
        """Whether a job shape is to be measured now; `matrix` names the content of an import."""
        before = self._before(family, shape)
        is_same = before.get("programs") == self.programs and before.get("matrix") == matrix
        if self.settings.resume and is_same:
            return False
        expected = before.get("seconds") or self.longest or EXPECTED_SECONDS[self.settings.quick]
        is_in_time = (
            self.settings.minutes is None or self.clock() + expected <= 60 * self.settings.minutes
        )
        if self.began and not is_in_time:
            self.left.append(f"{family}, {shape}")
            return False
        self.began = True
        return True

    def done(self, seconds, matrix=None):
        """What is kept of a job shape that took so long."""
        self.longest = max(self.longest, seconds)
        kept = {"programs": self.programs, "seconds": round(seconds, 1)}
        return kept if matrix is None else {**kept, "matrix": matrix}

    def _before(self, family, shape):
        known = (_read(self.settings.out) or {"families": {}})["families"].get(family)
        if known is None or known["quick"] != self.settings.quick:
            return {}
        return known.get("runs", {}).get(_run_name(shape.threads, shape.nodes), {})


def _run_name(threads, nodes):
    return f"{threads} on {nodes}"


def _contents(family):
    """What its runs say of an import's content."""
    return {run["matrix"] for run in family.get("runs", {}).values() if "matrix" in run}


def _merged(known, made):
    """A family with what was measured in one job shape; what was known of other shapes stays, if
    its matrices were as large."""
    before = known["families"].get(made["family"])
    if before is None or before["quick"] != made["quick"]:
        return made
    shape = made["shape"]
    return {
        **made,
        "runs": {**before.get("runs", {}), **made.get("runs", {})},
        **{
            name: [row for row in before[name] if [row["threads"], row["nodes"]] != shape]
            + made[name]
            for name in ("points", "choices")
        },
    }


def _read(directory):
    """What a machine's folder has; None if it has nothing. All that is made of it can be made."""
    file = directory / "verification.json"
    machine = read_json(file)
    if machine is None and not os.path.lexists(file):
        return None
    with form_of(file):
        _files_of(machine)
        judging.page({directory.name: machine})
    return machine


def _files_of(machine):
    points, choices = judging.gathered(machine)
    features = {}
    for point in points:
        for name, value in point.get("features", {}).items():
            features.setdefault(name, []).append(value)
    rows = [{key: value for key, value in p.items() if key != "features"} for p in points]
    files = {
        "verification.json": json.dumps(machine, indent=1) + "\n",
        "verification-points.csv": as_csv(rows),
        "verification-accuracy.csv": as_csv(judging.accuracy(points)),
    }
    if choices:
        files["verification-choices.csv"] = as_csv(choices)
    if features:
        answer = judging.accuracy_file(points, machine["processor"], features)
        files["verification-accuracy.json"] = json.dumps(answer, indent=1) + "\n"
    return files


def _siblings(settings):
    """The other machines' results beside this one's."""
    return {
        found.parent.name: _read(found.parent)
        for found in sorted(settings.out.parent.glob("*/verification.json"))
        if found.parent.name != settings.out.name
    }


def _write(settings, machine):
    """This machine's files, and the page of all machines."""
    files = _files_of(machine)
    page = judging.page({settings.out.name: machine, **_siblings(settings)})
    write_all(settings.out, files)
    write_all(settings.out.parent, {"verification.md": page})


def _say(machine):
    for sentence in judging.headline(*judging.gathered(machine)):
        tell(sentence)


def _is_disturbed(verdict):
    """Whether tune says so of the calibration."""
    return any("disturbed" in doubt for doubt in verdict["doubts"])


def _name_of(family):
    """Of a family by name, or of a file that is imported."""
    return family if isinstance(family, str) else f"import-{family.name}"


def _content(file):
    """Some letters that name a file's content."""
    try:
        with open(file, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:16]
    except OSError as error:
        raise Failure(f"--import: '{file}': {error.strerror}") from None


class _Family:
    """One family: its points and choices."""

    def __init__(self, settings, programs, family):
        self.settings = settings
        self.programs = programs
        self.family = family
        self.plan = _Plan(settings.quick)
        self.matrices = Matrices(settings.meshes, programs, settings.quick)
        self.measurements = Measurements(programs, _Files, self.plan, Measured())
        self.points = []
        self.choices = []

    @property
    def name(self):
        return _name_of(self.family)

    def measure(self, agenda):
        """Everything of the family that is to be done, job shape by job shape."""
        content = None if isinstance(self.family, str) else _content(self.family)
        for shape in _shapes(self.settings):
            if not agenda.takes(self.name, shape, content):
                continue
            start = self.programs.clock()
            self.programs.say(f"{self.name}, {shape}")
            self.points, self.choices = [], []
            if self.name == "heat":
                self._heat(shape)
            else:
                self._products(shape)
            yield {
                "family": self.name,
                "shape": [shape.threads, shape.nodes],
                "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "quick": self.settings.quick,
                "runs": {
                    _run_name(shape.threads, shape.nodes): agenda.done(
                        self.programs.clock() - start, content
                    )
                },
                "points": self.points,
                "choices": self.choices,
            }

    def _matrix(self, shape):
        if isinstance(self.family, str):
            return self.matrices.path(self.family, shape)
        return self.matrices.imported(self.family)

    def _products(self, shape):
        matrix = self._matrix(shape)
        elements = self.measurements.spmv_elements(matrix, shape)
        before = self.measurements.calibrate(shape, elements)
        answer = self._sweep(matrix, shape, self._blocksizes(matrix, shape), [before])
        costs = {
            (point["variant"], point["blocksize"]): point["seconds"]["predicted"] / 1000
            for point in answer["points"]
        }
        even = max(size for _, size in costs)
        # naive takes long: with one block per thread alone.
        wanted = [case for case in costs if case[0] != "naive" or case[1] == even]
        cases = [case for case in wanted if costs[case] <= LONGEST_SECONDS]
        for variant, size in wanted:
            if (variant, size) not in cases:
                self.programs.say(
                    f"not measured: {variant} with BLOCKSIZE {size}, predicted to take "
                    f"{costs[variant, size]:.0f} s a product"
                )
        machines = [before]
        times = {case: [] for case in cases}
        for turn in range(self.plan.turns):
            self._run_turn(matrix, shape, cases if turn % 2 == 0 else cases[::-1], costs, times)
            machines.append(self.measurements.calibrate(shape, elements))
        self._add_points(matrix, shape, times, machines)
        self._add_choice(matrix, shape, times, [before])

    def _blocksizes(self, matrix, shape):
        info = self.programs.file("info.json")
        self.programs.mesh("info", f"--json={info}", matrix)
        with open(info, encoding="utf-8") as stream:
            rows = json.load(stream)["matrix"]["rows"]
        even = blocks_per_thread(rows, shape.threads)
        return sorted({even, -(-even // 4), 1024, 64} if shape.threads > 1 else {even, 1024})

    def _sweep(self, matrix, shape, sizes, machines, command="sweep"):
        return self.programs.model(
            command,
            matrix,
            "--threads",
            shape.threads,
            "--nodes",
            shape.nodes,
            *(word for machine in machines for word in ("--machine", machine)),
            "--blocksizes",
            ",".join(map(str, sizes)),
            *(["--variant", "all"] if command == "sweep" else []),
        )

    def _run_turn(self, matrix, shape, cases, costs, times):
        """Adds seconds for 1000 products, medians of three repetitions each."""
        for variant, size in cases:
            steps = max(3, min(1000, round(self.plan.seconds / costs[variant, size])))
            case = SpmvCase(matrix, shape, size, variant)
            times[variant, size].append(
                self.measurements.spmv_seconds(case, steps, self.plan.repetitions)
            )

    def _add_points(self, matrix, shape, times, machines):
        """What counts is the turn that was disturbed least, others only add to it, and the
        calibrations right before and after that turn."""
        sizes = sorted({size for _, size in times})
        for turn, around in enumerate(zip(machines, machines[1:])):
            answer = self._sweep(matrix, shape, sizes, around)
            for point in answer["points"]:
                measured = times.get((point["variant"], point["blocksize"]))
                if measured is not None and measured.index(min(measured)) == turn:
                    self._add_point(shape, point, measured, answer["machine"]["disturbance"])

    def _add_point(self, shape, point, measured, disturbance):
        paper = point.get("paper_seconds")
        self.points.append(
            {
                "family": self.name,
                "kind": point["variant"],
                "threads": shape.threads,
                "nodes": shape.nodes,
                "blocksize": point["blocksize"],
                "measured_s": min(measured),
                "measured_median_s": median(measured),
                "measured_max_s": max(measured),
                "predicted_s": point["seconds"]["predicted"],
                "paper_formula_s": paper and paper["predicted"],
                "disturbance": disturbance,
                "features": point.get("features", {}),
            }
        )

    def _add_choice(self, matrix, shape, times, machines):
        candidates = {case: min(values) for case, values in times.items() if case[0] != "naive"}
        sizes = sorted({size for _, size in candidates})
        answer = self._sweep(matrix, shape, sizes, machines, "tune")
        best = answer["best"]
        chosen = (best["variant"], best["blocksize"])
        alike = [
            (point["variant"], point["blocksize"]) for point in answer["points"] if point["alike"]
        ]
        if chosen not in candidates:
            self.programs.say(f"{chosen[0]} with BLOCKSIZE {chosen[1]} is chosen, and not measured")
            return
        self.choices.append(
            {
                "family": self.name,
                "threads": shape.threads,
                "nodes": shape.nodes,
                **judging.choice(candidates, chosen, alike, _is_disturbed(answer["verdict"])),
            }
        )

    def _heat(self, shape):
        cases = [
            HeatCase(size, rows, columns, shape)
            for size in self.plan.sizes
            for rows, columns in grids(shape.threads)
        ]
        found = {case: [] for case in cases}
        for _ in range(self.plan.turns):
            turn = Measurements(self.programs, _Files, self.plan, Measured())
            turn.run(cases)
            for case in cases:
                found[case].append(turn.results[case])
        for case in cases:
            for kind, part in (("halo", "halo"), ("heat computation", "compute")):
                if kind == "halo" and shape.threads == 1:
                    continue
                columns = {
                    "family": self.name,
                    "kind": kind,
                    "threads": shape.threads,
                    "nodes": shape.nodes,
                    "size": case.size,
                    "grid": f"{case.rows}x{case.columns}",
                }
                entries = [entry[part] for entry in found[case]]
                times = [entry["measured_seconds"]["median"] for entry in entries]
                least = entries[times.index(min(times))]
                row = {
                    **measured_row(columns, least),
                    "measured_max_s": max(times),
                    "disturbance": found[case][times.index(min(times))]["disturbance"],
                }
                self.points.append({**row, "measured_median_s": median(times)})
