"""CUDA kernels without a GPU: compiled from text, run on NumPy arrays by the CPU machine.

    m = wf.cuda.compile(source)
    run = m.transpose[grid, block, shared](a, b, n)
    run.findings, run.counters, run.lines, run.predicted("h100")

It needs clang, and the program warpfold with simt++ beside it (``./dev install``): the one that the
environment variable ``WARPFOLD`` names, the package's own, or the one on the path. A kernel runs in
a process of its own.
docs/own-kernels.md describes the machine, docs/counters.md the counters.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ._arguments import Arguments
from ._build import Built, CompileError, build
from ._kernels import kernels_of

__all__ = [
    "CompileError",
    "Finding",
    "Kernel",
    "KernelError",
    "Launch",
    "Line",
    "Module",
    "Prediction",
    "Run",
    "compile",
]

Size: TypeAlias = int | Sequence[int]


class Finding(NamedTuple):
    """A mistake in a kernel: a race, an access out of bounds, …"""

    kind: str
    file: str
    line: int
    #: How often.
    times: int
    #: The whole finding, with both places and threads.
    text: str
    #: What mends it.
    mend: str


class Line(NamedTuple):
    """The cost of a source line, in all warps. Requests are loads, stores and atomics."""

    file: str
    line: int
    source: str
    global_requests: int
    sectors: int
    shared_requests: int
    bank_conflicts: int
    warp_steps: int
    active_lanes: float
    #: Of the time predicted for an H100.
    predicted_us: float


class Prediction(NamedTuple):
    """The predicted time of a launch on a device; docs/time.md has the model and its errors."""

    device: str
    us: float
    #: Where the launch waits in the stream already.
    queued_us: float
    limited_by: str
    #: All of it in a sentence.
    text: str


class Run:
    """A launch that has ended.

    ``findings`` are mistakes in the kernel, ``counters`` a dict by the names of
    docs/counters.md, ``lines`` the cost of each line, ``document`` the report as docs/json.md has
    it, ``str(run)`` as text.
    """

    findings: list[Finding]
    counters: dict[str, float]
    lines: list[Line]
    document: dict[str, Any]

    def __init__(self, kernel: str, built: Built, files: dict[str, str]) -> None:
        self._kernel, self._built = kernel, built
        self._text = built.shown(files["report.txt"])
        self._profiles = files["profiles.json"]
        self.document = json.loads(built.shown(files["report.json"]))
        self.findings = [_finding(f) for f in self.document["findings"]]
        launched = self.document["kernels"]
        self.counters = dict(launched[0]["counters"]) if launched else {}
        sources = {s["file"]: s["text"].splitlines() for s in self.document["sources"]}
        self.lines = [_line(n, sources) for n in launched[0]["lines"]] if launched else []

    def predicted(self, device: str = "h100") -> Prediction:
        """Its time on a device: a name of `warpfold devices`, or a device file.

        Raises ValueError for an unknown device, and if there is no time, as for a run that was not
        observed.
        """
        with tempfile.NamedTemporaryFile("w", suffix=".json") as profiles:
            profiles.write(self._profiles)
            profiles.flush()
            told = subprocess.run(
                [self._built.program, "predict", profiles.name, device],
                capture_output=True,
                text=True,
                check=False,
            )
        if told.returncode != 0:
            raise ValueError(told.stderr.strip())
        name, us, queued_us, limited_by, no_ground, text = told.stdout.split("\n", 5)
        if no_ground or not self._profiles.strip("[] \n"):
            raise ValueError(f"there is no predicted time: {no_ground or 'nothing was counted'}")
        return Prediction(name, float(us), float(queued_us), limited_by, text.strip())

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        found = ", ".join(f"{f.kind} at {f.file}:{f.line}" for f in self.findings)
        return f"<Run of {self._kernel}: {found or 'no findings'}>"

    def _repr_html_(self) -> str:
        cell = "<td style='text-align:{}'>{}</td>"
        rows = []
        for line in self.lines:
            code = f"<code style='white-space:pre'>{html.escape(line.source)}</code>"
            cells = [cell.format("right", line.line), cell.format("left", code)]
            numbers: list[Any] = [_number(n) for n in line[3:8]]
            numbers += [f"{line.active_lanes:.1f}", f"{line.predicted_us:.3g}"]
            rows.append("<tr>" + "".join(cells + [cell.format("right", n) for n in numbers]))
        names = ("line", "source", *(n.replace("_", " ") for n in Line._fields[3:]))
        head = "".join(f"<th>{name}</th>" for name in names)
        table = f"<table><tr>{head}</tr>{''.join(rows)}</table>" if rows else ""
        return f"<pre>{html.escape(self._text)}</pre>{table}"


def _number(n: int) -> str:
    return f"{n:,}" if n else ""


def _finding(f: dict[str, Any]) -> Finding:
    here = f.get("here", {})
    return Finding(
        f["kind"], here.get("file", ""), here.get("line", 0), f["count"], f["text"], f["mend"]
    )


def _line(n: dict[str, Any], sources: dict[str, list[str]]) -> Line:
    def total(space: str, what: str) -> int:
        kinds = (n.get(f"{space}_{kind}", {}) for kind in ("load", "store", "atomic"))
        return sum(k.get(what, 0) for k in kinds)

    text = sources.get(n["file"], [])
    return Line(
        n["file"],
        n["line"],
        text[n["line"] - 1] if 0 < n["line"] <= len(text) else "",
        total("global", "requests"),
        total("global", "sectors"),
        total("shared", "requests"),
        total("shared", "conflicts"),
        n.get("warp_steps", 0),
        n.get("active_lanes", 0.0),
        n.get("predicted_us", 0.0),
    )


class KernelError(RuntimeError):
    """A kernel that hung, faulted or failed an assertion. No array has changed.

    ``file`` and ``line`` are its position, if known; ``run`` is the report up to there.
    """

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run
        place = re.search(r"([^\s(:]+\.\w+):(\d+)", message)
        self.file = place[1] if place else None
        self.line = int(place[2]) if place else None


class Module:
    """Compiled kernels: ``module.name``, or ``module["name<float>"]``."""

    def __init__(self, built: Built) -> None:
        self._built = built

    @property
    def kernels(self) -> list[str]:
        """Their names."""
        return list(self._built.kernels)

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._built.kernels:
            there = ", ".join(self._built.kernels) or "none"
            raise AttributeError(
                f"there is no kernel {name!r}; there are: {there}. Name instances of templates "
                'when compiling: compile(source, kernels=["scale<float>"])'
            )
        return Kernel(name, self._built)

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        inner = [k for k in self._built.kernels if k.rpartition("::")[2] == name]
        return self[inner[0] if len(inner) == 1 else name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._built.kernels]


class Kernel:
    """A kernel, launched as ``kernel[grid, block](…)`` or ``kernel[grid, block, shared](…)``.

    Grid and block are one to three numbers; ``shared`` is dynamic shared memory, in bytes.
    """

    def __init__(self, name: str, built: Built) -> None:
        self.name, self._built = name, built

    def __getitem__(self, shape: tuple[Any, ...]) -> Launch:
        if not isinstance(shape, tuple) or len(shape) not in (2, 3):
            raise TypeError(f"{self.name} takes [grid, block] or [grid, block, shared bytes]")
        shared = index(shape[2]) if len(shape) == 3 else 0
        if shared < 0:
            raise ValueError(f"{self.name} can't have {shared} bytes of shared memory")
        return Launch(self, _three(self.name, shape[0]), _three(self.name, shape[1]), shared)

    def __call__(self, *_arguments: Any) -> Run:
        raise TypeError(
            f"{self.name} takes its grid and block first: m.{self.name}[grid, block](…)"
        )

    def __repr__(self) -> str:
        parameters = ", ".join(p["name"] for p in self._built.kernels[self.name])
        return f"<Kernel {self.name}({parameters})>"


def _three(kernel: str, size: Size) -> tuple[int, int, int]:
    sizes = [index(n) for n in size] if isinstance(size, Sequence) else [index(size)]
    if not 1 <= len(sizes) <= 3 or any(not 0 < n < 1 << 31 for n in sizes):
        raise ValueError(f"{kernel} takes one to three positive sizes of grid and block: {size}")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


class Launch(NamedTuple):
    """A kernel with the shape of its launch."""

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int

    def __call__(
        self,
        *arguments: Any,
        observe: bool = True,
        limit: float = 60.0,
        seed: int = 0,
        device: str | None = None,
    ) -> Run:
        """Runs it on arrays, which are copied to the device and back, and on numbers.

        ``observe=False`` is faster, with neither counters nor findings. ``limit`` is in seconds, 0
        for none. ``seed`` is the order of blocks, warps and lanes: 0 ascending, 1 descending,
        others random. ``device`` is the device to be like.

        Raises TypeError and ValueError for arguments and shapes that the kernel does not take,
        KernelError where it hangs, faults or fails an assertion.
        """
        name, built = self.kernel.name, self.kernel._built
        parameters = built.kernels[name]
        if len(arguments) != len(parameters):
            taken = ", ".join(p["name"] for p in parameters)
            raise TypeError(f"{name} takes {len(parameters)} arguments ({taken}): {len(arguments)}")
        if not 0 <= limit < math.inf:
            raise ValueError(f"limit is a number of seconds, or 0 for none: {limit}")
        if not 0 <= index(seed) < 1 << 64:
            raise ValueError(f"seed has 64 bits: {seed}")
        how = [str(int(observe)), str(index(seed)), repr(float(limit))]
        shape = [",".join(map(str, self.grid)), ",".join(map(str, self.block)), str(self.shared)]
        environment = {k: v for k, v in os.environ.items() if k not in _OURS}
        if device is not None:
            environment["SIMT_DEVICE"] = device
        with (
            Arguments(name, parameters, arguments) as passed,
            tempfile.TemporaryDirectory() as folder,
        ):
            words = [*shape, passed.path, folder, *how, *passed.words]
            run = _run(built, name, words, passed.file, environment, limit)
            passed.copy_back()
        return run


_LIMIT = ", the limit: SIMT_LIMIT or run_options::limit_seconds"
#: What would make the process print, or end otherwise.
_OURS = {
    "SIMT_CHECK",
    "SIMT_REPORT",
    "SIMT_ANNOTATIONS",
    "SIMT_SCHEDULES",
    "SIMT_EXIT_CODE",
    "SIMT_NOTES",
    "SIMT_LEAKS",
}


def _run(
    built: Built,
    name: str,
    words: list[str],
    file: int,
    environment: dict[str, str],
    limit: float,
) -> Run:
    folder = Path(words[4])
    try:
        done = subprocess.run(
            [built.program, "run", name, *words],
            env=environment,
            pass_fds=(file,),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=limit + 30 if limit else None,
        )
    except subprocess.TimeoutExpired:
        raise KernelError(f"{name} did not end in {limit + 30:g} seconds") from None
    if done.stdout:
        sys.stdout.write(done.stdout)
    if done.returncode < 0:
        how = signal.Signals(-done.returncode).name
        raise KernelError(f"the process that ran {name} was ended by {how}")
    if not (folder / "profiles.json").exists():
        why = done.stderr.strip().split("\n")[0].removeprefix("simt: ")
        raise ValueError(why or f"{name} could not be launched")
    run = Run(name, built, {f.name: f.read_text() for f in folder.iterdir()})
    if done.returncode == 0:
        return run
    errors = run.document["errors"] or [f.text for f in run.findings]
    message = (errors[0].strip() if errors else f"{name} failed").removeprefix("launch: ")
    message = message.replace(_LIMIT, "; limit= allows more")
    if message.startswith("cudaErrorInvalid"):
        raise ValueError(message.partition(": ")[2])
    if not re.search(r"\.\w+:\d+", message) and run.findings:
        first = run.findings[0]
        message += f" ({first.file}:{first.line})"
    raise KernelError(message, run)


def compile(
    source: str | os.PathLike[str],
    *,
    kernels: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Module:
    """The kernels of CUDA C++ text, or of the file at a path, compiled for the CPU machine.

    A build is stored and used again. ``kernels`` adds instances of templates, as "scale<float>".
    ``options`` are nvcc's, as "-Iinclude".

    Raises CompileError, a SyntaxError, with clang's message and the source's line, ValueError for
    an unknown kernel or option, FileNotFoundError without clang or warpfold.
    """
    if isinstance(kernels, str) or isinstance(options, str):
        raise TypeError('kernels and options are sequences of texts, as ["scale<float>"]')
    file = None if isinstance(source, str) else Path(source).absolute()
    text = source if isinstance(source, str) else Path(source).read_text()
    names = list(dict.fromkeys([*kernels_of(text), *kernels]))
    if not names:
        raise ValueError(
            "the source has no kernel (a __global__ function that is no template); name instances "
            "of templates in kernels=, pass the path of a file as a pathlib.Path"
        )
    for name in names:
        if re.search(r'["\\\n]', name):
            raise ValueError(f"{name!r} can't be launched: it is no name")
    return Module(build(text, file, names, options))
