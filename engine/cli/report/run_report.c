// SPDX-License-Identifier: Apache-2.0
// Prints the summary of a run.
#include "engine/cli/report/run_report.h"

#include "base/document/json.h"
#include "base/system/machine.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/cli/report/best_rows.h"
#include "engine/cli/report/next_commands.h"
#include "engine/program/program.h"
#include "engine/run/row_maker.h"
#include "engine/run/sweep.h"
#include "engine/space/space.h"

#include <stdlib.h>
#include <string.h>

static void print_inputs(const struct pps_experiment *e)
{
    if (pps_documents_resolved(e->inputs) == NULL)
        return;
    fputs("inputs    ", stderr);
    pps_documents_list(e->inputs, stderr);
    fputc('\n', stderr);
}

static void print_left_out(struct pps_job_result *r)
{
    for (int i = 0; i < r->experiment->space.n_reasons; i++) {
        const struct pps_left_out *left_out = &r->totals.counts.left_out[i];
        char count[48], words[PPS_REASON_WORDS];
        if (left_out->n == 0)
            continue;
        pps_human_count((double)left_out->n, count, sizeof count);
        pps_say_part(stderr, "skipped   %s point%s %s", count, left_out->n == 1 ? "" : "s",
                     pps_reason_words(&r->experiment->space, i, words));
        pps_say_point(r->experiment, left_out->example, ", for example ");
        fputc('\n', stderr);
    }
    const bool have_rows =
        r->totals.judged == 0; // false if the result contains only the best rows
    if (r->totals.counts.infeasible > 0)
        fprintf(stderr, "infeasible %s point%s%s\n",
                pps_count_text((double)r->totals.counts.infeasible).text,
                r->totals.counts.infeasible == 1 ? "" : "s",
                have_rows ? " (see the rows)" : "");
    if (r->totals.counts.failed > 0) {
        fprintf(stderr, "failed    %s point%s%s",
                pps_count_text((double)r->totals.counts.failed).text,
                r->totals.counts.failed == 1 ? "" : "s",
                have_rows ? " (rows with empty results)" : "");
        if (r->experiment->point_limit > 0)
            fprintf(stderr, ", with --point-limit %llu",
                    (unsigned long long)r->experiment->point_limit);
        pps_say_point(r->experiment, r->totals.counts.failed_example, ", for example ");
        fputc('\n', stderr);
        if (r->experiment->program != NULL && strcmp(r->path.path, "-") != 0)
            pps_say(stderr, "logs      %s" PPS_LOGS "/", r->path.path);
    }
}

// Warns about a result without rows.
static void print_all_left_out(struct pps_job_result *r)
{
    const int n_reasons = r->experiment->space.n_reasons;
    uint64_t n = 0;
    for (int i = 0; i < n_reasons; i++)
        n += r->totals.counts.left_out[i].n;
    if (n == 0 || n < r->totals.points)
        return;
    fprintf(stderr, "warning   the result has no rows: every point%s is skipped:",
            r->sweep.shard.count > 0 ? " of this shard" : "");
    const char *before = "";
    for (int i = 0; i < n_reasons; i++) {
        char count[48], words[PPS_REASON_WORDS];
        if (r->totals.counts.left_out[i].n == 0)
            continue;
        pps_human_count((double)r->totals.counts.left_out[i].n, count, sizeof count);
        pps_say_part(stderr, "%s %s %s", before, count,
                     pps_reason_words(&r->experiment->space, i, words));
        before = ";";
    }
    fputc('\n', stderr);
}

// Explains an empty shard: there are more shards than blocks.
static void print_no_block(struct pps_job_result *r)
{
    const uint64_t points = r->experiment->n_points;
    const uint64_t a_block = pps_block_points(r->experiment);
    char count[48], each[48];
    if (r->sweep.shard.count == 0 || r->totals.points > 0)
        return;
    pps_human_count((double)(points / a_block + (points % a_block > 0)), count, sizeof count);
    pps_human_count((double)a_block, each, sizeof each);
    fprintf(stderr,
            "note      this shard is empty: the experiment has %s block%s of up to %s points, "
            "fewer blocks than shards\n",
            count, points > a_block ? "s" : "", each);
}

