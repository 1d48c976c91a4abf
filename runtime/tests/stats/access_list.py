#!/usr/bin/python3
"""Sets the access list of a file or a folder, or the one that new files of a folder get.

usage: access_list.py PATH access|default PERMISSIONS

The permissions are a digit each: of the owner, the user 1234, the group, the most that these two may,
and others. Exit status 1 where there are no such lists.
"""
import os
import struct
import sys

WHO = ((1, -1), (2, 1234), (4, -1), (16, -1), (32, -1))


def set_list(path, kind, permissions):
    """False where there are none."""
    entries = b"".join(struct.pack("<HHi", tag, int(may), user)
                       for (tag, user), may in zip(WHO, permissions))
    try:
        os.setxattr(path, "system.posix_acl_" + kind, struct.pack("<I", 2) + entries)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(not set_list(*sys.argv[1:4]))
