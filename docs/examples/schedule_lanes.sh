#!/usr/bin/env bash
# Draws the timeline of a schedule as text, for four devices and eight micro-batches with f = b = w = 1:
#   docs/examples/schedule_lanes.sh FAMILY
# The first line has the figures of the schedule. Then each device has a line: one character for half a unit of time, a digit
# for the forward of a micro-batch, a letter for its backward (a: micro-batch 0), - for the backward of weights. Of a pair
# that overlaps, the first characters show the forward.
set -euo pipefail
family=$1
printf 'family,p,m,f,b,w\n%s,4,8,1,1,1\n' "$family" | ppsweep eval schedule | awk -F, '
	NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
	{ printf "makespan %g, bubble %.1f %%, peak %g\n", $at["makespan"], $at["bubble"], $at["peak"] }'
ppsweep trace schedule "family=$family" p=4 m=8 f=1 b=1 w=1 -o - | awk -F, '
	# Puts a character on the lane of a device.
	function draw(device, from, to, character, i) {
		for (i = from; i < to; i++)
			cell[device, i] = character
		last[device] = to > last[device] ? to : last[device]
	}
	NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
	$1 == "memory" || $1 == "message" { next }
	{
		device = $at["device"]
		from = 2 * $at["start"]
		to = 2 * $at["end"]
		number = $at["micro_batch"]
	}
	$1 == "forward" {
		length_of[$at["chunk"]] = $at["overlapped"] ? length_of[$at["chunk"]] : to - from
		forwards[++n] = device " " from " " ($at["overlapped"] ? from + length_of[$at["chunk"]] : to) " " number
		next
	}
	{ draw(device, from, to, $1 ~ /weight/ ? "-" : substr("abcdefgh", number + 1, 1)) }
	END {
		for (k = 1; k <= n; k++) {
			split(forwards[k], part, " ")
			draw(part[1], part[2], part[3], part[4])
		}
		for (device = 0; device < 4; device++) {
			line = device "  "
			for (i = 0; i < last[device]; i++)
				line = line (((device, i) in cell) ? cell[device, i] : " ")
			print line
		}
	}'
