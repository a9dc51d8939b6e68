#!/usr/bin/env bash
# Compares the modes of planning at 4, 8 and 16 micro-batches on 4 devices, over 20 (DRAWS) draws of their sizes:
#   docs/examples/dynapipe_modes.sh PPSWEEP
# Times are those of one thread on this machine, and vary; all other figures are the same everywhere.
set -euo pipefail
program=$1 draws=${DRAWS:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# sweep MICRO_BATCHES MEMORY MODE: writes the rows to $folder/rows and sets `ms`, the time of a plan.
sweep() {
	echo '{"kernel": "dynapipe", "devices": 4, "layers_per_stage": 2, "spread": 0.6, "seed": "1..'"$draws"'",
		"microbatches": '"$1"', "memory": '"$2"', "mode": "'"$3"'"}' >"$folder/e.json"
	local begin=$EPOCHREALTIME
	"$program" -c "$folder/e.json" -j 1 -o "$folder/rows.csv" --force -q \
		--metrics=makespan,peak,gap,evaluations,first_fit >/dev/null 2>&1
	ms=$(echo "$begin $EPOCHREALTIME" | awk '{printf "%.2f", ($2 - $1) * 1000 / '"$draws"'}')
}

table() {
	printf '%-6s %-8s %-7s %7s %12s %8s %9s %11s %9s %9s\n' micro limit_mb mode fits makespan_ms gap_% peak_mb evaluations first_fit ms/plan
	for n in 4 8 16; do
		for memory in 0 1500; do
			for mode in normal fast quick best; do
				sweep $n $memory $mode
				awk -F, -v n=$n -v memory=$memory -v mode=$mode -v ms="$ms" '
					NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
					{ all++ }
					$at["makespan"] != "" {
						fits++
						makespan += $at["makespan"]; gap += $at["gap"]; first += $at["first_fit"]
						evaluations += $at["evaluations"]
						if ($at["peak"] > peak) peak = $at["peak"]
					}
					END {
						limit = memory > 0 ? memory : "none"
						if (!fits) printf "%-6d %-8s %-7s %3d/%-3d %12s %8s %9s %11s %9s %9s\n", n, limit, mode, 0, all, "-", "-", "-", "-", "-", ms
						else printf "%-6d %-8s %-7s %3d/%-3d %12.2f %8.2f %9.0f %11.0f %9.1f %9s\n", n, limit, mode, fits, all, makespan / fits, gap / fits, peak, evaluations / fits, first / fits, ms
					}' "$folder/rows.csv"
			done
		done
	done
}

table
