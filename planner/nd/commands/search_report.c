// SPDX-License-Identifier: Apache-2.0
// Prints the tables and explanations of `ppsweep nd` on stdout.
#include "planner/nd/commands/search_report.h"

#include "base/math/units.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "kernels/common/estimate/reference.h"
#include "planner/nd/profiling/fit_probability.h"
#include "planner/nd/profiling/left_out.h"
#include "planner/nd/profiling/order_right.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRATEGY_TEXT = 160 };

static const char *const recompute_names[] = {"none", "select", "full"};

// Writes "dp=8,tp=4,...", the form that --why and --baseline accept.
static const char *to_text(const struct nd_strategy *s, char text[STRATEGY_TEXT])
{
    snprintf(text, STRATEGY_TEXT, "dp=%d,tp=%d,cp=%d,pp=%d,ep=%d,op=%d,vp=%d,mbs=%d,sp=%s",
             s->dp, s->tp, s->cp, s->pp, s->ep, s->op, s->vp, s->mbs, s->sp ? "on" : "off");
    return text;
}

static const char *tuple_text(const struct nd_strategy *s, char text[STRATEGY_TEXT])
{
    snprintf(text, STRATEGY_TEXT, "dp=%d,tp=%d,cp=%d,pp=%d,ep=%d,op=%d", s->dp, s->tp, s->cp,
             s->pp, s->ep, s->op);
    return text;
}

static double limit_gib(const struct nd_search *search)
{
    return (search->space->orig ? ND_ORIGMEM_LIMIT_MB : search->limit_mb) / UNITS_KIB;
}

// ---- counts -------------------------------------------------------------------------------------

// The published tool names the space of preset zero "fsdp".
static const char *preset_name(const struct nd_job *job)
{
    const bool published = job->space.orig && job->space.preset == ND_FSDP;
    return job->fsdp || published ? "fsdp" : nd_preset_name(job->space.preset);
}

static void print_filter(const struct nd_filters *filters, int k, uint64_t after)
{
    struct nd_filters copy = *filters;
    const int32_t *bound = nd_filter_bound(&copy, filters->list[k]);
    printf("%-12s %14s  %s", nd_filter_name(filters->list[k]),
           pps_count_text((double)after).text, nd_filter_summary(filters->list[k]));
    if (bound != NULL)
        printf(" (%d)", *bound);
    printf("\n");
}

static void print_count(double n, const char *what)
{
    const bool large = n >= 1e9;
    printf("%.4g %s %s", n / (large ? 1e9 : 1e6), large ? "B" : "M", what);
}

static void print_parameters(const struct modeldesc *model)
{
    struct modeldesc_counts counts;
    modeldesc_count(model, &counts);
    printf("model     ");
    print_count((double)counts.total, "parameters");
    if (model->experts > 0) {
        printf(", ");
        print_count((double)counts.active, "active");
    }
    printf("\n");
    plan_print_beside(model);
    plan_print_kinds(model);
    if (model->n_kinds > 0)
        pps_say(
            stdout,
            "          nd rank searches splits over stages with their mean, and prices each layer of the split");
}

void nd_report_counts(const struct nd_job *job, const struct nd_search *search,
                      const struct nd_counts *c, const struct nd_search_result *result,
                      bool all)
{
    pps_say(stdout, "%s on %s devices, %s sequences per step, preset %s%s",
            job->run.model.name[0] != '\0' ? job->run.model.name : "the model",
            pps_count_text(job->space.devices).text,
            pps_count_text((double)job->space.gbs).text, preset_name(job),
            job->space.orig ? " as published" : "");
    if (!job->space.orig) // the published formulas leave parts out
        print_parameters(&job->run.model);
    printf("\n%-12s %14s\n%-12s %14s\n", "filter", "points left", "(all)",
           pps_count_text((double)c->points).text);
    uint64_t before = c->points;
    for (int k = 0; k < job->filters.n; before = c->after[k++])
        if (all || c->after[k] < before)
            print_filter(&job->filters, k, c->after[k]);
    printf("%-12s %14s  %.6g GiB", "memory", pps_count_text((double)result->points_fit).text,
           limit_gib(search));
    if (job->run.assumes_memory) // the name is a built-in name or has been checked
        printf(" (all of an %s, %.4g GiB reserved)", job->run.cluster.hardware.name,
               units_to_gib(job->run.cluster.reserve));
    printf("; ");
    printf("%s of %s %s\n\n", pps_count_text((double)result->n).text,
           pps_count_text((double)(search->all_points ? c->survivors : c->tuples)).text,
           search->all_points ? "points" : "(dp, tp, cp, pp, ep, op)");
}

