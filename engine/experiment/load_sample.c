// SPDX-License-Identifier: Apache-2.0
// Reads the sample of an experiment: {"count": 1000, "method": "sobol", "seed": 1}.
#include "engine/axes/axis_continuous.h"

#include "base/text/nearest.h"
#include "engine/experiment/loading_private.h"
#include "engine/space/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DRAWS 0x1p53

static const char *const keys[] = {"count", "method", "seed"};
enum { N_KEYS = sizeof keys / sizeof *keys };

static enum pps_status check_keys(const struct pps_loader *l, const cJSON *object)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, object) {
        if (!pps_json_key_is_of(item, keys, N_KEYS))
            return pps_json_fail_key(&l->file, item, l->err,
                                     "sample: expected count, method or seed, not \"%.40s\"%s",
                                     item->string,
                                     pps_json_missing_key(object, item, keys, N_KEYS).text);
    }
    return PPS_OK;
}

static enum pps_status read_whole(const struct pps_loader *l, const cJSON *item, double least,
                                  uint64_t *value)
{
    if (!cJSON_IsNumber(item) || item->valuedouble < least || item->valuedouble >= MOST_DRAWS ||
        item->valuedouble != (double)(uint64_t)item->valuedouble)
        return pps_json_fail(&l->file, item, l->err,
                             "sample.%s: expected a whole number of at least %.0f, below 2^53",
                             item->string, least);
    *value = (uint64_t)item->valuedouble;
    return PPS_OK;
}

static enum pps_status read_method(const struct pps_loader *l, const cJSON *item,
                                   enum pps_sample_method *method)
{
    for (int m = 0; cJSON_IsString(item) && pps_sample_methods[m] != NULL; m++)
        if (strcmp(item->valuestring, pps_sample_methods[m]) == 0) {
            *method = (enum pps_sample_method)m;
            return PPS_OK;
        }
    return pps_json_fail(
        &l->file, item, l->err,
        "sample.method: expected \"random\", \"sobol\", \"lhs\", \"saltelli\" or "
        "\"morris\"");
}

// Returns the seed of a sample that names none: the experiment's, also if it is the value of the
// kernel's seed parameter; 0 if that has several values.
static uint64_t usual_seed(struct pps_loader *l)
{
    const struct pps_entry *entry = pps_find_entry(l, "seed");
    if (entry == NULL || !cJSON_IsNumber(entry->item) || entry->item->valuedouble < 0)
        return l->experiment->seed;
    return (uint64_t)entry->item->valuedouble;
}

static enum pps_status read_sample(struct pps_loader *l, const cJSON *object,
                                   struct pps_sample *sample)
{
    const cJSON *count = pps_json_member(object, "count");
    const cJSON *method = pps_json_member(object, "method");
    const cJSON *seed = pps_json_member(object, "seed");
    if (!cJSON_IsObject(object) || (count == NULL && object->child == NULL))
        return pps_json_fail(
            &l->file, object, l->err,
            "sample: expected an object, as in {\"count\": 1000, \"method\": \"sobol\"}");
    enum pps_status status = check_keys(l, object);
    if (status == PPS_OK && count == NULL)
        status = pps_json_fail(&l->file, object, l->err,
                               "sample: give the number of draws, as in {\"count\": 1000}");
    if (status == PPS_OK)
        status = read_whole(l, count, 1, &sample->count);
    if (status == PPS_OK && method != NULL)
        status = read_method(l, method, &sample->method);
    sample->seed = usual_seed(l);
    if (status == PPS_OK && seed != NULL)
        status = read_whole(l, seed, 0, &sample->seed);
    if (l->request->seed_given)
        sample->seed = l->request->seed;
    return status;
}

// Returns the method of this name (n characters), or -1.
static int method_of(const char *name, size_t n)
{
    for (int m = 0; pps_sample_methods[m] != NULL; m++)
        if (strlen(pps_sample_methods[m]) == n && memcmp(pps_sample_methods[m], name, n) == 0)
            return m;
    return -1;
}

// Reads --sample METHOD:COUNT, where COUNT may end in k, M or G.
static enum pps_status read_option(struct pps_loader *l, struct pps_sample *sample)
{
    static const char units[] = "kMG";
    const char *text = l->request->sample;
    const char *colon = strchr(text, ':');
    const int method = colon == NULL ? -1 : method_of(text, (size_t)(colon - text));
    char *end = NULL;
    double count = colon == NULL ? 0 : strtod(colon + 1, &end);
    const char *unit = end == NULL || *end == '\0' ? NULL : strchr(units, *end);
    for (ptrdiff_t i = 0; unit != NULL && i <= unit - units; i++)
        count *= 1000;
    const bool whole = end != NULL && end != colon + 1 && end[unit != NULL] == '\0' &&
                       count >= 1 && count < MOST_DRAWS && count == floor(count);
    if (method < 0 || !whole)
        return pps_fail(
            l->err, PPS_E_INPUT,
            "--sample %s: expected METHOD:N, as in saltelli:1000; methods are random, "
            "sobol, lhs, saltelli and morris",
            text);
    sample->method = (enum pps_sample_method)method;
    sample->count = (uint64_t)count;
    sample->seed = l->request->seed_given ? l->request->seed : usual_seed(l);
    return PPS_OK;
}

// Refuses continuous ranges without a sample, because their values cannot be scanned.
static enum pps_status refuse_continuous(struct pps_loader *l)
{
    for (int e = 0; e < l->n_entries; e++) {
        const struct pps_entry *entry = &l->entries[e];
        if (pps_is_continuous(entry->item))
            return pps_override_place(
                l,
                pps_json_fail(entry->json, entry->item, l->err,
                              "%s: a continuous range has no numbered values; draw some with "
                              "\"sample\": {\"count\": 1000}, or give it a step",
                              entry->name));
    }
    return PPS_OK;
}

// Returns whether a search takes continuous axes as they are: a sample of one draw stands for them.
static bool searches_continuous(const struct pps_loader *l)
{
    for (int e = 0; e < l->n_entries && l->request->continuous; e++)
        if (pps_is_continuous(l->entries[e].item))
            return true;
    return false;
}

enum pps_status pps_load_sample(struct pps_loader *l)
{
    const cJSON *object = pps_json_member(l->file.root, "sample");
    if (object == NULL && l->request->sample == NULL && !searches_continuous(l))
        return refuse_continuous(l);
    struct pps_sample *sample = calloc(1, sizeof *sample);
    if (sample == NULL)
        return pps_fail_memory(l->err, "the sample");
    l->experiment->space.sample = sample;
    sample->count = 1;
    if (l->request->sample != NULL)
        return read_option(l, sample);
    return object != NULL ? read_sample(l, object, sample) : PPS_OK;
}
