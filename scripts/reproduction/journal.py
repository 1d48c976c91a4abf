"""What a run has measured so far, so that an interrupted one can go on."""
import contextlib
import fcntl
import itertools
import json
import os
import shutil

from .options import Failure, form_of, plain

FOLDER = "unfinished"


class Workspace:
    """OUT/unfinished while a run works: no second run writes to OUT, and programs on other hosts see
    the files in it, unlike those in this host's /tmp. What a killed run has left of them goes with
    the next one; what a Journal keeps stays. Use as a context; where nothing is run it does
    nothing."""

    def __init__(self, out, active=True):
        self.out = out
        self.folder = out / FOLDER
        self.active = active
        self._made = []  # folders that were not there, from the innermost
        self._stream = None

    def __enter__(self):
        if not self.active:
            return self
        try:
            while not self._is_locked():
                self._stream.close()  # the run that has removed it has ended meanwhile
            for stale in self.folder.glob("files-*"):
                shutil.rmtree(stale, ignore_errors=True)
            self._begin()
        except OSError as error:
            raise Failure(f"--out: '{self.folder}': {error.strerror}") from None
        except BaseException:
            self._stream.close()
            raise
        return self

    def __exit__(self, *_):
        if not self.active:
            return
        if self.kept():
            self._stream.close()
        else:
            self.finish()

    def _is_locked(self):
        """Whether what was locked is what others will find there."""
        path = self.folder / "journal"
        inner = (self.folder, *self.folder.parents)
        self._made = list(itertools.takewhile(lambda folder: not folder.exists(), inner))
        self.folder.mkdir(parents=True, exist_ok=True)
        self._stream = open(path, "a+", encoding="utf-8", errors="replace")
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"--out: another run is writing to '{self.out}'") from None
        except OSError:
            pass  # a file system without locks
        try:
            return os.path.samestat(os.fstat(self._stream.fileno()), os.stat(path))
        except FileNotFoundError:
            return False

    def _begin(self):
        """With the lock."""

    def seconds(self):
        """How long the runs before this one took, as far as is known."""
        return 0

    def kept(self):
        """What is kept, for the user; nothing is said if nothing is."""
        return ""

    def finish(self):
        """Removes it all but what a Journal keeps: what was measured is in its files. Others may
        write to OUT from then on."""
        if not self.active:
            return
        if os.fstat(self._stream.fileno()).st_size == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            for folder in self._made:  # for this alone
                with contextlib.suppress(OSError):
                    folder.rmdir()
        self._stream.close()
        self.active = False


class Measured:
    """What has been measured, by name."""

    def __init__(self):
        self.values = {}
        self.calibrations = []

    def keep(self, name, value):
        """Keeps a finished measurement."""
        self.values[name] = value

    def once(self, name, measure):
        """A measurement: the kept one, or by measure()."""
        if name not in self.values:
            self.keep(name, measure())
        return self.values[name]

    def keep_calibration(self, row):
        """Keeps a row of the calibrations' table."""
        self.calibrations.append(row)


class Journal(Workspace, Measured):
    """A workspace with finished measurements, each on the disk before the next one starts; it is
    removed with the run's success."""

    def __init__(self, settings):
        Workspace.__init__(self, settings.out, not (settings.predict_only or settings.report))
        Measured.__init__(self)
        self.resume = settings.resume
        # Measurements made with other settings are not part of this run.
        self.begun = {
            "--quick": settings.quick,
            "--launcher": settings.launcher,
            "--threads": settings.threads,
            "--threads-per-node": settings.threads_per_node if settings.launcher else None,
            "--meshes": str(settings.meshes),
            "--name": settings.name,
        }
        self.programs = None  # that have measured what is kept
        self.discarded = 0  # measurements of a run that this one does not go on with

    def _begin(self):
        """Takes over what an earlier run has kept, or begins anew."""
        self._stream.seek(0)
        entries, end = [], 0
        for line in iter(self._stream.readline, ""):
            try:
                entries.append(json.loads(line))
            except (RecursionError, ValueError):
                break  # cut off in the middle
            end = self._stream.tell()
        if not entries or not self.resume:
            self.discarded = sum(isinstance(entry, dict) and "value" in entry for entry in entries)
            self._stream.truncate(0)
            self._append({"begun": self.begun})
            return
        with form_of(self.folder / "journal"):
            self._check(entries[0].get("begun", {}))
            for entry in entries[1:]:
                if "calibration" in entry:
                    self.calibrations.append(entry["calibration"])
                elif "programs" in entry:
                    self.programs = entry["programs"]
                else:
                    self.values[entry["name"]] = entry["value"]
            self.seconds()
        self._stream.truncate(end)

    def _check(self, begun):
        for option, value in self.begun.items():
            if begun.get(option) != value:
                raise Failure(
                    f"--resume: the run in '{self.folder}' was begun with {option} "
                    f"{plain(begun.get(option))}, this one has {value}"
                )

    def measured_by(self, programs):
        """Before the first measurement: what names the programs."""
        if not self.active or self.programs == programs:
            return
        if self.values or self.calibrations:
            raise Failure(
                f"--resume: the run in '{self.folder}' was begun with other programs than these; "
                "without --resume it begins anew"
            )
        self.programs = programs
        self._append({"programs": programs})

    def _append(self, entry):
        self._stream.write(json.dumps(entry) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def keep(self, name, value):
        super().keep(name, value)
        self._append({"name": name, "value": value})

    def keep_calibration(self, row):
        super().keep_calibration(row)
        self._append({"calibration": row})

    def seconds(self):
        return max((float(row["seconds"]) for row in self.calibrations), default=0)

    def kept(self):
        if not self.values:
            return ""
        return f"{len(self.values)} finished measurements are kept: go on with --resume"

    def finish(self):
        self.values.clear()
        if self.active:
            self._stream.truncate(0)
        super().finish()
