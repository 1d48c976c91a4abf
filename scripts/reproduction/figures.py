"""Figures 1 and 2, and the curve over BLOCKSIZE."""
from . import paper
from .parts import number, predicted
from .predicted import variant_of, volumes

PARTS = [("compute", "T_comp"), ("unpack", "T_unpack"), ("pack", "T_pack")]
MEGA = 1e6


def _figure_shape(context):
    """32 threads on two nodes."""
    return context.paper_plan.shape(32)


def figure1(context):
    """Per thread: computation, unpacking and packing of v3."""
    cells = context.paper_plan.cells[0]
    blocksize = context.paper_plan.blocksize(1, 32)
    answer = context.abel.spmv(cells, _figure_shape(context), blocksize, per_thread=True)
    rows = [
        {
            "thread": thread["thread"],
            "node": thread["node"],
            **{
                f"{part}_s": 1000 * thread["paper_seconds_per_iteration"][part] for part, _ in PARTS
            },
        }
        for thread in variant_of(answer, "v3")["threads"]
    ]
    plots = [
        {
            "kind": "bars",
            "title": f"Predicted for Abel: {len(rows)} threads on two nodes, BLOCKSIZE "
            f"{number(blocksize)}, {context.meshes.text(cells)}",
            "x": [row["thread"] for row in rows],
            "x_label": "thread",
            "y_label": "s per 1000 products",
            "panels": [
                {"title": label, "bars": [["predicted, Abel", [row[f"{part}_s"] for row in rows]]]}
                for part, label in PARTS
            ],
        }
    ]
    here = _figure1_here(context)
    if here:
        case = context.plan.figure1()
        plots.append(
            {
                "kind": "bars",
                "title": f"Measured and predicted here: {case.shape}, BLOCKSIZE "
                f"{number(case.blocksize)}, {context.meshes.text(case.cells)}",
                "x": [row["thread"] for row in here],
                "x_label": "thread",
                "y_label": "s per 1000 products",
                "panels": [
                    {
                        "title": label,
                        "bars": [
                            ["measured", [row[f"{part}_measured_s"] for row in here]],
                            ["predicted", [row[f"{part}_predicted_s"] for row in here]],
                        ],
                    }
                    for part, label in PARTS
                ],
            }
        )
    return {
        "title": "Figure 1: computation, unpacking and packing of UPCv3 by thread",
        "rows": {"": rows, "measured": here},
        "plots": plots,
        "notes": [
            "The paper prints no numbers for its Figure 1; there, all three parts lie close to "
            "their predictions. Those for Abel are formulas (7), (12) and (15), which take the last "
            "block as a whole one; those for this machine count its rows."
        ],
    }


def _figure1_here(context):
    entry = context.measurements and context.measurements.results.get(context.plan.figure1())
    if not entry:
        return []
    return [
        {
            "thread": thread["thread"],
            "node": thread["node"],
            **{
                f"{part}_{kind}_s": 1000 * thread[kind][part]
                for part, _ in PARTS
                for kind in ("measured", "predicted")
            },
        }
        for thread in entry["threads"]
    ]


def figure2(context):
    """Per thread: communication volumes."""
    cells, shape = context.paper_plan.cells[0], _figure_shape(context)
    blocksize = context.paper_plan.blocksize(1, 32)
    answer = context.abel.spmv(cells, shape, blocksize, per_thread=True)
    top = {variant: volumes(answer, variant) for variant in ("v1", "v2", "v3")}
    threads = list(range(shape.threads))
    rows = [
        {
            "thread": thread,
            "blocksize": blocksize,
            "variant": variant,
            "volume_bytes": values[thread],
        }
        for variant, values in top.items()
        for thread in threads
    ]
    bottom = {}
    for size in context.paper_plan.figure2_blocksizes():
        bottom[size] = volumes(context.abel.spmv(cells, shape, size, per_thread=True), "v3")
        rows += [
            {
                "thread": thread,
                "blocksize": size,
                "variant": "v3",
                "volume_bytes": bottom[size][thread],
            }
            for thread in threads
            if size != blocksize
        ]
    where = f"{shape.threads} threads on two nodes, {context.meshes.text(cells)}"
    common = {"kind": "bars", "x": threads, "x_label": "thread", "y_label": "MB per product"}
    plots = [
        {
            **common,
            "title": f"UPCv1, UPCv2 and UPCv3: {where}, BLOCKSIZE {number(blocksize)}",
            "panels": [
                {
                    "title": "all three, logarithmic",
                    "log": True,
                    "bars": [
                        [f"UPC{variant}", [value / MEGA for value in values]]
                        for variant, values in top.items()
                    ],
                }
            ],
        },
        {
            **common,
            "title": f"UPCv3 for different BLOCKSIZEs: {where}",
            "panels": [
                {
                    "title": "",
                    "lines": [
                        [f"{number(size)} rows", [value / MEGA for value in values]]
                        for size, values in bottom.items()
                    ],
                }
            ],
        },
    ]
    return {
        "title": "Figure 2: communication volume by thread",
        "rows": {"": rows},
        "plots": plots,
        "notes": [
            "Bytes of x that a thread gets from all others in one product, counted from the "
            "matrix. The paper does not say which BLOCKSIZEs its lower plot has."
        ],
    }


def curve(context):
    """Run time over BLOCKSIZE, predicted for Abel; the part `tune` has measured ones."""
    cells, shape = context.paper_plan.cells[0], _figure_shape(context)
    context.programs.say("predicting for Abel: the curve over BLOCKSIZE")
    answer = context.programs.model(
        "sweep",
        context.meshes.path(cells),
        "--machine",
        paper.ABEL,
        "--threads",
        shape.threads,
        "--nodes",
        shape.nodes,
        "--variant",
        "v3",
    )
    rows = [
        {
            "blocksize": point["blocksize"],
            "variant": point["variant"],
            "predicted_abel_s": predicted(point.get("paper_seconds") or point["seconds"]),
            "largest_rows": point["largest_rows"],
            "volume_bytes": point["volume_bytes"],
            "messages": point["messages"],
        }
        for point in answer["points"]
    ]
    rows.sort(key=lambda row: row["blocksize"])
    plots = [
        {
            "kind": "curves",
            "title": f"UPCv3 predicted for Abel: {shape.threads} threads on two nodes, "
            f"{context.meshes.text(cells)}",
            "x_label": "BLOCKSIZE (rows)",
            "y_label": "s per 1000 products",
            "lines": [
                [
                    "predicted, Abel",
                    [row["blocksize"] for row in rows],
                    [row["predicted_abel_s"] for row in rows],
                ]
            ],
        }
    ]
    return {
        "title": "Run time over BLOCKSIZE",
        "rows": {"": rows},
        "plots": plots,
        "notes": [
            "Large blocks leave some threads with more rows than others; small ones cut the mesh "
            "into many pieces, whose surface must be exchanged."
        ],
    }
