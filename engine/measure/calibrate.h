// SPDX-License-Identifier: Apache-2.0
// Forecasts time, size and memory of a sweep from one second of measuring: runs and compresses
// some stretches of points on one thread, and visits points to count the skipped points as far
// as time allows.
#pragma once

#include "base/system/codec.h"
#include "engine/experiment/experiment.h"
#include "engine/space/shard.h"
#include "engine/space/space.h"

#include <stdatomic.h>

struct pps_forecast {
    uint64_t points; // including skipped points
    bool exact;      // all points were visited to count left_out
    bool at_least;   // a point of the sample did not finish: times are lower bounds
    struct pps_left_out left_out[PPS_MAX_REASONS]; // counted so far, scaled to all points
    double rows;
    double point_s;    // on one thread, per point, including skipped points
    double text_bytes; // of the whole result
    double data_bytes;
    double worker_bytes; // memory of a worker
};

// Fills *forecast in about `seconds`, for the whole experiment or for one of its shards. `stop`
// is set somewhat later and ends the measurement of points that take longer.
PPS_MUST_CHECK enum pps_status pps_calibrate(const struct pps_experiment *experiment,
                                             struct pps_shard shard,
                                             struct pps_codec_choice codec, double seconds,
                                             const atomic_bool *stop,
                                             struct pps_forecast *forecast,
                                             struct pps_error *err);
