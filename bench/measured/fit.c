// SPDX-License-Identifier: Apache-2.0
// One fit to everything, and one fit without each source.
#include "bench/measured/fit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Weighs a unit of u against tables: chosen so that left-out sources come out best, in steps of two.
static const struct nd_fit_weights weights = {0.7, true, 0.04};

int measured_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static _Noreturn void stop(const char *path, const char *text)
{
    fprintf(stderr, "%s: %s\n", path, text);
    exit(2);
}

static void read_unknown(struct measured *m, const cJSON *item, const char *path)
{
    const cJSON *factor = cJSON_GetObjectItemCaseSensitive(item, "factor");
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(item, "of");
    const cJSON *before = cJSON_GetObjectItemCaseSensitive(item, "before");
    const cJSON *why = cJSON_GetObjectItemCaseSensitive(item, "why");
    struct nd_unknown *u = &m->unknowns[m->n_unknowns];
    if (m->n_unknowns == ND_UNKNOWNS || !cJSON_IsString(factor) || !cJSON_IsString(of) ||
        !cJSON_IsNumber(before) || !cJSON_IsString(why) ||
        strlen(of->valuestring) >= sizeof u->of)
        stop(path, "fit: expected a list of {\"factor\", \"of\", \"before\", \"why\"}");
    u->factor = nd_factor_find(factor->valuestring, strlen(factor->valuestring));
    if (u->factor == ND_FACTORS)
        stop(path, "fit: unknown factor");
    memcpy(u->of, of->valuestring, strlen(of->valuestring) + 1);
    u->start = before->valuedouble;
    m->why[m->n_unknowns++] = why->valuestring;
}

void measured_read(struct measured *m, const cJSON *document, const char *path)
{
    struct pps_fault fault = {.item = NULL};
    const cJSON *item;
    if (!nd_measurements_read(m->all, ND_MEASURED, &m->n, document, &fault))
        stop(path, fault.text);
    for (int i = 0; i < m->n; i++)
        m->each[i] = &m->all[i];
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(document, "fit")) {
        read_unknown(m, item, path);
    }
}

bool measured_new_source(const struct measured *m, int i)
{
    for (int j = 0; j < i; j++)
        if (strcmp(m->all[j].source, m->all[i].source) == 0)
            return false;
    return true;
}

struct nd_memory measured_memory(const struct measured *m, const struct nd_measurement *row)
{
    struct nd_memory memory = {.total = (double)NAN};
    if (row->point.strategy.mbs == 0)
        return memory;
    const struct cluster cluster = {.node_devices = row->hardware.node,
                                    .hardware = row->hardware};
    struct nd_estimate e;
    nd_estimate_open(&e, &row->model, &cluster, &row->training, 0);
    memset(m->cache, 0, nd_cache_bytes());
    nd_estimate(&e, m->cache, &row->point, &memory, NULL);
    return memory;
}

// No fit sees tables that only judge, and rows of which only is known whether they fit.
static bool is_unseen(const struct nd_measurement *row)
{
    return row->judges || row->seconds <= 0;
}

static void fit_without(const struct measured *m, const char *source,
                        struct nd_unknown *unknowns)
{
    bool skip[ND_MEASURED];
    for (int i = 0; i < m->n; i++)
        skip[i] =
            is_unseen(&m->all[i]) || (source != NULL && strcmp(m->all[i].source, source) == 0);
    nd_fit(m->each, m->n, skip, unknowns, m->n_unknowns, &weights, m->cache);
}

// Sources that no fit sees are predicted by the fit to all others.
static void leave_out(struct measured *m, const char *source)
{
    struct nd_unknown unknowns[ND_UNKNOWNS];
    bool seen = false;
    for (int i = 0; i < m->n; i++)
        seen |= !is_unseen(&m->all[i]) && strcmp(m->all[i].source, source) == 0;
    memcpy(unknowns, m->unknowns, sizeof unknowns);
    if (seen)
        fit_without(m, source, unknowns);
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->all[i].source, source) == 0)
            m->left_out[i] = nd_error_of(m->each[i], unknowns, m->n_unknowns, m->cache);
}

void measured_fit(struct measured *m)
{
    fit_without(m, NULL, m->unknowns);
    for (int i = 0; i < m->n; i++) {
        m->built_in[i] = nd_predict(m->each[i], m->cache) / m->all[i].seconds - 1;
        if (measured_new_source(m, i))
            leave_out(m, m->all[i].source);
    }
}

// The mean error of the steps of a table but `i`, whose times a factor multiplies.
static double error_of_others(const struct measured *m, int i, double factor)
{
    double sum = 0;
    int others = 0;
    for (int j = 0; j < m->n; j++)
        if (j != i && strcmp(m->all[j].set, m->all[i].set) == 0) {
            sum += fabs((1 + m->built_in[j]) * factor - 1);
            others++;
        }
    return others > 0 ? sum / others : (double)NAN;
}

int measured_one_step(const struct measured *m, const char *set, double *mean, double *best,
                      double *fitted)
{
    int rows = 0;
    double sum = 0, logs = 0;
    *best = HUGE_VAL;
    *fitted = 0;
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->all[i].set, set) == 0) {
            const double error = error_of_others(m, i, nd_fit_scale(&m->each[i], 1, m->cache));
            rows++;
            sum += error;
            logs += log1p(m->built_in[i]);
            *best = fmin(*best, error);
        }
    *mean = rows > 1 ? sum / rows : (double)NAN;
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->all[i].set, set) == 0)
            *fitted += fabs((1 + m->built_in[i]) * exp(-logs / rows) - 1) / rows;
    return rows;
}
