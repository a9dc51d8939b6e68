// SPDX-License-Identifier: Apache-2.0
// Lists the dry runs of `ppsweep nd`, and fits the memory model to their peaks.
#include "planner/nd/commands/dry_runs.h"

#include "kernels/ndsearch/estimate/stage_layers.h"
#include "planner/nd/input/dry_run_peaks.h"
#include "planner/nd/strategies/walk.h"

#include "base/math/units.h"
#include "base/table/list_cell.h"

#include <stdio.h>
#include <string.h>

// ---- peaks in -----------------------------------------------------------------------------------

static enum pps_status read_degrees(const struct pps_args *args,
                                    struct nd_test_degrees *degrees,
                                    struct pps_error *err)
{
    char rest;
    const char *word = pps_arg(args, "test-ep");
    *degrees = (struct nd_test_degrees){8, 16};
    if (word == NULL)
        return PPS_OK;
    if (sscanf(word, "%d,%d%c", &degrees->low, &degrees->high, &rest) != 2 ||
        degrees->low < 1 || degrees->high <= degrees->low)
        return pps_fail(err, PPS_E_INPUT,
                        "--test-ep %s: expected two degrees, the lower first: 8,16", word);
    return PPS_OK;
}

static void note_fits(const struct nd_epfit_result *fits, bool orig)
{
    for (size_t k = 0; k < fits->n_groups; k++) {
        const struct nd_epfit_group *g = &fits->groups[k];
        if (g->note == ND_EPFIT_INCOMPLETE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: one of two peaks is missing; %s\n",
                    g->dp, g->tp, g->pp, orig ? "using 0" : "using the estimate");
        else if (g->note == ND_EPFIT_NEGATIVE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: memory grows with ep%s\n", g->dp,
                    g->tp, g->pp, orig ? "" : "; using the larger peak for all ep");
    }
    for (size_t k = 0; k < fits->n_checks; k++) {
        const struct nd_epfit_check *c = &fits->checks[k];
        fprintf(stderr, "dry run   dp %d tp %d pp %d ep %d: %.1f MiB, fitted %.1f\n",
                c->peak.dp, c->peak.tp, c->peak.pp, c->peak.ep, c->peak.peak_mb, c->fitted_mb);
    }
}

enum pps_status nd_dryrun_fits(const struct nd_job *job,
                               const struct pps_args *args,
                               struct nd_epfit_result *fits,
                               struct pps_error *err)
{
    struct nd_test_degrees degrees;
    struct nd_dryrun_peaks peaks = {NULL, 0};
    const char *path = pps_arg(args, "dryrun-data");
    if (path == NULL)
        path = pps_arg(args, "dryrun-data-dir");
    *fits = (struct nd_epfit_result){0};
    enum pps_status status = read_degrees(args, &degrees, err);
    if (path == NULL || status != PPS_OK)
        return status;
    status = nd_dryrun_peaks_load(path, job->space.experts == 0, &peaks, err);
    if (status == PPS_OK) {
        const enum nd_epfit_status fitted =
            nd_epfit(peaks.rows, peaks.n, degrees, job->filters.ep_max,
                     units_to_mib(job->run.cluster.memory_limit), job->space.orig, fits);
        if (fitted == ND_EPFIT_EP_LIMIT)
            status = pps_fail(err, PPS_E_INPUT,
                              "--ep-max %d: with dry runs it must be a power of two",
                              job->filters.ep_max);
        else if (fitted != ND_EPFIT_OK)
            status = pps_fail_memory(err, "the dry runs");
    }
    nd_dryrun_peaks_free(&peaks);
    if (status == PPS_OK)
        note_fits(fits, job->space.orig);
    return status;
}

// ---- dry runs to make ---------------------------------------------------------------------------

enum { STAGES_MAX = 4096, SPLIT_TEXT = 16 * STAGES_MAX };

struct dryruns {
    const struct nd_space *space;
    struct nd_test_degrees degrees;
    bool v_schedule;
    struct nd_quad last;
    int n;
};

// Writes the layers of each stage beyond an even split, or 0. For a V schedule, writes the layers
// of both chunks (orig: minus their base).
static void split_text(const struct dryruns *d, int32_t pp, char text[SPLIT_TEXT])
{
    int32_t rows[2 * STAGES_MAX];
    int64_t base;
    strcpy(text, "0");
    if (pp > STAGES_MAX)
        return;
    if (!d->v_schedule) {
        if (nd_offsets(d->space->layers, pp, rows))
            list_cell_write(text, SPLIT_TEXT, rows, 1, pp);
        return;
    }
    if (d->space->orig ? nd_v_offsets(d->space->layers, pp, rows, rows + pp, &base)
                       : nd_v_layers(d->space->layers, pp, rows, rows + pp))
        list_cell_write(text, SPLIT_TEXT, rows, 2, pp);
}

static bool print_dryruns(void *context, const struct nd_strategy *tuple)
{
    struct dryruns *d = context;
    struct nd_dryrun runs[2];
    char split[SPLIT_TEXT];
    const struct nd_quad quad = {tuple->dp, tuple->tp, tuple->cp, tuple->pp};
    if (memcmp(&quad, &d->last, sizeof quad) == 0)
        return true;
    d->last = quad;
    split_text(d, quad.pp, split);
    const int n = nd_dryruns_of(d->space, &quad, d->degrees, d->v_schedule, runs);
    for (int k = 0; k < n; k++)
        printf("%d,%d,%d,%d,%d,%lld,%d,%s\n", runs[k].dp, runs[k].tp, runs[k].pp,
               runs[k].ep > 0 ? runs[k].ep : 1, runs[k].cp, (long long)runs[k].micro_batches,
               runs[k].rank, split);
    d->n += n;
    return true;
}

enum pps_status nd_dryrun_print(const struct nd_job *job,
                                const struct pps_args *args,
                                struct pps_error *err)
{
    struct dryruns d = {.space = &job->space,
                        .v_schedule = pps_arg(args, "v-schedule") != NULL};
    const enum pps_status status = read_degrees(args, &d.degrees, err);
    if (status != PPS_OK)
        return status;
    printf("dp,tp,pp,ep,cp,micro_batches,rank,%s\n",
           d.v_schedule && !job->space.orig ? "layers" : "offset");
    nd_tuples(&job->space, &job->filters, print_dryruns, &d);
    return d.n > 0 ? PPS_OK
                   : pps_fail(err, PPS_E_INFEASIBLE,
                              "no dry runs: no remaining (dp, tp, cp, pp) allows ep %d or %d",
                              d.degrees.low, d.degrees.high);
}
