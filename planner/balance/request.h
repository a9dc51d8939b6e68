// SPDX-License-Identifier: Apache-2.0
// Reads the options of the balance commands: layers, pipeline, memory and search.
#pragma once

#include "engine/command/command.h"
#include "kernels/balance/documents/plan_layers_read.h"
#include "kernels/balance/search/balance_task.h"

// Options of the layers, for the tables of commands.
#define BALANCE_LAYERS_OPTIONS                                                                 \
    {"model-name", 0, "NAME", "layers of a model: NAME.json in --layer-folder"},               \
    {                                                                                          \
        "layer-folder", 0, "DIR", "folder of --model-name (layers)"                            \
    }

// Options of the pipeline, for the tables of commands.
#define BALANCE_PIPELINE_OPTIONS                                                               \
    {"stages", 0, "P", "stages of the pipeline (4)"},                                          \
        {"micro-batches", 0, "M", "micro-batches of a step (4)"},                              \
        {"seq", 0, "Q", "pieces of a micro-batch along its sequence (1)"},                     \
        {"training-config", 0, "FILE",                                                         \
         "training YAML of MindFormers: what --seq needs to know"},                            \
        {"chunks", 0, "V", "chunks of a stage: 1 is 1F1B, more are interleaved (1)"},          \
        {"order", 0, "NAME", "order of chunks: big, which holds more memory, or less (big)"},  \
        {"less-memory", 0, "0|1", "published form of --order: 1 is less (0)"},                 \
        {"memory", 0, "MEMORY", "memory of a device: 64GiB, or a number of MiB (56000)"},      \
    {                                                                                          \
        "margin", 0, "MEMORY",                                                                 \
            "memory that stays unused on every device: 2GiB, or a number of MiB (0)"           \
    }

// Published names of these options.
#define BALANCE_PIPELINE_ALIASES                                                               \
    {"stage", "stages"}, {"mb", "micro-batches"}, {"micro-batch", "micro-batches"},            \
        {"interleave-degree", "chunks"}, {"mem", "memory"}, {"max-memory", "memory"},          \
        {"lm", "less-memory"},                                                                 \
    {                                                                                          \
        "train", "training-config"                                                             \
    }

struct balance_request {
    struct balance_layers layers;
    struct balance_planned
        planned;     // by the plan that gives the layers; its layers.layers is 0 without one
    char path[4096]; // of the layers
    struct balance_shape shape;
    double memory_mb, margin_mb; // the limit is their difference
    bool allow_empty;
    uint64_t budget, seed;
    uint64_t level; // of the proxy
    bool by_proxy;  // the proxy is the objective
    double seconds; // time limit; 0: none
};

void balance_request_free(struct balance_request *request);

// Returns the strategy of the plan or training that gives the layers, if the request is for its pipeline; otherwise
// NULL.
const struct balance_strategy *balance_request_mine(const struct balance_request *request);

// Reads the options of the pipeline, whose defaults are those of a plan, and checks that the layers fill its chunks.
PPS_MUST_CHECK enum pps_status balance_read_pipeline(struct balance_request *request,
                                                     const struct pps_args *args,
                                                     struct pps_error *err);

// Reads --recompute, --allow-empty, --objective, --budget, --seed, --optimization-level and --time-limit.
PPS_MUST_CHECK enum pps_status balance_read_search(struct balance_request *request,
                                                   const struct pps_args *args,
                                                   struct pps_error *err);
