// SPDX-License-Identifier: Apache-2.0
// Writes the layers of stages and chunks, and the recomputed ones, into MindFormers configurations.
#include "kernels/frameworks/mindformers_private.h"

static int n_parts(const struct mindformers_writer *m)
{
    return m->s->strategy.pp * m->s->strategy.vp;
}

// Returns [stage] with one chunk, otherwise [chunk][stage].
static cJSON *matrix(const struct mindformers_writer *m, int (*value)(const void *, int),
                     const void *of)
{
    const int pp = m->s->strategy.pp, vp = m->s->strategy.vp;
    cJSON *list = cJSON_CreateArray();
    for (int v = 0; list != NULL && v < vp; v++) {
        cJSON *row = vp > 1 ? cJSON_CreateArray() : list;
        for (int i = 0; row != NULL && i < pp; i++)
            cJSON_AddItemToArray(row, cJSON_CreateNumber(value(of, v * pp + i)));
        if (row != list)
            cJSON_AddItemToArray(list, row);
    }
    return list;
}

// ---- offset -------------------------------------------------------------------------------------

struct offsets {
    const int32_t *layers; // NULL: as even as possible
    int64_t total, n;
};

static int offset_value(const void *of, int k)
{
    const struct offsets *o = of;
    const int64_t part = o->total / o->n;
    return o->layers != NULL ? (int)(o->layers[k] - part) : k < o->total % o->n;
}

