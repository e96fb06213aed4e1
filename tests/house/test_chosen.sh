#!/usr/bin/env bash
# test_chosen.sh <root> <preset>: which tests a change reaches, as the build in build/<preset> has it.
set -euo pipefail
root=$1
preset=$2
cd "$root"
# shellcheck source=tests/house/chosen.sh
source tests/house/chosen.sh
failures=0

expect() {  # files, tests that they reach, tests that they do not
  local reached name
  reached=$(tr ' ' '\n' <<<"$1" | tests_reached "$preset" | sort -u)
  for name in $2; do
    grep -qx "$name" <<<"$reached" && continue
    echo "FAILED: $1 reaches $name, but only found: ${reached//$'\n'/ }" >&2
    failures=$((failures + 1))
  done
  for name in $3; do
    grep -qx "$name" <<<"$reached" || continue
    echo "FAILED: $1 reaches $name" >&2
    failures=$((failures + 1))
  done
}

expect cli/words.cpp "cli.commands cli.files house.format" "simt.machine library.host_scan house.dev house.consumer"
expect tests/simt/run/test_warp.cpp "simt.machine house.format" "cli.commands ladder.scan"
expect ladder/scan/03_blelloch.cuh "ladder.scan cli.commands house.docs" "house.dev"
expect include/warpfold/version.hpp "house.consumer house.reference" "house.dev"
expect "dev tests/house/test_dev.sh" house.dev "simt.machine house.consumer"
expect docs/ci.md house.docs "cli.commands house.dev"
expect LICENSE "" "cli.commands house.docs house.format"
[[ $(targets_of "$preset" <<<house.docs) == "needs_house.docs house.docs" ]] ||
  { echo "FAILED: the test docs would write the docs" >&2; failures=$((failures + 1)); }

((failures == 0)) || exit 1
echo "chosen: all checks passed"
