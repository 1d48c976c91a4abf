#!/usr/bin/python3
"""Prints the tables of run-transfers, from what its contestants have written.

usage: transfer_tables.py FOLDER CSV: reads FOLDER/*.json and writes all measurements to CSV
"""
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))

from reproduction.output import as_csv  # noqa: E402
from reproduction.transfers import collect, tables  # noqa: E402


def as_text(table):
    """A table of the report, for a terminal."""
    lines = [[text for text, span in line for text in [text] + [""] * (span - 1)]
             for line in table["head"]]  # fmt: skip
    lines += [[str(cell) for cell in row] for row in table["rows"]]
    widths = [max(len(line[column]) for line in lines[1:]) for column in range(len(lines[-1]))]
    text = ["", table["caption"]]
    for line in lines:
        cells = [
            cell.ljust(width) if column < table["stub"] else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def main():
    folder, csv = map(Path, sys.argv[1:])
    rows = collect(folder)
    csv.write_text(as_csv(rows), encoding="utf-8")
    for table in tables(rows):
        print(as_text(table))


main()
