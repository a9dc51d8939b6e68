#!/bin/sh
# packaging/examples/mpi/sweep.sh RANKS EXPERIMENT RESULT [OPTION...]: runs a sweep under mpirun, one shard for each rank,
# and merges the shards. Ranks do not communicate: mpirun only starts them, on all machines of its host file, and all
# machines must see the folder of the result. Options of mpirun are in MPIRUN_OPTIONS.
#
# Status 5 means that the sweep was stopped (Ctrl-C, --time-limit, the end of the allocation); the same command resumes
# it. Status 4 means that it is complete and that some points failed.
set -eu
if [ $# -lt 3 ]; then
	echo "usage: sweep.sh RANKS EXPERIMENT RESULT [OPTION...]" >&2
	exit 2
fi
ranks=$1 experiment=$2 result=$3
shift 3
case $result in
*.csv.gz) ending=.csv.gz ;;
*.csv) ending=.csv ;;
*.parquet) ending=.parquet ;;
*) echo "sweep.sh: $result: write a path that ends with .csv.gz, .csv or .parquet" >&2 && exit 2 ;;
esac
# mpirun stops all ranks when one of them fails, so a rank whose points failed (status 4) says so by this file only.
failed=$result.failed-points
rm -f "$failed"
rank='trap : TERM; file=$1; shift; status=0; "$@" || status=$?; [ $status -ne 4 ] || { : >"$file"; exit 0; }; exit $status'
# shellcheck disable=SC2086 # several options
mpirun ${MPIRUN_OPTIONS:-} -n "$ranks" sh -c "$rank" sh "$failed" \
	ppsweep run -c "$experiment" -o "$result" --shard "auto/$ranks" --resume -q "$@"
ppsweep merge "${result%"$ending"}".shard-*-of-"$ranks$ending"
[ ! -e "$failed" ] || { rm -f "$failed" && exit 4; }
