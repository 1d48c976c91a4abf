"""The command line."""
import argparse
import contextlib
import os
import re
import socket
import sys
from pathlib import Path

PROGRAM = "scripts/reproduce"
ROOT = Path(__file__).resolve().parent.parent.parent

#: Parts that are neither tables nor figures, by their options; and those that are nothing without
#: measurements.
CHOICES = ("orders", "curve", "accuracy", "tune", "transfers")
MEASURED = ("accuracy", "tune", "transfers")

DESCRIPTION = """\
Makes Tables 1 to 5 and Figures 1 and 2 of the paper, its numbers beside ours: predicted with the
parameters of the paper's cluster, Abel, on ventricle meshes of the paper's sizes; and measured on
this machine, beside the prediction with its own calibration. Makes the GASNet paper's Tables 1 to 3
and Figures 6 to 8, measured. Without a choice of tables, figures or other parts it makes all of
them.
"""
EPILOG = """\
OUT gets report.html, which needs no other file, and a CSV and a JSON file per part. Parts that are
not made again stay as they are, and stay in the report. Without --bin it installs the packages it
needs and builds into build/release. Exit status: 0; 1 if a step fails; 2 for a bad option;
130 if interrupted.
"""


class Failure(Exception):
    """What went wrong, in one line for the user."""


def plain(text):
    """A text from a file without what a terminal obeys, or what ends a line."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


@contextlib.contextmanager
def form_of(path):
    """Around the use of a file that this program has written, or should have."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        reason = plain(f"{type(error).__name__}: {error}")
        raise Failure(f"'{path}' has not the form that this program writes: {reason}") from None


class Parser(argparse.ArgumentParser):
    """Options are not abbreviated; a bad one gets one line, and the program ends with status 2."""

    def __init__(self, program, description, epilog):
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message):
        message = message.removeprefix("argument ")
        sys.stderr.write(f"{self.prog}: {message} (see {self.prog} --help)\n")
        sys.exit(2)


def numbers(text):
    if not re.fullmatch(r"[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})*", text):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a list of whole numbers from 1, as 1,2,4"
        )
    return sorted({int(number) for number in text.split(",")})


def path(text):
    """For options that name a file or folder: an empty text would be the working directory."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def _number(text):
    found = numbers(text)
    if len(found) != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return found[0]


def _name(text):
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no name of letters, digits and . _ -")
    if text == "paper":
        raise argparse.ArgumentTypeError("'paper' has the printed tables")
    return text


def _host_name():
    try:
        return _name(socket.gethostname().split(".")[0])
    except argparse.ArgumentTypeError:
        return "machine"


def _parser():
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add(
        "--quick",
        action="store_true",
        help="everything in small, in under 5 minutes: small meshes only, BLOCKSIZEs to scale; "
        "with --launcher the tables' cases in small, to try it",
    )
    add(
        "--table",
        type=int,
        choices=range(1, 6),
        action="append",
        default=[],
        metavar="N",
        help="make Table N, 1 to 5; may be repeated",
    )
    add(
        "--figure",
        type=int,
        choices=(1, 2),
        action="append",
        default=[],
        metavar="N",
        help="make Figure N, 1 or 2; may be repeated",
    )
    add(
        "--orders",
        action="store_true",
        help="try orders of the cells for Table 4, predicted only",
    )
    add("--curve", action="store_true", help="make the curve of run time over BLOCKSIZE")
    add("--accuracy", action="store_true", help="measure how far predictions are from run times")
    add(
        "--tune",
        action="store_true",
        help="try all BLOCKSIZEs and see how good the one is that fathom-model tune chooses",
    )
    add(
        "--transfers",
        action="store_true",
        help="measure gets and puts as the GASNet paper does, beside UCX and MPI where "
        "bench/run-transfers finds their programs",
    )
    add("--predict-only", action="store_true", help="run nothing but the model")
    add(
        "--resume",
        action="store_true",
        help="go on with the run in OUT that was interrupted, if there is one, with its options",
    )
    add("--report", action="store_true", help="make report.html again from what OUT has")
    add("--out", type=path, metavar="DIR", help="where to (default: results/NAME)")
    add(
        "--name",
        type=_name,
        default=_host_name(),
        help="this machine's name (default: its host name)",
    )
    add(
        "--meshes",
        type=path,
        metavar="DIR",
        default=ROOT / "build" / "meshes",
        help="where meshes are kept, and made if they are missing (default: build/meshes)",
    )
    add(
        "--threads",
        type=numbers,
        metavar="LIST",
        help="numbers of threads to measure with (default: 1,2,4; with --launcher 16 to 1024)",
    )
    add(
        "--launcher",
        metavar="TEXT",
        help="what starts a job, as 'srun --mpi=pmix -N {nodes} -n {threads}'; without {threads} "
        "in it, '-n THREADS' is added (default: fathom-run, with emulated nodes)",
    )
    add(
        "--threads-per-node",
        type=_number,
        metavar="P",
        default=16,
        help="with --launcher: threads of a host (default 16)",
    )
    add(
        "--bin",
        type=path,
        metavar="DIR",
        help="where the programs are; nothing is installed or built then",
    )
    return parser


def parse(arguments=None):
    """The settings; ends the program with one line and status 2 for a bad command line."""
    parser = _parser()
    settings, others = parser.parse_known_args(arguments)
    if others:
        parser.error(f"'{others[0]}' is not an option")
    if settings.launcher is not None and not settings.launcher.strip():
        parser.error("--launcher: it is empty")
    chosen = [f"table{n}" for n in settings.table] + [f"figure{n}" for n in settings.figure]
    chosen += [name for name in CHOICES if getattr(settings, name)]
    if settings.report and (chosen or settings.predict_only):
        parser.error("--report makes no part again")
    if settings.predict_only:
        for name in MEASURED:
            if name in chosen:
                parser.error(f"--{name} and --predict-only exclude each other")
    settings.parts = set(chosen) or {
        "table1",
        "table2",
        "table3",
        "table4",
        "table5",
        "orders",
        "figure1",
        "figure2",
        "curve",
        "accuracy",
        "tune",
        "transfers",
    }
    if settings.predict_only:
        settings.parts -= set(MEASURED)
    if settings.out is None:
        settings.out = ROOT / "results" / settings.name
    settings.out = Path(os.path.abspath(settings.out))
    settings.meshes = Path(os.path.abspath(settings.meshes))
    for name, what in (("out", settings.out), ("meshes", settings.meshes)):
        if what.exists() and not what.is_dir():
            parser.error(f"--{name}: '{what}' is no directory")
    return settings
