"""Files of numbers, larger than memory: the commands of the program `warpfold`.

    wf.files.sort("big.npy", out="sorted.npy", memory="2GiB", progress=True)
    counts, edges = wf.files.histogram("big.npy", bins=100)

The program is the one that the environment variable ``WARPFOLD`` names, the package's own, or
``warpfold`` on the path; ``./dev install`` installs it. Files are .npy, or raw with ``type=`` i32,
i64, u8, u32, u64, f32 or f64; several paths are read in order, as one file. ``memory`` is the
memory that the program may use, as "2GiB". ``progress`` shows its progress on standard error.
Results that are arrays are returned, or written to a file if ``out`` names it; ``force`` replaces
an existing file. docs/files.md describes the commands.

Each function raises FileNotFoundError without the program, ValueError for refused arguments,
OSError for files that it can't read or write, and RuntimeError for all else, with the program's
message. A signal whose handler raises, such as Ctrl-C's, ends the program; no file is written then.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ._arrays import Array
from ._program import output_of

__all__ = [
    "group",
    "histogram",
    "median",
    "quantiles",
    "reduce",
    "scan",
    "sort",
    "top",
    "unique",
]

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Sequence[Path]


def _words(paths: Paths) -> list[str]:
    if isinstance(paths, str | os.PathLike):
        return [os.fspath(paths)]
    return [os.fspath(p) for p in paths]


def _repeated(option: str, paths: Paths) -> list[str]:
    return [word for path in _words(paths) for word in (option, path)]


def _common(type: str | None, memory: str, threads: int) -> list[str]:
    kind = [] if type is None else ["--type", type]
    return [*kind, "--memory", memory, "--threads", str(threads)]


def _given(**options: Any) -> list[str]:
    """The options that are not None, False or empty; True stands for a flag."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False or value == "":
            continue
        option = "--" + name.replace("_", "-")
        words += [option] if value is True else [option, os.fspath(value)]
    return words


def _run(command: str, words: Sequence[str], progress: bool) -> str:
    how = "always" if progress else "never"
    return output_of([command, *words, "--progress", how], progress)


def _arrays(
    command: str,
    words: Sequence[str],
    outputs: Mapping[str, Path | None],
    progress: bool,
) -> tuple[dict[str, Any], list[Array | None]]:
    """The command's JSON, and the outputs that these options name: those without a path."""
    with tempfile.TemporaryDirectory() as folder:
        own = {option: os.path.join(folder, f"{i}.npy") for i, option in enumerate(outputs)}
        named = [
            word
            for option, path in outputs.items()
            for word in (option, own[option] if path is None else os.fspath(path))
        ]
        document = json.loads(_run(command, [*words, *named, "--json", "-"], progress))
        return document, [
            np.load(own[option]) if path is None else None for option, path in outputs.items()
        ]


def _number(value: Any) -> Any:
    """JSON has text for NaN and infinities."""
    return float(value) if isinstance(value, str) else value


