#!/usr/bin/env bash
# Installs missing packages, builds ppsweep and runs its tests:
#   ./test.sh           all tests: release build, command line, formatting, clang, sanitizers, fuzz smoke
#   ./test.sh --quick   the release build and its tests only
#   ./test.sh --ci      all tests; warnings are errors; installs Slurm and Open MPI for tests/cluster
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
passed=0 failed=0

# step NAME COMMAND...: runs the command, counts the result, and prints the output only on failure.
# Exit status 77 means that a program is not installed; the last line of the output names it.
step() {
	local name=$1 log start=$SECONDS status=0
	shift
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	if ((status == 0)); then
		passed=$((passed + 1))
		printf 'ok      %-46s %4d s\n' "$name" $((SECONDS - start))
	elif ((status == 77)); then
		printf 'skipped %-46s %s\n' "$name" "$(tail -n 1 "$log")"
	else
		failed=$((failed + 1))
		printf 'FAILED  %-46s %4d s\n' "$name" $((SECONDS - start))
		grep -m 20 '^FAILED' "$log" || true
		tail -60 "$log"
	fi
	rm -f "$log"
}

formatted() {
	find base engine include kernels planner bench tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
}

unit_tests() {
	PPS_RANDOM_POINTS=$2 ctest --test-dir "build/$1" --output-on-failure -j 2
}

# Runs two files of cases at a time, the largest first.
command_line_cases() {
	find tests/cli -name '*.cases' -print0 | xargs -0 ls -S | xargs -P 2 -n 1 tests/cli/run-cases "$1"
}

# Runs the tests with assertions and sanitizers. Criterion reports a leak but exits 0, so the
# sanitizers write to files, and any file is a failure.
sanitized_tests() {
	local logs
	logs=$(mktemp -d)
	ASAN_OPTIONS=log_path=$logs/asan:detect_leaks=1 UBSAN_OPTIONS=log_path=$logs/ubsan:print_stacktrace=1 \
		PPS_RANDOM_POINTS=1500 ctest --test-dir build/asan --output-on-failure -j 2 || return 1
	ASAN_OPTIONS=log_path=$logs/asan UBSAN_OPTIONS=log_path=$logs/ubsan PPS_CASE_SECONDS=240 \
		command_line_cases build/asan/ppsweep || return 1
	cat "$logs"/* 2>/dev/null
	[[ -z $(ls -A "$logs") ]]
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
		build/tsan/ppsweep schedule judge -p 2 -m 4 --replicates 40 -j 3 >/dev/null &&
		build/tsan/ppsweep schedule learn --episodes 256 --width 8 -j 3 -o "$out/p.json" >/dev/null 2>&1 &&
		build/tsan/ppsweep dynaplan -c llama2-7b --cluster h100 -d 4 --tp 2 --budget 300 -j 3 -o "$out/plans" sweep_configs/batches/mixed.txt >/dev/null 2>&1 &&
		build/tsan/ppsweep -c sweep_configs/11-batches.json --limit 24 -j 4 -o - -q >/dev/null &&
		build/tsan/ppsweep eval contention tests/golden/contention/points.csv -j 4 >/dev/null
	local status=$?
	rm -rf "$out"
	return $status
}

fuzz_smoke() {
	local target=$1 corpus
	corpus=$(mktemp -d)
	build/fuzz/tests/fuzz/"fuzz_$target" -max_total_time=3 -rss_limit_mb=2048 -artifact_prefix="$corpus/" \
		"$corpus" "tests/fuzz/corpus/$target"
	local status=$?
	rm -rf "$corpus"
	return $status
}

# Runs two targets at a time. The name of the target precedes the output of its failure.
fuzz_all() {
	export -f fuzz_smoke
	find tests/fuzz -name 'fuzz_*.c' -printf '%f\n' | sed 's/^fuzz_//; s/\.c$//' |
		xargs -P 2 -I TARGET bash -c 'fuzz_smoke TARGET >"build/fuzz-TARGET.log" 2>&1 ||
			{ echo "TARGET:"; tail -30 "build/fuzz-TARGET.log"; exit 1; }'
}

step "folders and includes" tests/layers
packaging/install-deps test
# Only for --ci: a browser takes half a minute to install.
[[ $mode == --ci ]] && { packaging/install-deps browser || echo "continuing without a browser" >&2; }
step "release build" packaging/build release
step "unit tests" unit_tests release 20000
step "command-line cases" command_line_cases build/release/ppsweep
step "command-line properties" tests/cli/run-properties build/release/ppsweep
step "launches of frameworks" tests/cli/run-launches build/release/ppsweep
step "pages in Chromium" tests/browser/run build/release/ppsweep
step "pages of the documentation" tests/cli/run-pages build/release/ppsweep
step "typed results in other programs" tests/cli/run-readers build/release/ppsweep
step "Python package" tests/cli/run-python build/release/ppsweep
step "hostile inputs" tests/cli/run-hostile build/release/ppsweep
step "completion in shells" tests/cli/run-completion build/release/ppsweep
step "experiments and their JSON Schema" tests/cli/run-schema build/release/ppsweep
step "examples of packaging" tests/cli/run-examples build/release/ppsweep
step "installed files and recipes" tests/cli/run-recipes build/release
if [[ $mode != --quick ]]; then
	# Only for --ci: the packages take ten seconds to install and contain daemons.
	[[ $mode == --ci ]] && { packaging/install-deps cluster || echo "continuing without Slurm and Open MPI" >&2; }
	step "shards under mpirun" tests/cluster/mpi build/release/ppsweep
	step "job script in a real Slurm" tests/cluster/slurm build/release/ppsweep
	step "formatting" formatted
	# For warnings only: without optimisation, which takes most of the time of a build.
	step "clang build" env CC=clang PPS_BUILD_FOLDER=clang \
		PPS_CMAKE_OPTIONS="$PPS_CMAKE_OPTIONS -DCMAKE_C_FLAGS_DEBUG=-O0" packaging/build debug
	step "address and undefined-behaviour build" packaging/build asan
	step "tests under address and undefined behaviour" sanitized_tests
	step "thread-sanitizer build" packaging/build tsan ppsweep
	step "runs under the thread sanitizer" thread_sanitized
	step "fuzz build" packaging/build fuzz
	step "3 seconds of each fuzz target" fuzz_all
fi
echo "$passed passed, $failed failed"
((failed == 0))
