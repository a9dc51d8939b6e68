// SPDX-License-Identifier: Apache-2.0
// Writes strategies and their replays as a JSON document:
//
//   {"model": "demo", "layers": 96, "limit_mib": 56000,
//    "strategies": [
//     {"name": "found", "stages": 16, "chunks": 3, "micro_batches": 16, "pieces": 1, "order": "less",
//      "step_time": 1442.35, "relative_speed": 1, "fits": true,
//      "bubble": {"real": 0.58, "ideal": 0.31, "imbalance": 0.17, "recompute": 0.09},
//      "peak_mib": [...], "worst_stage": 12,
//      "offset": [[...], ...], "recompute": [[...], ...], "select_recompute": [[...], ...],
//      "select_comm_recompute": [[...], ...], "layout": "Et*5|...|L", "canonical": true,
//      "forward": [[...], ...], "backward": [[...], ...], "activation_mib": [[...], ...],
//      "static_mib": [...]}, ...]}
//
// Lists of lists are [chunk][stage]. Times are in the unit of the layers. A strategy that is not canonical means another
// strategy when its lists are read.
#ifndef PPS_BALANCE_REPORT_RESULT_JSON_H
#define PPS_BALANCE_REPORT_RESULT_JSON_H

#include "base/text/text_buffer.h"
#include "kernels/balance/model/replay.h"

struct balance_reported {
    const char *name;
    const struct balance_shape *shape;
    const struct balance_strategy *strategy;
    const struct balance_result *result;
};

// Appends the document. Speeds are relative to the first strategy. limit_mb: INFINITY: null. text->failed: out of
// memory.
void balance_result_json(const struct balance_layers *layers,
                         double limit_mb,
                         const struct balance_reported *strategies,
                         int n,
                         struct text_buffer *text);

#endif
