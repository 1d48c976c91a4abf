#!/usr/bin/python3
"""The documents name what exists: every path of the repository, every function beside its file.

usage: docs.py ROOT

Looked at are words in backquotes, and the words of indented or fenced blocks that begin with a
folder of the repository. In docs/architecture.md a function stands before its file, in a block as
`name  file` on one line, in a sentence as `name` (`file`). Internal names (pgasi_) must stand
somewhere in the sources, and decisions are named by numbers that exist. A decision that another one
changes or replaces in part names it in its status. A listing that is called an example's is the
end of that file. The README installs by hand what scripts/packages installs to build, and names
each folder of results with a verification.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()

# Folders that names count from, beside the document's own.
BASES = """
.
runtime
runtime/src
runtime/include
support/include
meshes
meshes/include
perfmodel
perfmodel/include
apps
apps/common/include
scripts
""".split()

# Files that builds and runs make, and files of other programs.
MADE = {"build", "out"}
SUFFIXES = (".c", ".h", ".md", ".py", ".sh", ".bash", ".cmake", ".supp", ".csv", ".json", ".in")

# Paths that exist nowhere: the reader's programs, places in file formats.
OTHERS = {"file.json", "name.json", "machine.json", "sum.c", "accuracy.json"}


def tracked():
    """The files, without what is built."""
    for path in sorted(ROOT.rglob("*")):
        relative = path.relative_to(ROOT)
        if path.is_file() and relative.parts[0] not in MADE | {".git"}:
            yield relative


FILES = list(tracked())
NAMES = {path.name for path in FILES}
TOP = {path.parts[0] for path in FILES}
SOURCES = {path: (ROOT / path).read_text() for path in FILES if path.suffix in (".c", ".h")}
WORDS = set(re.findall(r"\w+", " ".join(SOURCES.values())))


def resolve(name, document):
    """The files or folders that a document means by `name`."""
    bases = [document.parent.as_posix(), *BASES]
    pattern = name.rstrip("/")
    return [found for base in bases for found in (ROOT / base).glob(pattern)]


def looks_like_path(word):
    """Whether a word in backquotes is meant to be a path of the repository."""
    if not re.fullmatch(r"[\w.+-]+(/[\w.+*-]+)*/?", word) or word in OTHERS:
        return False
    first = word.split("/")[0]
    if first in MADE:
        return False
    return (
        "/" in word
        and (first in TOP or word.endswith(SUFFIXES + ("/",)))
        or (word.endswith(SUFFIXES) and not word.startswith("."))
    )


def lines_of(document):
    """(number, line, whether it is of a block)"""
    fenced = False
    for number, line in enumerate((ROOT / document).read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
            continue
        yield number, line, fenced or line.startswith("    ")


def paths_in(line, is_block):
    if is_block:
        for word in re.findall(r"[\w./+-]+", line):
            if word.split("/")[0] in TOP and "/" in word:
                yield word.rstrip(".,;")
        return
    for span in re.findall(r"`([^`]+)`", line):
        word = span.split()[0] if span.strip() else ""
        if looks_like_path(word) and (word == span or word.split("/")[0] in TOP):
            yield word


def functions_in(line, is_block):
    """(function, file) as docs/architecture.md names them."""
    if is_block:
        match = re.fullmatch(r"\s+(\w+)\s{2,}(\S+\.[ch])", line)
        return [match.groups()] if match else []
    return re.findall(r"`(\w+)` \(`([^`]+\.[ch])`", line)


def check(document, decisions):
    wrong = []
    for number, line, is_block in lines_of(document):
        place = f"{document}:{number}"
        for name in paths_in(line, is_block):
            if "/" not in name.rstrip("/") and not name.endswith("/"):
                exists = name in NAMES
            else:
                exists = bool(resolve(name, document))
            if not exists:
                wrong.append(f"{place}: there is no {name}")
        for function, name in functions_in(line, is_block):
            texts = [SOURCES.get(p.resolve().relative_to(ROOT)) for p in resolve(name, document)]
            if not texts:
                wrong.append(f"{place}: there is no {name}")
            elif not any(text and re.search(rf"\b{function}\b", text) for text in texts):
                wrong.append(f"{place}: {name} has no {function}")
        for name in re.findall(r"\bpgasi_\w+[a-z0-9]\b", line):
            if name not in WORDS:
                wrong.append(f"{place}: no source has {name}")
        for name in re.findall(r"decisions\.md`?, (\d+)", line):
            if int(name) not in decisions:
                wrong.append(f"{place}: docs/decisions.md has no {name}")
    return wrong


def check_listings(document):
    """A block that follows "(`examples/NAME.c`):"."""
    text = (ROOT / document).read_text()
    listings = re.findall(r"\(`(examples/\w+\.c)`\):\n\n```c\n(.*?)```", text, re.DOTALL)
    return [
        f"{document}: its listing of {name} is not what that file has"
        for name, listing in listings
        if not SOURCES.get(pathlib.PurePath(name), "").endswith(listing)
    ]


def check_packages():
    listed = re.search(r"^build=\(([^)]*)\)", (ROOT / "scripts/packages").read_text(), re.MULTILINE)
    by_hand = re.search(
        r"^    apt-get install --no-install-recommends (.*)$",
        (ROOT / "README.md").read_text(),
        re.MULTILINE,
    )
    if listed is None or by_hand is None or listed[1].split() != by_hand[1].split():
        return ["README.md: the packages to build differ from those of scripts/packages"]
    return []


def statuses(text):
    """By number, what stands in italics at the beginning of a decision's paragraphs."""
    parts = re.split(r"^## (\d+)\. ", text, flags=re.MULTILINE)
    return {
        int(number): " ".join(re.findall(r"^\*(\d{4}-.*?)\*", body, re.MULTILINE))
        for number, body in zip(parts[1::2], parts[2::2])
    }


def check_statuses(text):
    """Who reads a decision must see that a later one has changed it."""
    wrong = []
    status_of = statuses(text)
    for number, status in status_of.items():
        if not re.search(r"\b(holds|hold|replaced)\b", status):
            wrong.append(f"docs/decisions.md: the status of {number} says neither holds nor replaced")
        for change in re.findall(r"(?:changes|replaces|in place of) [^;:,.]*", status):
            for changed in map(int, re.findall(r"\b\d+\b(?! [KM]iB)", change)):
                if not re.search(rf"\b{number}\b", status_of.get(changed, "")):
                    wrong.append(f"docs/decisions.md: the status of {changed} lacks {number}")
    return wrong


def check_results():
    """Each processor that was measured is in the README, beside the others."""
    text = (ROOT / "README.md").read_text()
    folders = [path.parent for path in FILES if path.name == "verification.json"]
    return [f"README.md: {folder} is not named" for folder in folders if f"`{folder}`" not in text]


def main():
    text = (ROOT / "docs/decisions.md").read_text()
    decisions = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    wrong = []
    if decisions != list(range(1, len(decisions) + 1)) or not decisions:
        wrong.append("docs/decisions.md: the numbers of decisions do not count from 1")
    documents = [path for path in FILES if path.suffix == ".md" and path.parts[0] != "results"]
    for document in documents:
        wrong += check(document, decisions) + check_listings(document)
    wrong += check_packages()
    wrong += check_statuses(text)
    wrong += check_results()
    for path, source in SOURCES.items():
        for name in re.findall(r"decisions\.md, (\d+)", source):
            if int(name) not in decisions:
                wrong.append(f"{path}: docs/decisions.md has no {name}")
    for line in wrong:
        print(line)
    print(f"{len(documents)} documents, {len(wrong)} wrong names")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
