"""The GASNet paper's micro-benchmarks, from what bench/run-transfers has measured."""
import csv
import json
from statistics import median

from . import paper
from .parts import grid, number, over

PLACES = {
    "node": "two threads on one node",
    "emulated": "two emulated nodes, TCP over the loopback device",
    "hosts": "two hosts of the test cluster, TCP",
    "far": "two nodes of the cluster",
}
#: (Interface, mode, operation) by the name of its row, in this order.
CALLS = {
    f"Fathom: {mode} {operation}": ("fathom", mode, operation)
    for mode in ("blocking", "explicit", "implicit")
    for operation in ("get", "put")
}
PEERS = {
    f"{name} {operation}": (interface, "", operation)
    for interface, name in (
        ("ucp_am", "UCX, active messages:"),
        ("mpi_messages", "MPI, messages:"),
        ("mpi_one_sided", "MPI, one-sided:"),
    )
    for operation in ("get", "put")
}
#: The mode in the output of a peer's program, by what the row calls it.
INTERFACES = {
    "ucp_am": "ucp_am",
    "messages": "mpi_messages",
    "one-sided": "mpi_one_sided",
}
WORD = 1
BLOCK = 131072
DEPTH = 8


# ---- Measurements ----


def collect(folder):
    """All measurements in ROUND.PLACE.CONTESTANT.json: the median over the rounds of each round's
    median, the least and the greatest of all timings."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        place = path.name.split(".")[1]
        with open(path, encoding="utf-8") as stream:
            for row in json.load(stream)["results"]:
                found.setdefault((place, *_key(row)), []).append(row)
    order = {name: turn for turn, name in enumerate(PLACES)}
    return [
        _measurement(key, found[key]) for key in sorted(found, key=lambda key: (order[key[0]], key))
    ]


def _key(row):
    interface = INTERFACES.get(row["mode"]) or row.get("interface", "fathom")
    mode = "" if row["mode"] in INTERFACES else row["mode"]
    return interface, mode, row["operation"], row.get("depth", 1), row["nbytes"]


def _measurement(key, rows):
    names = ("place", "interface", "mode", "operation", "depth", "nbytes")
    return {
        **dict(zip(names, key)),
        "operations": min(row["operations"] for row in rows),
        "seconds": median(row["seconds"]["median"] for row in rows),
        "seconds_min": min(row["seconds"]["min"] for row in rows),
        "seconds_max": max(row["seconds"]["max"] for row in rows),
    }


def read(path):
    """The measurements in a CSV file that run-transfers has written."""
    with open(path, encoding="utf-8", newline="") as stream:
        return [_numbers(row) for row in csv.DictReader(stream)]


def _numbers(row):
    whole = {name: int(row[name]) for name in ("depth", "nbytes", "operations")}
    real = {name: float(row[name]) for name in ("seconds", "seconds_min", "seconds_max")}
    return {**row, **whole, **real}


class Case:
    """Transfers of one size and depth in one place."""

    def __init__(self, rows, place, nbytes, depth):
        self.place = place
        self.nbytes = nbytes
        self.rows = {
            (row["interface"], row["mode"], row["operation"]): row
            for row in rows
            if (row["place"], row["nbytes"], row["depth"]) == (place, nbytes, depth)
        }

    def seconds(self, key):
        """The median, or None."""
        return self.rows[key]["seconds"] if key in self.rows else None

    def over_layer(self, key, bandwidth):
        """A call over the layer under it, as the paper's columns divide."""
        layer = self.seconds(("ucp_am", "", key[2]))
        mine = self.seconds(key)
        return over(layer, mine) if bandwidth else over(mine, layer)

    def through_gasnet(self, key):
        """The row of the same call through gasnet.h, or None."""
        return self.rows.get(("gasnet", *key[1:]))


# ---- Tables ----


def tables(rows):
    """Tables 1 to 3 of the paper in every place where something was measured, the paper's figures
    beside ours."""
    made = []
    for place in (name for name in PLACES if any(row["place"] == name for row in rows)):
        where = PLACES[place]
        made += [
            _table(1, Case(rows, place, WORD, 1), f"round-trip latency of 1 byte, {where}"),
            _table(
                2,
                Case(rows, place, BLOCK, DEPTH),
                f"bandwidth of 128 KiB, {DEPTH} in flight, {where}",
            ),
            _table(
                3,
                Case(rows, place, WORD, DEPTH),
                f"inverse throughput of 1 byte, {DEPTH} in flight, {where}",
            ),
        ]
    return [table for table in made if table["rows"]]


def _table(turn, case, what):
    bandwidth = turn == 2
    unit, factor = _unit(case, bandwidth)
    printed = paper.gasnet_table(turn)
    gasnet = any(interface == "gasnet" for interface, _, _ in case.rows)
    systems = [row["system"] for row in printed]
    head = [
        ["", (unit, 3), ("over the layer under it", 1 + len(systems))]
        + ([(f"through gasnet.h, {unit}", 3), ("it adds", 2)] if gasnet else [])
        + [(f"printed, {'MB/s' if bandwidth else 'us'}", len(systems))],
        ["", "median", "least", "greatest", "here", *systems]
        + (["median", "least", "greatest", "ns", "%"] if gasnet else [])
        + systems,
    ]
    lines = []
    for name, key in {**CALLS, **PEERS}.items():
        if key not in case.rows:
            continue
        own = key[0] == "fathom"
        figures = [_printed(row, key) for row in printed]
        line = [name, *_spread(case.rows[key], case, bandwidth, factor)]
        ratios = [case.over_layer(key, bandwidth), *(over(*pair) for pair in figures)]
        line += [number(value) if own else "–" for value in ratios]
        if gasnet:
            line += _gasnet_cells(case, key, bandwidth, factor) if own else ["–"] * 5
        line += [number(figure) for figure, _ in figures]
        lines.append(line)
    return grid(f"Table {turn}: {what}", head, lines)


def _unit(case, bandwidth):
    """Of a whole table, so that all of it can be compared."""
    if bandwidth:
        return "MB/s", 1e-6
    least = min((row["seconds"] for row in case.rows.values()), default=1)
    return ("ns", 1e9) if least < 1e-6 else ("us", 1e6)


def _spread(row, case, bandwidth, factor):
    if bandwidth:
        values = [case.nbytes / row[name] for name in ("seconds", "seconds_max", "seconds_min")]
    else:
        values = [row[name] for name in ("seconds", "seconds_min", "seconds_max")]
    return [number(value * factor) for value in values]


def _gasnet_cells(case, key, bandwidth, factor):
    row = case.through_gasnet(key)
    if row is None:
        return ["–"] * 5
    more = row["seconds"] - case.seconds(key)
    return [
        *_spread(row, case, bandwidth, factor),
        f"{1e9 * more:+.1f}",
        f"{100 * more / case.seconds(key):+.1f}",
    ]


def _printed(row, key):
    """The paper's figure for a call, and for AMMPI, which its GASNet is built on. It gives one for
    explicit and implicit handles, and one for gets and puts of AMMPI and of MPI."""
    unit = next(name for name in row if name.startswith("ammpi_")).removeprefix("ammpi_")
    interface, mode, operation = key
    name = {
        "fathom": f"{'blocking' if mode == 'blocking' else 'nonblocking'}_{operation}",
        "ucp_am": "ammpi",
        "mpi_messages": "mpi",
    }.get(interface)
    return row.get(f"{name}_{unit}"), row[f"ammpi_{unit}"]