def reduce(
    path: Paths,
    op: str = "sum",
    axis: int | None = None,
    *,
    type: str | None = None,
    out: Path | None = None,
    accumulator: Path | None = None,
    determinism: str = "run_to_run",
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> Any:
    """A file's values reduced: a number, of op="statistics" a dict, along an axis an array.

    ``op`` is one of `warpfold reduce`: sum, mean, min, max, argmin, argmax, product, and, or, xor,
    statistics, exact-sum, exact-mean. ``accumulator`` is a file with an unrounded exact sum, to
    which this one is added.
    """
    words = [*_words(path), *_given(op=op, accumulator=accumulator, determinism=determinism)]
    words += _common(type, memory, threads)
    if axis is not None:
        words += ["--axis", str(axis), *_given(force=force)]
        return _arrays("reduce", words, {"--output": out}, progress)[1][0]
    words += _given(output=out)
    result = json.loads(_run("reduce", [*words, "--json", "-"], progress))["result"]
    numbers = {name: _number(value) for name, value in result.items()}
    return numbers if op == "statistics" else next(iter(numbers.values()))


def scan(
    path: Paths,
    out: Path,
    op: str = "sum",
    *,
    exclusive: bool = False,
    out_type: str | None = None,
    determinism: str = "run_to_run",
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Writes the prefixes of a file's values to ``out``.

    ``op`` is sum, product, min, max, and, or, xor.
    """
    words = [*_words(path), *_given(op=op, exclusive=exclusive, out_type=out_type)]
    words += _given(determinism=determinism, output=out, force=force)
    _run("scan", [*words, *_common(type, memory, threads)], progress)


def sort(
    path: Paths,
    out: Path,
    *,
    descending: bool = False,
    values: Paths | None = None,
    values_out: Path | None = None,
    values_type: str | None = None,
    tmp: Path | None = None,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Writes the sorted values of a file to ``out``.

    ``values`` is a file with a value for each key, moved along with it to ``values_out``. ``tmp``
    is the folder for sorted runs, instead of the output's.
    """
    if (values is None) != (values_out is None):
        raise ValueError("values and values_out go together; pass both")
    words = [*_words(path), *_repeated("--values", () if values is None else values)]
    words += _given(values_out=values_out, values_type=values_type, descending=descending, tmp=tmp)
    words += _given(output=out, force=force)
    _run("sort", [*words, *_common(type, memory, threads)], progress)


def histogram(
    path: Paths,
    bins: int = 10,
    range: tuple[float, float] | None = None,
    *,
    weights: Paths | None = None,
    weights_type: str | None = None,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
) -> tuple[Array, Array]:
    """The counts of the bins, or the sums of their weights, and the edges, as numpy.histogram."""
    words = [*_words(path), "--bins", str(bins)]
    if range is not None:
        words += ["--range", f"{range[0]!r}:{range[1]!r}"]
    words += _repeated("--weights", () if weights is None else weights)
    words += [*_given(weights_type=weights_type), *_common(type, memory, threads)]
    document, (counts,) = _arrays("histogram", words, {"--output": None}, progress)
    assert counts is not None
    low, high = document["range"]
    return counts, np.linspace(low, high, bins + 1)


def quantiles(
    path: Paths,
    q: float | Sequence[float],
    *,
    method: str = "linear",
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
) -> Any:
    """Exact quantiles, in float64: a number, or of several ``q`` an array.

    ``method`` is NumPy's linear, lower, higher, nearest or midpoint.
    """
    shares = np.asarray(q, dtype=np.float64)
    words = [*_words(path), "-q", ",".join(repr(float(s)) for s in shares.ravel())]
    words += [*_given(method=method), *_common(type, memory, threads)]
    _, (values,) = _arrays("quantiles", words, {"--output": None}, progress)
    assert values is not None
    return values.reshape(shares.shape)[()]


def median(
    path: Paths,
    *,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
) -> Any:
    """The exact median."""
    return quantiles(path, 0.5, type=type, memory=memory, threads=threads, progress=progress)


def top(
    path: Paths,
    k: int,
    *,
    smallest: bool = False,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
) -> tuple[Array, Array]:
    """The k largest values in descending order, or the smallest ones in ascending order, and their
    indices."""
    words = [str(k), *_words(path), *_given(smallest=smallest), *_common(type, memory, threads)]
    outputs = {"--output": None, "--indices-out": None}
    values, indices = _arrays("top", words, outputs, progress)[1]
    assert values is not None and indices is not None
    return values, indices


def unique(
    path: Paths,
    out: Path | None = None,
    *,
    counts_out: Path | None = None,
    tmp: Path | None = None,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> tuple[Array | None, Array | None]:
    """The distinct values in sorted order, and how often each occurs.

    They may be as large as the file: ``out`` and ``counts_out`` name files for them, and None
    stands for them in the result.
    """
    words = [*_words(path), *_given(tmp=tmp, force=force), *_common(type, memory, threads)]
    outputs = {"--output": out, "--counts-out": counts_out}
    values, counts = _arrays("unique", words, outputs, progress)[1]
    return values, counts


def group(
    by: Paths,
    values: Paths | None = None,
    aggregates: Sequence[str] = ("count",),
    *,
    exact: bool = False,
    out: Mapping[str, Path] | None = None,
    values_type: str | None = None,
    tmp: Path | None = None,
    type: str | None = None,
    memory: str = "512MiB",
    threads: int = 0,
    progress: bool = False,
    force: bool = False,
) -> dict[str, Array | None]:
    """A table with a row for each distinct key, in sorted order: "key", and the aggregates.

    ``aggregates`` are some of count, sum, min, max, mean, all but the count of the file ``values``.
    ``out`` maps columns to files; None stands for those in the result. ``exact`` rounds sums and
    means of floats once.
    """
    files = dict(out or {})
    known = ("count", "sum", "min", "max", "mean")
    for name in (*aggregates, *(column for column in files if column != "key")):
        if name not in known or name not in aggregates:
            raise ValueError(f"{name!r} is not an aggregate here: {', '.join(known)}")
    words, outputs = _repeated("--by", by), {"--output": files.get("key")}
    for name in aggregates:
        if name == "count":
            words.append("--count")
        elif values is None:
            raise ValueError(f"{name} is an aggregate of values; pass their file")
        else:
            words += _repeated(f"--{name}", values)
        outputs[f"--{name}-out"] = files.get(name)
    words += _given(exact=exact, values_type=values_type, tmp=tmp, force=force)
    columns = _arrays("group", [*words, *_common(type, memory, threads)], outputs, progress)[1]
    return dict(zip(("key", *aggregates), columns, strict=True))
