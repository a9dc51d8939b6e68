// SPDX-License-Identifier: Apache-2.0
// Finds the device with the earliest start as starts change: a tournament of devices in a binary tree. Of
// equal starts the smaller rank wins, and of equal ranks the smaller device.
#pragma once

#include "kernels/common/plan/room.h"

#include <math.h>
#include <stdbool.h>

struct earliest {
    int32_t leaves;  // a power of two
    int32_t *winner; // [2 * leaves]: of the subtree; the device itself at leaves + device
    double *start;   // [leaves]; INFINITY: cannot start
    int32_t *rank;   // [leaves]
};

// Takes the arrays for at most `devices`.
static inline void earliest_take(struct earliest *earliest, int32_t devices, struct room *room)
{
    int32_t leaves = 1;
    while (leaves < devices)
        leaves *= 2;
    earliest->leaves = leaves;
    earliest->winner = room_take(room, 2 * (size_t)leaves, sizeof *earliest->winner);
    earliest->start = room_take(room, (size_t)leaves, sizeof *earliest->start);
    earliest->rank = room_take(room, (size_t)leaves, sizeof *earliest->rank);
}

static inline bool earliest_is_before(const struct earliest *earliest, int32_t a, int32_t b)
{
    const double x = earliest->start[a], y = earliest->start[b];
    return x < y || (x == y && earliest->rank[a] < earliest->rank[b]);
}

// Lets no device start.
static inline void earliest_clear(struct earliest *earliest)
{
    for (int32_t i = 0; i < earliest->leaves; i++) {
        earliest->start[i] = (double)INFINITY;
        earliest->rank[i] = 0;
        earliest->winner[earliest->leaves + i] = i;
    }
    for (int32_t node = earliest->leaves - 1; node > 0; node--)
        earliest->winner[node] = earliest->winner[2 * node];
}

static inline void earliest_set(struct earliest *earliest, int32_t device, double start,
                                int32_t rank)
{
    int32_t *winner = earliest->winner;
    earliest->start[device] = start;
    earliest->rank[device] = rank;
    for (int32_t node = (earliest->leaves + device) / 2; node > 0; node /= 2) {
        const int32_t left = winner[2 * node], right = winner[2 * node + 1];
        winner[node] = earliest_is_before(earliest, right, left) ? right : left;
    }
}

// Returns the device; its start is INFINITY if no device can start.
static inline int32_t earliest_device(const struct earliest *earliest)
{
    return earliest->winner[1];
}
