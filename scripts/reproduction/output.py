"""Parts as files: whole, or not at all."""
import contextlib
import csv
import io
import json
import os
import secrets
import tempfile

from .options import Failure, plain


def write_all(directory, files):
    """Writes files (text by name) into the directory. All are written beside their places before
    the first is renamed."""
    written = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            place = directory / name
            temporary = directory / f".{name}.{secrets.token_hex(8)}"
            is_there = place.exists()
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL,
                             0o600 if is_there else 0o666)
            written.append((temporary, place))
            with open(number, "w", encoding="utf-8", errors="replace", newline="") as stream:
                stream.write(text)
            if is_there:
                keep_permissions(temporary, place)
        while written:
            os.replace(*written[-1])
            written.pop()
    except OSError as error:
        raise Failure(f"--out: '{directory}': {error.strerror}") from None
    finally:
        for temporary, _ in written:
            os.unlink(temporary)


ACCESS_LIST = "system.posix_acl_access"


def keep_permissions(temporary, place):
    """Those of the file that is there. The owner may write it; where the group is another one,
    others were of the old one, and the new one's members were others. An access list's group bits
    are what it allows at most, and whom it forbids would be others without it; the directory may
    give a new file a list."""
    there = place.stat()
    mode = there.st_mode & 0o777 | 0o600
    with contextlib.suppress(OSError):
        if ACCESS_LIST in os.listxattr(place):
            mode &= ~0o077
    with contextlib.suppress(OSError):
        os.removexattr(temporary, ACCESS_LIST)
    try:
        os.chown(temporary, -1, there.st_gid)
    except OSError:
        of_all = mode >> 3 & mode & 0o7
        mode = mode & 0o700 | of_all << 3 | of_all
    os.chmod(temporary, mode)


def require_writable(directory):
    """Before anything is measured."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise Failure(f"--out: '{directory}': {error.strerror}") from None


def part_files(part):
    """The JSON file of a part and its CSV files."""
    files = {f"{part['part']}.json": json.dumps(part, indent=1, ensure_ascii=False) + "\n"}
    for name, rows in part["rows"].items():
        if rows:
            files[f"{part['part']}{'-' + name if name else ''}.csv"] = as_csv(rows)
    return files


def _cell(value):
    return plain(value) if isinstance(value, str) else value


def as_csv(rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {
                name: f"{value:.6g}" if isinstance(value, float) else _cell(value)
                for name, value in row.items()
            }
        )
    return text.getvalue()


def read_json(file):
    """What the file holds; None if there is none."""
    try:
        with open(file, encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return None
    except (OSError, RecursionError, ValueError) as error:
        raise Failure(f"'{file}' cannot be read: {plain(error)}") from None


def read_parts(directory, names):
    """The parts that the directory has."""
    parts = {}
    for name in names:
        if not os.path.lexists(directory / f"{name}.json"):
            continue
        parts[name] = read_json(directory / f"{name}.json")
        if not isinstance(parts[name], dict) or parts[name].get("part") != name:
            raise Failure(f"'{directory / name}.json' is no part '{name}' of this program's")
    return parts
