// SPDX-License-Identifier: Apache-2.0
// Plans one replica: chooses method, order of the micro-batches and recomputation so that the step is short and every
// device keeps within its memory. The answer depends on the request only, not on time or threads.
#pragma once

#include "kernels/dynapipe/search/linear_search.h"
#include "kernels/dynapipe/search/pass_search.h"
#include "kernels/dynapipe/search/published_search.h"
#include "kernels/dynapipe/search/rule_search.h"

enum plan_mode {
    PLAN_BEST,   // orders of all devices and recomputation together
    PLAN_QUICK,  // the same with a small budget
    PLAN_NORMAL, // the published search
    PLAN_FAST,   // the published search with one method and few adjustments
    PLAN_AUTO,   // fast above PLAN_AUTO_NORMAL micro-batches, else normal
    PLAN_MODES,
};

enum {
    PLAN_BEST_BUDGET = 240000, // evaluations at most
    PLAN_QUICK_BUDGET = 2000,
    PLAN_AUTO_NORMAL = 8,
    PLAN_ANY_METHOD = -1,
    PLAN_FREE_WARM_UPS =
        METHODS, // orders in which forwards and backwards take turns; linear assignments
};

// Returns the evaluations of best or quick for so many micro-batches and stages: fewer where each takes longer.
int64_t plan_budget(enum plan_mode mode, double count, double stages);

extern const char *const plan_mode_names[PLAN_MODES]; // "best", ...

// Returns whether a method, or PLAN_FREE_WARM_UPS, exists for an assignment.
static inline bool plan_method_allows(int method, enum assignment assignment)
{
    return method == PLAN_FREE_WARM_UPS ? assignment == ASSIGNMENT_LINEAR
                                        : method_allows((enum method)method, assignment);
}

struct plan_request {
    struct plan_task task; // budget 0: that of the mode
    enum plan_mode mode;
    int method;                    // enum method, PLAN_ANY_METHOD or PLAN_FREE_WARM_UPS
    enum dynapipe_recompute start; // where the published search begins if nothing else fits
    bool as_published;             // the published search keeps its faults
};

enum plan_outcome {
    PLAN_FOUND,      // a plan that fits; as published maybe one that does not
    PLAN_STOPPED,    // by the poll; the best plan so far, if has_plan
    PLAN_INFEASIBLE, // no plan can fit: see device, needs
    PLAN_NONE_FITS, // the method or mode found none that fits; has_plan: one that exceeds the limits least
    PLAN_NO_SCHEDULE, // the method cannot schedule these micro-batches
};

struct plan_answer {
    enum plan_mode mode; // that ran, never PLAN_AUTO
    bool has_plan;
    const char
        *method; // of the plan: a name of method_names, plan_free_warm_ups or plan_free_orders
    // The plan; of the search, until its next run.
    const int32_t *order;     // [count]: position -> micro-batch
    const int32_t *warm_up;   // [devices]: forwards before the first backward
    const uint8_t *recompute; // [micro_batch * stages + stage]
    const struct rule *rule;  // lanes, times, peaks, micro-batches in the order of the plan
    double makespan;          // us
    double bound;             // no plan is shorter: see method_bound
    bool is_proven;           // no plan is shorter; of a named method: no plan of that method
    bool fits;
    int64_t evaluations; // of schedules
    int64_t first_fit;   // evaluations until the first plan that fits; 0: none
    int32_t device;      // without a plan that fits: that lacks most memory
    double needs;        // MB: at least for any plan, or of the plan that does not fit
};

extern const char
    *const plan_free_warm_ups; // "free-warm-up": 1F1B with other numbers of forwards first
extern const char *const plan_free_orders; // "free-order": every device has an order of its own

struct plan_search; // memory for one size; one thread

struct plan_search *plan_search_take(const struct plan_size *size, struct room *room);

enum plan_outcome plan_search_run(struct plan_search *search,
                                  const struct plan_request *request, struct poll *poll,
                                  struct plan_answer *answer);

// Returns the makespan of a method with the micro-batches in the order given and without recomputation; INFINITY: no
// schedule. The last answer of plan_search_run ends.
double plan_search_plain(struct plan_search *search, const struct plan_task *task,
                         enum method method, struct poll *poll);
