// SPDX-License-Identifier: Apache-2.0
// Improves a solution by random changes, within a budget of evaluations.
#include "kernels/common/search/local_search.h"

#include "base/math/random.h"

#include <math.h>

// ---- random numbers -----------------------------------------------------------------------------

uint32_t search_below(struct search_draws *draws, uint32_t n)
{
    const uint64_t bits = pps_random_bits(draws->seed, draws->used++, draws->purpose) >> 32;
    return (uint32_t)(bits * n >> 32);
}

double search_fraction(struct search_draws *draws)
{
    return (double)pps_random_53(draws->seed, draws->used++, draws->purpose) / 0x1p53;
}

// ---- late acceptance ----------------------------------------------------------------------------

static bool is_over(const struct search_limits *limits, int64_t done, double best)
{
    return done >= limits->budget || best <= limits->bound ||
           poll_over_after(limits->poll, limits->cost);
}

double search_local(const struct search_problem *problem, double value,
                    const struct search_limits *limits, struct search_draws *draws,
                    int64_t *evaluations)
{
    double history[SEARCH_HISTORY_MAX], best = value, now = value;
    const int64_t n = limits->history;
    int64_t done = 0, failures = 0;
    for (int64_t k = 0; k < n; k++)
        history[k] = value;
    for (; !is_over(limits, done, best); done++) {
        double *past = &history[done % n];
        const double most = now > *past ? now : *past,
                     next = problem->change(problem->self, draws, most);
        failures++;
        if (isfinite(next) && next <= most)
            now = next;
        else
            problem->undo(problem->self);
        if (now < best) {
            best = now;
            failures = 0;
            problem->keep(problem->self);
        }
        *past = now < *past || failures == 0 ? now : *past;
        if (failures < limits->patience)
            continue;
        problem->go_back(problem->self);
        now = best;
        failures = 0;
        for (int64_t k = 0; k < n; k++)
            history[k] = best;
    }
    *evaluations += done;
    problem->go_back(problem->self);
    return best;
}
