// SPDX-License-Identifier: Apache-2.0
// What the command line of `ppsweep nd` asks for: documents, the space, its filters.
#ifndef PPS_NDSEARCH_TOOLJOB_H
#define PPS_NDSEARCH_TOOLJOB_H

#include "kernels/ndsearch/search/filters.h"

#include "engine/tool.h"
#include "kernels/common/hardware.h"
#include "kernels/common/modeldesc.h"
#include "kernels/common/training.h"

enum { ND_JOB_DOCUMENTS = 4 };

// All zero at first; nd_job_free() in every case.
struct nd_job {
    struct pps_json documents[ND_JOB_DOCUMENTS];
    int n_documents;
    const cJSON *model_item; // of the documents
    bool has_model, has_cluster;
    bool says_memory, says_reserve; // the cluster's document
    bool assumes_memory;            // all that the device has, as nobody says another limit
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    bool fsdp; // --preset fsdp: the space of preset zero, parameters sharded
    struct nd_switches vary;
    struct nd_space space;
    struct nd_filters filters;
};

// ---- tooldocs.c ----

// Reads the documents that are named, and what options say in their place.
PPS_MUST_CHECK enum pps_status nd_job_documents(struct nd_job *job,
                                                const struct pps_args *args,
                                                struct pps_error *err);
void nd_job_free(struct nd_job *job);

// To stderr: what devices are taken to have, where it is assumed.
void nd_job_say_memory(const struct nd_job *job);

// ---- toolspace.c ----

// Makes the space and edits its filters.
PPS_MUST_CHECK enum pps_status nd_job_space(struct nd_job *job,
                                            const struct pps_args *args,
                                            struct pps_error *err);

// Reads "dp=8,tp=4,pp=2": what is not said is 1, but dp is what is left of the devices, op is dp *
// cp, mbs the least to try, sp on where tp is above 1. option: its name, for messages.
PPS_MUST_CHECK enum pps_status nd_job_strategy(const struct nd_job *job,
                                               const char *option,
                                               const char *text,
                                               struct nd_strategy *strategy,
                                               struct pps_error *err);

// Whether the text says that degree.
bool nd_job_says(const char *text, const char *degree);

// Refuses chunks a stage that the training's schedule does not have. As published any go with any.
PPS_MUST_CHECK enum pps_status nd_job_check_chunks(const struct nd_job *job,
                                                   const char *option,
                                                   const char *text,
                                                   const struct nd_strategy *strategy,
                                                   struct pps_error *err);

// As nd_job_strategy where no space has been made; the strategy must use all devices of the cluster.
PPS_MUST_CHECK enum pps_status nd_job_whole_strategy(struct nd_job *job,
                                                     const char *option,
                                                     const char *text,
                                                     struct nd_strategy *strategy,
                                                     struct pps_error *err);

// Whether such a text says this degree.
bool nd_job_says_degree(const char *text, const char *name);

#endif
