"""Pictures as SVG. A plot is a dictionary:

kind "bars": "x", "x_label", "y_label", "panels": [{"title", "log", "bars" or "lines": [[label,
values]]}]; kind "curves" (logarithmic x; y too with "log") and "points": "x_label", "y_label",
"lines": [[label, x, y]]; kind "scatter": predicted over measured, "groups": [[label, [(measured, predicted)], median
deviation in per cent]]. All have "title".
"""
import io
import re
import sys

from .options import Failure

COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#333333"]
MARKERS = "osD^vP*"


def load():
    """matplotlib, which only pictures need."""
    try:
        import matplotlib
    except ImportError:
        raise Failure(
            f"{sys.executable} has no matplotlib; 'scripts/packages reproduce' installs it"
        ) from None
    return matplotlib


def svg(plot, name):
    """The plot as SVG for a page; `name` keeps its inner names apart from other plots'."""
    matplotlib = load()
    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": name,
            "font.family": "sans-serif",
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.grid": True,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.6,
            "axes.axisbelow": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
        }
    )
    from matplotlib import pyplot

    figure = {"bars": _bars, "curves": _curves, "points": _points, "scatter": _scatter}[
        plot["kind"]
    ](pyplot, plot)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return _for_page(text.getvalue(), name)


def _for_page(text, name):
    """Without what only a file needs; with names that no other plot of the page has."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r' id="([^"]+)"', rf' id="{name}-\1"', text)
    return re.sub(r'(xlink:href="|url\()#', rf"\1#{name}-", text)


def _bars(pyplot, plot):
    panels = plot["panels"]
    figure, axes = pyplot.subplots(
        len(panels),
        1,
        sharex=True,
        squeeze=False,
        layout="constrained",
        figsize=(9, 1.2 + 1.7 * len(panels) + (1.4 if len(panels) == 1 else 0)),
    )
    places = range(len(plot["x"]))
    for panel, axis in zip(panels, axes[:, 0]):
        series = panel.get("bars", [])
        width = 0.8 / max(1, len(series))
        for turn, (label, values) in enumerate(series):
            shift = (turn - (len(series) - 1) / 2) * width
            axis.bar([place + shift for place in places], values, width, label=label)
        for turn, (label, values) in enumerate(panel.get("lines", [])):
            axis.plot(
                places, values, marker=MARKERS[turn % len(MARKERS)], markersize=4, label=label
            )
        if panel.get("log"):
            axis.set_yscale("log")
            shown = series + panel.get("lines", [])
            axis.set_ylim(bottom=min(v for _, values in shown for v in values if v) / 2)
        else:
            axis.set_ylim(bottom=0)
        axis.set_title(panel["title"], loc="left")
        axis.set_ylabel(plot["y_label"])
        axis.grid(False, axis="x")
    axes[-1, 0].set_xlabel(plot["x_label"])
    step = max(1, len(plot["x"]) // 16)
    axes[-1, 0].set_xticks(list(places)[::step], [str(x) for x in plot["x"]][::step])
    _legend(axes[0, 0])
    return figure


def _legend(axis):
    """Above the axes, on the right."""
    count = len(axis.get_legend_handles_labels()[1])
    axis.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=count if count <= 5 else 3,
        frameon=False,
        borderaxespad=0.2,
        columnspacing=1.2,
        handlelength=1.4,
    )


def _lines(pyplot, plot, style):
    figure, axis = pyplot.subplots(figsize=(9, 3.8), layout="constrained")
    for turn, (label, x, y) in enumerate(plot["lines"]):
        axis.plot(x, y, style, marker=MARKERS[turn % len(MARKERS)], markersize=5, label=label)
    axis.set_xlabel(plot["x_label"])
    axis.set_ylabel(plot["y_label"])
    if plot.get("log"):
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        axis.set_ylim(bottom=0)
    _legend(axis)
    return figure, axis


def _curves(pyplot, plot):
    figure, axis = _lines(pyplot, plot, "-")
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace(",", "\u202f"))
    return figure


def _points(pyplot, plot):
    return _lines(pyplot, plot, "")[0]


def _scatter(pyplot, plot):
    figure, axis = pyplot.subplots(figsize=(5.6, 5.4), layout="constrained")
    everything = [
        value for _, points, _ in plot["groups"] for point in points for value in point if value > 0
    ]
    if everything:
        ends = [min(everything) / 1.5, max(everything) * 1.5]
        axis.plot(ends, ends, color="#888888", linewidth=1, zorder=0)
        axis.set_xlim(ends)
        axis.set_ylim(ends)
    for turn, (label, points, deviation) in enumerate(plot["groups"]):
        text = label if deviation is None else f"{label}: median {deviation:.1f} % off"
        axis.scatter(
            [x for x, _ in points],
            [y for _, y in points],
            s=26,
            alpha=0.8,
            marker=MARKERS[turn % len(MARKERS)],
            label=text,
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_aspect("equal")
    axis.set_xlabel("measured (s per 1000 products or steps)")
    axis.set_ylabel("predicted (s)")
    axis.legend(loc="upper left", frameon=False, fontsize=9, handletextpad=0.2)
    return figure
