"""Which kernels a CUDA source has: what is built around them launches them by their names."""

from __future__ import annotations

import re
from itertools import pairwise

_LEFT_OUT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z_]\w*|::|\S")
_BOUNDS = ("__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__")


def kernels_of(source: str) -> list[str]:
    """The qualified names of the kernels that are no templates, in their order.

    Raises ValueError where the source has a function main.
    """
    tokens = _TOKEN.findall(_LEFT_OUT.sub(" ", source))
    names: dict[str, None] = {}
    scopes: list[str | None] = []  # None: no namespace
    begin = 0  # of the declaration
    for i, token in enumerate(tokens):
        if token == "{":
            scopes.append(_namespace(tokens[begin:i]))
            begin = i + 1
        elif token == "}":
            scopes = scopes[:-1]
            begin = i + 1
        elif token == ";":
            begin = i + 1
        elif None in scopes:
            continue
        elif token == "__global__" and "template" not in tokens[begin:i]:
            name = _name(tokens[i + 1 :])
            if name:
                names["::".join([s for s in scopes if s] + [name])] = None
        elif token == "main" and not scopes and tokens[i + 1 : i + 2] == ["("]:
            raise ValueError(
                "the source has a function main; leave it out, or run the whole program with "
                "warpfold run"
            )
    return list(names)


def _namespace(declaration: list[str]) -> str | None:
    """Its name, which may be empty, if the scope that opens is a namespace or extern "C"."""
    if declaration == ["extern"]:
        return ""
    if "namespace" not in declaration:
        return None
    return "".join(declaration[declaration.index("namespace") + 1 :])


def _name(tokens: list[str]) -> str | None:
    """The first name before a parenthesis that is no attribute's."""
    depth = 0
    for token, after in pairwise(tokens):
        if token in ";{" and depth == 0:
            return None
        if depth == 0 and after == "(" and token not in _BOUNDS and token.isidentifier():
            return token
        depth += (token == "(") - (token == ")")
    return None