// ---- row numbers --------------------------------------------------------------------------------

// The rows of n points of a sweep, whose numbers ascend and which have rows. Walks the points that
// come before them, which takes far less than computing these.
static enum pps_status row_numbers(const struct pps_sweep *sweep, const uint64_t *points,
                                   size_t n, uint64_t *rows, struct pps_error *err)
{
    const struct pps_experiment *e = sweep->experiment;
    const struct pps_blocks blocks = {e->n_points, sweep->block_points};
    const uint64_t n_blocks = pps_shard_blocks(sweep->shard, blocks);
    struct pps_left_out unused[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return pps_fail_memory(err, "a point");
    uint64_t row = 0;
    size_t found = 0;
    for (uint64_t b = 0; b < n_blocks && found < n; b++) {
        const uint64_t block = pps_shard_block(sweep->shard, b);
        const uint64_t first = block * blocks.block_points;
        const uint64_t end = first + pps_blocks_points(blocks, block);
        pps_cursor_seek(cursor, &e->space, first);
        for (; found < n && pps_cursor_next(cursor, end, unused); pps_cursor_step(cursor)) {
            row++;
            if (cursor->index == points[found])
                rows[found++] = row;
        }
    }
    free(cursor);
    return PPS_OK;
}

// ---- counts and times -------------------------------------------------------------------------

static void print_audit(const struct pps_audited *audited)
{
    char rows[48];
    pps_human_count((double)audited->rows, rows, sizeof rows);
    fprintf(stderr, "audited   %s row%s with the reference: largest difference %.2g\n", rows,
            audited->rows == 1 ? "" : "s", audited->largest);
    if (audited->sensitive == 0)
        return;
    pps_human_count((double)audited->sensitive, rows, sizeof rows);
    fprintf(stderr,
            "sensitive %s row%s with a larger difference; the reference differs as much if the "
            "last bits of inputs change\n",
            rows, audited->sensitive == 1 ? "" : "s");
}

// Prints the number of rows copied from equivalent points, if there are any.
static void print_recalled(const struct pps_totals *t)
{
    char computed[48], recalled[48];
    if (t->shortcuts.recalled == 0)
        return;
    pps_human_count((double)pps_totals_computed(t), computed, sizeof computed);
    pps_human_count((double)t->shortcuts.recalled, recalled, sizeof recalled);
    const char *what = t->judged > 0 ? "result" : "row";
    fprintf(stderr, "computed  %s point%s; %s ", computed,
            pps_totals_computed(t) == 1 ? "" : "s", recalled);
    if (t->shortcuts.recalled == 1)
        fprintf(stderr, "%s copied from an equivalent point\n", what);
    else
        fprintf(stderr, "%ss copied from equivalent points\n", what);
}

static void print_reused(struct pps_job_result *r)
{
    char reused[48], checked[48];
    if (r->reuse == NULL)
        return;
    pps_human_count((double)r->totals.shortcuts.reused, reused, sizeof reused);
    pps_human_count((double)r->totals.shortcuts.checked, checked, sizeof checked);
    pps_say_part(stderr, "reused    %s row%s of %s", reused,
                 r->totals.shortcuts.reused == 1 ? "" : "s", r->reuse);
    if (r->audit > 0)
        fprintf(stderr, "; %s of these rows computed again for the audit", checked);
    fputc('\n', stderr);
}

static void print_pruned(const struct pps_totals *t)
{
    char judged[48], pruned[48];
    if (t->judged == 0)
        return;
    pps_human_count((double)t->judged, judged, sizeof judged);
    pps_human_count((double)t->shortcuts.pruned, pruned, sizeof pruned);
    fprintf(stderr, "evaluated %s point%s", judged, t->judged == 1 ? "" : "s");
    if (t->shortcuts.pruned > 0)
        fprintf(stderr, "; %s more pruned by a lower bound", pruned);
    fputc('\n', stderr);
}

// The time of the run that made the result, without a speed of this one.
static void print_earlier(struct pps_job_result *r)
{
    const struct pps_totals *t = &r->totals;
    char rows[48], wall[32];
    pps_human_count((double)t->counts.rows, rows, sizeof rows);
    pps_human_seconds(t->wall_s, wall, sizeof wall);
    fprintf(stderr, "done      %s row%s by an earlier run in %s on %d thread%s", rows,
            t->counts.rows == 1 ? "" : "s", wall, r->threads, r->threads == 1 ? "" : "s");
    if (t->wall_s > 0)
        fprintf(stderr, ", CPU/real %.1f", t->cpu_s / t->wall_s);
    fputc('\n', stderr);
}

// Scanned points may be much cheaper than computed points: prints both speeds.
static void print_speed(struct pps_job_result *r)
{
    const struct pps_totals *t = &r->totals;
    const uint64_t points = t->points - t->earlier, computed = pps_totals_computed(t);
    const double wall_s = t->wall_s > 1e-9 ? t->wall_s : 1e-9;
    char rows[48], speed[48], wall[32], memory[32];
    pps_human_count((double)t->counts.rows, rows, sizeof rows);
    pps_human_seconds(t->wall_s, wall, sizeof wall);
    pps_human_count((double)points / wall_s, speed, sizeof speed);
    fprintf(stderr, "done      %s row%s in %s: %s points/s", rows,
            t->counts.rows == 1 ? "" : "s", wall, speed);
    pps_human_count((double)computed / wall_s, speed, sizeof speed);
    if (computed < points)
        fprintf(stderr, " (%s computed)", speed);
    pps_human_bytes(pps_peak_memory(), memory, sizeof memory);
    fprintf(stderr, " on %d thread%s, CPU/real %.1f, peak memory %s\n", r->threads,
            r->threads == 1 ? "" : "s", t->cpu_s / wall_s, memory);
}

void pps_report_print(struct pps_job_result *r)
{
    char bytes[32];
    print_inputs(r->experiment);
    pps_bestrows_print(r);
    print_left_out(r);
    print_all_left_out(r);
    print_no_block(r);
    if (r->audit > 0)
        print_audit(&r->totals.shortcuts.audited);
    print_reused(r);
    print_pruned(&r->totals);
    print_recalled(&r->totals);
    if (r->repeated)
        print_earlier(r);
    else
        print_speed(r);
    pps_human_bytes((double)r->data_bytes, bytes, sizeof bytes);
    if (strcmp(r->path.path, "-") != 0)
        pps_say(stderr, "result    %s (%s)", r->path.path, bytes);
    pps_next_commands(r);
}

// ---- for programs -----------------------------------------------------------------------------

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

// Allocates the indices of n points in ascending order, followed by their row numbers in the
// result.
static enum pps_status number_rows(struct pps_job_result *r, const struct pps_best_row *rows,
                                   size_t n, uint64_t *numbers, struct pps_error *err)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = rows[i].index;
    qsort(numbers, n, sizeof *numbers, by_number);
    for (size_t i = 0; i < n; i++)
        numbers[n + i] = i + 1; // in a result that contains only these rows
    if (r->totals.judged > 0)
        return PPS_OK;
    return row_numbers(&r->sweep, numbers, n, numbers + n, err);
}

