#!/usr/bin/env bash
# run.sh <root> <warpfold-mcp>: calls each tool with the SDK's client. Where the SDK is missing, it says
# so, and the test is skipped.
set -euo pipefail
status=0
python=$("$1/dev" python tests) || status=$?
if ((status == 3)); then
  echo "the tests of MCP can't run: PyPI can't be reached for the protocol's SDK"
  exit 0
fi
((status == 0))
exec "$python" "$1/tests/mcp/client.py" "$2"
