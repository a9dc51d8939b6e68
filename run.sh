#!/usr/bin/env bash
# Installs missing packages, builds ppsweep (release) and runs it with the given arguments:
#   ./run.sh -c sweep_configs/01-quickstart.json --priority-step 0.1
# Without arguments ppsweep prints its help.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$top/build/release/ppsweep
"$top/packaging/install-deps" build
[[ -x $program ]] || echo "building ppsweep (1 to 3 minutes)" >&2
PPS_BUILD_PROGRESS=1 "$top/packaging/build" release ppsweep
exec "$program" "$@"
