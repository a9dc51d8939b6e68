// SPDX-License-Identifier: Apache-2.0
// Prints comparisons of schedules, and writes them as CSV.
#include "planner/schedule/show.h"

#include "base/math/statistics.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "planner/schedule/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the pipeline -------------------------------------------------------------------------------

static void show_limits(const double value[N_PARAMS], const struct plan *plan)
{
    double least = HUGE_VAL, most = 0;
    for (int32_t d = 0; plan != NULL && d < plan->pipeline->shape.devices; d++) {
        least = fmin(least, plan->pipeline->limit[d]);
        most = fmax(most, plan->pipeline->limit[d]);
    }
    if (value[P_LIMIT] >= 0)
        printf("; limit %s\n\n", schedule_memory_text(plan, value[P_LIMIT]).text);
    else if (isinf(least))
        printf("; no limit\n\n");
    else if (least == most)
        printf("; limit %s of the plan\n\n", schedule_memory_text(plan, least).text);
    else
        printf("; limits %s to %s of the plan\n\n", schedule_memory_text(plan, least).text,
               schedule_memory_text(plan, most).text);
}

void schedule_show_times(const double value[N_PARAMS], const struct plan *plan)
{
    static const char *const places[] = {[PIPELINE_FREE] = "",
                                         [PIPELINE_LINKS] = " on each link",
                                         [PIPELINE_CARDS] = " on each card",
                                         [PIPELINE_BLOCKING] = " on both devices"};
    printf("%s device%s, %s micro-batch%s; f %s, b %s, w %s", pps_count_text(value[P_P]).text,
           value[P_P] == 1 ? "" : "s", pps_count_text(value[P_M]).text,
           value[P_M] == 1 ? "" : "es", schedule_time_text(plan, value[P_F]).text,
           schedule_time_text(plan, value[P_B]).text,
           schedule_time_text(plan, value[P_W]).text);
    if (value[P_LATENCY] > 0)
        printf(", latency %s%s", schedule_time_text(plan, value[P_LATENCY]).text,
               places[(int)value[P_CHANNELS]]);
    if (value[P_CHANNELS] == PIPELINE_BLOCKING)
        printf(", blocking messages");
    printf(" (per %s)\n", value[P_PER] == PER_DEVICE ? "device" : "chunk");
}

void schedule_show_pipeline(const double value[N_PARAMS], const struct plan *plan)
{
    schedule_show_times(value, plan);
    printf("memory F adds %s, B adds %s, W adds %s",
           schedule_memory_text(plan, value[P_MEM_F]).text,
           schedule_memory_text(plan, value[P_MEM_B]).text,
           schedule_memory_text(plan, value[P_MEM_W]).text);
    show_limits(value, plan);
}

// ---- the table ----------------------------------------------------------------------------------

static int label_width(const struct schedule_comparison *comparison)
{
    size_t width = strlen("schedule");
    for (int i = 0; i < comparison->n; i++)
        width = strlen(comparison->list[i].label) > width ? strlen(comparison->list[i].label)
                                                          : width;
    return width < 40 ? (int)width : 40;
}

static int chunks_of(const struct schedule_candidate *candidate)
{
    return candidate->scratch.pipeline.shape.stages / candidate->point.shape.devices;
}

// Returns by how many percent the objective exceeds the base's.
static double more_than(const struct schedule_comparison *comparison,
                        const struct schedule_candidate *candidate,
                        const struct schedule_candidate *base)
{
    const double value = schedule_objective(comparison, base);
    return value > 0 ? 100 * (schedule_objective(comparison, candidate) / value - 1) : 0;
}

// No -0.00.
static double shown_percent(double percent)
{
    return fabs(percent) < 0.005 ? 0 : percent;
}

static struct schedule_units units_of(const struct schedule_comparison *comparison)
{
    const struct schedule_candidate *first = &comparison->list[0];
    return schedule_units_of(first->point.plan, first->figures.metrics.makespan,
                             first->figures.metrics.peak_most);
}

// Prints a figure in a unit, to the right of a column.
static void show_figure(int width, double value, double unit, const char *mark)
{
    printf(" %*s%s", width, pps_digits_text(value / unit, 6).text, mark);
}

