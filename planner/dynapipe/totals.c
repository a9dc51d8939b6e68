// SPDX-License-Identifier: Apache-2.0
// Adds up the figures of planned batches and prints the table and the totals.
#include "planner/dynapipe/totals.h"

#include "base/text/grow_list.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include <math.h>
#include <stdlib.h>

void totals_free(struct totals *totals)
{
    free(totals->seconds);
    *totals = (struct totals){.batches = 0};
}

static void add_baseline(double baseline,
                         double makespan,
                         double *sum,
                         double *plans,
                         int64_t *n)
{
    if (!(baseline > 0) || isinf(baseline))
        return;
    *sum += baseline;
    *plans += makespan;
    ++*n;
}

// Returns whether the proof of a plan says more than its gap.
static bool is_proven(const struct step_figures *f)
{
    return f->is_proven && f->exceeds <= 0 && f->makespan > f->bound;
}

bool totals_add(struct totals *t, const struct planned *p)
{
    const size_t n = (size_t)(t->batches + t->refused + t->infeasible) % TOTALS_TIMES;
    double *seconds = pps_grow(t->seconds, &t->room, n + 1, sizeof *seconds);
    if (seconds == NULL)
        return false;
    t->seconds = seconds;
    seconds[n] = p->seconds;
    t->refused += p->outcome == PLANNED_REFUSED;
    t->infeasible += p->outcome == PLANNED_INFEASIBLE;
    if (p->outcome != PLANNED)
        return true;
    t->batches++;
    t->exceeding += p->figures.exceeds > 0;
    t->proven += is_proven(&p->figures);
    t->samples += p->figures.samples;
    t->tokens += p->figures.tokens;
    t->padded += p->figures.padded;
    t->micro_batches += p->figures.micro_batches;
    t->makespan += p->figures.makespan;
    t->bound += p->figures.bound;
    add_baseline(p->baselines.tokens, p->figures.makespan, &t->by_tokens, &t->tokens_plans,
                 &t->n_tokens);
    add_baseline(p->baselines.uniform, p->figures.makespan, &t->by_rows, &t->rows_plans,
                 &t->n_rows);
    add_baseline(p->baselines.mine, p->figures.makespan, &t->by_mine, &t->mine_plans,
                 &t->n_mine);
    return true;
}

static double padding(int64_t tokens, int64_t padded)
{
    return padded > 0 ? 100 * (1 - (double)tokens / (double)padded) : 0;
}

void totals_show_head(FILE *out)
{
    fprintf(out, "%-10s %8s %6s  %-16s %-6s %12s %8s %11s %8s\n", "batch", "samples", "micro",
            "method", "mode", "makespan_ms", "gap_%", "peak_mb", "padding_%");
}

void totals_show_batch(const struct batch *batch, const struct planned *p, FILE *out)
{
    const struct step_figures *f = &p->figures;
    if (p->outcome != PLANNED) {
        pps_say(out, "%-10s %8d         %s: %s", batch->name, (int)batch->count,
                p->outcome == PLANNED_INFEASIBLE ? "infeasible" : "refused", p->reason);
        return;
    }
    char gap[32], exceeds[96] = "";
    snprintf(gap, sizeof gap, "%.2f", f->bound > 0 ? 100 * (f->makespan / f->bound - 1) : 0);
    if (f->exceeds > 0)
        snprintf(exceeds, sizeof exceeds, "  exceeds the limit of device %d by %s MB",
                 (int)f->exceeding_device, pps_decimals_text(f->exceeds, 1).text);
    pps_say(out, "%-10s %8s %6s  %-16s %-6s %12s %8s %11s %8.2f%s", batch->name,
            pps_count_text((double)f->samples).text, pps_count_text(f->micro_batches).text,
            p->method, p->mode, pps_decimals_text(f->makespan / 1000, 3).text,
            is_proven(f) ? "optimal" : gap, pps_decimals_text(f->peak, 1).text,
            padding(f->tokens, f->padded), exceeds);
}

void totals_show(const struct totals *t, FILE *out)
{
    fprintf(
        out,
        "%s batches, %s samples, %s micro-batches; %s, at most %.2f %% above the "
        "lower bound; %s tokens/s; padding %.2f %%\n",
        pps_count_text((double)t->batches).text, pps_count_text((double)t->samples).text,
        pps_count_text((double)t->micro_batches).text, pps_time_text(t->makespan / 1e6).text,
        t->bound > 0 ? 100 * (t->makespan / t->bound - 1) : 0,
        pps_count_text((t->makespan > 0 ? (double)t->tokens / (t->makespan / 1e6) : 0)).text,
        padding(t->tokens, t->padded));
    if (t->proven > 0)
        fputs("optimal   shortest of its kind: one order of micro-batches on all devices, any "
              "recomputation, and any warm-ups unless --method names them\n",
              out);
    if (t->refused + t->infeasible > 0)
        fprintf(out, "without a plan: %s infeasible, %s refused\n",
                pps_count_text((double)t->infeasible).text,
                pps_count_text((double)t->refused).text);
}

static void show_baseline(const char *kind,
                          const char *name,
                          double sum,
                          double plans,
                          int64_t n,
                          int64_t all,
                          FILE *out)
{
    if (n == 0)
        fprintf(out, "%-9s %s: no plan fits\n", kind, name);
    else
        fprintf(out, "%-9s %s: %s, %.2f times the plans (%s of %s batches fit)\n", kind, name,
                pps_time_text(sum / 1e6).text, sum / plans, pps_count_text((double)n).text,
                pps_count_text((double)all).text);
}

void totals_show_baselines(const struct totals *t, FILE *out)
{
    show_baseline("baseline", "micro-batches of equal tokens, 1F1B", t->by_tokens,
                  t->tokens_plans, t->n_tokens, t->batches, out);
    show_baseline("baseline", "packed rows, micro-batches of equal rows, 1F1B", t->by_rows,
                  t->rows_plans, t->n_rows, t->batches, out);
}

void totals_show_mine(const struct totals *t, int rows, FILE *out)
{
    char name[96];
    snprintf(name, sizeof name, "packed micro-batches of %d, 1F1B, recomputation of the file",
             rows);
    show_baseline("mine", name, t->by_mine, t->mine_plans, t->n_mine, t->batches, out);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void totals_show_times(struct totals *t, FILE *out)
{
    const size_t all = (size_t)(t->batches + t->refused + t->infeasible),
                 n = all < TOTALS_TIMES ? all : TOTALS_TIMES;
    if (n == 0)
        return;
    qsort(t->seconds, n, sizeof *t->seconds, ascending);
    fprintf(out, "planning  %.2f ms a batch (median), %.2f ms (99th percentile)\n",
            1e3 * t->seconds[n / 2], 1e3 * t->seconds[(n * 99 + 99) / 100 - 1]);
}
