"""The paper's printed numbers, and the machine it was measured on."""
import csv
import json

from .options import ROOT, Failure

ABEL = ROOT / "results" / "machines" / "abel.json"
ABEL_THREADS_PER_NODE = 16
PROBLEM_1_CELLS = 6810586
BLOCKSIZE = 65536
#: Median |predicted / measured - 1| of the paper's own tables, None where it has none, and our
#: goal; in per cent.
ACCURACY = {
    "naive": (None, 15),
    "v1": (23, 10),
    "v2": (15, 7),
    "v3": (8, 7),
    "v4": (None, 7),
    "v5": (None, 7),
    "heat computation": (1, 5),
    "halo": (30, 15),
}


def abel():
    """The parameters of Abel's file."""
    with open(ABEL, encoding="utf-8") as stream:
        return json.load(stream)


def table(number):
    """The rows of a table, as dictionaries; numbers are numbers."""
    return _read(f"table{number}.csv")


def _read(name):
    path = ROOT / "results" / "paper" / name
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            return [
                {key: _value(text) for key, text in row.items()} for row in csv.DictReader(stream)
            ]
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def _value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def table4_blocksize(threads):
    """BLOCKSIZE of problem 1 for that many threads: Table 4's, else 65536."""
    found = {row["threads"]: row["blocksize"] for row in table(4)}
    return found.get(threads, BLOCKSIZE)


def gasnet_table(number):
    """The rows of a table of the GASNet paper."""
    return _read(f"gasnet-table{number}.csv")
