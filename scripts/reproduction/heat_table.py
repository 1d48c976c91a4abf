"""Table 5: the heat solver."""
from . import paper
from .parts import grid, measured_row, number
from .spmv_tables import MEASURED_HEAD, measured_cells


VALUE_BYTES = 8
SIDES = ((0, -1), (0, 1), (-1, 0), (1, 0))  # rows and columns of the thread grid


def halo_as_printed(side, rows, columns, nodes, machine):
    """Seconds for 1000 steps by formulas (19) to (21), but without the factor 2 in (20) and with
    tau = 0, which come to the paper's printed numbers."""
    private = machine["parameters"]["private_bandwidth"]["median"]
    remote = machine["parameters"]["remote_bandwidth"]["median"]
    threads = rows * columns
    packs, local, sent = [0.0] * nodes, [0.0] * nodes, [0.0] * nodes
    for thread in range(threads):
        node = thread * nodes // threads
        across, near = 0, 0
        for down, right in SIDES:
            row, column = thread // columns + down, thread % columns + right
            if not (0 <= row < rows and 0 <= column < columns):
                continue
            values = side // rows if right else side // columns
            across += values if right else 0
            if (row * columns + column) * nodes // threads == node:
                near += values
            else:
                sent[node] += values * VALUE_BYTES / remote
        pack = across * (VALUE_BYTES + machine["cache_line_bytes"]) / private
        packs[node] = max(packs[node], pack)
        local[node] = max(local[node], near * VALUE_BYTES / private)
    return 1000 * max(2 * packs[node] + local[node] + sent[node] for node in range(nodes))


def table5(context):
    """The formulas alone, and measured here."""
    rows, machine = [], paper.abel()
    for line in paper.table(5):
        shape = context.paper_plan.shape(line["threads"])
        answer = context.abel.heat(line["mesh"], line["grid_rows"], line["grid_cols"], shape)
        halo, compute = (answer[part]["paper_seconds"]["predicted"] for part in ("halo", "compute"))
        bent = halo_as_printed(
            line["mesh"], line["grid_rows"], line["grid_cols"], shape.nodes, machine
        )
        rows.append(
            {
                "mesh": line["mesh"],
                "threads": line["threads"],
                "nodes": shape.nodes,
                "grid_rows": line["grid_rows"],
                "grid_cols": line["grid_cols"],
                "paper_halo_measured_s": line["halo_actual_s"],
                "paper_halo_predicted_s": line["halo_predicted_s"],
                "halo_formulas_s": halo,
                "halo_without_factor_and_tau_s": bent,
                "halo_without_equals_paper": f"{bent:.2f}" == f"{line['halo_predicted_s']:.2f}",
                "paper_comp_measured_s": line["comp_actual_s"],
                "paper_comp_predicted_s": line["comp_predicted_s"],
                "comp_formula_s": compute,
                "comp_equals_paper": f"{compute:.2f}" == f"{line['comp_predicted_s']:.2f}",
            }
        )
    grids = [
        _paper_grid([row for row in rows if row["mesh"] == mesh], mesh)
        for mesh in sorted({row["mesh"] for row in rows})
    ]
    equal = sum(row["comp_equals_paper"] for row in rows)
    ratios = [row["halo_formulas_s"] / row["paper_halo_predicted_s"] for row in rows]
    notes = [
        f"T_comp, formula (22) with W_private = 75000 MiB/s / 16, equals the paper's prediction to "
        f"the printed digit in {equal} of {len(rows)} rows.",
        "T_halo is formulas (19) to (21) taken literally. The paper's numbers do not follow from "
        f"them: ours are {min(ratios):.2f} to {max(ratios):.2f} times the printed ones. Both are "
        f"shown; the formulas were not bent to fit. {_without(rows)}",
    ]
    here = measured(context)
    return {
        "title": "Table 5: the heat equation on a uniform mesh",
        "headline": [
            f"Table 5, predicted for Abel: the computation equals the paper's prediction in {equal} "
            f"of {len(rows)} rows; the halo exchange is {min(ratios):.2f} to {max(ratios):.2f} times "
            "it."
        ],
        "rows": {"": rows, "measured": here},
        "grids": grids + _measured_grids(here),
        "notes": notes,
    }


def _without(rows):
    """What the paper seems to have computed with."""
    square = [row for row in rows if row["grid_rows"] == row["grid_cols"]]
    oblong = [row for row in rows if row not in square]
    equal, others = (
        sum(row["halo_without_equals_paper"] for row in some) for some in (square, oblong)
    )
    return (
        "Without the factor 2 in formula (20) and with τ = 0 they come to the printed number for "
        f"{equal} of the {len(square)} square thread grids, and for {others} of the {len(oblong)} "
        "oblong ones."
    )


def _paper_grid(rows, mesh):
    head = [
        ["", "", ("halo exchange", 3), ("computation", 3)],
        ["threads", "grid"] + ["paper, measured", "paper, predicted", "formulas"] * 2,
    ]
    cells = [
        [
            row["threads"],
            f"{row['grid_rows']} × {row['grid_cols']}",
            f"{row['paper_halo_measured_s']:.2f}",
            f"{row['paper_halo_predicted_s']:.2f}",
            f"{row['halo_formulas_s']:.2f}",
            f"{row['paper_comp_measured_s']:.2f}",
            f"{row['paper_comp_predicted_s']:.2f}",
            f"{row['comp_formula_s']:.2f}",
        ]
        for row in rows
    ]
    return grid(
        f"{number(mesh)} × {number(mesh)} points on Abel: seconds for 1000 steps",
        head,
        cells,
        stub=2,
    )


def measured(context):
    rows = []
    if context.measurements is None:
        return rows
    for case in context.plan.heat():
        entry = context.measurements.results.get(case)
        if entry is None:
            continue
        for part in ("halo", "compute"):
            rows.append(
                measured_row(
                    {
                        "mesh": case.size,
                        "threads": case.shape.threads,
                        "nodes": case.shape.nodes,
                        "grid_rows": case.rows,
                        "grid_cols": case.columns,
                        "part": part,
                    },
                    entry[part],
                )
            )
    return rows


def _measured_grids(rows):
    grids = []
    for part, caption in (("halo", "halo exchange"), ("compute", "computation")):
        mine = [row for row in rows if row["part"] == part]
        if mine:
            lines = [
                [
                    number(row["mesh"]),
                    row["threads"],
                    row["nodes"],
                    f"{row['grid_rows']} × {row['grid_cols']}",
                ]
                + measured_cells(row)
                for row in mine
            ]
            head = [["side", "threads", "nodes", "grid"] + MEASURED_HEAD]
            grids.append(
                grid(f"This machine, {caption}: seconds for 1000 steps", head, lines, stub=4)
            )
    return grids
