#!/bin/sh
# digests.sh <program> <canonical_digests.csv>: the reference and the host's calls with 1, 2 and 7
# threads print the digests of the file.
set -eu
for by in reference "host 1" "host 2" "host 7"; do
  # shellcheck disable=SC2086
  "$1" $by | diff - "$2" || { echo "digests $by: not those of $2" && exit 1; }
done
