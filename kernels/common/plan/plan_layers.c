// SPDX-License-Identifier: Apache-2.0
// Reads and writes the layers of a plan.
#include "kernels/common/plan/plan_layers.h"

#include "base/edit/json_write.h"
#include "kernels/common/plan/plan_json_private.h"

#include <stdlib.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { COUNT_MOST = 1000000 };

static const char *const recompute_names[PLAN_RECOMPUTES] = {"none", "select", "select_comm",
                                                             "both", "full"};

// ---- reading ------------------------------------------------------------------------------------

enum { LAYERS_BODY, LAYERS_HEAD, LAYERS_TAIL, LAYERS_SPLIT };

static const struct docfield layers_fields[] = {
    [LAYERS_BODY] = {"body", DOCFIELD_OWN, 0, 0, 0},
    [LAYERS_HEAD] = {"head", DOCFIELD_OWN, 0, 0, 0},
    [LAYERS_TAIL] = {"tail", DOCFIELD_OWN, 0, 0, 0},
    [LAYERS_SPLIT] = {"split", DOCFIELD_OWN, 0, 0, 0},
    {"stage_bytes", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_layers, stage_bytes)},
    {"transfer", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_layers, transfer)},
};

static const struct docfields layers_table = {"layers", layers_fields, COUNT_OF(layers_fields),
                                              NULL, 0};

static const struct docfield end_fields[] = {
    {"f", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_end, f)},
    {"b", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_end, b)},
    {"bytes", DOCFIELD_REAL, -PLAN_LARGEST, PLAN_LARGEST, offsetof(struct plan_end, bytes)},
    {"kept", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_end, kept)},
    {"working", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct plan_end, working)},
};

static const struct docfields end_table = {"head or tail", end_fields, COUNT_OF(end_fields),
                                           NULL, 0};

struct body {
    int64_t count;
    double f, bytes, working;
};

enum { BODY_COUNT = PLAN_RECOMPUTES };

static const struct docfield body_fields[] = {
    [PLAN_KEEP] = {"none", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT] = {"select", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT_COMM] = {"select_comm", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT_BOTH] = {"both", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_FULL] = {"full", DOCFIELD_OWN, 0, 0, 0},
    [BODY_COUNT] = {"count", DOCFIELD_WHOLE, 1, COUNT_MOST, offsetof(struct body, count)},
    {"f", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct body, f)},
    {"bytes", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct body, bytes)},
    {"working", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct body, working)},
};

static const struct docfields body_table = {"the body", body_fields, COUNT_OF(body_fields),
                                            NULL, 0};

struct kind {
    double b, kept;
};

static const struct docfield kind_fields[] = {
    {"b", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct kind, b)},
    {"kept", DOCFIELD_REAL, 0, PLAN_LARGEST, offsetof(struct kind, kept)},
};

static const struct docfields kind_table = {"a kind of recomputation", kind_fields,
                                            COUNT_OF(kind_fields), NULL, 0};

static bool read_kind(const struct plan_reader *r, const cJSON *object, int which,
                      struct plan_layers *layers)
{
    struct docitems items;
    struct kind kind = {0, 0};
    if (object == NULL)
        return true;
    if (!docfields_find(&kind_table, object, false, &items, r->fault) ||
        !docfields_store(&kind_table, &items, &kind, r->fault))
        return false;
    if (items.item[0] == NULL || items.item[1] == NULL)
        return pps_fault_set(r->fault, object, false,
                             "%s: expected the backward b and the bytes kept",
                             recompute_names[which]);
    layers->has[which] = true;
    layers->b[which] = kind.b;
    layers->kept[which] = kind.kept;
    return true;
}

static bool read_body(const struct plan_reader *r, const cJSON *object,
                      struct plan_layers *layers)
{
    struct docitems items;
    struct body body = {.count = 0};
    if (!docfields_find(&body_table, object, false, &items, r->fault) ||
        !docfields_store(&body_table, &items, &body, r->fault))
        return false;
    if (items.item[BODY_COUNT] == NULL || items.item[PLAN_KEEP] == NULL)
        return pps_fault_set(r->fault, object, false, "the body needs the key \"%s\"",
                             items.item[BODY_COUNT] == NULL ? "count" : "none");
    layers->count = (int32_t)body.count;
    layers->f = body.f;
    layers->bytes = body.bytes;
    layers->working = body.working;
    for (int k = 0; k < PLAN_RECOMPUTES; k++)
        if (!read_kind(r, items.item[k], k, layers))
            return false;
    return true;
}

static bool read_end(const struct plan_reader *r, const cJSON *object, struct plan_end *end)
{
    struct docitems items;
    return object == NULL || (docfields_find(&end_table, object, false, &items, r->fault) &&
                              docfields_store(&end_table, &items, end, r->fault));
}

