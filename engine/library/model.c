// SPDX-License-Identifier: Apache-2.0
// Opens a model from the name of a kernel, its documents and the options of its composite axis.
#include "engine/library/library_private.h"

#include "base/system/machine.h"
#include "base/text/nearest.h"
#include "engine/axes/option_json.h"
#include "engine/space/value.h"
#include "kernels/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- kernels ----------------------------------------------------------------------------------

static const struct pps_kernel *kernel_at(int k)
{
    for (int i = 0; k >= 0 && pps_kernels[i] != NULL; i++)
        if (i == k)
            return pps_kernels[i];
    return NULL;
}

const char *ppsweep_kernel_name(int k)
{
    const struct pps_kernel *kernel = kernel_at(k);
    return kernel != NULL ? kernel->name : NULL;
}

const char *ppsweep_kernel_summary(int k)
{
    const struct pps_kernel *kernel = kernel_at(k);
    return kernel != NULL ? kernel->summary : NULL;
}

// ---- opening ----------------------------------------------------------------------------------

static enum pps_status open_documents(struct ppsweep_model *m, const char *name,
                                      const char *inputs, struct pps_error *err)
{
    struct pps_json json = {.name = NULL};
    struct pps_documents_ask ask = {.kernel = NULL};
    enum pps_status status = pps_kernel_choose(pps_kernels, name, &ask.kernel, err);
    if (status == PPS_OK && inputs != NULL) {
        status = pps_json_parse(&json, "inputs", inputs, strlen(inputs), err);
        ask.file = &json;
        ask.item = json.root;
    }
    if (status == PPS_OK)
        status = pps_documents_open(&m->inputs, &ask, err);
    pps_json_free(&json);
    if (status != PPS_OK)
        return status;
    m->kernel = pps_documents_kernel(m->inputs);
    for (int s = 0; s < m->kernel->n_slots; s++) {
        const int count = pps_documents_count(m->inputs, s);
        for (int i = 0; i < m->kernel->slots[s].n_sets; i++) {
            const uint64_t bit = (uint64_t)1 << m->kernel->slots[s].sets[i];
            m->by_document |= count > 0 ? bit : 0;
            m->by_choice |= count > 1 ? bit : 0;
        }
    }
    return PPS_OK;
}

static int find_option(const struct pps_composite *composite, const char *name)
{
    for (int o = 0; composite != NULL && o < composite->n_options; o++)
        if (strcmp(composite->options[o].name, name) == 0)
            return o;
    return -1;
}

static enum pps_status unknown_option(const struct pps_kernel *kernel,
                                      const struct pps_json *json, const cJSON *item,
                                      struct pps_error *err)
{
    const char *names[PPS_MAX_OPTIONS];
    size_t n = 0;
    for (; kernel->composite != NULL && n < (size_t)kernel->composite->n_options; n++)
        names[n] = kernel->composite->options[n].name;
    return pps_json_fail_key(json, item, err, "%.60s is not an option of %s%s", item->string,
                             kernel->name, pps_did_you_mean(item->string, names, n).text);
}

