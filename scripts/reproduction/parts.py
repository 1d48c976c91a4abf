"""What a part of the report is made of. A part is a dictionary that becomes a JSON file:

"part", "title", "date" (UTC), "quick", "machine", "notes": sentences, HTML allowed,
"rows": by name, lists of flat dictionaries, each of which becomes a CSV file,
"headline": sentences for the head of the report,
"grids": tables for people, "plots": pictures (see plots.py).
"""
import html


def escape(value):
    """Text for HTML."""
    return html.escape(str(value), quote=True)


def number(value, digits=3):
    """A number for people: that many significant digits, no exponent; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    if value == 0:
        return "0"
    magnitude = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if magnitude == 0:
        text = f"{value:.{digits}g}"
        return text if "e" not in text else f"{value:.1e}"
    return f"{value:.{max(0, digits - magnitude)}f}"


def ratio(value):
    """A ratio for people."""
    return "–" if value is None else f"{value:.2f}"


def grid(caption, head, rows, stub=1):
    """A table. `head`: rows of (text, columns spanned); `rows`: cells; `stub`: how many columns at
    the left name the row."""
    head = [[cell if isinstance(cell, tuple) else (cell, 1) for cell in line] for line in head]
    return {"caption": caption, "head": head, "rows": rows, "stub": stub}


def predicted(value):
    """The middle of a prediction."""
    return None if value is None else value["predicted"]


def measured_row(case_columns, entry):
    """The columns of a measured case and what fathom-model compare says of it."""
    measured, ours, papers = (
        entry.get(key) for key in ("measured_seconds", "seconds", "paper_seconds")
    )
    return {
        **case_columns,
        "measured_s": measured["median"],
        "measured_min_s": measured["min"],
        "measured_max_s": measured["max"],
        "predicted_s": predicted(ours),
        "predicted_low_s": ours and ours["low"],
        "predicted_high_s": ours and ours["high"],
        "ratio": over(predicted(ours), measured["median"]),
        "paper_formula_s": predicted(papers),
        "paper_formula_ratio": over(predicted(papers), measured["median"]),
    }


def over(value, reference):
    """A ratio, or None where a side of it is missing."""
    return value / reference if value is not None and reference else None
