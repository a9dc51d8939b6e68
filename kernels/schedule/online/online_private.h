// SPDX-License-Identifier: Apache-2.0
// The state of the environment, which its files share.
#pragma once

#include "kernels/schedule/automatic/earliest.h"
#include "kernels/schedule/online/channels.h"
#include "kernels/schedule/online/online.h"

struct online_stage {
    int32_t device, chunk;
    int32_t started[3];    // F, B, W
    double kept, freed[3]; // memory of a forward; what the end of F, B, W frees
    double time[3];        // nominal
    double bytes[2];       // of the message after F, after B
    double delay[2];       // nominal, of the message after F, after B
};

// The input of an F or a B.
struct online_input {
    double started;  // when the operation that sends it started
    double expected; // arrival by nominal times after that
    double arrival;  // negative: the operation that sends it has not started
};

struct online_running {
    int32_t type, stage, item;
    double start, end;
    bool counted; // in the figures of the device
};

struct online {
    const struct pipeline *pipeline;
    const struct order *reference;
    const struct executor_times *times; // NULL: nominal
    int lane;
    int32_t items;
    bool let_wait;
    double now, makespan;
    int64_t left;

    struct online_stage *stage; // [stages]
    int32_t *stages;            // stages by device, ascending
    int32_t *first;             // [devices + 1]: of `stages`
    struct online_device *device;
    double *room;                   // [devices]: limit with tolerance
    struct online_running *running; // [devices]: the last operation
    struct online_input *input[2];  // [stage * items + item]: of F, of B
    struct channels channels;
    struct earliest wake; // when a device can decide next
    struct online_candidate *candidate;
    struct online_decision decision;

    struct executor *executor;
    int32_t *position[3];          // [stage * items + item]: of F, B, W in the reference order
    uint8_t *is_started;           // [order_at of the reference]
    double *tails;                 // [order_at of the reference]: nominal
    struct order order;            // that was run
    double *own_starts, *own_ends; // [order_at of `order`]
};

// Fills the candidates of a free device, without WAIT. Returns their number.
int32_t online_candidates(struct online *online, int32_t device);

// Returns the next arrival after now of an input of the next F or B of a stage of the device, among the
// inputs that are on the way; INFINITY: none.
double online_next_arrival(const struct online *online, int32_t device);

// Adds the last operation of a device to its figures if it has ended.
void online_see(struct online *online, int32_t device);

// Finds the figures of the reference order: positions, nominal starts and tails.
void online_find_reference(struct online *online);

static inline int32_t online_index(const struct online *online, int32_t stage, int32_t item)
{
    return stage * online->items + item;
}
