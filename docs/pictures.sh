#!/usr/bin/env bash
# pictures.sh <root> <build>: takes docs/figures/page_*.png of a page that the build's warpfold makes:
# times of the stored run on an H100, counted and played on the CPU machine.
set -euo pipefail
root=$1 build=$2 driver=$1/tests/simt/page work=$2/pictures

lacks() {
  echo "no picture can be taken: $1" >&2
  exit 1
}
# shellcheck source=tests/simt/page/browser.sh
source "$driver/browser.sh"
find_driver "$root"
mkdir -p "$work"
cd "$work"
"$build/bin/warpfold" report --ladder reduce --backend simt -o page.html \
  --json "$root/bench/results/reduce_h100_2e22.json"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$driver "$python" "$root/docs/pictures.py" page.html .
for name in page_ladder page_player; do
  pngquant --force --strip --output "$root/docs/figures/$name.png" "$name.png"
done