// ---- the table ----------------------------------------------------------------------------------

static void print_row(const char *place, const struct nd_candidate *c, const char *recompute,
                      const char *folded)
{
    const struct nd_strategy *s = &c->strategy;
    printf("%4s %5d %4d %4d %4d %4d %5d %3d %4d %-4s %-9s %10s %12s %6.2f %6.2f%s%s\n", place,
           s->dp, s->tp, s->cp, s->pp, s->ep, s->op, s->vp, s->mbs, s->sp ? "on" : "off",
           recompute, pps_decimals_text(c->memory_mb / UNITS_KIB, 3).text,
           pps_decimals_text(c->step_ms, 3).text, 100 * c->mfu, 100 * c->hfu,
           folded[0] != '\0' ? "  " : "", folded);
}

static void print_published_row(const char *place, const struct nd_candidate *c)
{
    const struct nd_strategy *s = &c->strategy;
    printf("%4s %5d %4d %4d %4d %4d %5d %14.6f\n", place, s->dp, s->tp, s->cp, s->pp, s->ep,
           s->op, c->memory_mb);
}

static void print_header(bool orig)
{
    printf("%4s %5s %4s %4s %4s %4s %5s", "", "dp", "tp", "cp", "pp", "ep", "op");
    if (orig)
        printf(" %14s\n", "memory MiB");
    else
        printf(" %3s %4s %-4s %-9s %10s %12s %6s %6s\n", "vp", "mbs", "sp", "recompute",
               "memory GiB", "step ms", "MFU %", "HFU %");
}

void nd_report_faster(double best_ms, double base_ms, const char *more)
{
    const double saved = 100 * (1 - best_ms / base_ms);
    printf("\nThe best is %.1f %% %s than the baseline (%.4g s, baseline %.4g s)%s.\n",
           fabs(saved), saved < 0 ? "slower" : "faster", best_ms / 1e3, base_ms / 1e3, more);
}

// No device is faster than its peak. MFU relates 8-bit products to the peak of 16-bit products, too.
static void warn_of_rate(const struct nd_search *search, const struct nd_candidate *candidate)
{
    const struct layercost_model *m = &search->estimate->layers;
    const double most = m->fp8 ? m->hardware.peak_fp8 / m->hardware.peak : 1;
    if (candidate->mfu > most)
        fprintf(
            stderr,
            "warning   MFU of %.0f %% is more than the device can reach (%.0f %%): check the "
            "figures of the device and of the stack\n",
            100 * candidate->mfu, 100 * most);
}

void nd_report_base(const struct nd_base *base, bool orig, bool with_header)
{
    if (base->has && with_header)
        print_header(orig);
    if (base->has && orig)
        print_published_row(base->label, &base->candidate);
    else if (base->has)
        print_row(base->label, &base->candidate, base->recompute, "");
}

void nd_report_table(const struct nd_search *search, const struct nd_search_result *result,
                     const struct nd_lines *lines, const struct nd_base *base)
{
    const bool orig = search->space->orig;
    const size_t n = lines != NULL ? lines->n : result->n;
    print_header(orig);
    for (size_t k = 0; k < result->best.n; k++) {
        char place[24], folded[ND_LINE_TEXT];
        const struct nd_candidate *c = lines != NULL ? &lines->all[k].first : NULL;
        snprintf(place, sizeof place, "%zu", k + 1);
        if (c == NULL)
            print_published_row(place, &result->best.heap[k]);
        else
            print_row(place, c, recompute_names[c->strategy.recompute],
                      nd_line_text(&lines->all[k], folded));
    }
    if (!orig && result->best.n > 0)
        warn_of_rate(search, &lines->all[0].first);
    if (n > result->best.n)
        printf("... %zu more (--top N, -o DIR)\n", n - result->best.n);
    if (n < result->n)
        printf(
            "merged: %zu candidates into %zu line%s; each line shows the fastest of its range "
            "(--all shows all)\n",
            result->n, n, n == 1 ? "" : "s");
    nd_report_base(base, orig, false);
    if (base->has && !orig && result->best.n > 0)
        nd_report_faster(result->best.heap[0].step_ms, base->candidate.step_ms,
                         base->fits ? "" : "; the baseline does not fit in memory");
}

