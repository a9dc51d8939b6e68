// SPDX-License-Identifier: Apache-2.0
// Names and budgets of the modes of planning.
#include "kernels/dynapipe/search/plan_search.h"

// Micro-batches and stages of all evaluations together.
#define BEST_WORK  24e6
#define QUICK_WORK 0.5e6

const char *const plan_mode_names[PLAN_MODES] = {"best", "quick", "normal", "fast", "auto"};
const char *const plan_free_warm_ups = "free-warm-up";
const char *const plan_free_orders = "free-order";

int64_t plan_budget(enum plan_mode mode, double count, double stages)
{
    const double cells = fmax(count * stages, 1);
    return (int64_t)(mode == PLAN_QUICK ? fmin(PLAN_QUICK_BUDGET, QUICK_WORK / cells)
                                        : fmin(PLAN_BEST_BUDGET, BEST_WORK / cells)) +
           1;
}
