// SPDX-License-Identifier: Apache-2.0
// Finds the forward and backward times of head, body and tail layers in traces of a training, one file per rank. A trace has a lane
// with scopes of layers: "0-LLamaDecodeLayer", "lm_head-Linear". Only scopes inside a pass of a step that
// counts are used: the first two steps warm up, if there are enough.
#pragma once

#include "base/text/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LAYER_NAMES_MAX = 16 };

enum layer_part { LAYER_HEAD, LAYER_BODY, LAYER_TAIL, LAYER_PARTS };

// Where the times of layers come from. The texts belong to the caller.
struct layer_times {
    bool is_given[LAYER_PARTS]; // given times replace those of traces
    double given[LAYER_PARTS];
    const char *folder; // of traces; NULL: none
    int32_t micro_batches;
    const char *names[LAYER_PARTS][LAYER_NAMES_MAX]; // of scopes; several names add up
    int n_names[LAYER_PARTS];
};

// Reads all files *.json and *.json.gz of the folder in the order of their names, in constant memory but for the scopes that are
// used. times: ms of one layer and micro-batch, forward; backward: the same of backward passes, with what they compute
// again; 0: the traces do not say it. Prints to `out` how many scopes each name has, and warnings to stderr if no file is of
// the first, the last or a middle stage. A name that no scope has is PPS_E_INPUT. stop: may be NULL.
PPS_MUST_CHECK enum pps_status layer_times_read(const struct layer_times *settings,
                                                const atomic_bool *stop,
                                                double times[LAYER_PARTS],
                                                double backward[LAYER_PARTS], FILE *out,
                                                struct pps_error *err);