static void show_title(int width, const char *name, const char *unit)
{
    char title[32];
    snprintf(title, sizeof title, unit[0] != '\0' ? "%s %s" : "%s", name, unit);
    printf(" %*s", width, title);
}

static void show_row(const struct schedule_comparison *comparison,
                     const struct schedule_candidate *candidate,
                     const struct schedule_candidate *base, int width)
{
    const struct schedule_units units = units_of(comparison);
    const struct metrics *m = &candidate->figures.metrics;
    const struct family_result *found = &candidate->figures.found;
    pps_say_part(stdout, "%-*.*s", width, width, candidate->label);
    printf(" %2d", chunks_of(candidate));
    show_figure(11, m->makespan, units.time, "");
    show_figure(11, m->span, units.time, "");
    printf(" %6.2f %%", 100 * m->bubble_ratio);
    show_figure(10, m->peak_most, units.memory, "");
    show_figure(11, found->bound, units.time, found->proven ? "*" : " ");
    if (base != NULL && base->outcome == CANDIDATE_FITS)
        printf(" %+9.2f %%", shown_percent(more_than(comparison, candidate, base)));
    if (found->chosen != NULL)
        printf("  %s", found->chosen->name);
    printf("\n");
}

// ---- the table of replicates --------------------------------------------------------------------

// Returns the paired comparison with the base.
static struct statistics_pair pair_of(const struct schedule_candidate *candidate,
                                      const struct schedule_candidate *base)
{
    const size_t n =
        replicates_are_equal(&candidate->point) ? 1 : candidate->point.n_replicates;
    return statistics_pair(candidate->makespan, base->makespan, n);
}

static void show_replicated_row(const struct schedule_units *units,
                                const struct schedule_candidate *candidate,
                                const struct schedule_candidate *base, int width)
{
    const struct replicates_figures *r = &candidate->replicates;
    const struct metrics *m = &candidate->figures.metrics;
    pps_say_part(stdout, "%-*.*s", width, width, candidate->label);
    printf(" %2d", chunks_of(candidate));
    show_figure(11, r->mean, units->time, "");
    printf(" %8s", pps_digits_text(r->half / units->time, 3).text);
    show_figure(11, r->p50, units->time, "");
    show_figure(11, r->p95, units->time, "");
    if (r->clairvoyant > 0)
        printf(" %6.1f %%", 100 * (r->mean / r->clairvoyant - 1));
    else
        printf("        -");
    show_figure(11, m->makespan, units->time, "");
    show_figure(10, m->peak_most, units->memory, "");
    if (base != NULL && base->outcome == CANDIDATE_FITS && candidate != base) {
        const struct statistics_pair pair = pair_of(candidate, base);
        const double half = isfinite(pair.difference.half) ? pair.difference.half : 0;
        printf(" %11s %8s %6.1f %%",
               pps_signed_text(pair.difference.mean / units->time, 5).text,
               pps_digits_text(half / units->time, 3).text, 100 * pair.won);
    }
    printf("\n");
}

static bool is_replicated(const struct schedule_comparison *comparison)
{
    return comparison->n > 0 && comparison->list[0].makespan != NULL;
}

static void show_replicates(const struct schedule_comparison *comparison,
                            const struct schedule_candidate *base, int width)
{
    const struct schedule_point *point = &comparison->list[0].point;
    const bool compared = base != NULL && base->outcome == CANDIDATE_FITS;
    const uint32_t n = replicates_are_equal(point) ? 1 : point->n_replicates;
    printf("rule %s; level %.10g, messages %.10g, outliers %.10g; %s replicate%s\n",
           schedule_params[P_RULE].names[point->rule], point->noise.level,
           point->noise.message_level, point->noise.outlier_p, pps_count_text(n).text,
           n == 1 ? "" : "s");
    const struct schedule_units units = units_of(comparison);
    printf("%-*s  v", width, "schedule");
    show_title(11, "mean", units.time_name);
    printf("       +-         p50         p95     gap     nominal");
    show_title(10, "peak", units.memory_name);
    if (compared)
        pps_say_part(stdout, "  difference       +-      won  (to %s)", base->label);
    printf("\n");
    for (int i = 0; i < comparison->n; i++)
        if (comparison->list[i].outcome == CANDIDATE_FITS)
            show_replicated_row(&units, &comparison->list[i], base, width);
}

