// SPDX-License-Identifier: Apache-2.0
// Reads the command line of `ppsweep nd`: documents, the search space and its filters.
#ifndef PPS_NDSEARCH_TOOLJOB_H
#define PPS_NDSEARCH_TOOLJOB_H

#include "planner/nd/strategies/filters.h"

#include "engine/command/command.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

enum { ND_JOB_DOCUMENTS = 4 };

// Initialise with zeros; call nd_job_free() in every case.
struct nd_job {
    struct pps_json documents[ND_JOB_DOCUMENTS];
    int n_documents;
    const cJSON *model_item; // of the documents
    bool has_model, has_cluster;
    bool says_memory, says_reserve; // the cluster's document
    bool assumes_memory;            // no limit given: all memory of the device
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    bool fsdp; // --preset fsdp: the space of preset zero, parameters sharded
    struct nd_switches vary;
    struct nd_space space;
    struct nd_filters filters;
};

// ---- asked_documents.c ----

// Reads the named documents, and the options that override them.
PPS_MUST_CHECK enum pps_status nd_job_documents(struct nd_job *job,
                                                const struct pps_args *args,
                                                struct pps_error *err);
void nd_job_free(struct nd_job *job);

// Prints the assumed memory of devices to stderr; prints nothing if the limit was given.
void nd_job_say_memory(const struct nd_job *job);

// ---- asked_strategies.c ----

// Builds the search space and edits its filters.
PPS_MUST_CHECK enum pps_status nd_job_space(struct nd_job *job,
                                            const struct pps_args *args,
                                            struct pps_error *err);

// Reads "dp=8,tp=4,pp=2". Missing degrees are 1, except: dp is the number of remaining devices, op
// is dp * cp, mbs the smallest size to try, and sp is on if tp > 1. option: its name, for messages.
PPS_MUST_CHECK enum pps_status nd_job_strategy(const struct nd_job *job,
                                               const char *option,
                                               const char *text,
                                               struct nd_strategy *strategy,
                                               struct pps_error *err);

// Returns whether the text of a strategy sets this degree.
bool nd_job_says(const char *text, const char *degree);

// Refuses a number of chunks per stage that the training's schedule does not allow. As published,
// any schedule allows any number.
PPS_MUST_CHECK enum pps_status nd_job_check_chunks(const struct nd_job *job,
                                                   const char *option,
                                                   const char *text,
                                                   const struct nd_strategy *strategy,
                                                   struct pps_error *err);

// Like nd_job_strategy, but without a search space; the strategy must use all devices of the
// cluster.
PPS_MUST_CHECK enum pps_status nd_job_whole_strategy(struct nd_job *job,
                                                     const char *option,
                                                     const char *text,
                                                     struct nd_strategy *strategy,
                                                     struct pps_error *err);

#endif
