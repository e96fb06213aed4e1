#!/usr/bin/env bash
# test_chosen.sh <root> <preset>: which tests a change reaches, as the build in build/<preset> has it.
set -euo pipefail
root=$1
preset=$2
cd "$root"
# shellcheck source=tests/chosen.sh
source tests/chosen.sh
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

expect cli/words.cpp "test_cli test_file_commands format" "test_simt test_host_scan dev consumer"
expect tests/simt/test_warp.cpp "test_simt format" "test_cli test_scan"
expect ladder/scan/03_blelloch.cuh "test_scan test_cli docs" "dev"
expect include/warpfold/version.hpp "consumer reference" "dev"
expect "dev tests/dev/test_dev.sh" dev "test_simt consumer"
expect docs/ci.md docs "test_cli dev"
expect LICENSE "" "test_cli docs format"
know_targets "$preset"
[[ $(target_of docs) == needs_docs ]] ||
  { echo "FAILED: the test docs would write the docs" >&2; failures=$((failures + 1)); }

((failures == 0)) || exit 1
echo "chosen: all checks passed"
