"""Files of numbers, larger than memory: the commands of the program `warpfold`.

The program is the one that the environment variable ``WARPFOLD`` names, or else ``warpfold`` on the
path; ``./dev install`` installs it. Files are .npy, or raw with ``type=`` i32, i64, u8, u32, u64,
f32 or f64. ``memory`` is the memory that the program may use, as "2GiB". ``progress`` shows its
progress on standard error. docs/files.md describes the commands.

Each function raises FileNotFoundError without the program, ValueError for refused arguments,
OSError for files that it can't read or write, and RuntimeError for all else, with the program's
message.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from ._program import output_of

__all__ = ["reduce", "scan", "sort"]

Path: TypeAlias = str | os.PathLike[str]


def _run(command: str, path: Path, options: Sequence[str], progress: bool) -> str:
    how = "always" if progress else "never"
    return output_of([command, os.fspath(path), "--progress", how, *options], progress)


def _common(type: str | None, memory: str, threads: int) -> list[str]:
    kind = [] if type is None else ["--type", type]
    return [*kind, "--memory", memory, "--threads", str(threads)]


def _output(out: Path, force: bool) -> list[str]:
    return ["--output", os.fspath(out), *(["--force"] if force else [])]


def reduce(
    path: Path,
    op: str = "sum",
    *,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
) -> Any:
    """A file's values reduced: a number, or of op="statistics" a dict.

    ``op`` is one of `warpfold reduce`: sum, mean, min, max, argmin, argmax, product, and, or, xor,
    statistics, exact-sum, exact-mean.
    """
    options = ["--op", op, *_common(type, memory, threads)]
    text = _run("reduce", path, options, progress).strip()
    if op == "statistics":
        fields = (line.rsplit(None, 1) for line in text.splitlines())
        return {name.strip(): _number(value) for name, value in fields}
    return _number(text)


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return float(text)  # nan, inf


def scan(
    path: Path,
    out: Path,
    *,
    exclusive: bool = False,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Writes the prefix sums of a file to ``out``; ``force`` replaces an existing file."""
    flags = ["--exclusive"] if exclusive else []
    options = [*flags, *_output(out, force), *_common(type, memory, threads)]
    _run("scan", path, options, progress)


def sort(
    path: Path,
    out: Path,
    *,
    descending: bool = False,
    values: Path | None = None,
    values_out: Path | None = None,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Writes the sorted values of a file to ``out``; ``force`` replaces an existing file.

    ``values`` is a file with a value for each key, moved along with it to ``values_out``.
    """
    options = ["--descending"] if descending else []
    if (values is None) != (values_out is None):
        raise ValueError("values and values_out go together; pass both")
    if values is not None and values_out is not None:
        options += ["--values", os.fspath(values), "--values-out", os.fspath(values_out)]
    options += [*_output(out, force), *_common(type, memory, threads)]
    _run("sort", path, options, progress)
