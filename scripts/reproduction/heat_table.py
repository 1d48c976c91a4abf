"""Table 5: the heat solver."""
from . import paper
from .parts import grid, measured_row, number
from .spmv_tables import MEASURED_HEAD, measured_cells


def table5(context):
    """The formulas alone, and measured here."""
    rows = []
    for line in paper.table(5):
        shape = context.paper_plan.shape(line["threads"])
        answer = context.abel.heat(line["mesh"], line["grid_rows"], line["grid_cols"], shape)
        halo, compute = (answer[part]["paper_seconds"]["predicted"] for part in ("halo", "compute"))
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
        "shown; the formulas were not bent to fit.",
    ]
    here = measured(context)
    return {
        "title": "Table 5: the heat equation on a uniform mesh",
        "rows": {"": rows, "measured": here},
        "grids": grids + _measured_grids(here),
        "notes": notes,
    }


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
