#!/usr/bin/env bash
# A sweep as a job array of Slurm, one shard a task. Copy this file, edit what is between the
# lines, and from the folder in which the sweep would run by hand:
#   packaging/slurm/submit job.sh            the array, then a job that merges its shards
#   packaging/slurm/submit --array=3,7 job.sh       the same for two tasks that failed
# (sbatch job.sh is the array alone.)

# ---- edit --------------------------------------------------------------------------------------
#SBATCH --array=0-15
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
# Add --account, --partition or --mem here if your cluster wants them. (sbatch reads these lines
# up to the first command, so they all stand above it.)

# A minute before the time is up Slurm sends TERM to this script. The sweep then keeps what it
# has and exits with 5, and the task is put back into the queue and goes on from there.
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --job-name=ppsweep
#SBATCH --output=%x-%A_%a.log

shards=16 # as many as the array has tasks; it stays when only some of them are submitted
sweep=(ppsweep run -c sweep_configs/02-paper.json)
result=outputs/sweep.csv.gz
# ------------------------------------------------------------------------------------------------

set -u
most_restarts=100 # of a task, so that one that never gets anywhere does not go on for ever
task=${SLURM_ARRAY_JOB_ID:-none}_${SLURM_ARRAY_TASK_ID:-none}

pass_on() { # PROCESS
	echo "job.sh: task $task is told to stop" >&2
	kill -TERM "$1" 2>/dev/null
}

# Runs a command that is told when this script is told to stop; sets status. Bash leaves `wait`
# when a signal comes, so that it has to wait once more.
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

# Puts this task alone back into the queue (the number of a job may stand for the whole array).
# A task that is not RUNNING any more was cancelled, or is put back by Slurm itself. Where squeue
# fails, as when the controller is busy, it is asked again; without an answer the task is put back.
put_back() {
	local state=RUNNING try
	for try in 1 2 3; do
		state=$(squeue --noheader --jobs="$task" --format=%T) && break
		echo "job.sh: squeue failed" >&2
		state=RUNNING
		((try < 3)) && sleep "${squeue_pause:-5}"
	done
	if [[ $state != RUNNING ]]; then
		echo "job.sh: task $task was cancelled, or put back by Slurm; what is done is kept" >&2
	elif ((${SLURM_RESTART_COUNT:-0} >= most_restarts)); then
		echo "job.sh: task $task was restarted $most_restarts times; what is done is kept" >&2
	else
		echo "job.sh: task $task stopped early and goes on later" >&2
		scontrol requeue "$task"
	fi
}

told=0 status=0
if [[ ${1:-} == merge ]]; then
	run ppsweep merge -o "$result" "${result%.csv*}".shard-*-of-"$shards".csv*
else
	mkdir -p "$(dirname "$result")"
	run "${sweep[@]}" -o "$result" --shard "auto/$shards" --resume
fi
# TERM kills a program that has only just been started.
((told && status == 143)) && status=5
case $status in
4) # The shard is whole, so nothing keeps it from being merged; its manifest counts them.
	echo "job.sh: some points of task $task failed" >&2
	status=0
	;;
5) put_back ;;
esac
exit $status
