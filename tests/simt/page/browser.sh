# What drives a browser, for the tests of the page and for its pictures: sets `browser`, and installs the
# packages of package-lock.json in a folder.

find_browser() {
  local name
  browser=
  for name in chromium chromium-browser google-chrome; do
    [[ $browser ]] || browser=$(command -v "$name" || true)
  done
  [[ $browser ]] || lacks "there is no Chromium here"
  for name in node npm; do
    command -v "$name" >/dev/null || lacks "there is no $name here"
  done
}

install_driver() {  # folder with package.json, where to
  mkdir -p "$2"
  ! cmp -s "$1/package-lock.json" "$2/installed.json" || return 0
  cp "$1/package.json" "$1/package-lock.json" "$2"
  (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
    lacks "npm can't fetch what drives the browser (see above)"
  cp "$1/package-lock.json" "$2/installed.json"
}
