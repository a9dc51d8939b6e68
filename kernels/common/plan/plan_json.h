// SPDX-License-Identifier: Apache-2.0
// Reads and writes plans as JSON documents:
//
//   {"plan": 1, "units": {"time": "s", "memory": "bytes"},
//    "devices": 2, "stages": 2, "micro_batches": 4, "slices": 1, "directions": 1,
//    "stage": [{"device": 0, "f": 0.01, "b": 0.02, "w": 0.01, "r": 0.01, "kept_until_b": 1e8,
//               "kept_until_w": 5e7, "forward_bytes": 1e6, "backward_bytes": 1e6}, ...],
//    "device": [{"fixed": 4e9, "limit": 6e10, "pair": 0.035}, ...],
//    "links": {"channels": "free", "latency": 1e-5, "occupation": 0,
//              "latencies": [[0, 1e-6], ...], "bandwidths": [[null, 4e10], ...]},
//    "order": ["F0.0 F1.0 ...", ...],
//    "layers": {"body": {...}, "head": {...}, "tail": {...}, ...}, see plan_layers.h
//    "makers": {"order": {"by": "zb_auto", "objective": "makespan", "value": 1.5, "bound": 1.4}},
//    "configuration": {"model": {...}, "cluster": {...}, "training": {...}, "baseline": {...}}}
//
// plan is the version of this form: 2 if the plan has a configuration, the training that it is of
// (kernels/configuration), otherwise 1. Times are in s, memory in bytes, bandwidths in bytes per s. Numbers
// have the fewest digits that read back as the same number. The tables of links are [sender][receiver].
// device_reverse is the device of a stage in direction 1. channels: free, links, cards or blocking. A limit that
// is absent is infinite, an absent pair takes f + b + w, an absent r takes f, a bandwidth null is
// infinite; every other number that is absent is 0. slices and directions are 1, channels free if
// absent; device, links, order, layers and makers may be absent.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/plan/plan.h"
#include "ppsweep/fault.h"

struct cJSON;

enum { PLAN_JSON_VERSION = 2 };

// Returns whether a document claims to be a plan.
bool plan_json_is_plan(const struct cJSON *root);

// Reads a plan, which the caller frees with plan_free. Refuses unknown keys, numbers out of range, and
// an order with operations that the pipeline does not have or that stand on the wrong device. Returns
// NULL with the place in `fault`; an empty fault->text means out of memory.
struct plan *plan_json_read(const struct cJSON *root, struct pps_fault *fault);

// Appends the document. All numbers are finite, except for absent ones. out->failed: out of memory.
void plan_json_write(const struct plan *plan, struct text_buffer *out);
