"""What is made, in which order."""
import os
import platform
import re
from datetime import datetime, timezone

from . import paper, plots
from .accuracy import accuracy
from .calibrations import calibrations
from .cases import ClusterPlan, LocalPlan, PaperPlan, Shape
from .command import run
from .figures import curve, figure1, figure2
from .heat_table import table5
from .journal import Journal
from .measured import Measurements
from .meshes import Meshes
from .options import PROGRAM, ROOT, Failure, form_of, parse
from .orders import orders
from .output import part_files, read_parts, write_all
from .page import report
from .parts import number
from .predicted import Abel
from .programs import Programs, digest
from .spmv_tables import table1, table2, table3, table4
from .transfers_part import transfers
from .tuning import tune

#: In the order of the report.
PARTS = {
    "accuracy": accuracy,
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "orders": orders,
    "table5": table5,
    "figure1": figure1,
    "figure2": figure2,
    "curve": curve,
    "tune": tune,
    "transfers": transfers,
    "calibrations": calibrations,
}

#: Parts without pictures.
PLAIN = {"table1", "table2", "table3", "orders", "table5"}


class Context:
    """What the parts are made from."""

    def __init__(self, settings, programs, journal):
        self.programs = programs
        self.paper_plan = PaperPlan(settings.quick)
        self.meshes = Meshes(settings, programs, self.paper_plan.cells)
        self.plan = (
            ClusterPlan(
                settings.quick, settings.threads, settings.threads_per_node, self.meshes.rows
            )
            if settings.launcher
            else LocalPlan(settings.quick, settings.threads, self.meshes.rows)
        )
        self.abel = Abel(programs, self.meshes)
        self.measurements = (
            None
            if settings.predict_only
            else Measurements(programs, self.meshes, self.plan, journal)
        )

    shape = staticmethod(Shape)

    def problem(self, problem):
        """A test problem for a caption."""
        cells = self.paper_plan.cells[problem - 1]
        if not self.paper_plan.small:
            return f"problem {problem}, {self.meshes.text(cells)}"
        wanted = number(paper.table(1)[problem - 1]["tetrahedra"])
        return (
            f"problem {problem} in small, {self.meshes.text(cells)} (the paper's numbers: its own "
            f"{wanted})"
        )

    def measure(self, parts):
        """Runs what the parts show."""
        plan, cases = self.plan, []
        if parts & {"table2"}:
            cases += plan.naive()
        if parts & {"table3", "accuracy"}:
            cases += plan.spmv()
        elif "table4" in parts:
            cases += [case for case in plan.spmv() if case.cells == plan.cells[0]]
        if "accuracy" in parts:
            cases += plan.beyond()
        if parts & {"figure1"}:
            cases.append(plan.figure1())
        if parts & {"table5", "accuracy"}:
            cases += plan.heat()
        self.measurements.run(cases)


def main(arguments=None):
    """The program; its exit status."""
    journals = []

    def body():
        settings = parse(arguments)
        journals.append(Journal(settings))
        with journals[0] as journal, Programs(settings, journal) as programs:
            if settings.report:
                _rebuild(settings)
            else:
                _make(settings, programs, journal)
            journal.finish()
            programs.say(f"done: {settings.out / 'report.html'}")
        return 0

    return run(PROGRAM, body, lambda: journals[0].kept() if journals else "")


def _make(settings, programs, journal):
    # A run that remakes a few parts does not replace the calibrations of the run that made all.
    wants_all = settings.parts >= set(PARTS) - {"calibrations"}
    remade = settings.parts | ({"calibrations"} if wants_all else set())
    others = read_parts(settings.out, [name for name in PARTS if name not in remade])
    _refuse_to_lose(settings)
    if journal.discarded:
        programs.say(
            f"begun anew, without --resume: {journal.discarded} measurements are discarded"
        )
    if settings.bin is None:
        programs.build()
    if _has_pictures(settings, others):
        plots.load()
    with form_of(settings.out):
        report(others, list(PARTS))  # before hours of measurements
    programs.need("fathom-model")
    context = Context(settings, programs, journal)
    if context.measurements:
        programs.need(
            "fathom-stream",
            "fathom-spmv",
            "fathom-heat2d",
            *([] if settings.launcher else ["fathom-run"]),
        )
        journal.measured_by(digest(programs.bin, settings.launcher))
        context.measure(settings.parts)
    names = [name for name in PARTS if name in settings.parts]
    made = {name: PARTS[name](context) for name in names}
    is_calibrated = context.measurements and context.measurements.calibrations
    if is_calibrated and "calibrations" not in others:
        made["calibrations"] = calibrations(context)
    common = {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "quick": settings.quick,
        "machine": _machine(settings),
    }
    made = {name: {"part": name, **common, "notes": [], **part} for name, part in made.items()}
    files = {}
    for part in made.values():
        files.update(part_files(part))
    files["report.html"] = report({**others, **made}, list(PARTS))
    write_all(settings.out, files)


def _refuse_to_lose(settings):
    """Predictions alone replace no part with measurements, nor does a part in small one in full."""
    for name in sorted(settings.parts):
        try:
            before = read_parts(settings.out, [name]).get(name)
            if before is None or not _is_measured(before):
                continue
        except (Failure, AttributeError, TypeError):
            continue  # no part, so that nothing is lost
        lost = "measured" if settings.predict_only else "in full"
        if settings.predict_only or (settings.quick and not before.get("quick")):
            option = "--predict-only" if settings.predict_only else "--quick"
            raise Failure(f"{option}: '{settings.out}' has {name} {lost}: give another --out")


def _is_measured(part):
    return part.get("part") == "transfers" or any(
        value is not None and "measured_s" in column and not column.startswith("paper_")
        for rows in part["rows"].values()
        for row in rows
        for column, value in row.items()
    )


def _has_pictures(settings, others):
    """Whether the report will have pictures: of what is made, which includes the calibrations of
    what is measured, or of other parts that OUT has."""
    is_drawn = any(part.get("plots") for part in others.values())
    return is_drawn or not settings.predict_only or not settings.parts <= PLAIN


def _rebuild(settings):
    parts = read_parts(settings.out, PARTS)
    if not parts:
        raise Failure(f"--report: '{settings.out}' has no parts to report")
    with form_of(settings.out):
        page = report(parts, list(PARTS))
    write_all(settings.out, {"report.html": page})


def _machine(settings):
    """What was measured on, for the report."""
    return {
        "name": settings.name,
        "version": _version(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "launcher": settings.launcher or "fathom-run, emulated nodes",
    }


def _version():
    found = re.search(r"project\(Fathom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1) if found else "of unknown version"


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()