// The lists of the split: how many body layers of a kind every stage has.
static const struct docfield split_fields[] = {
    [PLAN_KEEP] = {"none", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT] = {"select", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT_COMM] = {"select_comm", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_SELECT_BOTH] = {"both", DOCFIELD_OWN, 0, 0, 0},
    [PLAN_FULL] = {"full", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields split_table = {"the split", split_fields, COUNT_OF(split_fields),
                                             NULL, 0};

static bool read_counts(const struct plan_reader *r, const cJSON *list, int kind,
                        int32_t *counts)
{
    const struct plan_layers *layers = r->plan->layers;
    const cJSON *item;
    if (!plan_require_list(r, list, recompute_names[kind], r->plan->pipeline->shape.stages))
        return false;
    cJSON_ArrayForEach (item, list) {
        const double n = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(n >= 0 && n <= layers->count) || n > (int32_t)n)
            return pps_fault_set(r->fault, item, false,
                                 "split: expected numbers of layers from 0 to %d",
                                 layers->count);
        if (n > 0 && !layers->has[kind])
            return pps_fault_set(r->fault, item, false, "split: the body has no \"%s\"",
                                 recompute_names[kind]);
        *counts++ = (int32_t)n;
    }
    return true;
}

static bool read_split(const struct plan_reader *r, const cJSON *object)
{
    const size_t stages = (size_t)r->plan->pipeline->shape.stages;
    struct docitems items;
    int64_t sum = 0;
    if (object == NULL)
        return true;
    int32_t *split = calloc(PLAN_RECOMPUTES * stages, sizeof *split);
    bool ok = split != NULL && docfields_find(&split_table, object, false, &items, r->fault);
    for (int k = 0; k < PLAN_RECOMPUTES && ok; k++)
        ok = items.item[k] == NULL ||
             read_counts(r, items.item[k], k, split + (size_t)k * stages);
    for (size_t k = 0; k < PLAN_RECOMPUTES * stages && ok; k++)
        sum += split[k];
    if (ok && sum != r->plan->layers->count)
        ok = pps_fault_set(r->fault, object, false,
                           "split: the stages have %lld layers, but the body has %d",
                           (long long)sum, r->plan->layers->count);
    ok = ok && plan_set_split(r->plan, split);
    free(split);
    return ok;
}

bool plan_read_layers(const struct plan_reader *r, const struct cJSON *object)
{
    struct docitems items;
    if (object == NULL)
        return true;
    struct plan_layers *layers = r->plan->layers = calloc(1, sizeof *layers);
    if (layers == NULL || !docfields_find(&layers_table, object, false, &items, r->fault) ||
        !docfields_store(&layers_table, &items, layers, r->fault))
        return false;
    if (items.item[LAYERS_BODY] == NULL)
        return pps_fault_set(r->fault, object, false, "layers need the key \"body\"");
    return read_body(r, items.item[LAYERS_BODY], layers) &&
           read_end(r, items.item[LAYERS_HEAD], &layers->head) &&
           read_end(r, items.item[LAYERS_TAIL], &layers->tail) &&
           read_split(r, items.item[LAYERS_SPLIT]);
}

// ---- writing ------------------------------------------------------------------------------------

static void write_field(struct text_buffer *out, const char *key, double value)
{
    text_buffer_add(out, "\"%s\": ", key);
    json_write_number(out, value);
}

// Writes memory that most layers do not need.
static void write_memory(struct text_buffer *out, const char *key, double bytes)
{
    if (!(bytes > 0))
        return;
    text_buffer_add(out, ", ");
    write_field(out, key, bytes);
}

static void write_end(struct text_buffer *out, const char *key, const struct plan_end *end)
{
    text_buffer_add(out, ",\n    \"%s\": {", key);
    write_field(out, "f", end->f);
    text_buffer_add(out, ", ");
    write_field(out, "b", end->b);
    text_buffer_add(out, ", ");
    write_field(out, "bytes", end->bytes);
    write_memory(out, "kept", end->kept);
    write_memory(out, "working", end->working);
    text_buffer_add(out, "}");
}

static void write_split(const struct plan *plan, struct text_buffer *out)
{
    const int32_t stages = plan->pipeline->shape.stages;
    text_buffer_add(out, ",\n    \"split\": {");
    for (int k = 0, n = 0; k < PLAN_RECOMPUTES; k++) {
        if (!plan->layers->has[k])
            continue;
        text_buffer_add(out, "%s\"%s\": [", n++ > 0 ? ", " : "", recompute_names[k]);
        for (int32_t s = 0; s < stages; s++)
            text_buffer_add(out, "%s%d", s > 0 ? ", " : "", plan->split[k * stages + s]);
        text_buffer_add(out, "]");
    }
    text_buffer_add(out, "}");
}

void plan_write_layers(const struct plan *plan, struct text_buffer *out)
{
    const struct plan_layers *layers = plan->layers;
    text_buffer_add(out, ",\n  \"layers\": {\n    \"body\": {\"count\": %d, ", layers->count);
    write_field(out, "f", layers->f);
    text_buffer_add(out, ", ");
    write_field(out, "bytes", layers->bytes);
    write_memory(out, "working", layers->working);
    for (int k = 0; k < PLAN_RECOMPUTES; k++) {
        if (!layers->has[k])
            continue;
        text_buffer_add(out, ",\n      \"%s\": {", recompute_names[k]);
        write_field(out, "b", layers->b[k]);
        text_buffer_add(out, ", ");
        write_field(out, "kept", layers->kept[k]);
        text_buffer_add(out, "}");
    }
    text_buffer_add(out, "}");
    write_end(out, "head", &layers->head);
    write_end(out, "tail", &layers->tail);
    text_buffer_add(out, ",\n    ");
    write_field(out, "stage_bytes", layers->stage_bytes);
    text_buffer_add(out, ", ");
    write_field(out, "transfer", layers->transfer);
    if (plan->split != NULL)
        write_split(plan, out);
    text_buffer_add(out, "\n  }");
}
