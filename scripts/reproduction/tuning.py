"""Is the BLOCKSIZE that `fathom-model tune` chooses a good one? All of its candidates are run."""
from functools import partial
from statistics import median

from .cases import Shape, SpmvCase
from .parts import grid, number, over, predicted

TOLERANCE = 1.05


def tune(context):
    """Per mesh and job shape: the best variant, and the paper's best, which BLOCKSIZE matters more
    to."""
    rows, points, plots = [], [], []
    cases = [(*case, variant) for case in context.plan.tune() for variant in (None, "v3")]
    for turn, (cells, shape, variant) in enumerate(cases, 1):
        context.programs.say(
            f"trying BLOCKSIZEs, case {turn} of {len(cases)}: {cells} cells, {shape}, "
            f"{variant or 'best variant'}"
        )
        row, mine = _try(context, cells, shape, variant)
        rows.append(row)
        points += mine
    good = sum(row["within_5_percent"] for row in rows)
    lines = [
        [
            number(context.meshes.rows(row["cells"])),
            row["threads"],
            row["nodes"],
            row["variant"],
            number(row["chosen_blocksize"]),
            number(row["chosen_measured_s"], 4),
            number(row["best_blocksize"]),
            number(row["best_measured_s"], 4),
            f"{100 * (row['over_best'] - 1):+.1f} %",
        ]
        for row in rows
    ]
    grids = [
        grid(
            "Seconds for 1000 products",
            [
                ["", "", "", "", ("chosen", 2), ("best measured", 2), ""],
                [
                    "cells",
                    "threads",
                    "nodes",
                    "variant",
                    "BLOCKSIZE",
                    "measured",
                    "BLOCKSIZE",
                    "measured",
                    "chosen over best",
                ],
            ],
            lines,
            stub=4,
        )
    ]
    for row in _extremes(rows):
        mine = [
            point
            for point in points
            if all(point[key] == row[key] for key in ("cells", "threads", "nodes", "asked"))
        ]
        sizes = [point["blocksize"] for point in mine]
        plots.append(
            {
                "kind": "curves",
                "title": f"This machine: {row['variant']}, "
                f"{context.meshes.text(row['cells'])}, {Shape(row['threads'], row['nodes'])}",
                "x_label": "BLOCKSIZE (rows)",
                "y_label": "% above its least",
                "lines": [
                    [kind, sizes, _above_least([point[f"{kind}_s"] for point in mine])]
                    for kind in ("measured", "predicted")
                ],
            }
        )
    return {
        "title": "Choosing BLOCKSIZE",
        "headline": [_headline(rows, good)],
        "rows": {"": rows, "points": points},
        "grids": grids,
        "plots": plots,
        "notes": [
            "In each shape the best of all variants was asked for, and v3.",
            "The pictures show how far above its least each time is, measured and predicted apart, "
            "for the best choice and for the worst.",
            "All candidates were run in turns, forth and back, so that drift of the machine meets "
            "all alike; a candidate's time is the median over the turns.",
        ],
    }


def _headline(rows, good):
    if not rows:
        return "Nothing was tuned: no job of this plan has a BLOCKSIZE to choose."
    worst = max(rows, key=lambda row: row["over_best"])
    state = "reached" if 10 * good >= 9 * len(rows) else "missed"
    return (
        f"Goal for the BLOCKSIZE that <em>fathom-model tune</em> chooses, within 5\u00a0% of the best "
        f"in 9 of 10 cases: <strong>{state}</strong>, {good} of {len(rows)}. The worst choice is "
        f"{100 * (worst['over_best'] - 1):.1f}\u00a0% slower than the best: {worst['variant']}, "
        f"{Shape(worst['threads'], worst['nodes'])}."
    )


def _try(context, cells, shape, variant):
    measurements, programs = context.measurements, context.programs
    name = f"tune, {cells} cells, {shape}, {variant or 'all variants'}"
    machine = measurements.kept_calibration(
        f"{name}: calibration", shape, measurements.spmv_elements(cells, shape)
    )
    answer = programs.model(
        "tune",
        context.meshes.path(cells),
        "--threads",
        shape.threads,
        "--nodes",
        shape.nodes,
        "--machine",
        machine,
        "--blocksizes",
        ",".join(map(str, context.plan.tried_blocksizes(cells, shape))),
        *(["--variant", variant] if variant else []),
    )
    best = answer["best"]
    curve = {
        point["blocksize"]: predicted(point["seconds"])
        for point in answer["points"]
        if point["variant"] == best["variant"]
    }
    sizes = sorted(curve)
    times = {size: [] for size in sizes}
    for turn in range(context.plan.tune_turns):
        for size in sizes if turn % 2 == 0 else reversed(sizes):
            case = SpmvCase(cells, shape, size, best["variant"])
            steps = max(1, min(1000, round(context.plan.seconds / (curve[size] / 1000))))
            times[size].append(
                measurements.journal.once(
                    f"{name}: turn {turn}, {case}",
                    partial(measurements.spmv_seconds, case, steps),
                )
            )
    measured = {size: median(values) for size, values in times.items()}
    fastest = min(measured, key=measured.get)
    chosen = best["blocksize"]
    common = {
        "cells": cells,
        "threads": shape.threads,
        "nodes": shape.nodes,
        "asked": variant or "all",
        "variant": best["variant"],
    }
    row = {
        **common,
        "candidates": len(sizes),
        "chosen_blocksize": chosen,
        "chosen_measured_s": measured[chosen],
        "chosen_predicted_s": curve[chosen],
        "best_blocksize": fastest,
        "best_measured_s": measured[fastest],
        "over_best": over(measured[chosen], measured[fastest]),
        "within_5_percent": measured[chosen] <= TOLERANCE * measured[fastest],
    }
    points = [
        {
            **common,
            "blocksize": size,
            "measured_s": measured[size],
            "measured_min_s": min(times[size]),
            "measured_max_s": max(times[size]),
            "predicted_s": curve[size],
        }
        for size in sizes
    ]
    return row, points


def _above_least(values):
    """In per cent."""
    return [100 * (value / min(values) - 1) for value in values]


def _extremes(rows):
    """For the pictures: the best and the worst choice."""
    rows = sorted(rows, key=lambda row: row["over_best"])
    return rows[:1] + rows[-1:] if len(rows) > 1 else rows
