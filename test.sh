#!/usr/bin/env bash
# Installs missing packages, builds ppsweep and runs its tests:
#   ./test.sh           all tests: release build, command line, formatting, clang, sanitizers, fuzz smoke
#   ./test.sh --quick   the release build and its tests only
#   ./test.sh --ci      all tests; warnings are errors; installs Slurm and Open MPI for tests/cluster
# Tests run as many at a time as there are processors; a table of their times follows. A quarter of the command-line cases
# runs with sanitizers and the rest without; PPS_SEED says which quarter (default: drawn from the commit).
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$top"
mode=${1:-}
case $mode in '' | --quick | --ci) ;; *)
	echo "usage: ./test.sh [--quick | --ci]" >&2
	exit 2
	;;
esac
export PPS_CMAKE_OPTIONS="-DPPS_TESTS=ON"
[[ $mode == --ci ]] && PPS_CMAKE_OPTIONS+=" -DPPS_WERROR=ON"
commit=$(git rev-parse --short=6 HEAD 2>/dev/null || echo 1)
seed=${PPS_SEED:-$((16#$commit))}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# ---- steps -------------------------------------------------------------------------------------

# step NAME COMMAND...: runs the command, notes its result and times, and prints the output only on failure.
# Exit status 77 means that a program is not installed; the last line of the output names it.
step() {
	local name=$1 log status=0 word TIMEFORMAT='%R %U %S'
	shift
	log=$(mktemp -p "$results" log.XXXXXX)
	{ time "$@" >"$log" 2>&1 </dev/null; } 2>"$log.time" || status=$?
	case $status in
	0) word=ok ;;
	77) word=skipped ;;
	*) word=FAILED ;;
	esac
	awk -v word=$word -v name="$name" '{ printf "%s\t%s\t%.0f\t%.0f\n", word, name, $1, $2 + $3 }' "$log.time" >"$log.result"
	if [[ $word == skipped ]]; then
		printf 'skipped %-46s %s\n' "$name" "$(tail -n 1 "$log")"
	else
		awk -F '\t' '{ printf "%-7s %-46s %4d s\n", $1, $2, $3 }' "$log.result"
	fi
	if [[ $word == FAILED ]]; then
		grep -m 20 '^FAILED' "$log" || true
		tail -60 "$log"
	fi
}

queue=()
# later NAME COMMAND...: adds a step to the queue.
later() {
	queue+=("step$(printf ' %q' "$@")")
}

# Runs the steps of the queue, as many at a time as there are processors, in their order.
run_queue() {
	local entry running=0 processors
	processors=$(nproc)
	for entry in "${queue[@]}"; do
		if ((running >= processors)); then
			wait -n || true
			running=$((running - 1))
		fi
		eval "$entry" &
		running=$((running + 1))
	done
	wait
	queue=()
}

