#!/bin/bash
# packaging/dryrun.sh COMMAND RANKS STAGES FOLDER: runs COMMAND once per pipeline stage as a dry run, without devices.
#
# Stage s is simulated as rank s * RANKS / STAGES; its output goes to FOLDER/stage_s_rank_R/mindformer.log.
# `ppsweep balance peaks FOLDER` reads the peaks. COMMAND is a shell command, in quotes; a failed dry run does not stop the
# others, and the script ends with status 1 then.
set -u
if (($# != 4)) || ! [[ $2 =~ ^[1-9][0-9]*$ && $3 =~ ^[1-9][0-9]*$ ]] || (($2 % $3 != 0)); then
	echo "usage: packaging/dryrun.sh COMMAND RANKS STAGES FOLDER; STAGES divides RANKS" >&2
	exit 2
fi
command=$1 ranks=$2 stages=$3 folder=$4
export MS_SIMULATION_LEVEL=1 MS_KERNEL_LAUNCH_SKIP=all MS_MEMORY_STATISTIC=1 RANK_SIZE=$ranks
failed=0
for ((stage = 0; stage < stages; stage++)); do
	export RANK_ID=$((stage * ranks / stages))
	run=$folder/stage_${stage}_rank_$RANK_ID
	mkdir -p "$run" || exit 1
	if bash -c "$command" >"$run/mindformer.log" 2>&1; then
		echo "stage $stage as rank $RANK_ID: $run/mindformer.log"
	else
		echo "stage $stage as rank $RANK_ID failed with status $?: $run/mindformer.log" >&2
		failed=1
	fi
done
exit $failed