void nd_report_order(const double *times, size_t n)
{
    char text[ND_ORDER_TEXT];
    if (nd_order_text(times, n, text) != NULL)
        pps_say(stdout, "order     %s", text);
}

void nd_report_close(const struct nd_search_result *result, const struct nd_lines *lines)
{
    double times[ORDERED];
    size_t n = 0;
    for (; n < ORDERED && n < result->best.n; n++)
        times[n] = lines->all[n].first.step_ms;
    nd_report_order(times, n);
}

void nd_report_space(const struct nd_job *job)
{
    if (!job->space.orig)
        printf(
            "layers are spread evenly and recomputed in one way, with the time and memory of "
            "ppsweep check; ppsweep nd rank finds the best split\n");
}

void nd_report_fit(const struct nd_job *job, const struct nd_lines *lines)
{
    struct nd_fit_rows rows = {.training = &job->run.training,
                               .limit = job->run.cluster.memory_limit};
    for (size_t k = 0; k < lines->n; k++)
        nd_fit_rows_add(&rows, lines->all[k].first.memory_mb * UNITS_MIB,
                        lines->all[k].first.step_ms);
    nd_fit_rows_say(&rows, stdout, "");
}

void nd_report_trust(const struct nd_job *job)
{
    char text[ND_TRUST_TEXT];
    if (!job->space.orig)
        pps_say(stdout, "%s",
                nd_trust_text(&job->run.cluster.hardware, &job->run.training, &job->run.model,
                              text));
}

void nd_note_trust(const struct nd_job *job)
{
    char text[ND_TRUST_TEXT];
    pps_say(
        stderr, "note      modelled times: %s",
        nd_trust_text(&job->run.cluster.hardware, &job->run.training, &job->run.model, text));
    if (job->run.model.n_kinds > 0)
        pps_say(
            stderr,
            "note      splits over stages are searched with layers that are the mean of their %d kinds; times and "
            "memory of the splits that are found are those of their layers",
            job->run.model.n_kinds);
}

// ---- empty results ------------------------------------------------------------------------------

static void describe_relaxation(const struct nd_relaxation *r, char *text, size_t size)
{
    char example[STRATEGY_TEXT];
    size_t n = 0;
    if (r->n == 0) {
        snprintf(text, size, "; removing one or two filters does not help");
        return;
    }
    for (int k = 0; k < r->n; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s ", k == 0 ? ";" : " and");
        if (r->bounds[k] > 0)
            n += (size_t)snprintf(text + n, size - n, "with %s %d",
                                  nd_filter_name(r->filters[k]), r->bounds[k]);
        else
            n += (size_t)snprintf(text + n, size - n, "without %s",
                                  nd_filter_name(r->filters[k]));
    }
    snprintf(text + n, size - n, " %s is valid", to_text(&r->example, example));
}

static enum pps_status report_filters_empty(const struct nd_job *job,
                                            const struct nd_counts *counts,
                                            struct pps_error *err)
{
    struct nd_relaxation relaxation;
    char text[512];
    const enum nd_filter last = nd_last_filter(&job->filters, counts);
    if (last == ND_N_FILTERS)
        return pps_fail(
            err, PPS_E_INFEASIBLE,
            "search space is empty, check the expert rules: no product of degrees is %d "
            "devices (a degree that is off in --strategy is 1; pp is less than %d layers)",
            job->space.devices, job->space.layers);
    nd_relax(&job->space, &job->filters, &relaxation);
    describe_relaxation(&relaxation, text, sizeof text);
    return pps_fail(
        err, PPS_E_INFEASIBLE,
        "search space is empty, check the expert rules: filter %s rejects the last points%s",
        nd_filter_name(last), text);
}

enum pps_status nd_report_empty(const struct nd_job *job, const struct nd_search *search,
                                const struct nd_counts *counts,
                                const struct nd_search_result *result, struct pps_error *err)
{
    char text[STRATEGY_TEXT];
    const struct nd_candidate *least = &result->least;
    if (!result->has_least)
        return report_filters_empty(job, counts, err);
    return pps_fail(
        err, PPS_E_INFEASIBLE,
        "none of %s strategies fits in %.6g GiB: the smallest needs %.3f GiB (%s%s%s)",
        pps_count_text((double)counts->survivors).text, limit_gib(search),
        least->memory_mb / UNITS_KIB,
        (search->space->orig ? tuple_text : to_text)(&least->strategy, text),
        search->space->orig ? "" : ", recompute ",
        search->space->orig ? "" : recompute_names[least->strategy.recompute]);
}

