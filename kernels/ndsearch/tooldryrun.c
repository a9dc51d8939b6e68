// SPDX-License-Identifier: Apache-2.0
// Dry runs of `ppsweep nd`: which to make, and the peaks they came back with.
#include "tooldryrun.h"

#include "peaks.h"
#include "walk.h"

#include "kernels/common/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
                        "--test-ep %s: write two degrees, the lower first: 8,16", word);
    return PPS_OK;
}

static char *read_whole(const char *path, size_t *n, struct pps_error *err)
{
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        pps_fail(err, PPS_E_INPUT, "%s: cannot read it: %s", path, strerror(errno));
        return NULL;
    }
    size_t cap = 1 << 16, got;
    *n = 0;
    do {
        char *grown = realloc(text, cap);
        if (grown == NULL)
            break;
        text = grown;
        got = fread(text + *n, 1, cap - *n, file);
        *n += got;
        cap *= 2;
        if (got == 0) {
            const bool failed = ferror(file) != 0;
            fclose(file);
            if (!failed)
                return text;
            pps_fail_errno(err, "cannot read", path);
            free(text);
            return NULL;
        }
    } while (true);
    fclose(file);
    free(text);
    pps_fail(err, PPS_E_MACHINE, "no memory for %s", path);
    return NULL;
}

static enum pps_status fail_table(const char *path,
                                  const struct pps_json *json,
                                  const struct table_fault *fault,
                                  struct pps_error *err)
{
    if (json != NULL)
        return pps_json_fail(json, fault->document.item, err, "%s", fault->document.text);
    return pps_fail_at(err, PPS_E_INPUT, path, (int)fault->line, (int)fault->column, "%s",
                       fault->document.text);
}

static enum pps_status read_json_peaks(const char *path,
                                       bool dense,
                                       struct nd_dryrun_peaks *peaks,
                                       struct pps_error *err)
{
    struct pps_json json;
    struct table *table;
    struct table_fault fault;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!table_read_json(&table, json.root, &fault) ||
        !nd_dryrun_peaks_read(peaks, table, dense, &fault))
        status = fail_table(path, &json, &fault, err);
    table_free(table);
    pps_json_free(&json);
    return status;
}

static enum pps_status read_csv_peaks(const char *path,
                                      bool dense,
                                      struct nd_dryrun_peaks *peaks,
                                      struct pps_error *err)
{
    size_t n;
    struct table *table;
    struct table_fault fault;
    enum pps_status status = PPS_OK;
    char *text = read_whole(path, &n, err);
    if (text == NULL)
        return err->code;
    if (!table_read_csv(&table, text, n, &fault) ||
        !nd_dryrun_peaks_read(peaks, table, dense, &fault))
        status = fail_table(path, NULL, &fault, err);
    table_free(table);
    free(text);
    return status;
}

static void say_fits(const struct nd_epfit_result *fits, bool orig)
{
    for (size_t k = 0; k < fits->n_groups; k++) {
        const struct nd_epfit_group *g = &fits->groups[k];
        if (g->note == ND_EPFIT_INCOMPLETE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: one of two peaks is missing; %s\n",
                    g->dp, g->tp, g->pp, orig ? "taken as 0" : "left to the estimate");
        else if (g->note == ND_EPFIT_NEGATIVE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: memory grows with ep%s\n", g->dp,
                    g->tp, g->pp, orig ? "" : "; the larger peak stands for all");
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
    const size_t n = strlen(path);
    const bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    status =
        (json ? read_json_peaks : read_csv_peaks)(path, job->space.experts == 0, &peaks, err);
    if (status == PPS_OK) {
        const enum nd_epfit_status fitted =
            nd_epfit(peaks.rows, peaks.n, degrees, job->filters.ep_max,
                     units_to_mib(job->cluster.memory_limit), job->space.orig, fits);
        if (fitted == ND_EPFIT_EP_LIMIT)
            status = pps_fail(err, PPS_E_INPUT, "--ep-max %d: dry runs want a power of two",
                              job->filters.ep_max);
        else if (fitted != ND_EPFIT_OK)
            status = pps_fail(err, PPS_E_MACHINE, "no memory for the dry runs");
    }
    nd_dryrun_peaks_free(&peaks);
    if (status == PPS_OK)
        say_fits(fits, job->space.orig);
    return status;
}

// ---- dry runs to make ---------------------------------------------------------------------------

struct dryruns {
    const struct nd_space *space;
    struct nd_test_degrees degrees;
    struct nd_quad last;
};

static bool print_dryruns(void *context, const struct nd_strategy *tuple)
{
    struct dryruns *d = context;
    struct nd_dryrun runs[2];
    const struct nd_quad quad = {tuple->dp, tuple->tp, tuple->cp, tuple->pp};
    if (memcmp(&quad, &d->last, sizeof quad) == 0)
        return true;
    d->last = quad;
    const int n = nd_dryruns_of(d->space, &quad, d->degrees, false, runs);
    for (int k = 0; k < n; k++)
        printf("%d,%d,%d,%d,%d,%lld,%d\n", runs[k].dp, runs[k].tp, runs[k].pp,
               runs[k].ep > 0 ? runs[k].ep : 1, runs[k].cp, (long long)runs[k].micro_batches,
               runs[k].rank);
    return true;
}

enum pps_status nd_dryrun_print(const struct nd_job *job,
                                const struct pps_args *args,
                                struct pps_error *err)
{
    struct dryruns d = {.space = &job->space};
    const enum pps_status status = read_degrees(args, &d.degrees, err);
    if (status != PPS_OK)
        return status;
    printf("dp,tp,pp,ep,cp,micro_batches,rank\n");
    nd_tuples(&job->space, &job->filters, print_dryruns, &d);
    return PPS_OK;
}
