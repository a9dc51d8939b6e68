// SPDX-License-Identifier: Apache-2.0
// A configuration is everything that decides the time and the memory of a training: model, cluster and
// training, the parallel strategy, the layers and the recomputation of every part of the model, and the
// order of the pipeline. All commands that say something about a training evaluate a configuration
// (step.h), so that they print the same figures.
//
// A part is what one device runs as one chunk. Parts are numbered in the order of the model: part 0 has the
// embedding, the last part the head. A part may have no layer at all. The last layers of the model are those of
// the modules that predict several tokens (MTP), so the layers of the parts say where the modules are; the
// last part computes their losses with the head.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "kernels/common/estimate/strategy.h"
#include "kernels/schedule/families/family.h"
#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stdint.h>

// Kinds of layers: those of the model's table; without one, the leading dense layers of a model with
// experts, and all others.
enum configuration_kind {
    CONFIGURATION_DENSE,
    CONFIGURATION_USUAL,
    CONFIGURATION_KINDS = MODELDESC_KINDS
};

struct configuration_part {
    int32_t layers[CONFIGURATION_KINDS]; // MTP layers are usual ones
    // Of these layers, the ones that are made again wholly, and in part (training.recompute_modules).
    int32_t full[CONFIGURATION_KINDS], select[CONFIGURATION_KINDS];
    int32_t modules; // that predict several tokens
};

struct configuration {
    struct modeldesc model; // with the sequence length
    struct cluster cluster;
    struct training training;    // with the number of sequences per step
    struct nd_strategy strategy; // vp: parts of a device; `recompute` has no meaning
    int32_t n_parts;
    struct configuration_part *parts; // [n_parts]
    // Full recomputation makes so many layers again together and stores the input of the first one only.
    int32_t recompute_group;
    // Gradients accumulate over several runs of the pipeline, which follow one another: sequences of a replica in each; 0:
    // a step is one run.
    int32_t run_batch;
    // The order of the pipeline; NULL: 1F1B, or interleaved 1F1B if a device has several parts.
    const struct family *family;
};

// Where a document sets the parts of a configuration; NULL: it does not.
struct configuration_items {
    const struct cJSON *strategy, *layers, *recompute, *select, *schedule;
};

enum {
    CONFIGURATION_PARTS_MAX = 16384,
    CONFIGURATION_DEVICES_MAX = 4096, // of a pipeline
};

// Sets the strategy and the parts of a configuration whose model, cluster and training are set, from a
// strategy as a document sets it (kernels/frameworks/form/configuration.h: `baseline`). Missing degrees
// are 1, dp takes the remaining devices, layers are even (configuration_spread) and none is made again.
// NULL: no document. Returns false with a fault: a value is wrong, or the training cannot run, with the
// reason; out of memory sets *no_memory. The caller frees the configuration with configuration_free in
// any case.
bool configuration_read(struct configuration *configuration, const struct cJSON *strategy,
                        struct configuration_items *items, bool *no_memory,
                        struct pps_fault *fault);
void configuration_free(struct configuration *configuration);

// Makes a copy with parts of its own. Returns false when out of memory.
bool configuration_copy(struct configuration *to, const struct configuration *from);

// Allocates the parts of the strategy and spreads the layers over the stages as evenly as possible
// (nd_stage_layers), and the layers of a stage over its parts, later parts larger. Nothing is made again. Returns false when
// out of memory.
bool configuration_spread(struct configuration *configuration);

// Sets the layers of all parts and how many of them are made again, [n_parts] in the order of the model. full,
// select: NULL: none. The first layers of a part are made again first.
void configuration_set_layers(struct configuration *configuration, const int32_t *layers,
                              const int32_t *full, const int32_t *select);

// Sets what all layers make again.
void configuration_recompute(struct configuration *configuration, enum nd_recompute mode);

// Returns whether the training can run: degrees that use all devices and divide what they split, layers
// that add up, an order that exists. Otherwise `why` is one clause.
bool configuration_check(const struct configuration *configuration, char *why, size_t size);

// Sets the family of the order by the schedule of the training: NULL unless it is zero_bubble or dualpipe and there
// are several stages.
void configuration_set_schedule(struct configuration *configuration);

// Returns whether the pipeline has an order: its family fits the stages, chunks and micro-batches. Otherwise
// `why` is one clause.
bool configuration_has_order(const struct configuration *configuration, char *why, size_t size);

// Returns the family of the order, also where it is NULL.
const struct family *configuration_family(const struct configuration *configuration);

// Returns the name of the order in reports and documents: that of the family, or 1f1b.
const char *configuration_schedule(const struct configuration *configuration);

// Returns whether the order is none of a loop with 1F1B or interleaved 1F1B, which exact solvers of splits know.
bool configuration_is_ordered(const struct configuration *configuration);

// Returns the part that a device runs as its chunk.
int32_t configuration_part_at(const struct configuration *configuration, int32_t chunk,
                              int32_t device);

// Returns the sum over the kinds of layers.
static inline int32_t configuration_sum(const int32_t of[CONFIGURATION_KINDS])
{
    int32_t sum = 0;
    for (int kind = 0; kind < CONFIGURATION_KINDS; kind++)
        sum += of[kind];
    return sum;
}

static inline int32_t configuration_part_layers(const struct configuration_part *part)
{
    return configuration_sum(part->layers);
}

// Returns the micro-batches of a step on one replica.
static inline int32_t configuration_micro_batches(const struct configuration *configuration)
{
    const struct nd_strategy *s = &configuration->strategy;
    return (int32_t)(configuration->training.gbs / s->mbs / s->dp);
}

// Returns those of one run of the pipeline: all, unless the sequences of a run are whole micro-batches and divide the step.
static inline int32_t configuration_run_micro_batches(const struct configuration *configuration)
{
    const int32_t all = configuration_micro_batches(configuration),
                  mbs = configuration->strategy.mbs, run = configuration->run_batch / mbs;
    return run > 0 && configuration->run_batch % mbs == 0 && all % run == 0 ? run : all;
}

// Returns the sequences of a replica in one of several runs; 0: a step is one run.
static inline int32_t configuration_run_batch(const struct configuration *configuration)
{
    const int32_t all = configuration_micro_batches(configuration),
                  run = configuration_run_micro_batches(configuration);
    return run < all ? run * configuration->strategy.mbs : 0;
}
