"""Table 4 by the order of the cells, which the paper does not tell."""
import math

from . import paper
from .parts import grid, number, ratio

#: By name, what makes them of the mesh as its generator leaves it.
ORDERS = {
    "as TetGen leaves them": ["--method", "none"],
    "reverse Cuthill-McKee": ["--method", "rcm"],
    "Hilbert curve": ["--method", "hilbert"],
    "METIS, 16 parts": ["--method", "metis", "--parts", "16"],
    "METIS, 1024 parts": ["--method", "metis", "--parts", "1024"],
    "nested dissection, cells with a common face": ["--method", "metis", "--metis", "nested"],
    "nested dissection, the matrix": ["--method", "metis", "--metis", "nested-product"],
}
SMALL = "In small, the factors show the form of the table and tell nothing of the paper's mesh."
VARIANTS = ("v1", "v2", "v3")


def orders(context):
    """Predictions for Abel with each order, over the paper's."""
    cells, rows = context.paper_plan.cells[0], []
    for name, method in ORDERS.items():
        context.programs.say(f"ordering {cells} cells: {name}")
        with context.meshes.ordered(cells, method) as mesh:
            rows += _rows(context, mesh, name)
    far = {name: _far([row for row in rows if row["order"] == name]) for name in ORDERS}
    best = min(far, key=far.get)
    small = context.paper_plan.small
    return {
        "title": "Table 4 by the order of the cells",
        "headline": [] if small else [_headline(far, best)],
        "rows": {"": rows},
        "grids": [_grid(rows, far, variant, context.problem(1)) for variant in VARIANTS],
        "notes": [SMALL if small else _meaning(rows, best)],
    }


def _rows(context, mesh, name):
    """Of one order. One block per thread where the paper's BLOCKSIZE leaves a short one over."""
    plan, rows = context.paper_plan, []
    n = context.meshes.rows(plan.cells[0])
    for threads in plan.threads:
        shape = plan.shape(threads)
        blocksize = plan.even_blocksize(n, threads) or plan.blocksize(1, threads)
        context.programs.say(f"predicting for Abel: {name}, {shape}, BLOCKSIZE {blocksize}")
        answer = context.programs.predict(mesh, paper.ABEL, shape, blocksize)
        for line in paper.table(4):
            if line["threads"] != threads:
                continue
            entry = next(one for one in answer["variants"] if one["variant"] == line["variant"])
            ours = entry["paper_seconds"]["predicted"]
            rows.append(
                {
                    "order": name,
                    "threads": threads,
                    "blocksize": blocksize,
                    "variant": line["variant"],
                    "paper_measured_s": line["actual_s"],
                    "paper_predicted_s": line["predicted_s"],
                    "predicted_abel_s": ours,
                    "over_paper_predicted": ours / line["predicted_s"],
                }
            )
    return rows


def _far(rows):
    """By which factor, up or down, predictions are off the paper's: the geometric mean."""
    logs = [abs(math.log(row["over_paper_predicted"])) for row in rows]
    return math.exp(sum(logs) / len(logs))


def _grid(rows, far, variant, problem):
    threads = sorted({row["threads"] for row in rows})
    lines = []
    for name in sorted(far, key=far.get):
        mine = {
            row["threads"]: row
            for row in rows
            if row["order"] == name and row["variant"] == variant
        }
        lines.append(
            [name]
            + [ratio(mine[count]["over_paper_predicted"]) for count in threads]
            + [ratio(_far(mine.values())), ratio(far[name])]
        )
    return grid(
        f"UPC{variant}, {problem}: our prediction for Abel over the paper's, by the order of the "
        "cells; and by which factor an order is off, up or down, in the geometric mean",
        [
            ["", ("threads", len(threads)), ("factor off", 2)],
            ["order", *threads, f"UPC{variant}", "all three"],
        ],
        lines,
    )


def _headline(far, best):
    others = sorted((value, name) for name, value in far.items() if name != best)
    return (
        f"The order of the cells explains Table 4: nearest to the paper's predictions comes "
        f"<em>{best}</em>, off by a factor of {far[best]:.2f} in the geometric mean; then "
        f"{others[0][1]} ({others[0][0]:.2f}); furthest is {others[-1][1]} ({others[-1][0]:.2f})."
    )


def _meaning(rows, best):
    """What the best order tells of the paper's mesh."""
    mine = {
        row["threads"]: row["over_paper_predicted"]
        for row in rows
        if row["order"] == best and row["variant"] == "v1"
    }
    said = ", ".join(f"{value:.2f} with {number(count)}" for count, value in mine.items())
    tells = (
        "UPCv1 pays for every single access of its slowest thread to another node, and so tells "
        f"orders apart. With <em>{best}</em> it comes to {said} threads, in terms of the paper's "
        "prediction."
    )
    if not best.startswith("nested"):
        return tells
    return (
        f"{tells} So the paper's cells seem to stand as nested dissection puts them. Orders that keep neighbours close everywhere, as a Hilbert curve and METIS's "
        "parts do, give the slowest thread far too few such accesses; a narrow band, as of reverse "
        "Cuthill-McKee, gives UPCv2 far too few blocks; TetGen's own order gives everything too "
        "many. Nested dissection keeps neighbours close too, but puts the separators last: the "
        "threads that own those have neighbours all over the mesh."
    )
