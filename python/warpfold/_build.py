"""Kernels, compiled for the CPU machine into a program, once for each source."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ._program import simt_compiler

_HERE = Path(__file__).parent
_KEPT = 64  # builds
#: Next to simt++ in a build, or where they are installed.
_MACHINE = (
    "simt++",
    "*.a",
    "*.so",
    "../lib*/libwarpfold_simt.a",
    "../libexec/simt-*.so",
    "../libexec/warpfold-source-step",
)
_ERROR = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:(?P<column>\d+): (?:fatal )?error:)? "
    r"(?P<text>(?(column).*|undefined reference .*))$",
    re.M,
)
_OPTION = re.compile(r"^(?:clang[^\s:]*|simt\+\+): (?:error: )?(.*\b(?:option|argument).*)$", re.M)


class CompileError(SyntaxError):
    """A source does not compile: clang's first error at its line; ``output`` has all of them."""

    output = ""


class Built(NamedTuple):
    """A program, and of each kernel its parameters."""

    program: str
    folder: Path
    kernels: dict[str, list[dict[str, Any]]]

    def shown(self, text: str) -> str:
        """Text with the file of a source given as text under its own name alone."""
        return text.replace(f"{self.folder}/", "")


def _cache() -> Path:
    named = os.environ.get("SIMT_CACHE")
    if named:
        return Path(named) / "python"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warpfold" / "python"


def _stamp(file: Path) -> str:
    about = file.stat()
    return f"{file}:{about.st_mtime_ns}:{about.st_size}"


def _stands(folder: Path) -> bool:
    """Whether the folder has a finished build, of files that are still the same."""
    try:
        record = json.loads((folder / "read.json").read_text())
        return all(_stamp(Path(name.split(":")[0])) == name for name in record)
    except (OSError, ValueError):
        return False


def _compile(compiler: Path, arguments: Sequence[str], folder: Path) -> None:
    done = subprocess.run(
        [str(compiler), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return
    output = (done.stderr + done.stdout).replace(f"{folder}/", "")
    first = _ERROR.search(output)
    if first is None:
        if "clang" in output and ("not found" in output or "No such file" in output):
            raise FileNotFoundError(
                "there is no clang, which compiles kernels; install clang 14 or newer (Debian: apt "
                f"install clang): {output.strip().splitlines()[0]}"
            )
        option = _OPTION.search(output)
        if option is not None:
            raise ValueError(f"options=: {option[1]}")
        raise RuntimeError(f"simt++ failed: {output.strip()}")
    file, line = first["file"], int(first["line"])
    try:
        text = (folder / file).read_text().splitlines()[line - 1]
    except (OSError, IndexError):
        text = None
    error = CompileError(first["text"], (file, line, int(first["column"] or 1), text))
    error.output = output
    raise error


_LINES_BEFORE_NAMES = 4  # in _main


def _main(source: Path, names: Sequence[str]) -> str:
    entries = "".join(f'\n      warpfold_kernels::entry("{n}", {n}),' for n in names)
    return f"""#include "{source}"
#include "run_kernel.hpp"
int main(int argc, char** argv) {{
  return warpfold_kernels::main_of(argc, argv, {{{entries}}});
}}
"""


def _refuse_kernel(error: CompileError, names: Sequence[str]) -> None:
    """ValueError where clang's error is at a kernel's name, and not in the source."""
    at = re.search(r"^main\.cu:(\d+):", error.output, re.M)
    if at is not None and Path(error.filename or "").name in ("main.cu", "run_kernel.hpp"):
        name = names[int(at[1]) - _LINES_BEFORE_NAMES - 1]
        raise ValueError(f"{name} can't be launched: {error.msg}") from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other thread or process builds there meanwhile; the lock's time is the last use."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _runner(compiler: Path, root: Path) -> Path:
    """The part of each program that is the same for all kernels, compiled once."""
    source = _HERE / "run_kernel.cpp"
    machine = [f for parts in _MACHINE for f in sorted(compiler.parent.glob(parts))]
    text = source.read_text() + (_HERE / "run_kernel.hpp").read_text()
    text += "".join(map(_stamp, machine))
    file = root / f"run_kernel-{hashlib.sha256(text.encode()).hexdigest()[:16]}.o"
    with _alone(root):
        if not file.exists():
            part = root / "part.o"
            _compile(compiler, ["-std=c++20", "-c", str(source), "-o", str(part)], root)
            os.replace(part, file)
    return file


def _read_files(rules: str, folder: Path) -> list[str]:
    """Stamps of the files that rules for make name, but for our own."""
    words = re.split(r"(?<!\\)\s+", rules.replace("\\\n", " ").partition(":")[2].strip())
    files = {(folder / word.replace("\\ ", " ")).resolve() for word in words if word}
    return [_stamp(f) for f in sorted(files) if f.exists() and f.parent not in (folder, _HERE)]


def _prune(root: Path) -> None:
    locks = sorted(root.glob("*/lock"), key=lambda f: f.stat().st_mtime, reverse=True)
    for lock in locks[_KEPT:]:
        shutil.rmtree(lock.parent, ignore_errors=True)


def build(text: str, file: Path | None, names: Sequence[str], options: Sequence[str]) -> Built:
    """The program of these kernels: one that was built before, or a new one.

    ``file`` is where the text is from. Raises CompileError, and FileNotFoundError without a
    compiler.
    """
    compiler = simt_compiler()
    root = _cache().absolute()
    runner = _runner(compiler, root)
    key = repr((text, str(file), list(names), list(options), runner.name))
    folder = root / hashlib.sha256(key.encode()).hexdigest()[:24]
    with _alone(folder):
        if not _stands(folder):
            _build(compiler, runner, folder, text, file, names, options)
            _prune(root)
        return Built(
            str(folder / "program"), folder, json.loads((folder / "kernels.json").read_text())
        )


def _build(
    compiler: Path,
    runner: Path,
    folder: Path,
    text: str,
    file: Path | None,
    names: Sequence[str],
    options: Sequence[str],
) -> None:
    source = file or folder / "kernels.cu"
    if file is None:
        source.write_text(text)
    (folder / "main.cu").write_text(_main(source, names))
    files, dependencies = ("main.cu", str(runner)), ("-MMD", "-MF", "part.d")
    try:
        _compile(
            compiler,
            # A loop without an effect has no end, as on a device.
            ["-fno-finite-loops", f"-I{_HERE}", *options, *dependencies, *files, "-o", "part"],
            folder,
        )
    except CompileError as error:
        _refuse_kernel(error, names)
        raise
    described = subprocess.check_output([str(folder / "part"), "describe"], text=True)
    (folder / "kernels.json").write_text(described)
    os.replace(folder / "part", folder / "program")
    rules = folder / "part.d"
    (folder / "read.json").write_text(json.dumps(_read_files(rules.read_text(), folder)))
    rules.unlink()