static double number(const cJSON *item)
{
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

// Layers of the model as it will be, MTP layers included; 0: unknown.
static int64_t total_layers(const struct mindformers_writer *m)
{
    const double n =
        m->s->num_layers > 0 ? m->s->num_layers : number(mindformers_now(m, MF_NUM_LAYERS));
    return n > 0 ? (int64_t)(n + number(mindformers_now(m, MF_MTP))) : 0;
}

static bool check_total(struct mindformers_writer *m, int64_t total)
{
    int64_t sum = 0;
    for (int k = 0; k < n_parts(m); k++)
        sum += m->s->layers[k];
    if (total == 0 || sum == total)
        return true;
    const cJSON *item = mindformers_now(m, MF_NUM_LAYERS);
    return mindformers_write_fail(
        m, item, "the stages have %lld layers, the model has %lld (MTP included)",
        (long long)sum, (long long)total);
}

static bool write_offset(struct mindformers_writer *m)
{
    struct offsets offsets = {m->s->layers, total_layers(m), n_parts(m)};
    const cJSON *now = mindformers_now(m, MF_OFFSET);
    bool even = true;
    if (offsets.layers != NULL && !check_total(m, offsets.total))
        return false;
    if (offsets.layers != NULL && offsets.total == 0)
        for (int k = 0; k < n_parts(m); k++)
            offsets.total += offsets.layers[k];
    for (int k = 0; k < n_parts(m); k++)
        even &= offset_value(&offsets, k) == 0;
    cJSON *list = matrix(m, offset_value, &offsets);
    if (even && (now == NULL || (cJSON_IsNumber(now) && now->valuedouble == 0))) {
        cJSON_Delete(list); // nothing to change
    } else if (even && m->s->layers == NULL && !cJSON_Compare(now, list, true)) {
        cJSON_Delete(list);
        mindformers_put(m, MF_OFFSET, cJSON_CreateNumber(0));
    } else {
        mindformers_put(m, MF_OFFSET, list);
    }
    return true;
}

// ---- recomputation ------------------------------------------------------------------------------

struct recomputed {
    const int32_t *full, *select; // select NULL: only full
};

// The framework counts layers from the first one of a part, and recomputes a layer as a whole if both
// lists have it.
static int recomputed_value(const void *of, int k)
{
    const struct recomputed *r = of;
    if (r->select == NULL)
        return r->full[k];
    return r->select[k] > 0 ? r->select[k] + (r->full != NULL ? r->full[k] : 0) : 0;
}

static bool is_none(const struct mindformers_writer *m, const struct recomputed *r)
{
    for (int k = 0; k < n_parts(m); k++)
        if (recomputed_value(r, k) != 0)
            return false;
    return true;
}

// Whether all layers are recomputed; false if the layers of the parts are unknown.
static bool is_all(const struct mindformers_writer *m, const struct recomputed *r)
{
    const struct offsets offsets = {m->s->layers, total_layers(m), n_parts(m)};
    if (offsets.total == 0)
        return false;
    for (int k = 0; k < n_parts(m); k++)
        if (recomputed_value(r, k) != offset_value(&offsets, k) + offsets.total / offsets.n)
            return false;
    return true;
}

// A copy of patterns, each with the value.
static cJSON *patterns(const cJSON *now, const cJSON *value)
{
    cJSON *map = cJSON_CreateObject();
    for (const cJSON *item = now->child; map != NULL && item != NULL; item = item->next)
        cJSON_AddItemToObject(map, item->string, cJSON_Duplicate(value, true));
    return map;
}

static void write_counts(struct mindformers_writer *m, enum mindformers_key key,
                         const struct recomputed *r)
{
    const cJSON *now = mindformers_now(m, key);
    const bool none = is_none(m, r);
    if ((cJSON_IsTrue(now) && is_all(m, r)) || (cJSON_IsFalse(now) && none))
        return;
    if (now == NULL && none && r->select != NULL)
        return;
    cJSON *list =
        none && r->select != NULL ? cJSON_CreateFalse() : matrix(m, recomputed_value, r);
    if (cJSON_IsObject(now) && !none && list != NULL) {
        mindformers_put(m, key, patterns(now, list));
        cJSON_Delete(list);
        return;
    }
    mindformers_put(m, key, list);
}

// ---- lists of another pipeline --------------------------------------------------------------------

static bool fits(const struct mindformers_writer *m, const cJSON *list)
{
    const int pp = m->s->strategy.pp, vp = m->s->strategy.vp;
    if (list->child == NULL || cJSON_IsString(list->child))
        return true;
    if (!cJSON_IsArray(list->child))
        return cJSON_GetArraySize(list) == pp;
    for (const cJSON *row = list->child; row != NULL; row = row->next)
        if (cJSON_IsArray(row) && cJSON_GetArraySize(row) != pp)
            return false;
    return cJSON_GetArraySize(list) == vp;
}

static bool has_any(const cJSON *item)
{
    bool any = cJSON_IsTrue(item) || (cJSON_IsNumber(item) && item->valuedouble > 0);
    for (const cJSON *child = item->child; child != NULL && !any; child = child->next)
        any = has_any(child);
    return any;
}

// Returns the scalar form of lists that do not fit; NULL: the value fits.
static cJSON *fitting(const struct mindformers_writer *m, const cJSON *now)
{
    bool changed = false;
    if (cJSON_IsArray(now))
        return fits(m, now) ? NULL : cJSON_CreateBool(has_any(now));
    if (!cJSON_IsObject(now))
        return NULL;
    cJSON *map = cJSON_CreateObject();
    for (const cJSON *item = now->child; map != NULL && item != NULL; item = item->next) {
        cJSON *value = fitting(m, item);
        changed |= value != NULL;
        cJSON_AddItemToObject(map, item->string,
                              value != NULL ? value : cJSON_Duplicate(item, true));
    }
    if (changed || map == NULL)
        return map;
    cJSON_Delete(map);
    return NULL;
}

static void fit_lists(struct mindformers_writer *m)
{
    static const char *const paths[] = {
        "recompute_config.recompute",
        "recompute_config.select_recompute",
        "recompute_config.select_comm_recompute",
        "recompute_config.select_recompute_exclude",
        "recompute_config.select_comm_recompute_exclude",
    };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        const cJSON *now = yaml_get(m->doc, paths[k]);
        if ((k == 0 && m->s->full != NULL) || (k == 1 && m->s->select != NULL) || now == NULL)
            continue;
        cJSON *value = fitting(m, now);
        if (value != NULL)
            yaml_set(&m->edit, paths[k], value);
        cJSON_Delete(value);
    }
}

bool mindformers_write_layers(struct mindformers_writer *m)
{
    const struct recomputed full = {m->s->full, NULL}, select = {m->s->full, m->s->select};
    fit_lists(m);
    if (m->s->full != NULL)
        write_counts(m, MF_RECOMPUTE, &full);
    if (m->s->select != NULL)
        write_counts(m, MF_SELECT, &select);
    // As the published tool does with a solved pipeline.
    if (m->s->full != NULL && !m->s->profile) {
        mindformers_put_flag(m, MF_OPTIMIZER_COMM, false);
        mindformers_put_flag(m, MF_TENSOR_COMM, true);
        mindformers_put_flag(m, MF_SLICE_ACTIVATION, true);
    }
    return write_offset(m);
}
