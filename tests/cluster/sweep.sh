# shellcheck shell=bash disable=SC2034
# Common parts of the tests of this folder: the sweep, the bytes of a single run, and the counting of
# checks. Scripts source this file with the program under test as argument and then run in $work.
export LC_ALL=C
unset NO_COLOR SLURM_CPUS_PER_TASK
program=$(realpath -- "$1") || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP
export PATH=${program%/*}:$PATH
cd "$work" || exit 2

# Many blocks in a fraction of a second, or in some seconds with --exact. A rule skips some points.
cat >e.json <<'END_OF_EXPERIMENT'
{
  "n": 60, "gpus": 8, "sync_base_len": 0, "priority_step": 0.5,
  "fwd_impact": {"start": 0, "stop": 0.9, "step": 0.01},
  "bwd_impact": {"start": 0, "stop": 0.9, "step": 0.01},
  "where": "bwd_impact <= 2 * fwd_impact || fwd_impact == 0.3"
}
END_OF_EXPERIMENT
sweep=(ppsweep run -c e.json -j 1 --progress never)
mkdir whole

passed=0 failed=0
# check NAME COMMAND...: counts the result. Prints the output of the command and the logs only if the
# command fails.
check() {
	local name=$1
	shift
	if "$@" >said 2>&1; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED  $name"
	tail -n 20 said ./*.log 2>/dev/null | sed 's/^/    /'
	return 1
}

same() { # RESULT WANTED: equal bytes, verified, and no unfinished file next to the result
	cmp "$1" "$2" && cmp "$1.idx" "$2.idx" && ppsweep verify "$1" -q && [[ -z $(compgen -G '*.part') ]]
}

report() {
	printf '%d passed, %d failed\n' $passed $failed
	((failed == 0))
}
