// SPDX-License-Identifier: Apache-2.0
// Lanes of a trace: pieces of one track of one group that do not overlap in time. Where tasks
// of a track overlap, it has several.
#ifndef PPS_TRACELANES_H
#define PPS_TRACELANES_H

#include "kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_lane {
    int32_t group, track;
    int32_t slot; // from 0, among the lanes of the track
    int32_t next; // the track's next lane; -1: there is none
    int32_t kind, item;
    double end; // of its last piece
};

// With n_tracks set and all else zero it is empty.
struct pps_lanes {
    int32_t n_tracks;
    struct pps_lane *list; // in order of their first pieces
    size_t n, room;
    int32_t *first; // first[group * n_tracks + track]: its first lane; -1: there is none
    size_t n_groups;
};

void pps_lanes_free(struct pps_lanes *lanes);

// Puts a piece, in order of start, on the lane where its task's last piece ended, else on the
// first lane that is free, else on a new one. NULL: no memory.
struct pps_lane *pps_lanes_put(struct pps_lanes *lanes,
                               const struct pps_piece *piece,
                               bool *new_group,
                               bool *new_lane);

#endif
