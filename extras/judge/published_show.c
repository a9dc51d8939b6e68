// SPDX-License-Identifier: Apache-2.0
// Prints the experiment of the published project and what explains its result.
#include "extras/judge/published.h"

#include "base/math/statistics.h"
#include "base/text/human.h"
#include "kernels/schedule/family_names.h"
#include "planner/schedule/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- one level ----------------------------------------------------------------------------------

struct summary {
    struct statistics_mean greedy, learned; // total time
    struct statistics_mean paired;          // learned - greedy, trial by trial
    double unpaired;                        // half-width of the difference of the means
    double reward[2];
};

// Half-width of the 95 % interval of the difference of two means (Welch 1947).
static double welch(struct statistics_mean a, struct statistics_mean b, int n)
{
    const double t = statistics_t975(n - 1), va = a.half * a.half / (t * t),
                 vb = b.half * b.half / (t * t), sum = va + vb;
    if (!(sum > 0))
        return 0;
    return statistics_t975((n - 1) * sum * sum / (va * va + vb * vb)) * sqrt(sum);
}

// column: [3 * n].
static struct summary summary_of(const struct published_trial *trial, int n, double *column)
{
    struct summary s = {.reward = {0, 0}};
    for (int i = 0; i < n; i++) {
        column[i] = trial[i].greedy;
        column[n + i] = trial[i].learned;
        column[2 * n + i] = trial[i].learned - trial[i].greedy;
        for (int k = 0; k < 2; k++)
            s.reward[k] += trial[i].reward[k] / n;
    }
    s.greedy = statistics_mean(column, (size_t)n);
    s.learned = statistics_mean(column + n, (size_t)n);
    s.paired = statistics_mean(column + 2 * n, (size_t)n);
    s.unpaired = welch(s.greedy, s.learned, n);
    return s;
}

static bool is_significant(const struct summary *s)
{
    return s->unpaired > 0 && fabs(s->paired.mean) > s->unpaired;
}

// Half-width of the 95 % interval of the difference of two means of equal schedulers.
static double chance_of(const struct published_request *request, double level)
{
    struct serial_problem problem = request->problem;
    problem.level = level;
    return serial_deviation(&problem) * sqrt(2.0 / request->trials) *
           statistics_t975(2 * request->trials - 2);
}

static void show_level(const struct published_request *request, double level,
                       const struct summary *s)
{
    printf("%-5g %10s +- %-8s %10s +- %-8s", level, pps_decimals_text(s->greedy.mean, 1).text,
           pps_decimals_text(s->greedy.half, 1).text,
           pps_decimals_text(s->learned.mean, 1).text,
           pps_decimals_text(s->learned.half, 1).text);
    printf(" %9s (%+.2f %%) %9s %9s %9s  %s\n", pps_change_text(s->paired.mean, 1).text,
           100 * s->paired.mean / s->greedy.mean, pps_decimals_text(s->unpaired, 1).text,
           pps_decimals_text(s->paired.half, 1).text,
           pps_decimals_text(chance_of(request, level), 1).text,
           is_significant(s) ? "yes" : "no");
}

// ---- explanation --------------------------------------------------------------------------------

static int significant_levels(const struct published_request *request,
                              const struct summary *summaries)
{
    int n = 0;
    for (int k = 0; k < request->n_levels; k++)
        n += is_significant(&summaries[k]);
    return n;
}

// The greatest distance of a bubble from 1 - 1/P.
static double bubble_error(const struct published_request *request,
                           const struct published_trial *trials)
{
    const double bubble = 1 - 1.0 / request->problem.devices;
    double most = 0;
    for (int i = 0; i < request->n_levels * request->trials; i++)
        for (int k = 0; k < 2; k++)
            most = fmax(most, fabs(trials[i].bubble[k] - bubble));
    return most;
}

static void explain(const struct published_request *request,
                    const struct published_trial *trials, const struct summary *summaries,
                    const struct serial_result *quiet)
{
    const int devices = request->problem.devices, n_levels = request->n_levels;
    const struct summary *last = &summaries[n_levels - 1];
    printf("The published model runs one operation at a time. The bubble of every step is "
           "1 - 1/P = %.4f (largest\ndifference: %.1g), the mean utilisation of a device 1/P = "
           "%.4f.\n",
           1 - 1.0 / devices, bubble_error(request, trials), 1.0 / devices);
    printf(
        "So every order takes the sum of all durations: no scheduler can be better. The greedy "
        "scheduler without noise:\ntotal %s, bubble time %s, bubble %.4f, throughput "
        "%.10f.\n",
        pps_digits_text(quiet->total, 10).text, pps_digits_text(quiet->bubble_time, 10).text,
        quiet->bubble, quiet->throughput);
    printf("Training changes the mean reward from %.2f to %.2f at level %g. The total does not "
           "depend on the reward.\n",
           last->reward[0], last->reward[1], request->level[n_levels - 1]);
    printf("The schedulers of a trial meet different noise. \"chance\": with equal schedulers, "
           "the "
           "difference is within\nthis half-width in 95 %% of experiments with %s trials.\n",
           pps_count_text(request->trials).text);
    printf("The difference is significant (unpaired interval excludes 0) at %d of %d level%s. "
           "With "
           "equal schedulers this\nhappens at one level in 20, by chance; all levels use the "
           "same random numbers.\n",
           significant_levels(request, summaries), n_levels, n_levels == 1 ? "" : "s");
}

