#!/bin/sh
# interface.sh <compiler> <archive>: an object that was compiled for another interface of the machine
# does not link with this archive, and the linker says what to do.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=$(nm "$2" 2>/dev/null | sed -n 's/.* R \(simt_objects_[a-z_]*[0-9]*\)$/\1/p')
[ -n "$own" ] || { echo "the archive names no interface"; exit 1; }
for symbol in "$own" "${own%[0-9]*}1"; do
  printf 'extern "C" const char %s;\nint main() { return %s; }\n' "$symbol" "$symbol" >"$work/main.cpp"
  if "$1" "$work/main.cpp" "$2" -pthread -ldl -o "$work/program" 2>"$work/said"; then
    [ "$symbol" = "$own" ] || { echo "an older object was linked"; exit 1; }
    "$work/program"
  else
    [ "$symbol" != "$own" ] || { cat "$work/said"; exit 1; }
    grep -q "simt_objects_of_another_version_are_to_be_compiled_anew_1" "$work/said"
  fi
done
