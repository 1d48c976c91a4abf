"""The report: one HTML file that needs no other."""
from .parts import escape
from .plots import svg

STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --quiet: #5a5a5a; --ground: #ffffff;
  --line: #d5d5d5; --head: #f1f3f5; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --quiet: #a8a8a8; --ground: #16181b;
  --line: #3b3f45; --head: #23272c; --accent: #6db3f2; } }
body { font: 16px/1.5 system-ui, "Liberation Sans", sans-serif; color: var(--text);
  background: var(--ground); max-width: 66rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.8rem; margin-bottom: .2rem; } h2 { margin-top: 3rem; font-size: 1.35rem; }
p.quiet, .made { color: var(--quiet); font-size: .88rem; } a { color: var(--accent); }
nav ul { columns: 2; padding-left: 1.2rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .18rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { background: var(--head); font-weight: 600; }
thead tr:first-child th[colspan] { text-align: center; }
.stub { text-align: left; }
figure { margin: 1.2rem 0; padding: .8rem; background: #ffffff; color: #1b1b1b;
  border: 1px solid var(--line); border-radius: 6px; }
figure svg { width: 100%; height: auto; display: block; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem; }
.pair figure { margin: 0; }
.headline { background: var(--head); padding: .8rem 1rem .8rem 2rem; border-radius: 6px; }
figcaption { font-weight: 600; font-size: .92rem; margin-bottom: .4rem; }
.small { border-left: 4px solid #e69f00; padding-left: .8rem; }
"""
LEGEND = """
<p><em>Paper</em>: numbers printed in the paper, measured on Abel (two 8-core Xeon E5-2670 and FDR
InfiniBand per node, 16 threads per node). <em>Ours, predicted</em>: Fathom's implementation of the
paper's formulas with the paper's parameters of Abel, with counts from our meshes; nothing was run
on Abel. <em>Measured, this machine</em>: Fathom's programs, run here. Times are seconds for 1000
products or time steps unless a caption says otherwise.</p>
"""


def report(parts, order):
    """The page, from the parts in that order."""
    parts = [parts[name] for name in order if name in parts]
    names = sorted({part["machine"]["name"] for part in parts})
    page = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Fathom: the paper's tables and figures, {escape(', '.join(names))}</title>",
        f"<style>{STYLE}</style></head><body>",
        "<h1>The paper's tables and figures, predicted and measured</h1>",
        _made(parts),
    ]
    page += _headline(parts)
    page += [LEGEND, "<nav><ul>"]
    page += [f'<li><a href="#{part["part"]}">{escape(part["title"])}</a></li>' for part in parts]
    page.append("</ul></nav>")
    for part in parts:
        page += _section(part)
    page.append("</body></html>")
    return "\n".join(page) + "\n"


def _headline(parts):
    """What holds and what not, before everything else."""
    said = [
        f"<li>{sentence}{' In small.' if part['quick'] and part['part'] != 'table5' else ''}</li>"
        for part in parts
        for sentence in part.get("headline", [])
    ]
    return ['<ul class="headline">', *said, "</ul>"] if said else []


def _made(parts):
    lines = []
    for machine in {str(part["machine"]): part["machine"] for part in parts}.values():
        days = sorted({part["date"][:10] for part in parts if part["machine"] == machine})
        lines.append(
            f'<p class="made">Made by scripts/reproduce, Fathom {escape(machine["version"])}, on '
            f'{escape(machine["name"])} ({escape(machine["processor"])}, {machine["cores"]} cores, '
            f'{machine["memory_gb"]} GB; {escape(machine["launcher"])}), {" and ".join(days)}.</p>'
        )
    if any(part["quick"] and part["part"] != "transfers" for part in parts):
        small = [
            part["title"].split(":")[0]
            for part in parts
            if part["quick"] and part["part"] != "transfers"
        ]
        lines.append(
            '<p class="small"><strong>A quick run:</strong> small meshes instead of the paper\'s '
            "sizes, and BLOCKSIZEs to scale. The paper's numbers stand beside ours for the form "
            f"only. This holds for: {escape(', '.join(small))}.</p>"
        )
    return "\n".join(lines)


def _section(part):
    page = [f'<section id="{part["part"]}"><h2>{escape(part["title"])}</h2>']
    page += [f"<p>{note}</p>" for note in part["notes"]]
    pictures = [
        f"<figure><figcaption>{escape(plot['title'])}</figcaption>"
        f"{svg(plot, part['part'] + '-' + str(turn))}</figure>"
        for turn, plot in enumerate(part.get("plots", []))
    ]
    if any(plot["kind"] == "scatter" for plot in part.get("plots", [])):
        pictures = ['<div class="pair">', *pictures, "</div>"]
    page += pictures
    page += [_table(grid) for grid in part.get("grids", [])]
    files = [
        f"{part['part']}{'-' + name if name else ''}.csv"
        for name, rows in part["rows"].items()
        if rows
    ]
    links = ", ".join(f'<a href="{file}">{file}</a>' for file in [*files, f"{part['part']}.json"])
    page += [f'<p class="quiet">Data: {links}</p>', "</section>"]
    return page


def _table(grid):
    head = []
    for line in grid["head"]:
        column, cells = 0, []
        for text, span in line:
            kind = ' class="stub"' if column < grid["stub"] else ""
            width = f' colspan="{span}"' if span > 1 else ""
            cells.append(f"<th{kind}{width}>{escape(text)}</th>")
            column += span
        head.append(f"<tr>{''.join(cells)}</tr>")
    body = []
    for row in grid["rows"]:
        cells = [
            f'<td class="stub">{escape(cell)}</td>'
            if column < grid["stub"]
            else f"<td>{escape(cell)}</td>"
            for column, cell in enumerate(row)
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll"><table><caption>{escape(grid["caption"])}</caption>'
        f"<thead>{''.join(head)}</thead><tbody>{''.join(body)}</tbody></table></div>"
    )
