// SPDX-License-Identifier: Apache-2.0
// Reads what the dynaplan commands plan for: network, cost tables, cluster, pipeline, and how steps are divided and planned.
#pragma once

#include "engine/command/command.h"
#include "kernels/dynapipe/step/batch_bound.h"
#include "kernels/dynapipe/training/training_stages.h"
#include "planner/shared/plan_configuration.h"

// The options that dynaplan_request_open reads, for the start of a table of options.
#define DYNAPLAN_OPTIONS                                                                       \
    {"model", 0, "MODEL", "network: a model by name, or a file (that of --costs)"},            \
        {"cluster", 0, "CLUSTER", "links and memory: a cluster by name, or a file (h100)"},    \
        {"costs", 0, "FILE", "cost tables, JSON or CSV (modelled for --model on --cluster)"},  \
        {"devices", 'n', "D", "devices of the pipeline"},                                      \
        {"layers-per-stage", 0, "L", "layers of a stage (all layers over the devices)"},       \
        {"assignment", 'a', "LIST",                                                            \
         "device of every layer, as in 0,0,1,1, in place of these"},                           \
        {"dp", 0, "K", "data-parallel replicas (1)"},                                          \
        {"tp", 0, "T", "tensor-parallel degree of the cost tables (1)"},                       \
        {"zero", 0, "0..3", "stage of sharding over the replicas (0)"},                        \
        {"memory", 0, "MEMORY",                                                                \
         "memory of a device: 80GB, a number of MB, or none (that of the cluster)"},           \
        {"fraction", 0, "F", "part of the free memory for one micro-batch (best of several)"}, \
        {"order", 0, "NAME", "order of samples: best, length or path (best)"},                 \
        {"pack", 0, NULL, "pack several samples into a row where that is faster"},             \
        {"offset", 0, "N", "tokens by which the network shortens a sequence (0)"},             \
        {"no-permute", 0, NULL, "micro-batches keep the order of the division"},               \
        {"method", 0, "NAME",                                                                  \
         "wait-free-cyclic, 1F1B, interleaved-1F1B, fifo, free-warm-up (any)"},                \
        {"mode", 0, "NAME", "best, quick, normal, fast or auto (best)"},                       \
        {"budget", 0, "N", "evaluations of schedules (by size, at most 240k; quick 2k)"},      \
        {"seed", 0, "N", "seed of the search (1)"},                                            \
    {                                                                                          \
        "compat", 0, "none|orig", "orig: normal and fast keep their published faults (none)"   \
    }

struct dynaplan_request {
    struct network network;
    struct network_links links;
    struct cost_tables tables;
    struct network_stages stages;
    struct step_setup setup;
    struct step_choice choice;
    struct batch_bound bound; // of every batch
    int32_t tp;
    char name[256];   // for pictures: model, devices and cluster
    bool is_modelled; // the tables come from models of the hardware
    // Of a training file:
    bool has_training, has_mine; // it sets the pipeline; its own step can be planned
    struct plan_run run;
    struct plan_configuration configuration;
    struct training_stages training;
    struct step_setup mine;
    int32_t rows; // of a micro-batch
};

// Reads the options; *note: a line for stderr about what was assumed, or "". Close it in every case.
PPS_MUST_CHECK enum pps_status dynaplan_request_open(struct dynaplan_request *request,
                                                     const struct pps_args *args,
                                                     struct pps_error *err);
void dynaplan_request_close(struct dynaplan_request *request);

// Makes cost tables of a model on a device for a tensor-parallel degree and samples up to `longest` tokens. The caller
// frees them.
PPS_MUST_CHECK enum pps_status dynaplan_model_tables(const char *model, const char *cluster,
                                                     int32_t tensor_parallel, int32_t longest,
                                                     struct network *network,
                                                     struct cost_tables *tables,
                                                     struct pps_error *err);
