// SPDX-License-Identifier: Apache-2.0
// Adds up the figures of planned batches and prints the table and the totals.
#include "planner/dynapipe/plan_report.h"

#include "base/system/disk.h"
#include "base/text/grow_list.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- plan log -----------------------------------------------------------------------------------

enum { PATH = 4096 };

enum pps_status plan_log_open(struct plan_log *log, const char *folder,
                              const struct pps_gate *gate, struct pps_error *err)
{
    char records[PATH], plans[PATH];
    *log = (struct plan_log){.is_open = false};
    if (folder == NULL)
        return PPS_OK;
    if (*folder == '\0')
        folder = getenv("DYNAPIPE_PERFORMANCE_LOG_DIR");
    if (folder == NULL || *folder == '\0')
        folder = "performance_logs";
    snprintf(records, sizeof records, "%s/performance.log", folder);
    snprintf(plans, sizeof plans, "%s/recompute_plans.json", folder);
    enum pps_status status = pps_gate_check_inputs(gate, records, err);
    if (status == PPS_OK)
        status = pps_new_file_open(&log->plans, plans, gate, err);
    if (status != PPS_OK)
        return status;
    log->records = fopen(records, "ae");
    log->is_open = log->records != NULL;
    if (log->is_open)
        return PPS_OK;
    status = pps_disk_fail_open(err, records);
    pps_new_file_abandon(&log->plans);
    return status;
}

enum pps_status plan_log_close(struct plan_log *log, struct pps_error *err)
{
    if (!log->is_open)
        return PPS_OK;
    fputs(log->n == 0 ? "[]\n" : "\n]\n", log->plans.out);
    enum pps_status status = pps_new_file_close(&log->plans, err);
    if (fclose(log->records) != 0 && status == PPS_OK)
        status = pps_fail_errno(err, "cannot write", "the performance log");
    *log = (struct plan_log){.is_open = false};
    return status;
}

// Appends the layers of a stage as [layer, next layer, type].
static void add_stage(const struct network_stages *stages, int32_t s, int type, bool *first,
                      struct text_buffer *out)
{
    for (int32_t l = stages->first_layer[s]; l < stages->first_layer[s + 1]; l++) {
        text_buffer_add(out, "%s[%d,%d,%d]", *first ? "" : ",", (int)l, (int)l + 1, type);
        *first = false;
    }
}

void plan_log_collect(const struct planned *planned, struct text_buffer *out)
{
    const struct network_stages *stages = planned->step.setup->stages;
    bool first_batch = true;
    text_buffer_clear(out);
    text_buffer_add(out, "[");
    for (int32_t k = 0; k < planned->step.n; k++) {
        const struct step_replica *r = &planned->step.replicas[k];
        for (int32_t i = 0; i < r->count; i++) {
            bool first = true;
            text_buffer_add(out, first_batch ? "[" : ",[");
            first_batch = false;
            for (int32_t s = 0; s < stages->stages; s++)
                add_stage(stages, s,
                          r->answer.recompute[(int64_t)r->answer.order[i] * stages->stages + s],
                          &first, out);
            text_buffer_add(out, "]");
        }
    }
    text_buffer_add(out, "]");
}

static void write_record(struct plan_log *log, const struct batch *batch,
                         const struct planned *p)
{
    char now[64] = "";
    const time_t seconds = time(NULL);
    struct tm local;
    if (localtime_r(&seconds, &local) != NULL)
        strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &local);
    fprintf(log->records,
            "[%s] INFO EXECUTION_TIME: {\"function\": \"plan\", \"execution_time\": %.6f, "
            "\"timestamp\": \"%s\", \"batch_size\": %d, \"current_batch_idx\": %lld, "
            "\"schedule_method\": \"%s\", \"best_cost\": %.6f, \"evaluations\": %lld, "
            "\"mode\": \"%s\", \"fast_mode\": %s}\n",
            now, p->seconds, now, (int)p->figures.micro_batches, (long long)batch->number,
            p->method, p->figures.makespan / 1000, (long long)p->figures.evaluations, p->mode,
            strcmp(p->mode, "fast") == 0 ? "true" : "false");
}

enum pps_status plan_log_write(struct plan_log *log, const struct batch *batch,
                               const struct planned *p, const struct text_buffer *recompute,
                               struct pps_error *err)
{
    write_record(log, batch, p);
    fprintf(log->plans.out,
            "%s\n{\"batch_idx\": %lld, \"schedule_method\": \"%s\", \"best_cost\": %.6f, "
            "\"batch_size\": %d, \"mode\": \"%s\", \"plan\": ",
            log->n++ == 0 ? "[" : ",", (long long)batch->number, p->method,
            p->figures.makespan / 1000, (int)p->figures.micro_batches, p->mode);
    fwrite(recompute->text, 1, recompute->n, log->plans.out);
    fputs("}", log->plans.out);
    return ferror(log->plans.out) || ferror(log->records)
               ? pps_fail_errno(err, "cannot write", "the performance log")
               : PPS_OK;
}

// ---- totals -------------------------------------------------------------------------------------

void totals_free(struct totals *totals)
{
    free(totals->seconds);
    *totals = (struct totals){.batches = 0};
}

static void add_baseline(double baseline, double makespan, double *sum, double *plans,
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
    t->bound += p->figures.least;
    t->of_batches += p->step.batch_bound > 0;
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
    snprintf(gap, sizeof gap, "%.2f", f->least > 0 ? 100 * (f->makespan / f->least - 1) : 0);
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
        "lower bound of %s; %s tokens/s; padding %.2f %%\n",
        pps_count_text((double)t->batches).text, pps_count_text((double)t->samples).text,
        pps_count_text((double)t->micro_batches).text, pps_time_text(t->makespan / 1e6).text,
        t->bound > 0 ? 100 * (t->makespan / t->bound - 1) : 0,
        t->of_batches > 0 || t->batches == 0 ? "all divisions" : "these micro-batches",
        pps_count_text((t->makespan > 0 ? (double)t->tokens / (t->makespan / 1e6) : 0)).text,
        padding(t->tokens, t->padded));
    if (t->proven > 0)
        fputs(
            "optimal   no plan of these micro-batches with the method is shorter: one order on all "
            "devices, with any recomputation\n",
            out);
    if (t->refused + t->infeasible > 0)
        fprintf(out, "without a plan: %s infeasible, %s refused\n",
                pps_count_text((double)t->infeasible).text,
                pps_count_text((double)t->refused).text);
}

static void show_baseline(const char *kind, const char *name, double sum, double plans,
                          int64_t n, int64_t all, FILE *out)
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
