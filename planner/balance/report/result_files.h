// SPDX-License-Identifier: Apache-2.0
// Writes the files of a report into a folder: pictures under their published names, the configuration, the plan and the
// arguments of Megatron-LM.
#pragma once

#include "base/text/text_buffer.h"
#include "base/write/gate.h"
#include "kernels/balance/documents/manual_read.h"
#include "kernels/balance/model/replay.h"
#include "planner/balance/report/picture.h"

// ---- timeline file ------------------------------------------------------------------------------

// Writes JSON, CSV, SVG or PNG by the ending of the path (engine/trace/trace_write.h); "-" is CSV on standard
// output. Replays the strategy. force: replace a file that exists. The file appears when it is complete; stdout
// says so, and how to open JSON.
PPS_MUST_CHECK enum pps_status balance_timeline_write(const struct balance_picture *picture,
                                                      const char *path,
                                                      const struct pps_gate *gate,
                                                      struct pps_error *err);

// ---- result json --------------------------------------------------------------------------------

struct balance_reported {
    const char *name;
    const struct balance_shape *shape;
    const struct balance_strategy *strategy;
    const struct balance_result *result;
};

// Appends the document. Speeds are relative to the first strategy. limit_mb: INFINITY: null. text->failed: out of
// memory.
void balance_result_json(const struct balance_layers *layers, double limit_mb,
                         const struct balance_reported *strategies, int n,
                         struct text_buffer *text);

// ---- result files -------------------------------------------------------------------------------

#define BALANCE_RESULT_YAML     "result.yaml"
#define BALANCE_RESULT_JSON     "result.json"
#define BALANCE_RESULT_PLAN     "plan.json"
#define BALANCE_RESULT_MEGATRON "megatron.txt"

struct balance_files {
    const char *folder; // created if it is missing
    const struct pps_gate *gate;
    FILE *log; // gets a line "wrote     PATH" per file; NULL: none
};

// Writes result.svg, result.yaml, plan.json and megatron.txt of the strategy that was found. seconds: of a unit of time
// of the layers. bound: of the step time, in the unit of the layers; NAN: none.
PPS_MUST_CHECK enum pps_status balance_files_found(const struct balance_files *files,
                                                   const struct balance_picture *found,
                                                   double seconds, double bound,
                                                   struct pps_error *err);

// Writes one picture under a name in the folder.
PPS_MUST_CHECK enum pps_status balance_files_picture(const struct balance_files *files,
                                                     const char *name,
                                                     const struct balance_picture *picture,
                                                     struct pps_error *err);

// Writes the pictures of a strategy of the user: NAME, and beside the strategy that was found (NULL: none) Auto_NAME with
// that one alone and Comparison_NAME with both.
PPS_MUST_CHECK enum pps_status balance_files_manual(const struct balance_files *files,
                                                    const char *name,
                                                    const struct balance_picture *found,
                                                    const struct balance_picture *manual,
                                                    struct pps_error *err);

// Writes result.json.
PPS_MUST_CHECK enum pps_status balance_files_json(const struct balance_files *files,
                                                  const struct balance_layers *layers,
                                                  double limit_mb,
                                                  const struct balance_reported *strategies,
                                                  int n, struct pps_error *err);
