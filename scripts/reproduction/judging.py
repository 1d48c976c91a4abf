"""What points of predicted and measured times say: accuracy by family, choices, a headline."""
from statistics import median

from .paper import ACCURACY

#: Median of abs(predicted / measured - 1), in per cent, that each kind is to reach.
GOALS = {kind: goal for kind, (_, goal) in ACCURACY.items()}
CHOICE_TOLERANCE = 1.05
CHOICE_GOAL = 0.9
#: Greatest over least of a steady parameter: STEADY_RATIO of support/steady.h.
STEADY_RATIO = 1.25
#: What a choice was: within the tolerance; beyond it, but one of those that tune named as alike is
#: within it, or it warned that the calibration was disturbed; beyond it without a word.
RIGHT, CANNOT_TELL, WRONG = "right", "cannot tell", "wrong"


def miss(point, key="predicted_s"):
    """How far a prediction is off, in per cent; None without one."""
    if point.get(key) is None:
        return None
    return 100 * abs(point[key] / point["measured_s"] - 1)


def spread(points):
    """How far the measurements of a configuration differ, greatest over least of its turns, in per
    cent: the median over the points; None if there was one turn. Predictions cannot be expected to
    be nearer than that."""
    known = [
        100 * (point["measured_max_s"] / point["measured_s"] - 1)
        for point in points
        if point.get("measured_max_s") is not None
    ]
    return median(known) if known else None


def is_quiet(point):
    """Whether the calibrations that its prediction comes from agree among their rounds."""
    return point.get("disturbance") is not None and point["disturbance"] <= STEADY_RATIO


def accuracy(points):
    """Rows of median and worst by family and kind, then over all families."""
    rows = []
    for family in [*dict.fromkeys(point["family"] for point in points), "all"]:
        mine = [point for point in points if family in ("all", point["family"])]
        for kind, goal in GOALS.items():
            same = [point for point in mine if point["kind"] == kind]
            misses = [miss(point) for point in same]
            papers = [
                miss(point, "paper_formula_s")
                for point in same
                if point.get("paper_formula_s") is not None
            ]
            quiet = [miss(point) for point in same if is_quiet(point)]
            if not misses:
                continue
            rows.append(
                {
                    "family": family,
                    "kind": kind,
                    "runs": len(misses),
                    "median_percent": median(misses),
                    "worst_percent": max(misses),
                    "paper_median_percent": median(papers) if papers else None,
                    "measured_spread_percent": spread(same),
                    "quiet_runs": len(quiet),
                    "quiet_median_percent": median(quiet) if quiet else None,
                    "goal_percent": goal,
                    "reached": median(misses) <= goal,
                }
            )
    return rows


def choice(candidates, chosen, alike=(), is_disturbed=False):
    """A row about what tune chose. `candidates`: measured seconds by (variant, BLOCKSIZE);
    `chosen`: one of these; `alike`: those that it could not tell from the fastest; `is_disturbed`:
    it warned that the calibration was disturbed."""
    best = min(candidates, key=candidates.get)
    over = candidates[chosen] / candidates[best]
    limit = CHOICE_TOLERANCE * candidates[best]
    named = [case for case in alike if case in candidates and candidates[case] <= limit]
    return {
        "verdict": RIGHT
        if over <= CHOICE_TOLERANCE
        else CANNOT_TELL
        if named or is_disturbed
        else WRONG,
        "chosen_variant": chosen[0],
        "chosen_blocksize": chosen[1],
        "chosen_s": candidates[chosen],
        "best_variant": best[0],
        "best_blocksize": best[1],
        "best_s": candidates[best],
        "over_best": over,
        "within_5_percent": over <= CHOICE_TOLERANCE,
    }


def headline(points, choices):
    """Sentences that say what is true: goals reached, goals missed, the worst cases."""
    total = [row for row in accuracy(points) if row["family"] == "all"]
    reached = [row for row in total if row["reached"]]
    missed = [row for row in total if not row["reached"]]
    said = []
    for word, rows in (("Reached", reached), ("Missed", missed)):
        if rows:
            said.append(f"{word}: {', '.join(map(_goal, rows))}.")
    if total:
        said.append("Worst: " + "; ".join(_worst(points, row["kind"]) for row in total) + ".")
    if choices:
        counts = {word: 0 for word in (RIGHT, CANNOT_TELL, WRONG)}
        for row in choices:
            counts[verdict_of(row)] += 1
        good = len(choices) - counts[WRONG]
        word = "reached" if good >= CHOICE_GOAL * len(choices) else "missed"
        said.append(
            f"The choice is within 5 % of the best measured in {counts[RIGHT]} of {len(choices)} "
            f"cases; in {counts[CANNOT_TELL]} others tune said that it could not tell; in "
            f"{counts[WRONG]} it was wrong (goal 9 of 10 right or said so: {word})"
            + (f"; worst: {_worst_choice(choices)}." if counts[RIGHT] < len(choices) else ".")
        )
    return said


def _goal(row):
    return f"{row['kind']} {row['median_percent']:.1f} % (goal {row['goal_percent']} %)"


def _worst(points, kind):
    point = max((point for point in points if point["kind"] == kind), key=miss)
    return f"{kind} {miss(point):.0f} % on {point['family']}, {shape_of(point)}"


def verdict_of(row):
    """Of a choice, also of one that was judged before verdicts were kept."""
    return row.get("verdict") or (RIGHT if row["within_5_percent"] else WRONG)


