// SPDX-License-Identifier: Apache-2.0
// Writes the plan of a step as one line of JSON: figures, micro-batches, times and memory as simulated, and the
// instructions of every device. kernels/dynapipe/model.md describes the document.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/dynapipe/instructions/instructions.h"
#include "kernels/dynapipe/step/step.h"

// A step that was planned. Everything belongs to the caller.
struct planned_step {
    const char *batch; // its name
    const struct step_setup *setup;
    const struct step_choice *choice;
    const struct split_samples *samples; // NULL: the micro-batches were given, not divided
    const struct step_division *division;
    const struct step_replica *replicas;     // [n]
    const struct instructions *instructions; // [n]
    int32_t n;
    double batch_bound; // us: no plan of any division is shorter; 0: not known
};

// Words of a plan, ended with NULL.
extern const char *const plan_order_names[]; // "best", ...
extern const char *const plan_limit_names[]; // "micro-batch", ...

// Figures of a step.
struct step_figures {
    double makespan, bound,
        utilisation; // us; of the slowest replica; of all devices of all replicas
    double least;    // us: bound of the batch; of these micro-batches if that is not known
    int32_t slowest;
    int32_t peak_device, peak_replica;
    double peak; // MB, the largest
    int64_t evaluations, first_fit;
    int64_t full, selective;         // micro-batches and stages that recompute
    int64_t samples, tokens, padded; // tokens: of the samples; padded: of the micro-batches
    int32_t micro_batches;
    bool is_proven; // all replicas are
    double exceeds; // MB above the limit, the most of a device; 0: the plan fits
    int32_t exceeding_device;
};

struct step_figures step_figures_of(const struct planned_step *step);

// Appends the plan and a line break.
void plan_write(const struct planned_step *step, struct text_buffer *out);