# Prints the table of times, the slowest step first, and the closing line; fails if a step failed.
closing() {
	local failed
	echo
	printf '%-46s %7s %7s\n' "step" "time, s" "CPU, s"
	sort -t $'\t' -k 3,3nr "$results"/*.result | awk -F '\t' '{ printf "%-46s %7d %7d\n", $2, $3, $4; cpu += $4 }
		END { printf "%-46s %7d %7d\n", "all", '$SECONDS', cpu }'
	failed=$(cat "$results"/*.result | grep -c '^FAILED' || true)
	printf '%d passed, %d failed\n' "$(cat "$results"/*.result | grep -c '^ok')" "$failed"
	((failed == 0))
}

# ---- what the steps run ------------------------------------------------------------------------

formatted() {
	find base engine include kernels planner extras bench tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
}

build() {
	packaging/build "$1"
	PPS_CMAKE_OPTIONS="" packaging/build "$1" benchmarks
}

# command_line_cases PROGRAM K/N: a part of every file of cases.
command_line_cases() {
	find tests/cli -name '*.cases' -print0 | xargs -0 tests/cli/run-cases --part "$2" "$1"
}

# sanitized COMMAND...: runs a command whose programs have sanitizers. Criterion reports a leak but exits 0, so the
# sanitizers write to files, and any file is a failure.
sanitized() {
	local logs status=0
	logs=$(mktemp -d)
	# Without a symbolizer the sanitizers warn of it, in a file that looks like a report.
	local symbols=0
	command -v llvm-symbolizer >/dev/null && symbols=1
	# The check of strstr takes the length of the whole text at every call.
	echo "leak:libomp.so" >"$logs.known" # the pool of threads of clang's OpenMP
	LSAN_OPTIONS=suppressions=$logs.known:print_suppressions=0 ASAN_OPTIONS=log_path=$logs/asan:detect_leaks=1:symbolize=$symbols:intercept_strstr=0 \
		UBSAN_OPTIONS=log_path=$logs/ubsan:print_stacktrace=1:symbolize=$symbols \
		PPS_RANDOM_POINTS=1500 PPS_RANDOM_SEED=$((seed + 1)) PPS_CASE_SECONDS=240 "$@" || status=1
	cat "$logs"/* 2>/dev/null
	[[ -z $(ls -A "$logs") ]] || status=1
	rm -rf "$logs" "$logs.known"
	return $status
}

thread_sanitized() {
	local out
	out=$(mktemp -d)
	export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66
	build/tsan/ppsweep -c sweep_configs/02-paper.json -j 4 -o "$out/a.csv.gz" -q &&
		build/tsan/ppsweep -c sweep_configs/03-all-tiers.json -j 3 -o - -q >/dev/null &&
		build/tsan/ppsweep -c sweep_configs/05-large.json --limit 30000 -j 4 -o "$out/b.csv" -q &&
		build/tsan/ppsweep verify "$out/a.csv.gz" "$out/b.csv" --sample 0.05 --reference -j 4 -q &&
		build/tsan/ppsweep -c sweep_configs/05-large.json --limit 30000 -j 4 --only-top --by n -o - -q >/dev/null &&
		build/tsan/ppsweep -c sweep_configs/02-paper.json -s n=8,12 -j 4 --reuse "$out/a.csv.gz" -o - -q >/dev/null &&
		{ build/tsan/ppsweep -c sweep_configs/05-large.json --limit 60000 -j 4 -o "$out/c.csv" -q --time-limit 0.5s || (($? == 5)); } &&
		build/tsan/ppsweep -c sweep_configs/05-large.json --limit 60000 -j 4 -o "$out/c.csv" -q --resume &&
		build/tsan/ppsweep -c sweep_configs/06-strategies.json -j 4 --limit 50000 --audit 0.05 -o "$out/d.csv" -q &&
		build/tsan/ppsweep -c sweep_configs/06-strategies.json -j 4 --reuse "$out/d.csv" -o - -q >/dev/null &&
		build/tsan/ppsweep top "$out/a.csv.gz" -j 2 -q >/dev/null &&
		build/tsan/ppsweep schedule judge -n 2 -m 4 --replicates 40 -j 3 >/dev/null &&
		build/tsan/ppsweep schedule learn --episodes 256 --width 8 -j 3 -o "$out/p.json" >/dev/null 2>&1 &&
		build/tsan/ppsweep dynaplan --costs llama2-7b --cluster h100 -n 4 --tp 2 --budget 300 -j 3 -o "$out/plans" sweep_configs/batches/mixed.txt >/dev/null 2>&1 &&
		build/tsan/ppsweep -c sweep_configs/11-batches.json --limit 24 -j 4 -o - -q >/dev/null &&
		build/tsan/ppsweep eval contention tests/golden/contention/points.csv -j 4 >/dev/null
	local status=$?
	rm -rf "$out"
	return $status
}

# Every target reads its corpus, and then drawn inputs for a second.
fuzz_smoke() {
	local target corpus
	corpus=$(mktemp -d)
	for target in build/sanitize/tests/fuzz/fuzz_*; do
		[[ -x $target && -f $target ]] || continue
		target=${target##*/fuzz_}
		if ! build/sanitize/tests/fuzz/"fuzz_$target" -seed="$seed" -max_total_time=1 -rss_limit_mb=2048 \
			-artifact_prefix="$corpus/" "$corpus" "tests/fuzz/corpus/$target" >"$corpus.log" 2>&1; then
			echo "$target:"
			tail -30 "$corpus.log"
			return 1
		fi
		rm -rf "${corpus:?}"/*
	done
	rm -rf "$corpus" "$corpus.log"
}

# ---- the steps ---------------------------------------------------------------------------------

echo "seed $seed"
step "folders and includes" tests/layers
packaging/install-deps test
if [[ $mode == --ci ]]; then
	# Only for --ci: a browser takes half a minute to install, and the other packages contain daemons.
	packaging/install-deps browser || echo "continuing without a browser" >&2
	packaging/install-deps cluster || echo "continuing without Slurm and Open MPI" >&2
fi

release=build/release/ppsweep
if [[ $mode == --quick ]]; then
	step "release build" packaging/build release
	release_cases=(0/2 1/2)
else
	step "release build" build release
	step "sanitizer build, clang" packaging/build sanitize
	step "thread-sanitizer build" packaging/build tsan ppsweep
	quarter=$((seed % 4))
	release_cases=($(((quarter + 1) % 4))/4 $(((quarter + 2) % 4))/4 $(((quarter + 3) % 4))/4)
	later "sanitized command-line cases" sanitized command_line_cases build/sanitize/ppsweep $quarter/4
	later "job script in a real Slurm" tests/cluster/slurm $release
	for layer in kernels engine planner extras base; do
		later "sanitized unit tests: $layer" sanitized ctest --test-dir build/sanitize --output-on-failure -R "^$layer\$"
	done
fi
for layer in kernels engine planner extras base; do
	later "unit tests: $layer" env PPS_RANDOM_POINTS=8000 PPS_RANDOM_SEED=$seed ctest --test-dir build/release --output-on-failure -R "^$layer\$"
done
for part in "${release_cases[@]}"; do
	later "command-line cases, part $part" command_line_cases $release "$part"
done
later "command-line properties, even" tests/cli/run-properties $release --part 0/2
later "command-line properties, odd" tests/cli/run-properties $release --part 1/2
later "launches of frameworks" tests/cli/run-launches $release
later "hostile inputs" tests/cli/run-hostile $release
later "numbers in texts and pictures" tests/cli/run-numbers $release
later "allocations that fail" tests/cli/run-memory $release "$seed"
later "one number of every command" tests/cli/run-one-number $release 40 "$seed"
later "examples of CONTRIBUTING.md" tests/cli/run-additions $release
later "writing under faults" tests/cli/run-faults $release 60 "$seed"
later "pages of the documentation" tests/cli/run-pages $release
later "pages in Chromium" tests/browser/run $release
later "typed results in other programs" tests/cli/run-readers $release
later "Python package" tests/cli/run-python $release
later "figures of the measurements" ctest --test-dir build/release --output-on-failure -R "^(ndsearch_measurements|installed)\$"
later "completion in shells" tests/cli/run-completion $release
later "experiments and their JSON Schema" tests/cli/run-schema $release
later "examples of packaging" tests/cli/run-examples $release
later "installed files and recipes" tests/cli/run-recipes build/release
if [[ $mode != --quick ]]; then
	later "shards under mpirun" tests/cluster/mpi $release
	later "runs under the thread sanitizer" thread_sanitized
	later "a second of each fuzz target" fuzz_smoke
	later "formatting" formatted
fi
run_queue
closing
