#!/usr/bin/env bash
# symbols.sh <root> <library>…: the libraries export what c/symbols.txt lists, and nothing else; and
# their headers declare each.
set -euo pipefail
list=$1/c/symbols.txt root=$1
shift
failed=0
for library in "$@"; do
  soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
  listed=$(awk -v soname="$soname" '$1 == soname { print $2 }' "$list")
  exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
  if [[ ! $listed || $listed != "$exported" ]]; then
    echo "$soname exports other symbols than $list lists (<: listed, >: exported):"
    diff <(echo "$listed") <(echo "$exported") || true
    failed=1
  fi
  for symbol in $listed; do
    grep -qE "^WF_API .*\b$symbol\(" "$root"/c/warpfold*.h || {
      echo "no header declares $symbol"
      failed=1
    }
  done
done
exit $failed
