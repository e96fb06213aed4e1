#!/usr/bin/env bash
# run.sh <root> <build>: makes pages with the programs of the build, opens them in Chromium, and holds
# them to their data. Where what drives it is missing, it says so, and the test is skipped.
set -euo pipefail
root=$1 build=$2
here=$root/tests/simt/page work=$build/page_in_browser

lacks() {
  echo "the page's tests can't run: $1"
  exit 0
}

# shellcheck source=tests/simt/page/browser.sh
source "$here/browser.sh"
find_driver "$root"

rm -rf "$work"
mkdir -p "$work/pages"
cd "$work"
warpfold=$build/bin/warpfold
"$warpfold" report --ladder all --n 2^12 --check --backend simt -o pages/all.html
"$warpfold" ladder reduce --n 1000 --rung 10,11,12 --backend simt --lines --json pages/reduce.json >/dev/null
"$warpfold" report --json pages/reduce.json "$root/bench/results/reduce_h100_2e22.json" \
  "$root/bench/results/reduce_h100_2e24.json" -o pages/stored.html
cp "$root/bench/results/reduce_h100_2e22.json" pages/stored.json
cp "$root/bench/results/ladders_h100.json" pages/sizes.json
"$warpfold" report --json pages/sizes.json -o pages/sizes.html
"$build/bin/example_report" --html >pages/own.html
"$build/bin/page_found" pages/found.html
"$build/bin/example_report" --json >pages/report.json
"$warpfold" judge reduce --template >my.cu
sed 's/^  if (tid == 0)/  values[255] = tid;\n&/' my.cu >race.cu  # right, though all warps write there
"$warpfold" judge reduce my.cu race.cu --html pages/judged.html >/dev/null || [[ $? == 1 ]]
"$python" "$here/hostile.py" pages
"$warpfold" report --from pages/hostile_report.json --json pages/hostile_ladder.json -o pages/hostile.html

export PYTHONDONTWRITEBYTECODE=1
printf '%s\0' "$here"/test_*.py |  # side by side: each waits for its browser much of the time
  xargs -0 -P 4 -n 1 "$python" -m pytest -q -p no:cacheprovider
