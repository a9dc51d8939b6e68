#!/usr/bin/env bash
# Installs what is missing, builds ppsweep (release) and runs it with the arguments given:
#   ./run.sh -c sweep_configs/01-quickstart.json --priority-step 0.1
# Without arguments it shows the help.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$top/packaging/install-deps" build
"$top/packaging/build" release ppsweep
exec "$top/build/release/ppsweep" "$@"
