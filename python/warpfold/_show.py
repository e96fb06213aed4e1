"""Objects that a notebook displays: pictures, the steps of a kernel, pages."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._program import output_of, with_commas


class Drawing:
    """An SVG picture; ``str(drawing)`` is its text."""

    def __init__(self, svg: str) -> None:
        self._svg = svg

    def __str__(self) -> str:
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg


class Steps(Drawing):
    """A kernel's work on a few values, step by step. ``str(steps)`` is the text, ``document`` the
    JSON of docs/json.md."""

    def __init__(self, svg: str, text: str, document: dict[str, Any]) -> None:
        super().__init__(svg)
        self._text, self.document = text, document

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text


def steps(
    rung: str,
    values: Iterable[Any] | None = None,
    *,
    op: str | None = None,
    type: str | None = None,
    block: int | None = None,
    exclusive: bool = False,
    theme: str = "auto",
) -> Steps:
    """The work of a rung's threads on a few values, as in `warpfold steps`.

    ``rung`` is a ladder and a name or number: "reduce/sequential", "scan/blelloch", "sort/1".
    ``type`` is i32, or f64 if there is a float among the values, unless given.
    Raises FileNotFoundError without the program, ValueError for refused arguments.
    """
    if not isinstance(rung, str):
        raise TypeError(f"{rung!r} is not a rung; name it by text, as scan/blelloch")
    ladder, _, name = rung.partition("/")
    if not name:
        raise ValueError(f"{rung!r} is not a rung; also name the ladder, as scan/blelloch")
    command = ["steps", ladder, name, *(["--exclusive"] if exclusive else [])]
    if values is not None:
        values = list(values)
        if type is None and any(isinstance(v, float | np.floating) for v in values):
            type = "f64"
        command += ["--values", with_commas(values)]
    for option, value in (("--op", op), ("--type", type), ("--block", block)):
        if value is not None:
            command += [option, str(value)]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "steps.json")
        svg = output_of([*command, "--svg", "-", "--theme", theme, "--json", file])
        document = json.loads(Path(file).read_text())
    return Steps(svg, output_of(command), document)


class Page:
    """A report as an HTML page, embedded in a notebook. ``str(page)`` is its text."""

    def __init__(self, text: str, height: int) -> None:
        self._text, self.height = text, height

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Page of {len(self._text):,} characters; save(path) writes it>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a self-contained file."""
        Path(path).write_text(self._text)

    def _repr_html_(self) -> str:
        return (
            f"<iframe srcdoc='{html.escape(self._text)}' width='100%' height='{self.height}' "
            "style='border:0'></iframe>"
        )


def report(
    *what: Any,
    ladders: Sequence[str] = (),
    n: int | None = None,
    rungs: Sequence[str | int] = (),
    check: bool = False,
    height: int = 600,
) -> Page:
    """The page of runs of kernels, tables of ladders and steps, as `warpfold report` makes it.

    ``what`` are results of the package, or files of JSON. ``ladders`` run now: reduce, scan, sort,
    streams; without either, the ladder of reductions runs. ``height`` is the notebook's, in pixels.
    Raises FileNotFoundError without the program, ValueError for refused arguments.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, one in enumerate(what):
            document = getattr(one, "document", None)
            if document is None:
                files.append(os.fspath(one))
                continue
            files.append(os.path.join(folder, f"{i}.json"))
            Path(files[-1]).write_text(json.dumps(document))
        options = ["--output", "-", *(["--check"] if check else [])]
        if files:
            options += ["--json", *files]
        for option, values in (("--ladder", ladders), ("--rung", rungs)):
            if values:
                options += [option, with_commas(values)]
        if n is not None:
            options += ["--n", str(n)]
        return Page(output_of(["report", *options]), height)
