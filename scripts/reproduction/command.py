"""How a command begins and ends, and what it says meanwhile."""
import os
import signal
import sys

from .options import Failure, plain


def run(program, body, kept=lambda: "", interrupted="nothing of this run was written"):
    """The status of body(), or of what ends it: 1 with one line for a failure, 130 for an
    interruption. kept() is what the line says of work that is not lost; where it says nothing, one
    of an interruption says `interrupted`."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # As Ctrl-C does, except where they are ignored (nohup).
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    _open_closed()
    sys.stdout.reconfigure(errors="backslashreplace")  # names that are not of the language
    try:
        return body()
    except (Failure, OSError) as error:
        said = "; ".join(filter(None, (_reason(error), kept())))
        sys.stderr.write(f"{program}: {said}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write(f"{program}: interrupted; {kept() or interrupted}\n")
        return 130


def _open_closed():
    """What stands for standard streams that are closed: no file gets their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")


def _reason(error):
    if isinstance(error, Failure):
        return str(error)
    name = "" if error.filename is None else f"'{plain(error.filename)}': "
    return f"{name}{error.strerror or error}"


def tell(text):
    """One line on standard output, at once."""
    try:
        print(text, flush=True)
    except OSError as error:
        # What could not be written would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Failure(f"standard output: {error.strerror}") from None
