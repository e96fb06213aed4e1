# What drives a browser, for the tests of the page and for its pictures: sets `BROWSER`, `python`.

find_driver() {  # root
  local name status=0
  export BROWSER=
  for name in chromium chromium-browser google-chrome; do
    [[ $BROWSER ]] || BROWSER=$(command -v "$name" || true)
  done
  [[ $BROWSER ]] || lacks "there is no Chromium here"
  python=$("$1/dev" python tests) || status=$?
  ((status != 3)) || lacks "PyPI can't be reached for what drives the browser"
  ((status == 0)) || exit 1
}
