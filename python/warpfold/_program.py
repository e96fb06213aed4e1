"""The installed programs that parts of the package call: warpfold, and simt++ beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_ERRORS: dict[int, type[Exception]] = {2: ValueError, 4: OSError}
_IN_NOTEBOOK = "ipykernel" in sys.modules


def warpfold() -> str:
    """The program that WARPFOLD names, the package's own, or the one on the path.

    FileNotFoundError without it.
    """
    own = Path(__file__).parent / "programs" / "bin" / "warpfold"
    named = os.environ.get("WARPFOLD")
    if named and not os.path.exists(named):
        raise FileNotFoundError(f"WARPFOLD names {named}, which does not exist")
    found = named or (str(own) if own.exists() else shutil.which("warpfold"))
    if not found:
        raise FileNotFoundError(
            "the program warpfold is not on the path; install it with ./dev install, or name it in "
            "the environment variable WARPFOLD"
        )
    return found


def simt_compiler() -> Path:
    """simt++, installed beside warpfold, or in the same build; FileNotFoundError without it."""
    try:
        beside = Path(warpfold()).resolve().parent
    except FileNotFoundError as error:
        raise FileNotFoundError(
            "the CPU machine is not installed: it needs clang 14 or newer (Debian: apt install "
            f"clang) and the program warpfold with simt++ (./dev install); {error}"
        ) from None
    for place in (beside / "simt++", beside.parent / "simt" / "simt++"):
        if place.is_file():
            return place
    raise FileNotFoundError(f"simt++ is missing next to {beside}/warpfold; install warpfold again")


def with_commas(values: Iterable[Any]) -> str:
    return values if isinstance(values, str) else ",".join(map(str, values))


def output_of(arguments: Sequence[str], progress: bool = False) -> str:
    """What warpfold prints. ValueError where it refuses, OSError for files, else RuntimeError.

    With ``progress``, its progress is shown on standard error.
    """
    messages = ""
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(
            [warpfold(), *arguments], stdout=output, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if progress and not line.startswith("warpfold: "):
                    _show(line)
                else:
                    messages += line
            process.wait()
            if progress and _IN_NOTEBOOK:
                sys.stderr.write("\n")
        except BaseException:  # a signal's handler has raised, as for Ctrl-C
            process.terminate()  # which lets it remove what it has begun
            process.wait()
            raise
        if process.returncode == 0:
            output.seek(0)
            return output.read()
    why = messages.strip() or f"warpfold {' '.join(arguments[:2])} ended by {process.returncode}"
    raise _ERRORS.get(process.returncode, RuntimeError)(why)


def _show(line: str) -> None:
    """In a notebook, a line replaces the one before."""
    sys.stderr.write(f"\r{line.rstrip():<120}" if _IN_NOTEBOOK else line)
    sys.stderr.flush()
