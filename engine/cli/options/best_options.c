// SPDX-License-Identifier: Apache-2.0
// Reads the options for the best rows of a run, and writes results of only the best rows.
#include "engine/cli/options/best_options.h"

#include "base/text/nearest.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/experiment/work_groups.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOP = 3, MOST_TOP = 1000000 };

static enum pps_status read_top(const struct pps_args *args,
                                uint64_t *top,
                                struct pps_error *err)
{
    *top = TOP;
    return pps_arg_count(args, "top", 0, MOST_TOP, top, err);
}

enum pps_status pps_top_selection(const struct pps_args *args,
                                  char **selection,
                                  struct pps_error *err)
{
    uint64_t top;
    *selection = NULL;
    if (pps_arg(args, "only-top") == NULL)
        return PPS_OK;
    const char *by = pps_arg(args, "by"), *objective = pps_arg(args, "objective");
    const char *ties = pps_arg(args, "ties") != NULL ? " with ties" : "";
    enum pps_status status = read_top(args, &top, err);
    if (status == PPS_OK &&
        asprintf(selection, "%llu by %s objective %s%s", (unsigned long long)top,
                 by != NULL ? by : "(work)", objective != NULL ? objective : "", ties) < 0) {
        *selection = NULL;
        return pps_fail(err, PPS_E_MACHINE, "out of memory for the command line");
    }
    return status;
}

// ---- groups -----------------------------------------------------------------------------------

static enum pps_status unknown_name(const struct pps_experiment *e,
                                    const char *name,
                                    int n,
                                    struct pps_error *err)
{
    const char *names[PPS_MAX_PARAMS];
    char word[64];
    snprintf(word, sizeof word, "%.*s", n, name);
    for (int c = 0; c < e->space.n_columns; c++)
        names[c] = e->kernel->params[e->space.columns[c]].name;
    const char *near = pps_suggest(word, names, (size_t)e->space.n_columns);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--by %s: no such parameter in this sweep; did you mean %s?", word,
                        near);
    return pps_fail(
        err, PPS_E_INPUT,
        "--by %s: expected parameters that this sweep varies, separated by commas, such as %s",
        word, names[0]);
}

static enum pps_status read_by(const char *list,
                               const struct pps_experiment *e,
                               struct pps_sweep *sweep,
                               int *by,
                               struct pps_error *err)
{
    uint64_t seen = 0;
    sweep->by = by;
    if (list == NULL)
        sweep->n_by = pps_work_groups(e, sweep->objective, by);
    if (list == NULL || strcmp(list, PPS_BY_NONE) == 0)
        return PPS_OK;
    for (const char *name = list;;) {
        const size_t n = strcspn(name, ",");
        const int p = pps_param_find(e->kernel, name, n);
        bool shown = false;
        for (int c = 0; c < e->space.n_columns; c++)
            shown = shown || e->space.columns[c] == p;
        if (!shown)
            return unknown_name(e, name, n < 60 ? (int)n : 60, err);
        if ((seen >> p & 1) == 0)
            by[sweep->n_by++] = p;
        seen |= (uint64_t)1 << p;
        if (name[n] == '\0')
            break;
        name += n + 1;
    }
    return PPS_OK;
}

// ---- options that conflict --------------------------------------------------------------------

static enum pps_status check_only_top(const struct pps_args *args,
                                      uint64_t top,
                                      struct pps_error *err)
{
    if (top == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top with --top 0 writes no row; write --top 1 or more");
    if (pps_arg(args, "shard") != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top needs the whole experiment; remove --shard, or remove "
                        "--only-top, merge the shards and run ppsweep top");
    return PPS_OK;
}

enum pps_status pps_top_options(const struct pps_args *args,
                                const struct pps_experiment *experiment,
                                struct pps_sweep *sweep,
                                int *by_room,
                                struct pps_error *err)
{
    uint64_t top;
    enum pps_status status = read_top(args, &top, err);
    if (status == PPS_OK)
        status = pps_request_objective(args, experiment->kernel, &sweep->objective, err);
    if (status == PPS_OK)
        status = read_by(pps_arg(args, "by"), experiment, sweep, by_room, err);
    sweep->n_best = top;
    sweep->only_best = pps_arg(args, "only-top") != NULL;
    sweep->ties = pps_arg(args, "ties") != NULL;
    if (status == PPS_OK && sweep->ties && !sweep->only_best)
        return pps_fail(err, PPS_E_INPUT,
                        "--ties needs --only-top; for a whole result, run ppsweep top --ties");
    if (status == PPS_OK && sweep->only_best)
        status = check_only_top(args, top, err);
    return status;
}

// ---- the result -------------------------------------------------------------------------------

static enum pps_status no_block(void *self,
                                const struct pps_block *block,
                                struct pps_error *err)
{
    (void)self, (void)block, (void)err;
    return PPS_OK;
}

struct pps_sink pps_top_no_sink(void)
{
    return (struct pps_sink){NULL, no_block};
}

static char *join_rows(const struct pps_best_row *rows, size_t n, size_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < n; i++)
        *bytes += rows[i].n + 1;
    char *text = malloc(*bytes + 1), *end = text;
    for (size_t i = 0; text != NULL && i < n; i++) {
        memcpy(end, rows[i].text, rows[i].n);
        end += rows[i].n;
        *end++ = '\n';
    }
    return text;
}

static enum pps_status write_block(const struct pps_sweep *sweep,
                                   const struct pps_sink *sink,
                                   const struct pps_totals *totals,
                                   const char *text,
                                   size_t n,
                                   struct pps_error *err)
{
    struct pps_codec *codec = NULL;
    enum pps_status status = pps_codec_open(&codec, sweep->codec, err);
    if (status != PPS_OK)
        return status;
    const size_t bound = pps_codec_bound(codec, n) + 1;
    unsigned char *data = malloc(bound);
    if (data == NULL) {
        pps_codec_close(codec);
        return pps_fail(err, PPS_E_MACHINE, "out of memory for a compressed block");
    }
    struct pps_block block = {.data = data,
                              .rows = totals->rows,
                              .failed = totals->failed,
                              .infeasible = totals->infeasible};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        block.left_out[r] = totals->left_out[r].n;
    pps_block_set_text(&block, text, n);
    block.data_bytes = pps_codec_block(codec, text, n, data, bound);
    status = sink->block(sink->self, &block, err);
    free(data);
    pps_codec_close(codec);
    return status;
}

enum pps_status pps_top_write(const struct pps_sweep *sweep,
                              const struct pps_sink *sink,
                              struct pps_totals *totals,
                              struct pps_error *err)
{
    size_t n, bytes;
    const struct pps_best_row *rows = pps_tops_by_index(&totals->best, &n);
    char *text = n == totals->best.kept ? join_rows(rows, n, &bytes) : NULL;
    if (text == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for the best rows");
    totals->judged = totals->rows;
    totals->rows = n;
    totals->text_bytes = bytes;
    enum pps_status status = write_block(sweep, sink, totals, text, bytes, err);
    free(text);
    return status;
}
