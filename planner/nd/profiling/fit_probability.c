// SPDX-License-Identifier: Apache-2.0
// Holds the table of groups. measured_steps (bench) makes it, and its check compares it.
#include "planner/nd/profiling/fit_probability.h"

#include "base/text/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct nd_memory_group groups[] = {
#include "planner/nd/profiling/fit_probability_table.h"
};

enum { N_GROUPS = sizeof groups / sizeof *groups };

const struct nd_memory_group *nd_memory_groups(int *n)
{
    *n = N_GROUPS;
    return groups;
}

const struct nd_memory_group *nd_memory_group(const struct training *training)
{
    int i = 0;
    while (i < N_GROUPS - 1 && strcmp(groups[i].stack, training_stack(training)->name) != 0)
        i++;
    return &groups[i];
}

double nd_fit_probability(const struct nd_memory_group *group, double predicted, double limit)
{
    return 1 / (1 + exp((group->median - log(limit / predicted)) / group->scale));
}

double nd_fit_limit(const struct nd_memory_group *group, double probability, double limit)
{
    static const double ROUNDING = 1 - 1e-12; // the probability of the result is not less
    if (probability <= 0)
        return limit;
    return fmin(limit,
                ROUNDING * limit /
                    exp(group->median + group->scale * log(probability / (1 - probability))));
}

const char *nd_fit_percent(const struct training *training, double predicted, double limit,
                           char text[ND_PERCENT_TEXT])
{
    const double p = nd_fit_probability(nd_memory_group(training), predicted, limit);
    if (p < 0.01 || p > 0.99)
        snprintf(text, ND_PERCENT_TEXT, "%s %%", p < 0.5 ? "below 1" : "above 99");
    else
        snprintf(text, ND_PERCENT_TEXT, "%.0f %%", 100 * p);
    return text;
}

const char *nd_fit_text(const struct training *training, double predicted, double limit,
                        char text[ND_FIT_TEXT])
{
    const struct nd_memory_group *group = nd_memory_group(training);
    char percent[ND_PERCENT_TEXT];
    snprintf(
        text, ND_FIT_TEXT, "probability of fitting %s (from %s published memory facts of %s%s)",
        nd_fit_percent(training, predicted, limit, percent), pps_count_text(group->facts).text,
        *group->stack != '\0' ? "stack " : "all stacks", group->stack);
    return text;
}

// ---- rows ---------------------------------------------------------------------------------------

void nd_fit_rows_add(struct nd_fit_rows *rows, double peak, double time)
{
    const struct nd_memory_group *group = nd_memory_group(rows->training);
    rows->n++;
    if (rows->n == 1) {
        rows->peak = peak;
        rows->time = time;
    }
    if (rows->safe > 0 || nd_fit_probability(group, peak, rows->limit) < ND_FIT_USUAL)
        return;
    rows->safe = rows->n;
    rows->safe_peak = peak;
    rows->safe_time = time;
}

void nd_fit_rows_say(const struct nd_fit_rows *rows, FILE *out, const char *before)
{
    char first[ND_PERCENT_TEXT], safe[ND_PERCENT_TEXT];
    if (rows->n == 0 || rows->safe == 1)
        return;
    fprintf(out, "%srow 1 fits with a probability of %s; ", before,
            nd_fit_percent(rows->training, rows->peak, rows->limit, first));
    if (rows->safe == 0)
        fprintf(out, "no row fits with %.0f %%\n", 100 * ND_FIT_USUAL);
    else
        fprintf(out, "row %" PRId64 ", %.1f %% slower, with %s\n", rows->safe,
                100 * (rows->safe_time / rows->time - 1),
                nd_fit_percent(rows->training, rows->safe_peak, rows->limit, safe));
}