// ---- the same pipeline with a clock per device --------------------------------------------------

enum { RIGHT_FAMILIES = 3 };

static void set_values(double value[N_PARAMS], const struct serial_problem *problem)
{
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = schedule_params[p].fallback;
    value[P_P] = problem->devices;
    value[P_M] = problem->micro_batches;
    value[P_F] = problem->base * problem->size;
    value[P_B] = problem->base * 1.5 * problem->size;
    value[P_W] = problem->base * 0.3 * problem->size;
    value[P_LATENCY] = problem->base_comm * problem->size;
}

static int family_index(const char *name)
{
    for (int i = 0;; i++)
        if (strcmp(schedule_family_names[i], name) == 0)
            return i;
}

static enum pps_status show_right(const struct serial_problem *problem, struct pps_error *err)
{
    static const char *const names[RIGHT_FAMILIES] = {"1f1b", "zb_h1", "zb_h2"};
    double value[N_PARAMS];
    struct schedule_comparison comparison = {.n = RIGHT_FAMILIES};
    comparison.list = calloc(RIGHT_FAMILIES, sizeof *comparison.list);
    if (comparison.list == NULL)
        return pps_fail_memory(err, "the schedules");
    set_values(value, problem);
    for (int i = 0; i < RIGHT_FAMILIES; i++) {
        value[P_FAMILY] = family_index(names[i]);
        const int reason = schedule_check(value, NULL);
        comparison.list[i] =
            (struct schedule_candidate){.label = names[i],
                                        .point = schedule_point_of(value, NULL),
                                        .why = reason == 0 ? NULL : schedule_reasons[reason]};
    }
    enum pps_status status = schedule_compare(&comparison, 1, err);
    if (status == PPS_OK) {
        printf(
            "\nThe same pipeline without noise, with a clock per device and messages between "
            "devices (f %.10g, b %.10g, w %.10g, latency %.10g):\n",
            value[P_F], value[P_B], value[P_W], value[P_LATENCY]);
        printf("schedule  makespan   bubble   peak  of the published total\n");
    }
    for (int i = 0; i < RIGHT_FAMILIES && status == PPS_OK; i++) {
        const struct schedule_candidate *c = &comparison.list[i];
        if (c->outcome == CANDIDATE_FITS)
            printf("%-8s %9s  %5.2f %%  %5.10g  %5.1f %%\n", c->label,
                   pps_digits_text(c->figures.metrics.makespan, 10).text,
                   100 * c->figures.metrics.bubble_ratio, c->figures.metrics.peak_most,
                   100 * c->figures.metrics.makespan / serial_nominal_total(problem));
        else
            printf("%-8s impossible: %s\n", c->label, c->why);
    }
    schedule_comparison_free(&comparison);
    return status;
}

// ---- the report ---------------------------------------------------------------------------------

static void show_head(const struct published_request *request)
{
    const struct serial_problem *p = &request->problem;
    printf("As published: P = %d, M = %d, size %g, base %g, base_comm %g; %s trials from seed "
           "%llu, each "
           "after %s\nepisodes of training.\n",
           p->devices, p->micro_batches, p->size, p->base, p->base_comm,
           pps_count_text(request->trials).text, (unsigned long long)request->seed,
           pps_count_text(request->episodes).text);
    printf("Mean total time, and the difference learned - greedy, with half-widths of 95 %% "
           "intervals\n\n");
    printf("%-5s %-22s  %-22s %9s %10s %9s %9s %9s  %s\n", "level", "           greedy",
           "          learned", "difference", "", "unpaired", "paired", "chance",
           "significant");
}

enum pps_status published_show(const struct published_request *request,
                               const struct published_trial *trials, struct pps_error *err)
{
    struct summary *summaries = calloc((size_t)request->n_levels, sizeof *summaries);
    double *column = calloc(3 * (size_t)request->trials, sizeof *column);
    enum pps_status status = PPS_OK;
    struct serial_result quiet;
    if (summaries == NULL || column == NULL)
        status = pps_fail_memory(err, "the trials");
    if (status == PPS_OK)
        status = published_quiet(request, &quiet, err);
    if (status == PPS_OK) {
        show_head(request);
        for (int k = 0; k < request->n_levels; k++) {
            summaries[k] = summary_of(trials + k * request->trials, request->trials, column);
            show_level(request, request->level[k], &summaries[k]);
        }
        printf("\n");
        explain(request, trials, summaries, &quiet);
        status = show_right(&request->problem, err);
    }
    free(summaries);
    free(column);
    return status;
}
