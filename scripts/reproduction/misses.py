"""Which part of a product is predicted too long or too short."""
from statistics import fmean, median

from .parts import grid, over, ratio

PARTS = ("pack", "put", "copy", "unpack", "compute", "barrier")


def parts_of_products(results):
    """Rows of how parts were measured and predicted, over all cases of a variant. `results`: what
    fathom-model compare says, by case."""
    rows = []
    for variant in ("v1", "v2", "v3"):
        entries = [entry for entry in results if entry["variant"] == variant]
        for part in PARTS:
            shares = [_shares(entry, part) for entry in entries]
            if not shares or max(max(pair) for pair in shares) < 0.5:
                continue
            rows.append(
                {
                    "variant": variant,
                    "part": part,
                    "runs": len(shares),
                    "measured_percent": median(measured for measured, _ in shares),
                    "predicted_percent": median(predicted for _, predicted in shares),
                    "deviation_percent": median(
                        predicted - measured for measured, predicted in shares
                    ),
                    "ratio": _median_ratio(shares),
                }
            )
    return rows


def _shares(entry, part):
    """Measured and predicted, means over the threads, in per cent of the measured run time."""
    total = entry["measured_seconds"]["median"] / 1000
    return tuple(
        100 * fmean(thread[kind].get(part, 0) for thread in entry["threads"]) / total
        for kind in ("measured", "predicted")
    )


def _median_ratio(shares):
    ratios = [over(predicted, measured) for measured, predicted in shares]
    ratios = [value for value in ratios if value is not None]
    return median(ratios) if ratios else None


def parts_grid(rows):
    """The rows for people."""
    cells = [
        [
            f"UPC{row['variant']}",
            row["part"],
            row["runs"],
            f"{row['measured_percent']:.1f} %",
            f"{row['predicted_percent']:.1f} %",
            f"{row['deviation_percent']:+.1f} %".replace("-", "−"),
            ratio(row["ratio"]),
        ]
        for row in rows
    ]
    return grid(
        "Parts of a product, extended formulas: means over the threads in per cent of the measured "
        "run time, medians over the runs",
        [["variant", "part", "runs", "measured", "predicted", "difference", "ratio"]],
        cells,
        stub=2,
    )