// ---- one strategy -------------------------------------------------------------------------------

// Memory of every stage by cause, GiB. Prints nothing if memory runs out.
static void print_stages(const struct nd_search *search, const struct nd_strategy *strategy)
{
    const size_t stages = (size_t)strategy->pp, chunks = stages * (size_t)strategy->vp;
    const struct nd_point point = {*strategy, search->seq_length, search->space->gbs};
    const bool pairs = search->estimate->schedule == TRAINING_DUALPIPE && strategy->pp > 1 &&
                       strategy->vp == 1;
    struct nd_chunk *chunk = calloc(chunks, sizeof *chunk);
    struct nd_stage *stage = calloc(stages, sizeof *stage);
    if (pairs)
        printf("  DualPipe: a device has its stage and the opposite one; layers are those of "
               "both\n");
    if (chunk != NULL && stage != NULL) {
        nd_reference_split(search->estimate, &point, chunk);
        nd_reference(search->estimate, &point, chunk, stage, NULL, NULL);
        printf("  %-6s %7s %11s %11s %11s %11s %11s %9s %9s  GiB\n", "stage", "layers",
               "parameters", "gradients", "optimizer", "activations", "transient", "reserve",
               "total");
    }
    for (size_t i = 0; i < stages && chunk != NULL && stage != NULL; i++)
        printf("  %-6zu %7d %11.3f %11.3f %11.3f %11.3f %11.3f %9.3f %9.3f\n", i,
               (pairs ? 2 : 1) * nd_layers_all(&stage[i].layers),
               units_to_gib(stage[i].parameters), units_to_gib(stage[i].gradients),
               units_to_gib(stage[i].optimizer), units_to_gib(stage[i].activations),
               units_to_gib(stage[i].transient), units_to_gib(stage[i].reserve),
               units_to_gib(stage[i].total));
    free(chunk);
    free(stage);
}

void nd_report_why(const struct nd_job *job, const struct nd_search *search,
                   const struct nd_strategy *strategy)
{
    struct nd_reason reasons[ND_REASONS_MAX];
    char text[STRATEGY_TEXT];
    const int n = nd_filters_explain(&job->filters, &job->space, strategy, reasons);
    printf("%s\n", to_text(strategy, text));
    for (int k = 0; k < n; k++)
        pps_say(stdout, "  %-12s %s", reasons[k].name, reasons[k].text);
    if (!nd_search_can(search, strategy))
        return;
    const struct nd_candidate c = nd_search_evaluate(search, strategy);
    const bool fits = nd_search_fits(search, &c);
    if (!fits)
        printf("  %-12s does not fit: %.3f GiB needed%s%s, %.6g GiB available\n", "memory",
               c.memory_mb / UNITS_KIB, search->space->orig ? "" : " with recompute ",
               search->space->orig ? "" : recompute_names[c.strategy.recompute],
               limit_gib(search));
    if (n == 0 && fits)
        printf("  passes all filters and fits in memory: %.3f of %.6g GiB\n",
               c.memory_mb / UNITS_KIB, limit_gib(search));
    if (!isnan(c.step_ms))
        printf("  step time %s with recompute %s (%.3f GiB; recompute none %.3f, full "
               "%.3f)\n",
               pps_time_text(c.step_ms / 1e3).text, recompute_names[c.strategy.recompute],
               c.memory_mb / UNITS_KIB, c.none_mb / UNITS_KIB, c.full_mb / UNITS_KIB);
    if (!search->space->orig)
        print_stages(search, &c.strategy);
    if (!isnan(c.step_ms))
        nd_report_trust(job);
}

void nd_report_filters(void)
{
    for (int k = 0; k < ND_N_FILTERS; k++)
        printf("%-12s %-7s %s\n", nd_filter_name((enum nd_filter)k),
               nd_filter_is_rule((enum nd_filter)k) ? "rule" : "filter",
               nd_filter_summary((enum nd_filter)k));
}
