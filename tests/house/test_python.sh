#!/usr/bin/env bash
# test_python.sh <root>: the environments that ./dev makes of locked packages, and what ./dev test
# says where PyPI can't be reached. A folder with one package takes PyPI's place; nothing is built.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {  # what, command… : the command must succeed
  local what=$1
  shift
  if "$@"; then return; fi
  echo "FAILED: $what" >&2
  failures=$((failures + 1))
}

tree=$work/tree
mkdir -p "$tree/tests/house" "$tree/tests/simt" "$work/wheels"
cp "$root/dev" "$root/CMakePresets.json" "$tree"
cp "$root/tests/house/chosen.sh" "$tree/tests/house"
cp -r "$root/tests/simt/page" "$tree/tests/simt"
python3 - "$work/wheels/thing-1.0-py3-none-any.whl" <<'PYTHON'
import sys
import zipfile

about = "thing-1.0.dist-info"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("thing.py", "")
    wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
    wheel.writestr(f"{about}/WHEEL",
                   "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{about}/RECORD", f"thing.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n")
PYTHON
hash=$(sha256sum "$work"/wheels/*.whl | cut -d ' ' -f 1)

lock() { echo "thing==1.0 --hash=sha256:$1" >"$tree/tests/requirements.txt"; }

attempt() {  # name : asks for the environment, and keeps the status and what was said by that name
  status=0
  PIP_NO_INDEX=1 PIP_FIND_LINKS=$work/wheels "$tree/dev" python tests \
    >"$work/$1.out" 2>"$work/$1.err" || status=$?
}

says() { grep -q -- "$2" "$work/$1.err"; }
has_thing() { "$(<"$work/$1.out")" -c 'import thing'; }

# Two runs at once: one makes it, the other waits and takes what the first has made.
lock "$hash"
attempt one &
attempt two
wait
check "one of two runs installs" test "$(cat "$work"/{one,two}.err | grep -c installing)" -eq 1
check "both print the same Python" cmp "$work/one.out" "$work/two.out"
check "it has the package" has_thing one
attempt again
check "an environment that stands is left alone" test ! -s "$work/again.err"

# What is not what was locked is an error, and no reason to skip a test.
lock "${hash//[0-9]/0}"
attempt wrong
check "a package with another hash ends with 2" test $status -eq 2
check "the message names the file" says wrong "can't install tests/requirements.txt"
check "no Python is printed" test ! -s "$work/wrong.out"

# What such an attempt has left is no environment.
lock "$hash"
attempt anew
check "what was left half made is made anew" has_thing anew

# Without PyPI the test of the page is skipped, counted, and an error in CI.
mkdir -p "$work/stubs" "$tree/build/test" "$tree/build/sanitize"
stub() {  # name, text
  printf '#!%s\n%s\n' "$BASH" "$2" >"$work/stubs/$1"
  chmod +x "$work/stubs/$1"
}
stub apt-get 'exit 100'
stub cmake 'echo "cmake version 3.99"'
stub ninja 'echo "no work to do"'
for tool in bwrap ccache chromium clang-format-16 doxygen dpkg-shlibdeps gdb; do stub $tool ''; done
lock "${hash//[0-9]/0}"
cat >"$tree/build/test/CTestTestfile.cmake" <<CMAKE
add_test(simt.page_in_browser "$tree/tests/simt/page/run.sh" "$tree" "$tree/build/test")
set_tests_properties(simt.page_in_browser PROPERTIES
  SKIP_REGULAR_EXPRESSION "the page's tests can't run")
CMAKE
echo 'add_test(true true)' >"$tree/build/sanitize/CTestTestfile.cmake"

run_tests() {  # name, CI's value
  status=0
  PATH=$work/stubs:$PATH CI=$2 PIP_FIND_LINKS='' PIP_RETRIES=0 PIP_INDEX_URL=http://127.0.0.1:9 \
    "$tree/dev" test >"$work/$1.out" 2>"$work/$1.err" || status=$?
}

run_tests skip ''
check "a skipped test is no failure" test $status -eq 0
check "it is named, with the reason" says skip \
  "skipped simt.page_in_browser: the page's tests can't run: PyPI can't be reached"
check "the last line counts it" test "$(tail -n 1 "$work/skip.err")" = "dev: tests skipped: 1"
echo "echo \"the page's tests can't run: no reason\"" >"$tree/tests/simt/page/run.sh"
run_tests ci 1
check "in CI it is a failure" test $status -eq 1
check "which is said" says ci "CI skips no test"

((failures == 0)) || { tail -n 20 "$work"/*.out "$work"/*.err; exit 1; } >&2
echo "python: all checks passed"
