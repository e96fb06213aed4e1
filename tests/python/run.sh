#!/usr/bin/env bash
# run.sh <root> <build>: installs the Python package in its environment, around the build's compiled
# calls; then its tests, the examples in its docstrings and its page, ruff and mypy.
set -euo pipefail
root=$1 build=$2
status=0
python=$("$root/dev" python -C "cmake.define.WARPFOLD_CALLS=$build/c/libwarpfold_calls.a") ||
  status=$?
if ((status == 3)); then
  echo "the Python package's tests can't run: PyPI can't be reached"
  exit 0
fi
((status == 0))

export PYTHONDONTWRITEBYTECODE=1 WARPFOLD=$build/bin/warpfold SIMT_CACHE=$build/python_kernels
export WARPFOLD_LIBRARY=$build/lib/libwarpfold.so.0
cd "$root"
"$python" -m ruff check --no-cache python tests/python examples/python
"$python" -m ruff format --no-cache --check python tests/python examples/python
"$python" -m mypy --cache-dir "$build/mypy" python/warpfold examples/python
"$python" -m pytest -q tests/python docs/python.md
"$python" -m pytest -q --doctest-modules --pyargs warpfold
"$python" examples/python/parts.py
tests/python/wheel.sh "$root" "$build" "$python"
