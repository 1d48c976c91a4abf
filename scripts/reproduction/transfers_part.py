"""The GASNet paper's Tables 1 to 3 and Figures 6 to 8 in the report."""
import shlex
from functools import partial

from .cases import Shape
from .parts import number
from .transfers import BLOCK, CALLS, DEPTH, PEERS, PLACES, WORD, Case, read, tables

#: The lines of a picture: not more than can be told apart.
SHOWN = (
    "Fathom: blocking get",
    "Fathom: blocking put",
    "Fathom: explicit get",
    "Fathom: explicit put",
    "UCX, active messages: put",
    "MPI, messages: put",
)
FIGURES = (
    (6, "Figure 6: round-trip latency by size", 1, False),
    (7, f"Figure 7: bandwidth by size, {DEPTH} in flight", DEPTH, True),
    (8, f"Figure 8: inverse throughput by size, {DEPTH} in flight", DEPTH, False),
)
NOTES = [
    "<em>Printed</em>: figures of the paper on GASNet of 2002, whose GASNet ran over AMMPI (active "
    "messages over MPI) on an IBM SP and on Millennium, a cluster with Myrinet. It gives one figure "
    "for operations with explicit and with implicit handles, and one for gets and puts of AMMPI and "
    "of MPI; its megabytes are taken to be 10<sup>6</sup> bytes. The data of its Figures 6 to 8 are "
    "not printed, so those pictures have our measurements only. Everything else was measured on this "
    "machine by bench/run-transfers, all contestants in alternation.",
    "<em>The layer under it</em> is UCX's active messages for Fathom and AMMPI for the paper's "
    "GASNet: a put is a message with the bytes and a reply, a get a message and a reply with the "
    "bytes; the target polls all the time. Times are Fathom's over the layer's, bandwidths the same "
    "way, as the paper's own columns divide. On a node Fathom copies without messages.",
    "<em>MPI, messages</em>: a put is a message and an empty one back; a flood is messages one behind "
    "the other with one empty message at the end. <em>MPI, one-sided</em>: MPI_Put and MPI_Get, and "
    "MPI_Win_flush after as many as may be in flight. 10,000 operations are timed together, as in "
    "the paper; fewer where these would take too long (the column operations of the CSV file). "
    "Medians of the rounds' medians, the least and the greatest of all timings.",
]


def transfers(context):
    """Measures, or takes what the journal has kept."""
    programs, journal = context.programs, context.measurements.journal
    quick = context.paper_plan.small
    programs.say("gets and puts as in the GASNet paper")
    rows = journal.once("transfers", partial(_measure, programs, quick))
    places = [name for name in PLACES if any(row["place"] == name for row in rows)]
    plots = [_plot(rows, place, *figure) for place in places for figure in FIGURES]
    plots += [_scan(rows, place) for place in places]
    return {
        "title": "GASNet's micro-benchmarks: latency, bandwidth, inverse throughput",
        "headline": [_headline(rows, place) for place in places if place != "node"] + _gasnet(rows),
        "rows": {"": rows},
        "grids": tables(rows),
        "plots": [plot for plot in plots if plot["lines"]],
        "notes": NOTES,
    }


def _measure(programs, quick):
    csv = programs.file("transfers.csv")
    options = ["--quick"] if quick else []
    if programs.launcher is not None:
        for option, nodes in (("--near", 1), ("--far", 2)):
            options += [option, shlex.join(map(str, programs.start(Shape(2, nodes))))]
    programs.benchmark("run-transfers", "--csv", csv, *options)
    return read(csv)


# ---- Pictures ----


def _value(row, bandwidth):
    return 1e-6 * row["nbytes"] / row["seconds"] if bandwidth else 1e6 * row["seconds"]


def _lines(rows, x, bandwidth):
    lines = []
    for name, key in {**CALLS, **PEERS}.items():
        mine = sorted(
            (row for row in rows if (row["interface"], row["mode"], row["operation"]) == key),
            key=lambda row: row[x],
        )
        if mine and name in SHOWN:
            values = [_value(row, bandwidth) for row in mine]
            lines.append([name, [row[x] for row in mine], values])
    return lines


def _plot(rows, place, _, title, depth, bandwidth):
    mine = [row for row in rows if row["place"] == place and row["depth"] == depth]
    sizes = {row["nbytes"] for row in mine if row["depth"] == depth}
    return {
        "kind": "curves",
        "title": f"{title}, {PLACES[place]}: measured here",
        "x_label": "bytes",
        "y_label": "MB/s" if bandwidth else "us per operation",
        "log": not bandwidth,
        "lines": _lines(mine, "nbytes", bandwidth) if len(sizes) > 1 else [],
    }


def _scan(rows, place):
    """Of blocking calls none are in flight together: they have no depth."""
    mine = [
        row
        for row in rows
        if row["place"] == place and row["nbytes"] == BLOCK and row["mode"] != "blocking"
    ]
    depths = {row["depth"] for row in mine}
    return {
        "kind": "curves",
        "title": f"Bandwidth of 128 KiB by the number in flight, {PLACES[place]}: measured here",
        "x_label": "in flight",
        "y_label": "MB/s",
        "lines": _lines(mine, "depth", True) if len(depths) > 2 else [],
    }


# ---- Sentences ----


def _range(case, keys, bandwidth):
    found = [case.over_layer(key, bandwidth) for key in keys]
    found = sorted(value for value in found if value is not None)
    return f"{number(found[0])} to {number(found[-1])} times" if found else "not compared with"


def _headline(rows, place):
    keys = list(CALLS.values())
    latency = Case(rows, place, WORD, 1)
    flood = [key for key in keys if key[1] != "blocking"]
    return (
        f"Fathom's gets and puts over the layer under it, {PLACES[place]}: round trip of 1 byte "
        f"{number(1e6 * latency.seconds(keys[0]))}\u00a0us (blocking get), "
        f"{_range(latency, keys, False)} the layer's (the GASNet paper: 1.06 to 1.15); in flight, "
        f"bandwidth of 128 KiB {_range(Case(rows, place, BLOCK, DEPTH), flood, True)} and inverse "
        f"throughput of 1 byte {_range(Case(rows, place, WORD, DEPTH), flood, False)} the layer's "
        "(there: 0.99 to 1.03)."
    )


def _gasnet(rows):
    """By how much gasnet.h exceeds Fathom's own calls, beside the goal: 5 % or 2 ns on a node,
    whichever is more, and 10 ns between nodes."""
    said = []
    for place in PLACES:
        case = Case(rows, place, WORD, 1)
        more = {
            name: (case.through_gasnet(key)["seconds"] - case.seconds(key), case.seconds(key))
            for name, key in CALLS.items()
            if case.through_gasnet(key) and case.seconds(key)
        }
        if not more:
            continue
        allowed = {
            name: max(0.05 * own, 2e-9) if place == "node" else 10e-9
            for name, (_, own) in more.items()
        }
        missed = [name for name, (extra, _) in more.items() if extra > allowed[name]]
        worst = max(more, key=lambda name: more[name][0])
        most = "the larger of 5\u00a0% and 2\u00a0ns" if place == "node" else "10\u00a0ns"
        state = f"missed</strong> by {', '.join(missed)}" if missed else "reached</strong>"
        said.append(
            f"Goal for gasnet.h over Fathom's own calls, {PLACES[place]}, at most {most} more in a "
            f"round trip of 1 byte: <strong>{state}; at most "
            f"{1e9 * more[worst][0]:+.1f}\u00a0ns ({worst})."
        )
    return said