static enum pps_status best_json(struct pps_job_result *r, cJSON *list, struct pps_error *err)
{
    size_t n;
    const struct pps_best_row *rows = pps_best_by_group_rows(&r->totals.best, &n);
    uint64_t *numbers = calloc(n + 1, 2 * sizeof *numbers);
    if (numbers == NULL)
        return pps_fail_memory(err, "the summary");
    enum pps_status status = number_rows(r, rows, n, numbers, err);
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        const uint64_t *at = bsearch(&rows[i].index, numbers, n, sizeof *numbers, by_number);
        cJSON *row = cJSON_CreateObject();
        pps_json_add_count(row, "index", at[n]);
        cJSON_AddNumberToObject(row, "value", rows[i].value);
        cJSON_AddStringToObject(row, "row", rows[i].text);
        cJSON_AddItemToArray(list, row);
    }
    free(numbers);
    return status;
}

// Adds each group that has more rows equal to its best row than are kept.
static void add_ties(cJSON *root, struct pps_job_result *r)
{
    cJSON *list = cJSON_AddArrayToObject(root, "ties");
    size_t n;
    struct pps_best *const *groups = pps_best_by_group_groups(&r->totals.best, &n);
    for (size_t g = 0; g < n; g++) {
        const struct pps_best_ties ties = pps_best_ties(groups[g]);
        if (ties.n <= ties.kept)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "value", groups[g]->rows[0].value);
        pps_json_add_count(item, "shown", ties.kept);
        pps_json_add_count(item, "equal", ties.n);
        cJSON_AddItemToArray(list, item);
    }
}

