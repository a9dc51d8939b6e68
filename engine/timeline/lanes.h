// SPDX-License-Identifier: Apache-2.0
// Puts the segments of a trace on lanes: a lane holds segments of one track of one group that
// do not overlap in time. A track whose tasks overlap has several lanes.
#pragma once

#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_lane {
    int32_t group, track;
    int32_t slot; // index among the lanes of the track, from 0
    int32_t next; // next lane of the track, or -1
    int32_t kind, item, chunk;
    double end;     // of its last segment
    bool continues; // the last segment continues the task of the one before, without a pause
};

// Empty if n_tracks is set and all other fields are zero.
struct pps_lanes {
    int32_t n_tracks;
    struct pps_lane *list; // in order of their first segments
    size_t n, room;
    int32_t *first; // first[group * n_tracks + track]: first lane of the track, or -1
    size_t n_groups;
};

void pps_lanes_free(struct pps_lanes *lanes);

// Puts a segment on the lane where the last segment of its task ended, otherwise on the first
// free lane, otherwise on a new lane. Segments come in order of start. Returns the lane, or
// NULL if memory runs out.
struct pps_lane *pps_lanes_put(struct pps_lanes *lanes, const struct pps_piece *piece,
                               bool *new_group, bool *new_lane);
