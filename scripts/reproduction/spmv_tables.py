"""Tables 1 to 4: the sparse matrix-vector product."""
import math

from . import paper
from .cases import SMALL
from .parts import grid, measured_row, number, ratio

EVEN_NOTE = (
    "Where blocks of {rows} rows would leave threads without any, there is a second prediction with "
    "one block per thread. The paper's BLOCKSIZEs for 128 threads and more are n/THREADS rounded "
    "down: they leave a small block over, and formula (5) counts it as a whole one, which nearly "
    "doubles the work of one thread. The paper's printed predictions are not doubled, so "
    "it cannot have counted so."
)
SMALL_NOTE = f" In small, meshes and BLOCKSIZEs are 1/{SMALL} of the paper's."
NAMES = {"naive": "naive", "v1": "UPCv1", "v2": "UPCv2", "v3": "UPCv3"}  # the paper's
MEASURED_HEAD = ["measured", "(min – max)", "paper's formulas", "ratio", "extended", "ratio"]


def table1(context):
    """The sizes of the problems."""
    rows = []
    for problem, cells in enumerate(context.paper_plan.cells, 1):
        shape = context.paper_plan.shape(16)
        answer = context.abel.spmv(cells, shape, context.paper_plan.blocksize(problem, 16))
        wanted = paper.table(1)[problem - 1]["tetrahedra"]
        rows.append(
            {
                "problem": problem,
                "paper_tetrahedra": wanted,
                "our_cells": answer["matrix"]["rows"],
                "our_row_nonzeros": answer["matrix"]["row_nonzeros"],
            }
        )
    cells = [
        [
            row["problem"],
            number(row["paper_tetrahedra"]),
            number(row["our_cells"]),
            f"{100 * (row['our_cells'] / row['paper_tetrahedra'] - 1):+.1f} %".replace("-", "−"),
            row["our_row_nonzeros"],
        ]
        for row in rows
    ]
    note = (
        "The paper's meshes are not public. Ours are idealised left ventricles, meshed by the same "
        "program, TetGen, with cells in the order of a nested dissection by METIS, which does not "
        "depend on the number of threads; the paper orders cells for cache behaviour and does not "
        "say how, but of the orders tried this comes nearest to its numbers. Counts, and what "
        "follows from them, still differ somewhat at the same size."
    )
    return {
        "title": "Table 1: size of the test problems",
        "rows": {"": rows},
        "notes": [note],
        "grids": [
            grid("Tetrahedra", [["problem", "paper", "ours", "difference", "off-diagonals"]], cells)
        ],
    }


def table2(context):
    """naive and v1 on one node."""
    rows, notes = [], []
    blocksize = context.paper_plan.blocksize(1, 16)
    for line in paper.table(2):
        shape = context.shape(line["threads"], 1)
        value = context.abel.seconds(context.paper_plan.cells[0], shape, blocksize, line["variant"])
        rows.append(
            {
                "variant": line["variant"],
                "threads": line["threads"],
                "blocksize": blocksize,
                "paper_measured_s": line["seconds_per_1000_iterations"],
                "predicted_abel_s": value,
            }
        )
    threads = sorted({row["threads"] for row in rows})
    cells = []
    for variant in ("naive", "v1"):
        mine = {row["threads"]: row for row in rows if row["variant"] == variant}
        cells.append(
            [NAMES[variant], "paper, measured"]
            + [f"{mine[t]['paper_measured_s']:.2f}" for t in threads]
        )
        cells.append(
            ["", "ours, predicted"] + [number(mine[t]["predicted_abel_s"]) for t in threads]
        )
    notes.append(
        "Abel's bandwidth per thread was measured with 16 threads to a node, and is taken for "
        "fewer threads as well. For naive the paper has no formula, and what a pointer-to-shared "
        "and a turn of the affinity loop cost on Abel is not known; our prediction for it lacks "
        "those terms and is a lower bound. It counts the rows that a thread has, and formula (7) of "
        "UPCv1 whole blocks."
    )
    grids = [
        grid(
            f"Seconds for 1000 products; {context.problem(1)}, one node of Abel, "
            f"BLOCKSIZE {number(blocksize)}",
            [["", ""] + [f"{t} thread{'s' * (t > 1)}" for t in threads]],
            cells,
            stub=2,
        )
    ]
    here = measured(context, context.plan.naive, rows_of_table2=True)
    grids += _measured_grids(context, here, "One node of this machine: seconds for 1000 products")
    return {
        "title": "Table 2: naive and UPCv1 on one node",
        "rows": {"": rows, "measured": here},
        "grids": grids,
        "notes": notes,
    }


