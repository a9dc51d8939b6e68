// SPDX-License-Identifier: Apache-2.0
// The parts of the check of plans: what the instructions of a replica give is compared with every figure that the plan
// states.
#pragma once

#include "kernels/dynapipe/instructions/instructions_check.h"
#include "kernels/dynapipe/output/plan_read.h"

struct cJSON;

// A plan that is read.
struct plan_reading {
    struct pps_fault *fault;
    bool is_wrong; // the document is a plan, but it does not hold what it states
    bool as_published;
    struct plan_pipeline plan;
    // Of a replica:
    int32_t count;
    int32_t *order;
    struct micro_batches batches;
    double *plain; // [count * stages]: backward times without recomputation
    struct instructions instructions;
    struct instruction_check *check;
    double makespan; // us, as replayed
    double *peaks;
    // Of the replicas so far:
    int32_t replicas, slowest, peak_device;
    const struct cJSON *slowest_replica;
    double slowest_makespan, bound, busy, peak; // us, MB
    int64_t micro_batches;
    bool is_proven;
};

// Refuses a document that is no plan, or one that does not hold what it states. Returns false.
bool plan_refuse(struct plan_reading *r, const struct cJSON *item, const char *what);
bool plan_wrong(struct plan_reading *r, const struct cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Compare a number, a truth value or a word that an object states with the one found. Return false with a fault.
bool plan_states(struct plan_reading *r, const struct cJSON *object, const char *name,
                 double found);
bool plan_states_word(struct plan_reading *r, const struct cJSON *object, const char *name,
                      const char *found);

// Refuses a word that is none of a list that ends with NULL.
bool plan_states_one_of(struct plan_reading *r, const struct cJSON *object, const char *name,
                        const char *const *words);

// Compares the figures of a replica that was replayed, and adds them to those of the step.
bool plan_check_replica(struct plan_reading *r, const struct cJSON *replica);

// Compares the figures of the step.
bool plan_check_step(struct plan_reading *r, const struct cJSON *root);

// Checks micro-batches and samples of all replicas: each appears once.
bool plan_check_samples(struct plan_reading *r, const struct cJSON *root);
