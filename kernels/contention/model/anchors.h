// SPDX-License-Identifier: Apache-2.0
// Anchors record the state of a point and compare two states. Private to steady.c.
#pragma once

#include "kernels/contention/model/state.h"

// Records the present state of the point.
void contention_take_anchor(struct sim *s, struct steady_anchor *a);

// Returns a number that is equal for equal states and differs for most others.
double contention_anchor_mark(const struct sim *s);

// Returns the largest difference, in units, between two states that are equal except for
// rounding and for synchronisations that pile up; HUGE_VAL: the states are not equal. The
// second state is `period` anchors after the first.
double contention_anchors_differ(const struct sim *s, const struct steady_anchor *old,
                                 const struct steady_anchor *new, int32_t period);

// Returns whether the synchronisations of a stage are equal.
bool contention_same_syncs(const struct steady_sync *old, const struct steady_sync *new);

// Returns the work left of the synchronisations of a stage, in units.
double contention_backlog(const struct sim *s, const struct steady_sync *sync);
