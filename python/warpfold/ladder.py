"""The ladders: every step of a reduction, a scan, a sort or of streams, run and counted, as the
program `warpfold ladder` does. docs/reduce.md, scan.md, sort.md and streams.md describe them.

    table = wf.ladder.reduce(n=2**16)
    table.to_pandas()
    table.plot("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")

Without a GPU the CPU machine counts, and times are predicted. Each function raises
FileNotFoundError without the program, and ValueError for refused arguments.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from ._program import output_of, with_commas
from ._show import Drawing

__all__ = ["Table", "reduce", "scan", "sort", "streams"]


class Table:
    """One row for each rung, a dict: rung, idea, right, us, measured, limited_by,
    gigabytes_per_second, and the counters by their names. ``document`` is the JSON of
    docs/json.md."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._rows: list[dict[str, Any]] = [
            _row(m) for m in document["measurements"] if "skipped" not in m
        ]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, rung: str | int) -> dict[str, Any]:
        """The row of a rung by its name or number, as "12 sequential", "sequential" or 12."""
        for row in self._rows[::-1]:  # two are numbered 00; the second runs on one core, too
            number, _, name = row["rung"].partition(" ")
            if rung in (row["rung"], name) or rung == int(number):
                return row
        raise KeyError(f"there is no rung {rung!r}; there are {[r['rung'] for r in self._rows]}")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, with the rungs as its index."""
        return import_module("pandas").DataFrame(self._rows).set_index("rung")

    def plot(self, what: str = "us") -> Drawing:
        """A bar chart of a column, a bar for each rung, for a notebook."""
        rows = [(r["rung"], float(r[what])) for r in self._rows if r.get(what) is not None]
        if not rows:
            known = sorted({key for row in self._rows for key in row if key not in _WORDS})
            raise ValueError(f"no rung has {what!r}; there are {', '.join(known)}")
        return _bars(what, rows)

    def __repr__(self) -> str:
        width = max((len(r["rung"]) for r in self._rows), default=0)
        return "\n".join(
            f"{r['rung']:{width}}  {_time(r):>14}  {r['limited_by'] or ''}" for r in self._rows
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("rung", "idea", "µs", "limited by"))
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:{side}'>{html.escape(str(value))}</td>"
                for side, value in (
                    ("left", r["rung"]),
                    ("left", r["idea"]),
                    ("right", _time(r)),
                    ("left", r["limited_by"] or ""),
                )
            )
            + "</tr>"
            for r in self._rows
        )
        picture = self.plot()._repr_svg_() if any(r["us"] is not None for r in self._rows) else ""
        return f"{picture}<table><tr>{head}</tr>{rows}</table>"


_WORDS = ("rung", "idea", "right", "measured", "limited_by")


def _row(m: dict[str, Any]) -> dict[str, Any]:
    measured, predicted = m.get("time"), m.get("predicted", {})
    counters: dict[str, Any] = m["counters"]
    return {
        "rung": m["rung"],
        "idea": m["idea"],
        "right": m["right"],
        "us": measured["median_us"] if measured else predicted.get("median_us"),
        "measured": measured is not None,
        "limited_by": predicted.get("limiter"),
        "gigabytes_per_second": m.get("gigabytes_per_second"),
        **counters,
    }


def _time(row: dict[str, Any]) -> str:
    if row["us"] is None:
        return ""
    return f"{'' if row['measured'] else '~'}{row['us']:,.2f} µs"


def _bars(what: str, rows: list[tuple[str, float]]) -> Drawing:
    """Names on the left, figures on the right of their bars."""
    left, wide, step = 190, 360, 20
    most = max((value for _, value in rows), default=0) or 1
    parts = []
    for i, (name, value) in enumerate(rows):
        y = 30 + i * step
        length = max(1, wide * value / most)
        parts.append(
            f"<text x='{left - 8}' y='{y + 12}' text-anchor='end'>{html.escape(name)}</text>"
            f"<rect x='{left}' y='{y}' width='{length:.1f}' height='{step - 5}' fill='#4c78a8'/>"
            f"<text x='{left + length + 6:.1f}' y='{y + 12}'>{value:,.4g}</text>"
        )
    width, height = left + wide + 110, 36 + len(rows) * step
    return Drawing(
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12' "
        f"fill='currentColor'><text x='{left}' y='18'>{html.escape(what)}</text>{''.join(parts)}"
        "</svg>"
    )


def _ladder(
    name: str,
    n: int | None,
    rungs: Sequence[str | int],
    type: str | None,
    op: str | None,
    block: int | None,
    device: str | None,
    backend: str,
) -> Table:
    options: list[str] = ["--backend", backend]
    if rungs:
        options += ["--rung", with_commas(rungs)]
    for option, value in (
        ("--n", n),
        ("--type", type),
        ("--op", op),
        ("--block", block),
        ("--device", device),
    ):
        if value is not None:
            options += [option, str(value)]
    return Table(json.loads(output_of(["ladder", name, "--json", "-", *options])))


def reduce(
    n: int | None = None,
    *,
    rungs: Sequence[str | int] = (),
    type: str | None = None,
    op: str | None = None,
    block: int | None = None,
    device: str | None = None,
    backend: str = "auto",
) -> Table:
    """The reductions of n values. ``rungs`` are some by number or name; ``type`` is i32, i64, f32
    or f64; ``device`` is the one whose times are predicted; ``backend`` is auto, cuda or simt."""
    return _ladder("reduce", n, rungs, type, op, block, device, backend)


def scan(
    n: int | None = None,
    *,
    rungs: Sequence[str | int] = (),
    type: str | None = None,
    op: str | None = None,
    block: int | None = None,
    device: str | None = None,
    backend: str = "auto",
) -> Table:
    """The prefix scans; otherwise as reduce."""
    return _ladder("scan", n, rungs, type, op, block, device, backend)


def sort(
    n: int | None = None,
    *,
    rungs: Sequence[str | int] = (),
    type: str | None = None,
    block: int | None = None,
    device: str | None = None,
    backend: str = "auto",
) -> Table:
    """The sorts; otherwise as reduce."""
    return _ladder("sort", n, rungs, type, None, block, device, backend)


def streams(
    n: int | None = None, *, rungs: Sequence[str | int] = (), backend: str = "auto"
) -> Table:
    """Overlapping copies and kernels; without a GPU, a schedule."""
    return _ladder("streams", n, rungs, None, None, None, None, backend)
