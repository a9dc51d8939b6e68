#!/usr/bin/env bash
# Runs a sweep as a Slurm job array, one shard per task. Copy this file, edit the section between the
# lines, and submit it from the folder in which you would run the sweep by hand:
#   packaging/slurm/submit job.sh               the array, then a job that merges its shards
#   packaging/slurm/submit --array=3,7 job.sh   the same for two tasks that failed
# `sbatch job.sh` submits the array without the merge.

# ---- edit --------------------------------------------------------------------------------------
#SBATCH --array=0-15
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
# Add --account, --partition or --mem here if your cluster needs them. sbatch ignores #SBATCH lines
# after the first command.

# A minute before the time limit Slurm sends TERM to this script. The sweep then keeps its finished
# blocks and exits with 5. The task is requeued and resumes.
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --job-name=ppsweep
#SBATCH --output=%x-%A_%a.log

shards=16 # number of tasks of the array; do not change it when you resubmit some of the tasks
sweep=(ppsweep run -c sweep_configs/02-paper.json)
result=outputs/sweep.csv.gz
# ------------------------------------------------------------------------------------------------

set -u
most_restarts=100 # per task, so that a task without progress ends
task=${SLURM_ARRAY_JOB_ID:-none}_${SLURM_ARRAY_TASK_ID:-none}

pass_on() { # PROCESS
	echo "job.sh: task $task received TERM; stopping" >&2
	kill -TERM "$1" 2>/dev/null
}

# Runs a command, passes TERM on to it, and sets status. A signal interrupts `wait`, so `wait` is
# called again after a signal.
run() {
	local waiting=1
	"$@" &
	trap 'told=1 waiting=1; pass_on '$! TERM
	while ((waiting)); do
		waiting=0
		wait $!
		status=$?
	done
	trap '' TERM
}

# Requeues only this task; the number of a job may mean the whole array. A task that is no longer
# RUNNING was cancelled, or Slurm requeues it. If squeue fails, for example because the controller
# is busy, it is called again. Without an answer the task is requeued.
put_back() {
	local state=RUNNING try
	for try in 1 2 3; do
		state=$(squeue --noheader --jobs="$task" --format=%T) && break
		echo "job.sh: squeue failed" >&2
		state=RUNNING
		((try < 3)) && sleep "${squeue_pause:-5}"
	done
	if [[ $state != RUNNING ]]; then
		echo "job.sh: task $task was cancelled, or requeued by Slurm; finished blocks are kept" >&2
	elif ((${SLURM_RESTART_COUNT:-0} >= most_restarts)); then
		echo "job.sh: task $task was restarted $most_restarts times; finished blocks are kept" >&2
	else
		echo "job.sh: task $task stopped early; requeued" >&2
		scontrol requeue "$task"
	fi
}

told=0 status=0 ending=
case $result in
*.csv.gz) ending=.csv.gz ;;
*.csv) ending=.csv ;;
*.parquet) ending=.parquet ;;
esac
if [[ -z $ending && ${sweep[1]} != nd ]]; then
	echo "job.sh: result=$result: write a path that ends with .csv.gz, .csv or .parquet" >&2
	exit 2
fi
if [[ ${1:-} == merge ]]; then
	run ppsweep merge -o "$result" "${result%"$ending"}".shard-*-of-"$shards$ending"
else
	mkdir -p "$(dirname "$result")"
	run "${sweep[@]}" -o "$result" --shard "auto/$shards" --resume
fi
# TERM kills a program that has just started.
((told && status == 143)) && status=5
case $status in
4) # The shard is complete and can be merged; its manifest counts the failed points.
	echo "job.sh: some points of task $task failed" >&2
	status=0
	;;
5) put_back ;;
esac
exit $status