enum pps_status pps_report_json(struct pps_job_result *r, FILE *out, struct pps_error *err)
{
    const struct pps_totals *t = &r->totals;
    cJSON *root = cJSON_CreateObject();
    cJSON *left_out = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "result", r->path.path);
    cJSON_AddStringToObject(root, "kernel", r->experiment->kernel->name);
    pps_json_add_count(root, "points", t->points);
    pps_json_add_count(root, "rows", t->counts.rows);
    pps_json_add_count(root, "failed", t->counts.failed);
    pps_json_add_count(root, "infeasible", t->counts.infeasible);
    pps_json_add_count(root, "recalled", t->shortcuts.recalled);
    if (r->reuse != NULL)
        pps_json_add_count(root, "reused", t->shortcuts.reused);
    if (r->reuse != NULL && r->audit > 0)
        pps_json_add_count(root, "reused_audited", t->shortcuts.checked);
    if (t->judged > 0) {
        pps_json_add_count(root, "evaluated", t->judged);
        pps_json_add_count(root, "pruned", t->shortcuts.pruned);
    }
    for (int i = 0; i < r->experiment->space.n_reasons; i++)
        if (t->counts.left_out[i].n > 0)
            pps_json_add_count(left_out, r->experiment->space.reasons[i],
                               t->counts.left_out[i].n);
    cJSON_AddItemToObject(root, "skipped", left_out);
    cJSON_AddBoolToObject(root, "complete", t->complete);
    if (r->repeated)
        cJSON_AddBoolToObject(root, "earlier_run", true);
    pps_json_add_count(root, "data_bytes", r->data_bytes);
    pps_json_add_count(root, "text_bytes", t->text_bytes);
    if (r->audit > 0) {
        pps_json_add_count(root, "audited", t->shortcuts.audited.rows);
        cJSON_AddNumberToObject(root, "audit_largest_difference", t->shortcuts.audited.largest);
        pps_json_add_count(root, "audit_sensitive", t->shortcuts.audited.sensitive);
    }
    cJSON_AddNumberToObject(root, "threads", r->threads);
    cJSON_AddNumberToObject(root, "wall_s", t->wall_s);
    cJSON_AddNumberToObject(root, "cpu_s", t->cpu_s);
    if (!r->repeated)
        cJSON_AddNumberToObject(root, "peak_memory_bytes", pps_peak_memory());
    enum pps_status status = best_json(r, cJSON_AddArrayToObject(root, "best"), err);
    add_ties(root, r);
    if (status == PPS_OK)
        pps_json_put_line(out, root);
    else
        cJSON_Delete(root);
    return status;
}