static enum pps_status read_options(struct ppsweep_model *m, const struct pps_json *json,
                                    struct pps_error *err)
{
    const cJSON *item;
    if (!cJSON_IsObject(json->root))
        return pps_json_fail(json, json->root, err,
                             "expected an object, as in {\"priority_step\": 0.1}");
    cJSON_ArrayForEach (item, json->root) {
        const int o = find_option(m->kernel->composite, item->string);
        enum pps_status status =
            o < 0 ? unknown_option(m->kernel, json, item, err)
                  : pps_option_from_json(m->kernel, o, json, item, &m->options[o], err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status count_combinations(struct ppsweep_model *m, const struct pps_json *json,
                                          struct pps_error *err)
{
    const struct pps_composite *composite = m->kernel->composite;
    struct pps_refusal refusal;
    if (composite == NULL || composite->count(m->options, &m->combinations, &refusal))
        return PPS_OK;
    const char *name = composite->options[refusal.option].name;
    return pps_json_fail(json, pps_json_member(json->root, name), err, "%s: %s", name,
                         refusal.text);
}

static enum pps_status open_options(struct ppsweep_model *m, const char *options,
                                    struct pps_error *err)
{
    const char *text = options != NULL ? options : "{}";
    struct pps_json json;
    if (m->kernel->composite != NULL)
        pps_options_default(m->kernel->composite, m->options);
    enum pps_status status = pps_json_parse(&json, "options", text, strlen(text), err);
    if (status != PPS_OK)
        return status;
    status = read_options(m, &json, err);
    if (status == PPS_OK)
        status = count_combinations(m, &json, err);
    pps_json_free(&json);
    return status;
}

// Finds the maximum of each parameter whose values are not given.
static void find_highest(struct ppsweep_model *m)
{
    for (int p = 0; p < m->kernel->n_params; p++)
        m->highest[p] = m->kernel->params[p].fallback;
    for (int s = 0; s < m->kernel->n_slots; s++) {
        const struct pps_slot *slot = &m->kernel->slots[s];
        for (int d = 0; d < pps_documents_count(m->inputs, s); d++)
            for (int i = 0; i < slot->n_sets; i++) {
                double *highest = &m->highest[slot->sets[i]];
                *highest = fmax(*highest, pps_documents_said(m->inputs, s, d, i));
            }
    }
}

static enum pps_status set_defaults(struct ppsweep_model *m, struct pps_error *err)
{
    const size_t n = (size_t)m->kernel->n_params * PPS_BATCH;
    m->defaults = calloc(n, sizeof *m->defaults);
    find_highest(m);
    if (m->defaults == NULL)
        return pps_fail_memory(err, "a model");
    for (size_t i = 0; i < n; i++)
        m->defaults[i] = m->kernel->params[i / PPS_BATCH].fallback;
    return PPS_OK;
}

int ppsweep_model_open(struct ppsweep_model **model, const char *kernel,
                       const struct ppsweep_model_options *options, struct ppsweep_error *error)
{
    const struct ppsweep_model_options none = {.size = sizeof none};
    struct pps_error err;
    if (model == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "model: must not be NULL");
    *model = NULL;
    if (options == NULL)
        options = &none;
    if (!pps_library_size(options->size, sizeof none, "ppsweep_model_options", error))
        return PPSWEEP_E_CALL;
    struct ppsweep_model *m = calloc(1, sizeof *m);
    if (m == NULL)
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for a model");
    pthread_mutex_init(&m->lock, NULL);
    m->exact = options->exact != 0;
    m->point_limit = options->point_limit;
    m->threads = pps_machine_cpus();
    enum pps_status status = open_documents(m, kernel, options->inputs, &err);
    if (status == PPS_OK)
        status = pps_point_limit_check(m->kernel, m->point_limit, &err);
    if (status == PPS_OK)
        status = open_options(m, options->options, &err);
    if (status == PPS_OK)
        status = set_defaults(m, &err);
    if (status != PPS_OK) {
        ppsweep_model_close(m);
        return pps_library_error(error, &err);
    }
    pps_model_describe(m);
    *model = m;
    return PPSWEEP_OK;
}

void ppsweep_model_close(struct ppsweep_model *m)
{
    if (m == NULL)
        return;
    pps_workspaces_free(m->idle);
    pthread_mutex_destroy(&m->lock);
    for (int o = 0; o < PPS_MAX_OPTIONS; o++)
        pps_option_free(&m->options[o]);
    pps_documents_close(m->inputs);
    free(m->defaults);
    free(m);
}

// ---- combinations -----------------------------------------------------------------------------

uint64_t ppsweep_model_combinations(const struct ppsweep_model *m)
{
    return m != NULL ? m->combinations : 0;
}

int ppsweep_model_combination(const struct ppsweep_model *m, uint64_t first, size_t n,
                              double *const *param, struct ppsweep_error *error)
{
    double values[PPS_MAX_PARAMS];
    struct pps_axis_cell cell;
    if (m == NULL || param == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "model, param: must not be NULL");
    if (first > m->combinations || n > m->combinations - first)
        return pps_library_fail(error, PPSWEEP_E_CALL, "%s has %llu combinations",
                                m->kernel->name, (unsigned long long)m->combinations);
    const struct pps_composite *composite = m->kernel->composite;
    for (size_t i = 0; i < n; i++) {
        composite->value(m->options, first + i, values);
        for (int j = 0; j < composite->n_members; j++) {
            const int p = composite->members[j];
            if (param[p] != NULL)
                param[p][i] = pps_value_cell(&m->kernel->params[p], values[j], &cell);
        }
    }
    return PPSWEEP_OK;
}
