#!/usr/bin/env bash
# wheel.sh <root> <build> <python>: builds a wheel with the programs of the commands on files and the
# CPU machine, repairs it, and installs it in an environment with the oldest NumPy, outside the tree
# and without a compiler on the path; then the tests of arrays, of the commands on files, and what
# wf.cuda.compile says there; and a kernel where clang is.
set -euo pipefail
root=$1 build=$2 python=$3
folder=$build/python_wheel
mkdir -p "$folder"
if ! cmp -s "$root/python/oldest.txt" "$folder/made_of"; then
  rm -rf "$folder/env" "$folder/made_of"
  "$python" -m venv "$folder/env"
  "$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    --only-binary :all: --require-hashes -r "$root/python/oldest.txt"
  cp "$root/python/oldest.txt" "$folder/made_of"
fi
rm -rf "$folder/raw" "$folder/repaired" "$folder/prefix"
cmake --install "$build" --prefix "$folder/prefix" --component simt >/dev/null
for command in '' -{reduce,scan,sort,histogram,quantiles,median,top,unique,group}; do
  strip -o "$folder/prefix/bin/warpfold$command" "$build/bin/warpfold$command"
done
"$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps \
  --no-build-isolation -C "build-dir=$root/build/python/warpfold" -w "$folder/raw" \
  -C "cmake.define.WARPFOLD_CALLS=$build/c/libwarpfold_calls.a" \
  -C "cmake.define.WARPFOLD_PROGRAMS=$folder/prefix" "$root"
"$python" - "$folder"/raw/*.whl <<'END'
import sys
import zipfile

wheel = sys.argv[1]
(module,) = (name for name in zipfile.ZipFile(wheel).namelist() if "/_core." in name and ".so" in name)
assert ("-abi3-" in wheel) == (".abi3." in module), f"{wheel} has {module}"
END
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair -w "$folder/repaired" \
  "$folder"/raw/*.whl
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
  --force-reinstall "$folder"/repaired/*.whl

outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cp "$root"/pyproject.toml "$root"/tests/python/{conftest,test_{numpy,arrays,exact,select,files}}.py "$outside"
cd "$outside"
env=(env -i "PATH=$outside" "HOME=$outside")
own=$("${env[@]}" "$folder/env/bin/python" -c 'import warpfold._program as p; print(p.warpfold())')
[[ $own == "$folder"/env/* ]] || { echo "the package calls $own" && exit 1; } >&2
"${env[@]}" "WARPFOLD=$own" "$folder/env/bin/python" -m pytest -q .
cat >kernel.py <<'END'
import numpy as np
import warpfold as wf

x = np.zeros(32, np.int32)
m = wf.cuda.compile("__global__ void f(int* x) { x[threadIdx.x] = threadIdx.x; }")
assert m.f[1, 32](x).predicted("t4").us > 0
assert x.tolist() == list(range(32))
END
"${env[@]}" SIMT_CXX=clang++ "$folder/env/bin/python" - <<'END'
import numpy as np
import warpfold as wf

assert np.__version__.startswith("1.26"), np.__version__
try:
    import kernel
    raise SystemExit("it compiled")
except FileNotFoundError as error:
    assert "apt install clang" in str(error), error
END
env -i "PATH=$PATH" "HOME=$outside" "$folder/env/bin/python" kernel.py
