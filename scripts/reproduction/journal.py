"""What a run has measured so far, so that an interrupted one can go on."""
import fcntl
import json
import os
import shutil

from .options import Failure, form_of, plain

FOLDER = "unfinished"


class Journal:
    """Finished measurements by name, each on the disk before the next one starts, in OUT/unfinished,
    which is removed with the run's success. Use as a context. Where nothing is measured it does
    nothing."""

    def __init__(self, settings):
        self.out = settings.out
        self.folder = settings.out / FOLDER
        self.resume = settings.resume
        self.active = not (settings.predict_only or settings.report)
        # Measurements made with other settings are not part of this run.
        self.begun = {
            "--quick": settings.quick,
            "--launcher": settings.launcher,
            "--threads": settings.threads,
            "--threads-per-node": settings.threads_per_node if settings.launcher else None,
            "--meshes": str(settings.meshes),
            "--name": settings.name,
        }
        self.values = {}
        self.calibrations = []
        self.discarded = 0  # measurements of a run that this one does not go on with
        self._stream = None

    def __enter__(self):
        if not self.active:
            return self
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._stream = open(self.folder / "journal", "a+", encoding="utf-8", errors="replace")
            self._lock()
            self._read()
        except OSError as error:
            raise Failure(f"--out: '{self.folder}': {error.strerror}") from None
        except BaseException:
            self._stream.close()
            raise
        return self

    def __exit__(self, *_):
        if not self.active:
            return
        if not self.values:
            self.finish()
        self._stream.close()

    def _lock(self):
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"--out: another run is writing to '{self.out}'") from None
        except OSError:
            pass  # a file system without locks

    def _read(self):
        """Takes over what an earlier run has kept, or begins anew."""
        for stale in self.folder.glob("files-*"):
            shutil.rmtree(stale, ignore_errors=True)
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

    def _append(self, entry):
        self._stream.write(json.dumps(entry) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def keep(self, name, value):
        """Keeps a finished measurement."""
        self.values[name] = value
        self._append({"name": name, "value": value})

    def once(self, name, measure):
        """A measurement: the kept one, or by measure()."""
        if name not in self.values:
            self.keep(name, measure())
        return self.values[name]

    def keep_calibration(self, row):
        """Keeps a row of the calibrations' table."""
        self.calibrations.append(row)
        self._append({"calibration": row})

    def seconds(self):
        """How long the runs before this one took, as far as is known."""
        return max((float(row["seconds"]) for row in self.calibrations), default=0)

    def kept(self):
        """What is kept, for the user; nothing is said if nothing is."""
        if not self.values:
            return ""
        return f"{len(self.values)} finished measurements are kept: go on with --resume"

    def finish(self):
        """Removes it all: what was measured is in its files."""
        if not self.active:
            return
        self.values.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.out.rmdir()  # made for this alone
        except OSError:
            pass


class Unkept(Journal):
    """One in memory alone, for those who keep what they measure themselves."""

    def __init__(self):
        self.active = False
        self.values = {}
        self.calibrations = []

    def _append(self, entry):
        pass
