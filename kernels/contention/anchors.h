// SPDX-License-Identifier: Apache-2.0
// States of a point at anchors: writing them down, and whether two are the same. Private to
// steady.c.
#ifndef PPS_CONTENTION_ANCHORS_H
#define PPS_CONTENTION_ANCHORS_H

#include "state.h"

// Writes down what the point is like now.
void contention_take_anchor(struct sim *s, struct steady_anchor *a);

// A number that is the same at equal states, and different at most others.
double contention_anchor_mark(const struct sim *s);

// By how much states that are equal but for rounding and synchronisations that pile up differ at
// most, in units; HUGE_VAL: they are not. `period` anchors lie between the two.
double contention_anchors_differ(const struct sim *s,
                                 const struct steady_anchor *old,
                                 const struct steady_anchor *new,
                                 int32_t period);

// Whether the synchronisations of a stage are the same.
bool contention_same_syncs(const struct steady_sync *old, const struct steady_sync *new);

// Work that the synchronisations of a stage still have, in units.
double contention_backlog(const struct sim *s, const struct steady_sync *sync);

#endif
