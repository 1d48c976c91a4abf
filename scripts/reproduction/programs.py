"""Running Fathom's programs."""
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .command import tell
from .options import ROOT, Failure

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DIGESTED = ("fathom-model", "fathom-stream", "fathom-spmv", "fathom-heat2d", "fathom-run")
LIMIT_SECONDS = 3600  # no program hangs for ever


class Programs:
    """The built programs, a directory for their files, and a clock. Use as a context."""

    def __init__(self, settings, journal):
        self.bin = (settings.bin or ROOT / "build" / "release" / "bin").absolute()
        self.launcher = settings.launcher
        self.started = time.monotonic() - journal.seconds()
        # Next to the results, where programs on other hosts can see it, unlike this host's /tmp,
        # and where the next run finds and removes what a killed run has left.
        self.parent = journal.folder if journal.active else None
        self.directory = None
        self._files = 0

    def __enter__(self):
        self.directory = Path(self._make_directory())
        return self

    def _make_directory(self):
        try:
            prefix = "files-" if self.parent else "fathom-reproduce-"
            return tempfile.mkdtemp(prefix=prefix, dir=self.parent)
        except OSError as error:
            raise Failure(f"no folder for files: {error.filename}: {error.strerror}") from None

    def __exit__(self, *_):
        shutil.rmtree(self.directory, ignore_errors=True)

    def say(self, text):
        """One line of progress."""
        tell(f"[{self.clock():4.0f} s] {text}")

    def clock(self):
        """Seconds since the start."""
        return time.monotonic() - self.started

    def build(self):
        """Installs what is missing and builds into build/release."""
        self.say("packages")
        if subprocess.call([ROOT / "scripts" / "packages", "build", "reproduce"]) != 0:
            raise Failure("packages are missing")
        self.say("building into build/release")
        for command in (
            ["cmake", "--preset", "release", "-DFATHOM_BENCH=ON"],
            ["cmake", "--build", "--preset", "release"],
        ):
            self._call(command, cwd=ROOT)

    def need(self, *names):
        """Fails if one of the programs, or the launcher, is missing."""
        try:
            words = shlex.split(self.launcher or "")
        except ValueError as error:
            raise Failure(f"--launcher: '{self.launcher}': {error}") from None
        if self.launcher is not None and (not words or shutil.which(words[0]) is None):
            raise Failure(f"--launcher: '{''.join(words[:1])}' is no program that can be started")
        for name in names:
            if not os.access(self.bin / name, os.X_OK):
                raise Failure(f"the program '{self.bin / name}' is missing; --bin names its folder")

    def file(self, name):
        """A new file name in the private directory."""
        self._files += 1
        return self.directory / f"{self._files}-{name}"

    def _call(self, command, **options):
        command = [str(word) for word in command]
        with tempfile.TemporaryFile("w+", dir=self.directory, errors="replace") as output:
            status = self._run(command, stdout=output, **options)
            if status != 0:
                output.seek(0)
                lines = [line.strip() for line in output if line.strip()]
                said = lines[-1] if lines else "it says nothing"
                raise Failure(f"status {status} of '{shlex.join(command)}': {said}")

    def _run(self, command, **options):
        """Runs a program and returns its status. Whoever interrupts this one ends that, too: a
        signal that comes while it is being started waits until there is somebody to end."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
        try:
            # A group of its own, so that the whole job can be ended, whatever the launcher does.
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before),
                **options,
            )
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                return child.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                _end(child)
                raise Failure(f"no end after {LIMIT_SECONDS} s: {shlex.join(command)}") from None
            except BaseException:
                _end(child)
                raise
        except OSError as error:
            raise Failure(
                f"'{command[0]}' cannot be started (--launcher, --bin): {error.strerror}"
            ) from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def mesh(self, *arguments):
        """Runs fathom-mesh."""
        self._call([self.bin / "fathom-mesh", *arguments])

    def predict(self, matrix, machine, shape, blocksize=None, per_thread=False):
        """What `fathom-model predict` says; without a BLOCKSIZE of one block per thread."""
        arguments = ["--threads", shape.threads, "--nodes", shape.nodes]
        if blocksize is not None:
            arguments += ["--blocksize", blocksize]
        if per_thread:
            arguments.append("--per-thread")
        return self.model("predict", matrix, "--machine", machine, *arguments)

    def model(self, *arguments):
        """Runs fathom-model; what it writes as JSON."""
        path = self.file("model.json")
        self._call([self.bin / "fathom-model", *arguments, "--json", path])
        with open(path, encoding="utf-8") as stream:
            answer = json.load(stream)
        path.unlink()
        return answer

    def job(self, shape, program, *arguments):
        """Runs a program with shape.threads threads on shape.nodes nodes."""
        self._call([*self.start(shape), self.bin / program, *arguments])

    def benchmark(self, script, *arguments):
        """Runs a script of bench/."""
        self._call([ROOT / "bench" / script, "--bin", self.bin, *arguments])

    def start(self, shape):
        """What starts a job of that shape."""
        if self.launcher is None:
            return [self.bin / "fathom-run", "-n", shape.threads, "--nodes", shape.nodes, "--"]
        words = shlex.split(self.launcher)
        start = [
            word.replace("{threads}", str(shape.threads)).replace("{nodes}", str(shape.nodes))
            for word in words
        ]
        if not any("{threads}" in word for word in words):
            start += ["-n", shape.threads]
        return start


def digest(folder, launcher=None):
    """Names these very programs and what starts them, in a few letters."""
    found = hashlib.sha256()
    for name in DIGESTED:
        if (folder / name).exists():  # a launcher needs no fathom-run
            found.update((folder / name).read_bytes())
    found.update((launcher or "").encode())
    return found.hexdigest()[:16]


def _end(child):
    """Ends a program and all it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            break
        try:
            child.wait(5)
            break
        except subprocess.TimeoutExpired:
            continue
    child.wait()
