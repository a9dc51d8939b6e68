// SPDX-License-Identifier: Apache-2.0
// Declares the axis of priorities: its options, and their conversion for priority_scenarios.h.
#include "kernels/contention/priority_scenarios.h"
#include "kernels/contention/table.h"

#include <math.h>
#include <stdio.h>

enum {
    PRIORITY_STEP,
    TIERS,
    N_OPTIONS,
};

static const char *const tier_words[] =
    {[CONTENTION_TIERS_DEFAULT] = "default", [CONTENTION_TIERS_ALL] = "all", NULL};

static const struct pps_option options[N_OPTIONS] = {
    [PRIORITY_STEP] = {"priority_step",
                       .summary = "step between the weights of kinds that share a port",
                       .kind = PPS_OPTION_NUMBER, .fallback = 0.1},
    [TIERS] = {"tiers", .summary = "tiers of the kinds (strict priority): scenarios to visit",
               .kind = PPS_OPTION_ASSIGNMENTS, .fallback = CONTENTION_TIERS_DEFAULT,
               .words = tier_words},
};

static struct contention_scenarios to_scenarios(const struct pps_option_value *option)
{
    const struct pps_option_value *list = &option[TIERS];
    return (struct contention_scenarios){
        .steps = (int64_t)floor(fmin(1 / option[PRIORITY_STEP].number, 0x1p62) + 0.5),
        .tiers = list->word < 0 ? CONTENTION_TIERS_LIST : (enum contention_tiers)list->word,
        .n_rows = list->n_rows,
        .rows = list->rows,
    };
}

// Returns whether the step divides 1; otherwise the refusal names nearby steps that do.
static bool divides_one(double step, int64_t steps, struct pps_refusal *refusal)
{
    if (steps >= 1 && fabs((double)steps * step - 1) <= 1e-9)
        return true;
    double more = ceil(1 / step), fewer = floor(1 / step);
    refusal->option = PRIORITY_STEP;
    if (fewer < 1)
        snprintf(refusal->text, sizeof refusal->text, "%.15g does not divide 1: use 1", step);
    else
        snprintf(refusal->text, sizeof refusal->text,
                 "%.15g does not divide 1: use %.15g or %.15g", step, 1 / more, 1 / fewer);
    return false;
}

static bool count(const struct pps_option_value *option, uint64_t *n,
                  struct pps_refusal *refusal)
{
    struct contention_scenarios s = to_scenarios(option);
    double step = option[PRIORITY_STEP].number;
    if (!divides_one(step, s.steps, refusal))
        return false;
    if (s.tiers == CONTENTION_TIERS_LIST && s.n_rows == 0) {
        refusal->option = TIERS;
        snprintf(refusal->text, sizeof refusal->text,
                 "no scenario in the list: use [{}] for one without tiers");
        return false;
    }
    *n = contention_scenarios_count(&s);
    if (*n > 0)
        return true;
    refusal->option = PRIORITY_STEP;
    snprintf(refusal->text, sizeof refusal->text,
             "%.15g makes more than 2^53 combinations: use a larger step, such as 0.001", step);
    return false;
}

static void value(const struct pps_option_value *option, uint64_t index, double *values)
{
    struct contention_scenarios s = to_scenarios(option);
    contention_scenarios_value(&s, index, values);
}

static const int members[] = {PARAM_P_FWD_PROP, PARAM_P_GRAD_PROP, PARAM_P_GRAD_SYNC};
static const char *const labels[] = {"fwd_prop", "grad_prop", "grad_sync"};
// Published names of one scenario: weights, and tiers, which come before weights.
static const char *const dictionaries[] = {"priorities", "exclusive_tiers", NULL};

const struct pps_composite contention_priorities = {
    .n_members = CONTENTION_N_SHARING,
    .members = members,
    .labels = labels,
    .dictionaries = dictionaries,
    .options = options,
    .n_options = N_OPTIONS,
    .count = count,
    .value = value,
};
