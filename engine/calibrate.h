// SPDX-License-Identifier: Apache-2.0
// What a sweep will take, from a second of measuring: some stretches of the space are run and
// compressed on one thread, and its rules are walked as far as time allows.
#ifndef PPS_CALIBRATE_H
#define PPS_CALIBRATE_H

#include "codec.h"
#include "experiment.h"
#include "shard.h"
#include "space.h"

#include <stdatomic.h>

struct pps_forecast {
    uint64_t points; // left-out ones included
    bool exact;      // left_out is counted to the end
    bool at_least;   // a point of the sample did not finish: the times are lower bounds
    struct pps_left_out left_out[PPS_MAX_REASONS]; // as far as counted, scaled to the whole
    double rows;
    double point_s;    // one thread, per point, left-out ones included
    double text_bytes; // of the whole result
    double data_bytes;
    double worker_bytes; // memory of a worker
};

// Fills *forecast in about `seconds`: of the whole experiment, or of one of its shards. `stop` goes up
// somewhat later and ends the measurement of points that take longer.
PPS_MUST_CHECK enum pps_status pps_calibrate(const struct pps_experiment *experiment,
                                             struct pps_shard shard,
                                             struct pps_codec_choice codec,
                                             double seconds,
                                             const atomic_bool *stop,
                                             struct pps_forecast *forecast,
                                             struct pps_error *err);

#endif
