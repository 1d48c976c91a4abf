#!/usr/bin/python3
"""The headline of the report: which goals are reached and which missed, the worst case of each, and
what has not been run.

usage: verdicts.py SCRIPTS-DIRECTORY
"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from reproduction import paper  # noqa: E402
from reproduction.page import report  # noqa: E402
from reproduction.verdicts import headline  # noqa: E402


def row(kind, found):
    """Of the accuracy table."""
    return {"kind": kind, "configurations": 6, "extended_percent": found}


def point(kind, ratio, threads=2, cells=1000):
    """A run."""
    return {
        "kind": kind,
        "ratio": ratio,
        "threads": threads,
        "nodes": 1,
        "cells": cells,
        "mesh": None if cells else 4000,
        "grid_rows": 1,
        "grid_cols": threads,
        "blocksize": 500,
    }


GOALS = {
    "naive": 15,
    "v1": 10,
    "v2": 7,
    "v3": 7,
    "v4": 7,
    "v5": 7,
    "heat computation": 5,
    "halo": 15,
}
assert {kind: goal for kind, (_, goal) in paper.ACCURACY.items()} == GOALS

rows = [
    {**row(kind, found), "goal_percent": GOALS[kind]}
    for kind, found in (("v1", 10.0), ("v2", 7.1), ("halo", 3.0))
]
points = [
    point("v1", 1.02),
    point("v1", 0.8, threads=1),
    point("v2", 1.5),
    point("halo", 1.03, cells=None),
]
goals, worst, cases = headline(rows, points, ["v4"], lambda cells: f"{cells + 1} cells")
said = goals.replace("\u00a0", " ")
assert "reached</strong> by v1 (10.0 % of 10 %, 6 runs), halo (3.0 %" in said, said
assert "missed</strong> by v2 (7.1 % of 7 %, 6 runs)." in said, said
assert "no verdict, for v4." in said, said
said = worst.replace("\u00a0", " ").replace("\u202f", " ")
assert "v1 20.0 % too short (1001 cells, 1 thread on 1 node, BLOCKSIZE 500)" in said, said
assert "v2 50.0 % too long (1001 cells, 2 threads" in said, said
assert "halo 3.0 % too long (4 000 × 4 000, 1 × 2, 2 threads on 1 node)" in said, said
assert "1001 cells" in cases and "1 thread on 1 node, 2 threads on 1 node" in cases, cases

part = {
    "part": "accuracy",
    "title": "Accuracy",
    "date": "2026-11-21T00:00:00Z",
    "quick": True,
    "machine": dict.fromkeys(
        ("name", "version", "processor", "cores", "memory_gb", "launcher"), "-"
    ),
    "notes": [],
    "rows": {},
    "headline": [goals],
}
page = report({"accuracy": part}, ["accuracy"])
assert page.index(goals) < page.index("<nav>"), "the headline is not at the head"
assert f"{goals} In small." in page, "the headline hides that it is in small"
print("all passed")
