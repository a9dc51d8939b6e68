// SPDX-License-Identifier: Apache-2.0
// The state of the loops of rules that move W, which their files share.
#pragma once

#include "kernels/schedule/automatic/earliest.h"
#include "kernels/schedule/online/channels.h"
#include "kernels/schedule/online/pull.h"

// An F, B, BW or R of a device. Messages have numbers: `input` and `output`.
struct pull_task {
    int32_t index;
    int32_t before;   // W's that the order places before it
    int32_t input;    // PULL_NO_INPUT: none
    int32_t output;   // PULL_NO_OUTPUT: none
    int16_t receiver; // of the output; -1: none, or the same device
    int16_t sender;   // of the input
    uint8_t type;
    double expected; // nominal: from the start of the sender to the arrival of the input
    double memory;   // that an F takes at its start; that the others free at their end
};

struct pull_weight {
    int32_t index;
    int32_t before; // tasks of the device up to its B
    double time;    // nominal
    double memory;  // that it frees at its end
};

// A message: start of the operation that sends it, and arrival. arrival < 0: not computed.
struct pull_message {
    double started, arrival;
};

enum { PULL_NO_INPUT, PULL_NO_OUTPUT, PULL_NO_MESSAGES };

struct pull_device {
    const struct pull_task *tasks;
    const struct pull_weight *weights;
    int32_t n_tasks, n_weights;
    double room; // limit of the memory with tolerance
    // ---- of a step
    double clock, used;
    int32_t task, weight; // the next ones
    int32_t wanted;       // message that is not computed; -1: none
    bool asks;            // whether that message is on its way
    bool is_told;         // that it is not: its sender starts now or later
    bool waits;           // for the input of the next task
    bool has_moment;      // an F or B took no time
};

struct pull {
    const struct pipeline *pipeline;
    const struct executor_times *times;
    struct pull_rule rule;
    int lane;
    bool is_timed;     // durations depend on the start
    bool has_channels; // messages occupy links or cards
    bool weighs;       // forwards may exceed the memory
    bool in_order;     // decisions in the order of time
    int32_t items, n_messages, n_awake;
    struct pull_task *task;
    struct pull_weight *weight;
    struct pull_message *message;
    struct pull_device *device;
    struct channels channels;
    int32_t *awake; // stack of devices
    struct earliest earliest;
};
