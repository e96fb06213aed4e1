"""Kernels, compiled for the CPU machine into a program, once for each source."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ._program import simt_compiler

_HERE = Path(__file__).parent
_KEPT = 64  # builds
_ERROR = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (.*)$", re.M
)


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
        raise RuntimeError(f"simt++ failed: {output.strip()}")
    file, line = first["file"], int(first["line"])
    try:
        text = (folder / file).read_text().splitlines()[line - 1]
    except (OSError, IndexError):
        text = None
    error = CompileError(first[4], (file, line, int(first["column"]), text))
    error.output = output
    raise error


def _main(source: Path, names: Sequence[str]) -> str:
    entries = "".join(f'\n      entry("{name}", {name}),' for name in names)
    return f"""#include "{source}"
#include "run_kernel.hpp"
int main(int argc, char** argv) {{
  using warpfold_kernels::entry;
  return warpfold_kernels::main_of(argc, argv, {{{entries}}});
}}
"""


def _runner(compiler: Path, root: Path) -> Path:
    """The part of each program that is the same for all kernels, compiled once."""
    source = _HERE / "run_kernel.cpp"
    machine = [
        compiler,
        *sorted(compiler.parent.glob("*.a")),
        *sorted(compiler.parent.glob("*.so")),
    ]
    text = source.read_text() + (_HERE / "run_kernel.hpp").read_text()
    text += "".join(map(_stamp, machine))
    file = root / f"run_kernel-{hashlib.sha256(text.encode()).hexdigest()[:16]}.o"
    if not file.exists():
        part = root / f"{file.stem}-{os.getpid()}.o"
        _compile(compiler, ["-std=c++20", "-c", str(source), "-o", str(part)], root)
        os.replace(part, file)
    return file


def _read_files(rules: str, folder: Path) -> list[str]:
    """Stamps of the files that rules for make name, but for our own."""
    words = re.split(r"(?<!\\)\s+", rules.replace("\\\n", " ").partition(":")[2].strip())
    files = {(folder / word.replace("\\ ", " ")).resolve() for word in words if word}
    return [_stamp(f) for f in sorted(files) if f.exists() and f.parent not in (folder, _HERE)]


def _prune(root: Path) -> None:
    folders = sorted(root.glob("*/read.json"), key=lambda f: f.stat().st_mtime, reverse=True)
    for record in folders[_KEPT:]:
        shutil.rmtree(record.parent, ignore_errors=True)


def build(text: str, file: Path | None, names: Sequence[str], options: Sequence[str]) -> Built:
    """The program of these kernels: one that was built before, or a new one.

    ``file`` is where the text is from. Raises CompileError, and FileNotFoundError without a
    compiler.
    """
    compiler = simt_compiler()
    root = _cache().absolute()
    root.mkdir(parents=True, exist_ok=True)
    runner = _runner(compiler, root)
    key = repr((text, str(file), list(names), list(options), runner.name))
    folder = root / hashlib.sha256(key.encode()).hexdigest()[:24]
    program, kernels = folder / "program", folder / "kernels.json"
    if _stands(folder):
        os.utime(folder / "read.json")
    else:
        folder.mkdir(exist_ok=True)
        source = file or folder / "kernels.cu"
        if file is None:
            source.write_text(text)
        (folder / "main.cu").write_text(_main(source, names))
        part = f"program-{os.getpid()}"
        files, dependencies = ("main.cu", str(runner)), ("-MMD", "-MF", f"{part}.d")
        _compile(
            compiler,
            # A loop without an effect has no end, as on a device.
            ["-fno-finite-loops", f"-I{_HERE}", *options, *dependencies, *files, "-o", part],
            folder,
        )
        described = subprocess.check_output([str(folder / part), "describe"], text=True)
        kernels.write_text(described)
        os.replace(folder / part, program)
        rules = folder / f"{part}.d"
        (folder / "read.json").write_text(json.dumps(_read_files(rules.read_text(), folder)))
        rules.unlink()
        _prune(root)
    return Built(str(program), folder, json.loads(kernels.read_text()))
