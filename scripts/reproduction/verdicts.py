"""Which goals of accuracy are reached, in which cases, and how far off the worst case is."""
from .cases import Shape
from .parts import number

GOAL = (
    "Goals for the predictions by the extended formulas, as medians of |predicted / measured − 1| "
    "over jobs with a core for every thread"
)


def percent(value):
    """For people."""
    return "–" if value is None else f"{value:.1f}\u00a0%"


def verdict(row):
    """Of a kind of run: whether its median is within the goal."""
    found = row["extended_percent"]
    return "–" if found is None else "reached" if found <= row["goal_percent"] else "missed"


def headline(rows, points, missing, cells_text):
    """Sentences, of the kinds' rows and of the runs that count for them. `missing`: kinds without
    a run. `cells_text`: names a mesh."""
    unknown = f" No run, and so no verdict, for {', '.join(missing)}." if missing else ""
    worst = [_worst(row, points, cells_text) for row in rows]
    return [
        f"{GOAL}: {_goals(rows)}.{unknown}",
        f"The worst case of each: {'; '.join(worst)}.",
        _cases(points, cells_text),
    ]


def _goals(rows):
    groups = []
    for state in ("reached", "missed"):
        kinds = [
            f"{row['kind']} ({percent(row['extended_percent'])} of {row['goal_percent']}\u00a0%, "
            f"{row['configurations']} runs)"
            for row in rows
            if verdict(row) == state
        ]
        groups.append(f"<strong>{state}</strong> by {', '.join(kinds) or 'none'}")
    return "; ".join(groups)


def _worst(row, points, cells_text):
    mine = [point for point in points if point["kind"] == row["kind"] and point["ratio"]]
    if not mine:
        return f"{row['kind']} none"
    point = max(mine, key=lambda one: abs(one["ratio"] - 1))
    return (
        f"{row['kind']} {percent(100 * abs(point['ratio'] - 1))} "
        f"{'too long' if point['ratio'] > 1 else 'too short'} ({_case(point, cells_text)})"
    )


def _case(point, cells_text):
    shape = str(Shape(point["threads"], point["nodes"]))
    if point["cells"] is None:
        side = number(point["mesh"])
        return f"{side} × {side}, {point['grid_rows']} × {point['grid_cols']}, {shape}"
    return f"{cells_text(point['cells'])}, {shape}, BLOCKSIZE {number(point['blocksize'])}"


def _cases(points, cells_text):
    """What was run."""
    meshes = sorted({point["cells"] for point in points if point["cells"]})
    sides = sorted({point["mesh"] for point in points if point["mesh"]})
    shapes = sorted({Shape(point["threads"], point["nodes"]) for point in points})
    what = []
    if meshes:
        what.append(f"ventricles of {' and '.join(map(cells_text, meshes))}")
    if sides:
        what.append(f"squares of {' and '.join(map(number, sides))} points a side")
    return f"The cases: {', '.join(what)}; {', '.join(map(str, shapes))}."