static bool any(const struct schedule_comparison *comparison, enum schedule_outcome outcome)
{
    for (int i = 0; i < comparison->n; i++)
        if (comparison->list[i].outcome == outcome)
            return true;
    return false;
}

static void show_others(const struct schedule_comparison *comparison, int width)
{
    if (any(comparison, CANDIDATE_OVER_LIMIT))
        printf("\nover the limit\n");
    for (int i = 0; i < comparison->n; i++) {
        const struct schedule_candidate *candidate = &comparison->list[i];
        if (candidate->outcome == CANDIDATE_OVER_LIMIT)
            pps_say(stdout, "%-*s needs a limit of %s", width, candidate->label,
                    schedule_memory_text(candidate->point.plan, candidate->figures.least_limit)
                        .text);
    }
    if (any(comparison, CANDIDATE_IMPOSSIBLE) || any(comparison, CANDIDATE_FAILED))
        printf("\nimpossible\n");
    for (int i = 0; i < comparison->n; i++) {
        const struct schedule_candidate *candidate = &comparison->list[i];
        if (candidate->outcome == CANDIDATE_IMPOSSIBLE)
            pps_say(stdout, "%-*s %s", width, candidate->label, candidate->why);
        if (candidate->outcome == CANDIDATE_FAILED)
            pps_say(stdout, "%-*s its rule has no order for these times and this limit", width,
                    candidate->label);
    }
}

static bool is_shown(const struct schedule_candidate *candidate)
{
    return candidate->outcome == CANDIDATE_FITS;
}

static bool keeps_two_replicas(const struct schedule_candidate *candidate)
{
    return is_shown(candidate) && candidate->scratch.pipeline.shape.directions == 2;
}

// The memory that a plan's devices hold all the time is that of the weights.
static bool holds_weights(const struct schedule_candidate *candidate)
{
    const struct plan *plan = candidate->point.plan;
    for (int32_t d = 0; plan != NULL && d < plan->pipeline->shape.devices; d++)
        if (plan->pipeline->fixed[d] > 0)
            return true;
    return false;
}

// Explains what the rows do not show.
static void show_notes(const struct schedule_comparison *comparison)
{
    bool proven = false;
    int replicas = 0;
    for (int i = 0; i < comparison->n; i++)
        proven = proven ||
                 (is_shown(&comparison->list[i]) && comparison->list[i].figures.found.proven);
    if (proven)
        printf("\n*: proven optimal for its placement of stages\n");
    for (int i = 0; i < comparison->n; i++)
        if (keeps_two_replicas(&comparison->list[i]))
            printf("%s%s",
                   replicas++ > 0 ? ", "
                   : proven       ? ""
                                  : "\n",
                   comparison->list[i].label);
    if (replicas > 0)
        printf(": two replicas of the weights, which the peak %s\n",
               holds_weights(&comparison->list[0]) ? "contains" : "does not contain");
}

static void show_titles(const struct schedule_comparison *comparison, const char *more,
                        int width)
{
    const struct schedule_units units = units_of(comparison);
    printf("%-*s  v", width, "schedule");
    show_title(11, "makespan", units.time_name);
    show_title(11, "span", units.time_name);
    printf("   bubble");
    show_title(10, "peak", units.memory_name);
    show_title(11, "bound", units.time_name);
    printf("%s%s\n", more[0] != '\0' ? "    " : "", more);
}

void schedule_show(const struct schedule_comparison *comparison,
                   const struct schedule_candidate *base)
{
    const int width = label_width(comparison);
    const bool compared = base != NULL && base->outcome == CANDIDATE_FITS;
    char title[64] = "";
    if (compared)
        snprintf(title, sizeof title, " vs %s", base->label);
    if (is_replicated(comparison)) {
        show_replicates(comparison, base, width);
        show_others(comparison, width);
        return;
    }
    if (any(comparison, CANDIDATE_FITS))
        show_titles(comparison, title, width);
    for (int i = 0; i < comparison->n; i++)
        if (comparison->list[i].outcome == CANDIDATE_FITS)
            show_row(comparison, &comparison->list[i], base, width);
    show_notes(comparison);
    show_others(comparison, width);
}