def table3(context):
    """v1 to v3 up to 1024 threads."""
    rows, grids = [], []
    plan = context.paper_plan
    for line in paper.table(3):
        problem, threads = line["problem"], line["threads"]
        shape, cells = plan.shape(threads), plan.cells[line["problem"] - 1]
        row = {
            "problem": problem,
            "variant": line["variant"],
            "nodes": line["nodes"],
            "threads": threads,
            "paper_measured_s": line["seconds_per_1000_iterations"],
            "blocksize": plan.blocksize(problem, threads),
        }
        row.update(_predictions(context, cells, shape, row["blocksize"], line["variant"]))
        rows.append(row)
    for problem in sorted({row["problem"] for row in rows}):
        mine = [row for row in rows if row["problem"] == problem]
        grids.append(_table3_grid(mine, context.problem(problem)))
    notes = [
        f"BLOCKSIZE is Table 4's for problem 1 and {number(plan.blocksize(2, 16))} otherwise; the "
        "paper does not print it for problems 2 and 3. " + _even_note(plan)
    ]
    here = measured(context, context.plan.spmv)
    grids += _measured_grids(context, here, "This machine: seconds for 1000 products")
    return {
        "title": "Table 3: UPCv1 to UPCv3, from one node to 64",
        "rows": {"": rows, "measured": here},
        "grids": grids,
        "notes": notes + _skipped_notes(context),
    }


def _table3_grid(rows, caption):
    threads = sorted({row["threads"] for row in rows})
    cells = []
    for variant in ("v1", "v2", "v3"):
        mine = {row["threads"]: row for row in rows if row["variant"] == variant}
        cells.append(
            [NAMES[variant], "paper, measured"]
            + [f"{mine[t]['paper_measured_s']:.2f}" for t in threads]
        )
        cells.append(
            ["", "ours, predicted"] + [number(mine[t]["predicted_abel_s"], 4) for t in threads]
        )
        if any(mine[t]["even_blocksize"] for t in threads):
            cells.append(
                ["", "ours, one block per thread"]
                + [number(mine[t]["predicted_abel_even_s"], 4) for t in threads]
            )
    head = [
        ["", "nodes of Abel"] + [row["nodes"] for row in rows if row["variant"] == "v1"],
        ["", "threads"] + threads,
    ]
    return grid(f"Seconds for 1000 products; {caption}", head, cells, stub=2)


def table4(context):
    """Predicted and measured, problem 1."""
    rows = []
    plan = context.paper_plan
    for line in paper.table(4):
        shape = plan.shape(line["threads"])
        blocksize = plan.blocksize(1, line["threads"])
        row = {
            "threads": line["threads"],
            "nodes": shape.nodes,
            "paper_blocksize": line["blocksize"],
            "blocksize": blocksize,
            "variant": line["variant"],
            "paper_measured_s": line["actual_s"],
            "paper_predicted_s": line["predicted_s"],
        }
        row.update(_predictions(context, plan.cells[0], shape, blocksize, line["variant"]))
        nearest = row["predicted_abel_even_s"] or row["predicted_abel_s"]
        row["over_paper_predicted"] = nearest / line["predicted_s"]
        rows.append(row)
    grids = [
        _table4_grid(
            [row for row in rows if row["variant"] == variant],
            f"{NAMES[variant]} on Abel, {context.problem(1)}: seconds for 1000 products. Same "
            "formulas, same parameters; the meshes differ",
        )
        for variant in ("v1", "v2", "v3")
    ]
    here = measured(
        context,
        lambda: [case for case in context.plan.spmv() if case.cells == context.plan.cells[0]],
    )
    grids += _measured_grids(
        context,
        here,
        "This machine, beside predictions with its own calibration: seconds for 1000 products",
    )
    notes = [
        _even_note(plan)
        + " <em>Ours / paper</em> is the ratio of predictions, with one block per thread "
        "where there is such a column.",
        "<em>Paper's formulas</em>: (5) to (18) as printed, with this machine's four parameters. "
        "<em>Extended</em>: with the terms that the paper leaves out.",
    ]
    return {
        "title": "Table 4: predicted and measured",
        "headline": [] if plan.small else [_table4_headline(rows)],
        "rows": {"": rows, "measured": here},
        "grids": grids,
        "plots": [_table4_plot(rows, context.problem(1))],
        "notes": notes + _skipped_notes(context),
    }


def _table4_headline(rows):
    spans = []
    for variant in ("v1", "v2", "v3"):
        over = {
            row["threads"]: row["over_paper_predicted"] for row in rows if row["variant"] == variant
        }
        worst = max(over, key=lambda threads: abs(math.log(over[threads])))
        spans.append(
            f"{NAMES[variant]} {min(over.values()):.2f} to {max(over.values()):.2f} times it, "
            f"furthest with {worst} threads"
        )
    return (
        "Table 4, predicted for Abel, beside the paper's prediction by the same formulas: "
        f"{'; '.join(spans)}. The paper's mesh is not public."
    )


