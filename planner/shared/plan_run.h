// SPDX-License-Identifier: Apache-2.0
// Reads the training run that a planner plans, from documents and options: model, cluster and
// training.
#pragma once

#include "base/document/fault.h"
#include "base/document/json.h"
#include "engine/command/command.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "planner/shared/document_read.h"

// The options that plan_run_open() reads, for a table of options.
#define PLAN_RUN_OPTIONS                                                                                 \
    {"training", 0, "FILE", "read batch, sharding, bytes per parameter and schedule"},                   \
        {"devices", 'n', "N", "number of devices (from the cluster file)"},                              \
        {"memory", 0, "MEMORY",                                                                          \
         "usable memory per device: 80GiB, or a number of GiB (from the cluster file, else all of it)"}, \
        {"stack", 0, "NAME|FILE",                                                                        \
         "software stack (from the training file, else megatron-tuned; ZeRO 2 and 3: fsdp)"},            \
        {"precision", 0, "WORD", "bf16, fp8 or mxfp8 (from the training file, else bf16)"},              \
        {"gbs", 0, "N", "sequences per step (from the training file, else 1024)"},                       \
    {                                                                                                    \
        "seq-length", 0, "N", "tokens per sequence (from the model file, else 4096)"                     \
    }

enum { PLAN_DOCUMENTS = 6 };

// A text that is read in place of a document.
struct plan_text {
    const char *name; // path of the document
    enum plaindoc_form form;
    const char *text;
    size_t n;
};

struct plan_run {
    const struct plan_text *instead; // NULL: none
    struct plan_document documents[PLAN_DOCUMENTS];
    int n_documents;
    const cJSON *model_item; // in one of the documents
    cJSON *baseline;         // the strategy that a document sets, in it; NULL: none
    const struct plan_document *baseline_in;
    bool has_model, has_cluster;
    bool sets_memory, sets_reserve; // the cluster's document does
    bool names_hardware;            // a document does
    bool assumes_memory;            // no limit given: all memory of the device
    bool sets_batch; // a document that is no framework's sets the sequences per step
    // Devices of the framework's configuration and its limit of memory, which have priority over those of the
    // cluster record; world_size 0: it has none.
    struct cluster file;
    bool file_memory;       // it has a limit
    int64_t record_devices; // of the cluster record; 0: none
    int64_t file_replicas;  // dp of the file if --devices asks for another one; 0: it does not
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
};

// Reads the section "strategy" of a document. Returns false with a fault.
struct plan_strategy_reader {
    bool (*read)(void *self, const cJSON *strategy, struct pps_fault *fault);
    void *self;
};

// Reads the named documents, and the options that override them. strategy NULL: the section is skipped. After an
// error there is nothing to close.
PPS_MUST_CHECK enum pps_status plan_run_open(struct plan_run *run, const struct pps_args *args,
                                             const struct plan_strategy_reader *strategy,
                                             struct pps_error *err);
void plan_run_close(struct plan_run *run);

// The same with a text in place of one of the documents; prints no notes.
PPS_MUST_CHECK enum pps_status plan_run_open_with(struct plan_run *run,
                                                  const struct pps_args *args,
                                                  const struct plan_text *instead,
                                                  struct pps_error *err);

// Reads a training (a configuration of a framework, a plan, a run document) and a cluster (NULL: none), each a file
// or the name of a shipped one. args: of options, or NULL.
PPS_MUST_CHECK enum pps_status plan_run_open_files(struct plan_run *run, const char *training,
                                                   const char *cluster,
                                                   const struct pps_args *args,
                                                   struct pps_error *err);

// Refuses schedules for which no pipeline is solved: all but 1f1b and vpp.
PPS_MUST_CHECK enum pps_status plan_run_check_schedule(const struct plan_run *run,
                                                       struct pps_error *err);

// Returns the configuration of a framework among the documents; NULL: none.
const struct plan_document *plan_run_configuration(const struct plan_run *run);

// Prints to stderr what the documents describe and no figure counts, with places.
void plan_run_print_not_modelled(const struct plan_run *run);

// Prints how many layers of each kind a model with a table of kinds has.
void plan_print_kinds(const struct modeldesc *model);

// Prints the parameters of MTP modules and towers, which do not count as parameters of the model.
void plan_print_beside(const struct modeldesc *model);

// Prints the assumed memory of devices to stderr; prints nothing if the limit was given.
void plan_run_print_memory(const struct plan_run *run);
