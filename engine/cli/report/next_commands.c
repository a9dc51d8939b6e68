// SPDX-License-Identifier: Apache-2.0
// Prints commands that use a result.
#include "engine/cli/report/next_commands.h"

#include "base/text/say.h"
#include "engine/cli/report/best_rows.h"
#include "engine/experiment/point_text.h"
#include "engine/experiment/work_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- point words --------------------------------------------------------------------------------

// Prints "name=value name=value" of a point, as a shell takes it.
static void print_point(const struct pps_experiment *e, const double *point, const char *before)
{
    for (int c = 0; c < e->space.n_columns; c++) {
        char word[PPS_POINT_WORD];
        pps_point_word(e, point, c, word);
        fputs(c > 0 ? " " : before, stderr);
        pps_say_word(stderr, word, SIZE_MAX);
    }
}

void pps_say_point(const struct pps_experiment *e, uint64_t index, const char *before)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return;
    pps_cursor_seek(cursor, &e->space, index);
    print_point(e, cursor->point, before);
    free(cursor);
}

// ---- next commands ------------------------------------------------------------------------------

// Where the best row stands in a result that holds these rows alone, in the order of indices.
static size_t place_in_file(const struct pps_best_row *rows, size_t n)
{
    size_t before = 0;
    for (size_t i = 1; i < n; i++)
        before += rows[i].index < rows[0].index;
    return before;
}

// "next      ppsweep plot PATH", as a shell takes it.
static void print_command(const char *lead, const char *verb, const char *path)
{
    fprintf(stderr, "%-9s ppsweep %s ", lead, verb);
    pps_say_word(stderr, path, SIZE_MAX);
}

// Without the end of the line, as options may follow.
static void print_look(const char *path, const char *options)
{
    print_command("next", "plot", path);
    fputc('\n', stderr);
    print_command("", "report", path);
    fputc('\n', stderr);
    print_command("", "top", path);
    fputs(options, stderr);
}

void pps_next_report(const char *path)
{
    if (strcmp(path, "-") == 0)
        return;
    print_command("next", "report", path);
    fputc('\n', stderr);
}

void pps_next_look(const char *path)
{
    print_look(path, " -k 10\n");
}

// Lists all rows that equal the best ones, by the column and the groups of this summary.
static void print_ties(struct pps_job_result *r)
{
    const struct pps_kernel *kernel = r->experiment->kernel;
    print_look(r->path.path, " --ties");
    if (r->sweep.objective != 0)
        fprintf(stderr, " --objective %s", kernel->columns[r->sweep.objective].name);
    for (int b = 0; b < r->sweep.n_by && r->job->by != NULL; b++)
        fprintf(stderr, "%s%s", b == 0 ? " --by " : ",", kernel->params[r->sweep.by[b]].name);
    if (r->sweep.n_by == 0 && r->job->by != NULL)
        fputs(" --by " PPS_BY_NONE, stderr);
    fputc('\n', stderr);
}

// Prints the command that merges the shards, for one of several shards.
static void print_merge(struct pps_job_result *r)
{
    const char *number = strstr(r->path.path, ".shard-");
    for (const char *at = number; at != NULL; at = strstr(at + 1, ".shard-"))
        number = at; // the last one: it is ours
    if (number == NULL)
        return;
    const char *rest = strchr(number + strlen(".shard-"), '-');
    fputs("next      ppsweep merge ", stderr);
    pps_say_word(stderr, r->path.path, (size_t)(number - r->path.path));
    fprintf(stderr, ".shard-*%s   (when all %u shards are done)\n", rest != NULL ? rest : "",
            (unsigned)r->sweep.shard.count);
}

// A point of the result, of the best row where one is known: by its row, or by its parameters.
static void print_next_trace(struct pps_job_result *r, const char *lead)
{
    struct pps_totals *t = &r->totals;
    size_t n;
    const struct pps_best_row *rows = pps_best_by_group_rows(&t->best, &n);
    const struct pps_kernel *kernel = r->experiment->kernel;
    const bool by_row = n == 0 || t->judged > 0 || t->points == t->counts.rows;
    const uint64_t row = n == 0 ? 0 : t->judged > 0 ? place_in_file(rows, n) : rows[0].index;
    const bool bare = !by_row && kernel->n_slots == 0; // otherwise its documents are needed
    print_command(lead, "trace", bare ? kernel->name : r->path.path);
    if (!bare)
        pps_documents_list_omitted(r->experiment->inputs, stderr);
    if (by_row)
        fprintf(stderr, " --row %llu", 1 + (unsigned long long)row);
    else
        pps_say_point(r->experiment, rows[0].index, " ");
    fputc('\n', stderr);
}

// A result without rows, or with rows without values, has fewer commands that work.
void pps_next_commands(struct pps_job_result *r)
{
    const struct pps_totals *t = &r->totals;
    if (strcmp(r->path.path, "-") == 0)
        return;
    if (r->sweep.shard.count > 0) {
        print_merge(r);
        return;
    }
    const bool traces = r->experiment->kernel->trace_names != NULL;
    const bool none = t->judged > 0 ? t->best.kept == 0 : t->counts.rows == 0;
    const bool no_value =
        t->judged == 0 && t->counts.rows == t->counts.failed + t->counts.infeasible;
    if (none)
        return;
    if (!no_value && t->judged == 0 && pps_bestrows_have_ties(r))
        print_ties(r);
    else if (!no_value)
        pps_next_look(r->path.path);
    if (traces && (!no_value || t->counts.failed == 0))
        print_next_trace(r, no_value ? "next" : "");
}
