"""The installed programs that parts of the package call: warpfold, and simt++ beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_ERRORS: dict[int, type[Exception]] = {2: ValueError, 4: OSError}


def warpfold() -> str:
    """The program that WARPFOLD names, or that is on the path; FileNotFoundError without it."""
    found = os.environ.get("WARPFOLD") or shutil.which("warpfold")
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
    except FileNotFoundError:
        raise FileNotFoundError(
            "the CPU machine is not installed: it needs clang 14 or newer (Debian: apt install "
            "clang) and the program warpfold with simt++ (./dev install)"
        ) from None
    for place in (beside / "simt++", beside.parent / "simt" / "simt++"):
        if place.is_file():
            return place
    raise FileNotFoundError(f"simt++ is missing next to {beside}/warpfold; install warpfold again")


def output_of(arguments: Sequence[str], progress: bool = False) -> str:
    """What warpfold prints. ValueError where it refuses, OSError for files, else RuntimeError."""
    process = subprocess.run(
        [warpfold(), *arguments],
        stdout=subprocess.PIPE,
        stderr=None if progress else subprocess.PIPE,
        text=True,
        check=False,
    )
    if process.returncode == 0:
        return process.stdout
    command = " ".join(arguments[:2])
    message = (process.stderr or f"warpfold {command} failed; see its message above").strip()
    raise _ERRORS.get(process.returncode, RuntimeError)(message)
