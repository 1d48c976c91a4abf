"""How this machine's parameters drifted while it was measured."""
from statistics import median

from .cases import Shape
from .parts import grid, number

UNITS = {
    "private_bandwidth": ("GB/s per thread", 1e-9),
    "remote_bandwidth": ("GB/s per node", 1e-9),
    "remote_latency": ("µs", 1e6),
}


def calibrations(context):
    """All calibrations, in the order of time."""
    rows = context.measurements.calibrations
    plots, lines = [], []
    for name, (unit, factor) in UNITS.items():
        series = {}
        for row in rows:
            if row.get(name) is not None:
                label = str(Shape(row["threads"], row["nodes"]))
                series.setdefault(label, ([], []))
                series[label][0].append(row["seconds"] / 60)
                series[label][1].append(row[name] * factor)
        if not series:
            continue
        plots.append(
            {
                "kind": "points",
                "title": name.replace("_", " "),
                "x_label": "minutes",
                "y_label": unit,
                "lines": [[label, *values] for label, values in series.items()],
            }
        )
        for label, (_, values) in series.items():
            middle = median(values)
            lines.append(
                [
                    name,
                    label,
                    len(values),
                    number(min(values)),
                    number(middle),
                    number(max(values)),
                    unit,
                ]
            )
    return {
        "title": "Calibrations",
        "rows": {"": rows},
        "plots": plots,
        "notes": [
            "Hardware parameters as fathom-stream calibrate measured them, before and after runs."
        ],
        "grids": [
            grid(
                "Parameters of this machine",
                [
                    [
                        "parameter",
                        "job",
                        "calibrations",
                        "least",
                        "median",
                        "greatest",
                        "unit",
                    ]
                ],
                lines,
                stub=2,
            )
        ],
    }