def _table4_plot(rows, mesh):
    """What the paper measured and predicted, and what we predict, over the threads."""
    panels = []
    for variant in ("v1", "v2", "v3"):
        mine = [row for row in rows if row["variant"] == variant]
        panels.append(
            {
                "title": NAMES[variant],
                "log": True,
                "lines": [
                    ["paper, measured", [row["paper_measured_s"] for row in mine]],
                    ["paper, predicted", [row["paper_predicted_s"] for row in mine]],
                    [
                        "ours, predicted",
                        [row["predicted_abel_even_s"] or row["predicted_abel_s"] for row in mine],
                    ],
                ],
            }
        )
    return {
        "kind": "bars",
        "title": f"On Abel, {mesh}; ours with one block per thread where that is predicted too",
        "x": sorted({row["threads"] for row in rows}),
        "x_label": "threads",
        "y_label": "s per 1000 products",
        "panels": panels,
    }


def _table4_grid(rows, caption):
    cells = [
        [
            row["threads"],
            number(row["blocksize"]),
            f"{row['paper_measured_s']:.2f}",
            f"{row['paper_predicted_s']:.2f}",
            f"{row['predicted_abel_s']:.2f}",
            _two(row["predicted_abel_even_s"]),
            ratio(row["over_paper_predicted"]),
        ]
        for row in rows
    ]
    head = [
        [
            "threads",
            "BLOCKSIZE",
            "paper, measured",
            "paper, predicted",
            "ours, predicted",
            "ours, one block per thread",
            "ours / paper, predicted",
        ]
    ]
    return grid(caption, head, cells, stub=2)


def _predictions(context, cells, shape, blocksize, variant):
    """With the paper's BLOCKSIZE, and with one block per thread where that differs much."""
    answer = context.abel.spmv(cells, shape, blocksize)
    even = context.paper_plan.even_blocksize(answer["matrix"]["rows"], shape.threads)
    return {
        "predicted_abel_s": context.abel.seconds(cells, shape, blocksize, variant),
        "even_blocksize": even,
        "predicted_abel_even_s": even and context.abel.seconds(cells, shape, even, variant),
    }


def _even_note(plan):
    note = EVEN_NOTE.format(rows=number(plan.blocksize(2, 16)))
    return note + (SMALL_NOTE if plan.small else "")


def _two(value):
    return "–" if value is None else f"{value:.2f}"


def measured(context, cases, rows_of_table2=False):
    """Rows of the cases that were measured; `cases()` makes them, and needs their meshes."""
    if context.measurements is None:
        return []
    rows = []
    papers = {
        (line["problem"], line["threads"], line["variant"]): line["seconds_per_1000_iterations"]
        for line in paper.table(3)
    }
    if rows_of_table2:
        papers = {
            (1, line["threads"], line["variant"]): line["seconds_per_1000_iterations"]
            for line in paper.table(2)
        }
    problems = {cells: problem for problem, cells in context.plan.problems()}
    for case in cases():
        entry = context.measurements.results.get(case)
        if entry is None:
            continue
        row = measured_row(
            {
                "cells": case.cells,
                "threads": case.shape.threads,
                "nodes": case.shape.nodes,
                "blocksize": case.blocksize,
                "variant": case.variant,
            },
            entry,
        )
        wanted = (problems[case.cells], case.shape.threads, case.variant)
        row["paper_measured_s"] = None if context.paper_plan.small else papers.get(wanted)
        rows.append(row)
    return rows


def _measured_grids(context, rows, caption):
    """One grid per mesh."""
    grids = []
    for cells in dict.fromkeys(row["cells"] for row in rows):
        mine = [row for row in rows if row["cells"] == cells]
        with_paper = any(row["paper_measured_s"] for row in mine)
        head = ["variant", "threads", "nodes", "BLOCKSIZE"] + MEASURED_HEAD
        lines = []
        for row in mine:
            line = [NAMES[row["variant"]], row["threads"], row["nodes"], number(row["blocksize"])]
            lines.append(
                line
                + measured_cells(row)
                + ([number(row["paper_measured_s"], 4)] if with_paper else [])
            )
        head = [head + (["paper, Abel"] if with_paper else [])]
        lines.sort(key=lambda line: line[0])
        grids.append(grid(f"{caption}; {context.meshes.text(cells)}", head, lines, stub=4))
    return grids


def measured_cells(row, digits=4):
    """The cells under MEASURED_HEAD."""
    return [
        number(row["measured_s"], digits),
        f"({number(row['measured_min_s'])} – {number(row['measured_max_s'])})",
        number(row["paper_formula_s"], digits),
        ratio(row["paper_formula_ratio"]),
        number(row["predicted_s"], digits),
        ratio(row["ratio"]),
    ]


def _skipped_notes(context):
    if context.measurements is None or not context.measurements.skipped:
        return []
    skipped = context.measurements.skipped
    return [
        f"{len(skipped)} cases were not measured here, since one product alone was predicted to "
        f"take up to {max(skipped.values()):.0f} s: single accesses to other nodes."
    ]
