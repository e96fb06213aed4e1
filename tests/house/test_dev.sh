#!/usr/bin/env bash
# test_dev.sh <dev>: what ./dev says and how it ends, without building anything.
set -euo pipefail
dev=$1
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

attempt() {  # PATH, arguments… : runs dev, and keeps its status, stdout and stderr
  local path=$1
  shift
  status=0
  PATH=$path "$BASH" "$dev" "$@" >"$work/out" 2>"$work/err" || status=$?
}

says() { grep -q -- "$1" "$work/err"; }

# help lists every command, on stdout.
attempt "$PATH" help
check "help ends well" test $status -eq 0
for command in run test bench install package format lint docs reference help; do
  check "help lists $command" grep -qE "^  $command( |$)" "$work/out"
done

# An unknown command: one line, nothing on stdout.
attempt "$PATH" frobnicate
check "an unknown command ends with 2" test $status -eq 2
check "an unknown command gets one line" test "$(wc -l <"$work/err")" -eq 1
check "the line names the command" says frobnicate
check "nothing on stdout" test ! -s "$work/out"

# Compilers are named as their packages are.
attempt "$PATH" test --compilers=clang-19,gcc -R arrows
check "a word that is no compiler ends with 2" test $status -eq 2
check "the line names it" says '--compilers=gcc'

# A machine with neither a compiler nor apt-get: the list of what is needed.
mkdir "$work/bare"
for tool in bash cat dirname grep sed; do ln -s "$(command -v $tool)" "$work/bare/$tool"; done
attempt "$work/bare" run
check "without apt-get it ends with 2" test $status -eq 2
for needed in clang cmake ninja libboost-context-dev libcli11-dev libfmt-dev nlohmann-json3-dev \
  libtbb-dev librapidcheck-dev; do
  check "the list names $needed" says $needed
done
check "it builds nothing" test ! -s "$work/out"

# apt-get that fails: a message with the command, and no second try.
cp -r "$work/bare" "$work/broken"
printf '#!%s\necho "$*" >>%s/apt.log\nexit 100\n' "$BASH" "$work" >"$work/broken/apt-get"
printf '#!%s\nexec "$@"\n' "$BASH" >"$work/broken/sudo"
ln -s "$(command -v env)" "$work/broken/env"
chmod +x "$work/broken/apt-get" "$work/broken/sudo"
attempt "$work/broken" run
check "a failing apt-get ends with 2" test $status -eq 2
check "the message has the command" says 'apt-get install -y --no-install-recommends clang'
check "apt-get ran once" test "$(wc -l <"$work/apt.log")" -eq 1

((failures == 0)) || exit 1
echo "dev: all checks passed"