def _worst_choice(choices):
    row = max(choices, key=lambda row: row["over_best"])
    return (
        f"{row['family']}, {shape_of(row)}: {row['chosen_variant']} with BLOCKSIZE "
        f"{row['chosen_blocksize']} takes {100 * (row['over_best'] - 1):.0f} % longer than "
        f"{row['best_variant']} with {row['best_blocksize']}"
    )


def shape_of(row):
    """A job for people."""
    threads = f"{row['threads']} thread{'s' if row['threads'] != 1 else ''}"
    nodes = f"{row['nodes']} node{'s' if row['nodes'] != 1 else ''}"
    return f"{threads} on {nodes}"


def pairs(points):
    """Of two kinds of product, how far the predicted ratio of their times was from the measured
    one, in per cent: the median over runs of the same family, job and BLOCKSIZE. What is wrong in
    both alike, as a machine in its slow state, is no error here."""
    by_run = {}
    for point in points:
        run = tuple(point.get(key) for key in ("family", "threads", "nodes", "blocksize"))
        if point["kind"].startswith("v") and point.get("predicted_s"):
            by_run.setdefault(run, {})[point["kind"]] = point["predicted_s"] / point["measured_s"]
    kinds = sorted({kind for run in by_run.values() for kind in run})
    rows = []
    for i, one in enumerate(kinds):
        for other in kinds[i + 1 :]:
            misses = [
                100 * (max(run[one] / run[other], run[other] / run[one]) - 1)
                for run in by_run.values()
                if one in run and other in run
            ]
            if misses:
                rows.append({"variants": [one, other], "median_percent": median(misses)})
    return rows


def accuracy_file(points, processor, features):
    """What `fathom-model tune --accuracy` reads. `features`: by name, the values of all matrices
    and jobs that were measured."""
    return {
        "format": "fathom-accuracy",
        "version": 1,
        "processor": processor,
        "coverage": {
            name: {"least": min(values), "most": max(values)} for name, values in features.items()
        },
        "variants": {
            row["kind"]: {
                "median_percent": row["median_percent"],
                "worst_percent": row["worst_percent"],
            }
            for row in accuracy(points)
            if row["family"] == "all"
        },
        "pairs": pairs(points),
    }


def page(machines):
    """The machines' verifications side by side, as Markdown. `machines`: by name, what
    verification.json has."""
    text = ["# Predictions and runs", ""]
    for name, machine in sorted(machines.items()):
        points, choices = gathered(machine)
        text += [f"## {name}", "", _about(machine), ""]
        text += [f"- {sentence}" for sentence in headline(points, choices)] + [""]
    text += _side_by_side(machines)
    for name, machine in sorted(machines.items()):
        points, choices = gathered(machine)
        text += _choices(name, choices)
    for name, machine in sorted(machines.items()):
        text += _times(name, machine)
    return "\n".join(text)


def gathered(machine):
    """All points and choices of a machine."""
    families = machine["families"].values()
    return (
        [point for family in families for point in family["points"]],
        [row for family in families for row in family["choices"]],
    )


def _about(machine):
    dates = sorted({family["date"] for family in machine["families"].values()})
    sizes = {family["quick"] for family in machine["families"].values()}
    size = "in small" if sizes == {True} else "in full" if sizes == {False} else "some in small"
    return f"{machine['processor']}, {machine['cores']} cores; {dates[-1]}; matrices {size}."


def _times(name, machine):
    """When each family was last measured: what is not measured again stays, and may have been
    predicted by an earlier version."""
    dates = sorted((family["date"], key) for key, family in machine["families"].items())
    text = [f"## Last measurements on {name}", "", _line(["family", "date"]), _line(["---"] * 2)]
    return text + [_line([key, date]) for date, key in dates] + [""]


def _side_by_side(machines):
    """A row per family and kind; median and worst by machine."""
    names = sorted(machines)
    tables = {
        name: {(row["family"], row["kind"]): row for row in accuracy(gathered(machines[name])[0])}
        for name in names
    }
    keys = list(dict.fromkeys(key for name in names for key in tables[name]))
    head = ["family", "kind", "goal"] + [
        f"{name}: median (worst), runs; spread of the measurements; median where calibrations were "
        "undisturbed, runs"
        for name in names
    ]
    text = ["## Accuracy by family", "", _line(head), _line(["---"] * len(head))]
    for family, kind in keys:
        cells = [family, kind, f"{GOALS[kind]} %"]
        for name in names:
            row = tables[name].get((family, kind))
            cells.append(
                f"{row['median_percent']:.1f} % ({row['worst_percent']:.0f} %), {row['runs']}"
                + _spread_text(row)
                if row
                else "–"
            )
        text.append(_line(cells))
    return text + [""]


def _spread_text(row):
    found = row["measured_spread_percent"]
    text = "" if found is None else f"; {found:.0f} %"
    if row["quiet_runs"] > 0:
        text += f"; {row['quiet_median_percent']:.1f} %, {row['quiet_runs']}"
    return text


def _choices(name, choices):
    if not choices:
        return []
    head = ["family", "job", "chosen", "s", "best", "s", "over best", "verdict"]
    text = [f"## Choices on {name}", "", _line(head), _line(["---"] * len(head))]
    for row in choices:
        text.append(
            _line(
                [
                    row["family"],
                    shape_of(row),
                    f"{row['chosen_variant']}, {row['chosen_blocksize']}",
                    f"{row['chosen_s']:.3g}",
                    f"{row['best_variant']}, {row['best_blocksize']}",
                    f"{row['best_s']:.3g}",
                    f"{100 * (row['over_best'] - 1):+.1f} %",
                    verdict_of(row),
                ]
            )
        )
    return text + [""]


def _line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"
