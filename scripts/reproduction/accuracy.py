"""How far predictions are from run times, beside the paper's own."""
import os
from statistics import median

from . import paper
from .heat_table import measured as measured_heat
from .misses import parts_grid, parts_of_products
from .parts import grid
from .spmv_tables import measured as measured_spmv
from .verdicts import headline, percent, verdict

CROWDED = (
    "The goals are for threads that have a core each. Where several share one, a thread waits for "
    "its turn, some milliseconds, whenever another has to answer; no formula has a term for that."
)

LEAST = 6  # configurations that a median should have


def accuracy(context):
    """Medians of |predicted / measured - 1| over all configurations."""
    wanted = _cases(context.plan)
    runs = [{"kind": row["variant"], **row} for row in measured_spmv(context, lambda: wanted)]
    for row in measured_heat(context):
        runs.append({"kind": "halo" if row["part"] == "halo" else "heat computation", **row})
    # A single thread has no halo to exchange.
    points = [_point(run) for run in runs if run["kind"] != "halo" or run["threads"] > 1]
    cores = None if context.plan.on_cluster else len(os.sched_getaffinity(0))
    roomy = [point for point in points if cores is None or point["threads"] <= cores]
    rows = _summaries(roomy)
    crowded = _summaries([point for point in points if point not in roomy])
    plots = [
        {
            "kind": "scatter",
            "title": title,
            "key": key,
            "groups": [
                [
                    row["kind"],
                    [
                        (point["measured_s"], point[key])
                        for point in points
                        if point in roomy and point["kind"] == row["kind"] and point[key]
                    ],
                    row[median_key],
                ]
                for row in rows
                if row[median_key] is not None
            ],
        }
        for title, key, median_key in (
            ("The paper's formulas", "paper_formula_s", "paper_formulas_percent"),
            ("Extended formulas", "predicted_s", "extended_percent"),
        )
    ]
    cases = [
        case
        for case in wanted
        if case in context.measurements.results and (cores is None or case.shape.threads <= cores)
    ]
    parts = parts_of_products([context.measurements.results[case] for case in cases])
    return {
        "title": "Accuracy of the predictions on this machine",
        "headline": headline(
            rows,
            roomy,
            [kind for kind in paper.ACCURACY if kind not in {row["kind"] for row in rows}],
            context.meshes.text,
        ),
        "rows": {"": rows, "crowded": crowded, "points": points, "parts": parts},
        "plots": plots,
        "grids": [_grid("Median of |predicted / measured − 1| over the configurations", rows)]
        + (
            [_grid("The same for jobs with more threads than cores, which take turns", crowded)]
            if crowded
            else []
        )
        + ([parts_grid(parts)] if parts else []),
        "notes": _notes(rows, parts, context.plan.quick) + ([CROWDED] if crowded else []),
    }


def _cases(plan):
    """Of products: all variants."""
    return plan.spmv() + plan.beyond()


def _point(run):
    keys = (
        "kind",
        "cells",
        "mesh",
        "threads",
        "nodes",
        "blocksize",
        "grid_rows",
        "grid_cols",
        "measured_s",
        "paper_formula_s",
        "predicted_s",
        "paper_formula_ratio",
        "ratio",
    )
    return {key: run.get(key) for key in keys}


def _summaries(points):
    rows = [
        _summary(kind, [point for point in points if point["kind"] == kind])
        for kind in paper.ACCURACY
    ]
    return [row for row in rows if row["configurations"]]


def _summary(kind, points):
    theirs, goal = paper.ACCURACY[kind]

    def miss(key, choose):
        misses = [100 * abs(point[key] - 1) for point in points if point[key] is not None]
        return choose(misses) if misses else None

    return {
        "kind": kind,
        "configurations": len(points),
        "paper_percent": theirs,
        "goal_percent": goal,
        "paper_formulas_percent": miss("paper_formula_ratio", median),
        "paper_formulas_worst_percent": miss("paper_formula_ratio", max),
        "extended_percent": miss("ratio", median),
        "extended_worst_percent": miss("ratio", max),
    }


def _grid(caption, rows):
    head = [
        [
            "",
            "",
            ("the paper on Abel", 1),
            ("paper's formulas, here", 2),
            ("extended, here", 2),
            ("", 2),
        ],
        ["", "configurations", "median", "median", "worst", "median", "worst", "goal", ""],
    ]
    cells = [
        [row["kind"], row["configurations"], _whole(row["paper_percent"])]
        + [
            percent(row[key])
            for key in (
                "paper_formulas_percent",
                "paper_formulas_worst_percent",
                "extended_percent",
                "extended_worst_percent",
            )
        ]
        + [_whole(row["goal_percent"]), verdict(row)]
        for row in rows
    ]
    return grid(caption, head, cells)


def _whole(value):
    return "–" if value is None else f"{value} %"


def _worst_parts(rows, parts):
    """Per missed variant the part with the largest deviation."""
    said = []
    for row in rows:
        mine = [part for part in parts if part["variant"] == row["kind"]]
        if mine and verdict(row) == "missed":
            part = max(mine, key=lambda one: abs(one["deviation_percent"]))
            kind = "too long" if part["deviation_percent"] > 0 else "too short"
            said.append(
                f"{row['kind']}, {part['part']}, predicted {kind} by "
                f"{abs(part['deviation_percent']):.0f}\u00a0% of the run time"
            )
    return "; ".join(said)


def _notes(rows, parts, quick):
    notes = []
    worst = _worst_parts(rows, parts)
    if worst:
        notes.append(
            f"Where the products miss most: {worst}. The second table has all parts; "
            "<em>barrier</em> is waiting for slower threads too, on a shared machine for those "
            "that were interrupted."
        )
    few = [row["kind"] for row in rows if row["configurations"] < LEAST]
    if few:
        notes.append(f"Fewer than {LEAST} configurations: {', '.join(few)}.")
    if quick:
        notes.append(
            "In small, matrices and fields lie in the last cache for a good part, where they are "
            "faster than the memory bandwidth that the formulas reckon with."
        )
    notes.append(
        "Each run stands between two calibrations in the same job shape, and is predicted with "
        "both. No parameter was fitted to the runs that are predicted."
    )
    return notes