// ---- one schedule -------------------------------------------------------------------------------

static void show_idle(const struct plan *plan, double idle, const struct metrics_idle *parts)
{
    printf("idle %s: warm-up %s, forward %s, gradient %s, channel %s, cool-down %s\n\n",
           schedule_time_text(plan, idle).text, schedule_time_text(plan, parts->warm_up).text,
           schedule_time_text(plan, parts->forward).text,
           schedule_time_text(plan, parts->gradient).text,
           schedule_time_text(plan, parts->channel).text,
           schedule_time_text(plan, parts->cool_down).text);
}

void schedule_show_one(const struct schedule_candidate *candidate)
{
    const struct metrics *m = &candidate->figures.metrics;
    const struct schedule_scratch *scratch = &candidate->scratch;
    const struct plan *plan = candidate->point.plan;
    const struct schedule_units units = schedule_units_of(plan, m->makespan, m->peak_most);
    printf("makespan %s, span %s, bubble %.2f %%, peak %s\n",
           schedule_time_text(plan, m->makespan).text, schedule_time_text(plan, m->span).text,
           100 * m->bubble_ratio, schedule_memory_text(plan, m->peak_most).text);
    show_idle(plan, m->bubble_time, &candidate->figures.idle);
    printf("device operations");
    show_title(11, "busy", units.time_name);
    printf("  busy %%       first        last");
    show_title(11, "peak", units.memory_name);
    printf("\n");
    for (int32_t d = 0; d < scratch->order.devices; d++) {
        const int32_t n = scratch->order.n[d];
        const double first =
            n > 0 ? executor_starts(scratch->executor)[order_at(&scratch->order, d, 0)] : 0;
        const double last =
            n > 0 ? executor_ends(scratch->executor)[order_at(&scratch->order, d, n - 1)] : 0;
        printf("%6d %10s", d, pps_count_text(n).text);
        show_figure(11, scratch->busy[d], units.time, "");
        printf(" %7.2f", m->makespan > 0 ? 100 * scratch->busy[d] / m->makespan : 0);
        show_figure(11, first, units.time, "");
        show_figure(11, last, units.time, "");
        show_figure(11, scratch->peak[d], units.memory, "\n");
    }
}

// ---- CSV ----------------------------------------------------------------------------------------

static void add_number(struct text_buffer *text, double value)
{
    text_buffer_add(text, ",");
    if (isfinite(value))
        text_buffer_add_number(text, value);
}

static void add_replicates(const struct replicates_figures *r, struct text_buffer *text)
{
    const double list[] = {r->mean, r->half, r->p50, r->p95, r->p99, r->clairvoyant, r->memory};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        add_number(text, list[i]);
}

void schedule_show_csv(const struct schedule_comparison *comparison,
                       const struct schedule_candidate *base, struct text_buffer *text)
{
    const bool replicated = is_replicated(comparison);
    text_buffer_add(text,
                    "schedule,v,makespan,span,bubble,throughput,peak,bound,proven,chosen%s%s\n",
                    base != NULL ? ",vs_baseline" : "",
                    replicated ? ",mean,mean_half,p50,p95,p99,clairvoyant,memory_bound" : "");
    for (int i = 0; i < comparison->n; i++) {
        const struct schedule_candidate *candidate = &comparison->list[i];
        const struct metrics *m = &candidate->figures.metrics;
        const struct family_result *found = &candidate->figures.found;
        if (candidate->outcome != CANDIDATE_FITS)
            continue;
        text_buffer_add(text, "%s,%d", candidate->label, chunks_of(candidate));
        add_number(text, m->makespan);
        add_number(text, m->span);
        add_number(text, 100 * m->bubble_ratio);
        add_number(text, m->throughput);
        add_number(text, m->peak_most);
        add_number(text, found->bound);
        text_buffer_add(text, ",%s,%s", found->proven ? "yes" : "no",
                        found->chosen != NULL ? found->chosen->name : "");
        if (base != NULL)
            add_number(text, base->outcome == CANDIDATE_FITS
                                 ? more_than(comparison, candidate, base)
                                 : (double)NAN);
        if (replicated)
            add_replicates(&candidate->replicates, text);
        text_buffer_add(text, "\n");
    }
}
