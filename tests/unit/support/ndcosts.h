// SPDX-License-Identifier: Apache-2.0
// Models and golden documents for tests of costs.
#ifndef TEST_NDCOSTS_H
#define TEST_NDCOSTS_H

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>

#include "base/math/units.h"
#include "kernels/ndsearch/estimate/estimate.h"
#include "kernels/ndsearch/estimate/reference.h"

#include "files.h"

static inline cJSON *golden(const char *name)
{
    char path[512];
    size_t n;
    snprintf(path, sizeof path, "%s/ndsearch/%s", PPS_GOLDEN, name);
    char *text = slurp(path, &n);
    cJSON *document = cJSON_Parse(text);
    cr_assert(document != NULL, "%s", path);
    free(text);
    return document;
}

static inline const cJSON *member(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    cr_assert(item != NULL, "no %s", key);
    return item;
}

static inline double number(const cJSON *object, const char *key)
{
    return member(object, key)->valuedouble;
}

static inline bool flag(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(member(object, key));
}

static inline const char *word(const cJSON *object, const char *key)
{
    return member(object, key)->valuestring;
}

static inline struct modeldesc model_of(const cJSON *document)
{
    struct modeldesc model;
    struct docfault fault;
    cr_assert(modeldesc_read(&model, document, &fault), "%s", fault.text);
    return model;
}

static inline struct modeldesc model_from(const char *text)
{
    cJSON *document = cJSON_Parse(text);
    struct modeldesc model = model_of(document);
    cJSON_Delete(document);
    return model;
}

static inline enum nd_recompute mode_of(const char *name)
{
    return strcmp(name, "none") == 0     ? ND_RECOMPUTE_NONE
           : strcmp(name, "select") == 0 ? ND_RECOMPUTE_SELECT
                                         : ND_RECOMPUTE_FULL;
}

// The model of a golden case, with what it overrides.
static inline struct modeldesc golden_model(const cJSON *document, const cJSON *c)
{
    cJSON *shape =
        cJSON_Duplicate(member(member(document, "models"), word(c, "model_name")), 1);
    const cJSON *item;
    cJSON_ArrayForEach(item, member(c, "overrides"))
    {
        cJSON_DeleteItemFromObjectCaseSensitive(shape, item->string);
        cJSON_AddItemToObject(shape, item->string, cJSON_Duplicate(item, 1));
    }
    struct modeldesc model = model_of(shape);
    cJSON_Delete(shape);
    return model;
}

// Optimizer states are shared by all replicas.
static inline struct nd_point golden_point(const cJSON *c)
{
    struct nd_point p = {.seq_length = (int64_t)number(c, "seq")};
    p.strategy = (struct nd_strategy){.dp = (int32_t)number(c, "dp"),
                                      .tp = (int32_t)number(c, "tp"),
                                      .cp = (int32_t)number(c, "cp"),
                                      .pp = (int32_t)number(c, "pp"),
                                      .ep = (int32_t)number(c, "ep"),
                                      .op = (int32_t)(number(c, "dp") * number(c, "cp")),
                                      .vp = 1,
                                      .mbs = (int32_t)number(c, "micro_batch_size"),
                                      .sp = flag(c, "sp"),
                                      .recompute = mode_of(word(c, "recompute"))};
    return p;
}

static inline struct nd_cache *make_cache(void)
{
    size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    struct nd_cache *cache = aligned_alloc(64, bytes);
    memset(cache, 0, bytes);
    return cache;
}

static inline struct cluster cluster_of(const char *hardware)
{
    struct cluster cluster = {.world_size = 8,
                              .node_devices = 8,
                              .memory_limit = 80 * UNITS_GIB,
                              .hardware = *hardware_find(hardware)};
    return cluster;
}

static inline void near(const char *what, int i_case, double got, double want, double tolerance)
{
    cr_assert(fabs(got - want) <= tolerance * fabs(want), "case %d, %s: %.15g, expected %.15g",
              i_case, what, got, want);
}

#endif
