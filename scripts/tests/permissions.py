#!/usr/bin/python3
"""The permissions of files that are written whole: those of the file that is replaced, without an
access list, and of a new one those that the system gives.

usage: permissions.py SCRIPTS-DIRECTORY FATHOM-MESH
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = sys.argv[1], str(pathlib.Path(__file__).parents[2] / "runtime/tests/stats")

from access_list import set_list  # noqa: E402
from reproduction.output import write_all  # noqa: E402

MATRIX = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n"


def write_report(folder):
    write_all(folder, {"file": "text"})


def import_matrix(folder):
    subprocess.run([sys.argv[2], "import", source, folder / "file"], check=True,
                   stdout=subprocess.DEVNULL)


def check(what, writes, folder, mode):
    writes(folder)
    place = folder / "file"
    found = place.stat().st_mode & 0o777
    assert found == mode, f"{writes.__name__}, {what}: {found:o}, not {mode:o}"
    assert len(list(folder.iterdir())) == 1, f"{writes.__name__}, {what}: something is left"
    return place


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    source = work / "matrix.mtx"
    source.write_text(MATRIX)
    os.umask(0o022)
    for number, writes in enumerate((write_report, import_matrix)):
        folder = work / f"plain-{number}"
        folder.mkdir()
        place = check("new", writes, folder, 0o644)
        place.chmod(0o440)
        check("replaced", writes, folder, 0o640)
        if set_list(place, "access", "60444"):
            check("access list", writes, folder, 0o600)
        folder = work / f"listed-{number}"
        folder.mkdir()
        if set_list(folder, "default", "77070"):
            place = check("new by the folder's list", writes, folder, 0o660)
            place.chmod(0o640)
            os.removexattr(place, "system.posix_acl_access")
            place.chmod(0o640)
            place = check("folder's list", writes, folder, 0o640)
            assert "system.posix_acl_access" not in os.listxattr(place), writes.__name__
print("all passed")
