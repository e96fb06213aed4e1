"""Refuses sub-interpreters, in which NumPy and the compiled module would deadlock."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module


def refuse_others() -> None:
    """ImportError unless this is the process's main interpreter."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # from Python 3.13 on, before
        with suppress(ModuleNotFoundError):
            interpreters = import_module(name)
            if interpreters.get_current() != interpreters.get_main():
                raise ImportError(
                    "warpfold can't be imported in a sub-interpreter; use threads, or processes"
                )
            return
