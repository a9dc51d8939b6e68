// SPDX-License-Identifier: Apache-2.0
// Writes the layers of pipeline stages and their recomputation into a torchtitan configuration.
#include "base/text/text_buffer.h"
#include "kernels/frameworks/torchtitan_write_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- schedule -----------------------------------------------------------------------------------

// Returns whether the order of a schedule is that of another one. Early names of one class differ.
static bool is_same(const struct titan_schedule *a, const struct titan_schedule *b)
{
    const bool families = a->family != NULL && b->family != NULL;
    return a->one_part == b->one_part && a->needs_csv == b->needs_csv &&
           (families ? strcmp(a->family, b->family) == 0 : a->family == b->family);
}

static const char *name_of(const struct titan_schedule *schedule, bool old)
{
    if (!old || schedule->family != NULL)
        return schedule->name;
    return schedule->one_part ? "1f1b" : "interleaved_1f1b";
}

// Keeps the name that the file has for the schedule. A file with an own order has no other one.
static bool write_schedule(struct titan_writer *t)
{
    const char *family = t->settings->schedule;
    const struct titan_schedule *wanted = titan_schedule_of(family, t->now.vp == 1);
    struct titan_schedule now = *titan_schedule_of(NULL, true);
    struct pps_fault unused;
    const struct titan_source quiet = {.doc = t->doc, .fault = &unused};
    if (wanted == NULL || (wanted->v_shape && t->now.vp != 2))
        return titan_fail(&t->source, titan_get(t->doc, TITAN_SCHEDULE, NULL),
                          "torchtitan has no schedule %s with %d parts per pipeline rank",
                          family, t->now.vp);
    t->now.v_shape = wanted->v_shape;
    const cJSON *csv = titan_get(t->doc, TITAN_SCHEDULE_CSV, NULL);
    if (cJSON_IsString(csv) && *csv->valuestring != '\0' &&
        !titan_remove(t, TITAN_SCHEDULE_CSV))
        return false;
    if (titan_read_schedule(&quiet, &now) && is_same(&now, wanted))
        return true;
    return titan_set_text(t, TITAN_SCHEDULE, name_of(wanted, titan_is_old(t->doc)), "1F1B");
}

// ---- layers per part ----------------------------------------------------------------------------

struct parts {
    int32_t n;
    int64_t first,
        last;         // by how many layers the ends are shorter where torchtitan spreads layers
    int64_t per_part; // pipeline_parallel_layers_per_stage; 0: not in the file
    int32_t *spread;  // layers per part as torchtitan spreads them; NULL: it cannot
};

static bool no_memory(struct titan_writer *t)
{
    *t->source.fault = (struct pps_fault){.text = "out of memory for this document"};
    return false;
}

// Stores the layers that the settings want, or an even split: torchtitan's if it has one.
static bool plan_layers(struct titan_writer *t, const struct parts *parts)
{
    const int32_t *wanted = t->settings->layers;
    struct titan_config *c = &t->now;
    int64_t sum = 0;
    c->layers = calloc((size_t)parts->n, sizeof *c->layers);
    if (c->layers == NULL)
        return no_memory(t);
    for (int32_t v = 0; v < c->vp; v++)
        for (int32_t i = 0; i < c->pp; i++) {
            const int32_t k = titan_part(c, v, i);
            if (wanted != NULL)
                c->layers[k] = wanted[v * c->pp + i];
            else if (parts->spread != NULL)
                c->layers[k] = parts->spread[k];
            else
                c->layers[k] =
                    c->flavor->layers / parts->n + (k < c->flavor->layers % parts->n);
            sum += c->layers[k];
        }
    if (c->flavor == NULL || sum == c->flavor->layers)
        return true;
    return titan_fail(&t->source, titan_get(t->doc, TITAN_FLAVOR, NULL),
                      "the stages have %lld layers, %s %s has %d", (long long)sum,
                      c->flavor->model, c->flavor->flavor, c->flavor->layers);
}

// Returns the layers before each part but the first as split points.
static cJSON *make_points(const struct titan_config *c, int32_t n_parts)
{
    cJSON *list = cJSON_CreateArray();
    int32_t before = 0, all = 0;
    for (int32_t k = 0; k < n_parts; k++)
        all += c->layers[k];
    for (int32_t k = 0; list != NULL && k + 1 < n_parts; k++) {
        char name[32];
        before += c->layers[k];
        snprintf(name, sizeof name, "layers.%d", before);
        cJSON_AddItemToArray(list, cJSON_CreateString(before < all ? name : "norm"));
    }
    return list;
}

// Returns the modules of each part.
static cJSON *make_modules(const struct titan_config *c, int32_t n_parts)
{
    cJSON *list = cJSON_CreateArray();
    int32_t layer = 0;
    for (int32_t k = 0; list != NULL && k < n_parts; k++) {
        cJSON *part = cJSON_CreateArray();
        cJSON_AddItemToArray(list, part);
        if (k == 0)
            cJSON_AddItemToArray(part, cJSON_CreateString("tok_embeddings"));
        for (int32_t l = 0; l < c->layers[k]; l++) {
            char name[32];
            snprintf(name, sizeof name, "layers.%d", layer++);
            cJSON_AddItemToArray(part, cJSON_CreateString(name));
        }
        if (k + 1 < n_parts)
            continue;
        cJSON_AddItemToArray(part, cJSON_CreateString("norm"));
        cJSON_AddItemToArray(part, cJSON_CreateString("output"));
    }
    return list;
}

static bool write_list(struct titan_writer *t, const struct parts *parts, bool points)
{
    const enum titan_key key = points ? TITAN_SPLIT_POINTS : TITAN_PARTS;
    if (t->shell != NULL)
        return titan_fail(&t->source, NULL,
                          "a launch line of torchtitan cannot list the layers of %d parts that "
                          "differ; write a TOML file, or choose a split that is even",
                          parts->n);
    cJSON *list = points ? make_points(&t->now, parts->n) : make_modules(&t->now, parts->n);
    if (list == NULL)
        return no_memory(t);
    const bool ok = titan_set_value(t, key, list);
    cJSON_Delete(list);
    return ok && (points || titan_remove(t, TITAN_SPLIT_POINTS));
}

// Returns the number of parts that torchtitan makes without a list.
static int64_t automatic_parts(const struct titan_config *c, const struct parts *parts,
                               int64_t per_part)
{
    if (per_part > 0 && c->flavor != NULL)
        return (c->flavor->layers + parts->first + parts->last + per_part - 1) / per_part;
    return (int64_t)c->pp * (c->vp == 1 ? 1 : 2);
}

// Makes torchtitan spread the layers over the right number of parts.
static bool write_automatic(struct titan_writer *t, const struct parts *parts)
{
    const struct titan_config *c = &t->now;
    if (!titan_remove(t, TITAN_PARTS) || !titan_remove(t, TITAN_SPLIT_POINTS))
        return false;
    if (automatic_parts(c, parts, parts->per_part) == parts->n)
        return true;
    if (automatic_parts(c, parts, 0) == parts->n)
        return titan_remove(t, TITAN_LAYERS_PER_STAGE);
    const int64_t all = c->flavor->layers + parts->first + parts->last;
    return titan_set_number(t, TITAN_LAYERS_PER_STAGE, (all + parts->n - 1) / parts->n, 0);
}

// Returns whether torchtitan can make this number of parts without a list.
static bool can_be_automatic(const struct titan_writer *t, const struct parts *parts)
{
    const struct titan_config *c = &t->now;
    if (automatic_parts(c, parts, 0) == parts->n)
        return true;
    if (c->flavor == NULL || titan_is_old(t->doc))
        return false;
    const int64_t all = c->flavor->layers + parts->first + parts->last;
    return automatic_parts(c, parts, (all + parts->n - 1) / parts->n) == parts->n;
}

static bool is_spread(const struct titan_config *c, const struct parts *parts)
{
    return parts->spread != NULL &&
           memcmp(c->layers, parts->spread, (size_t)parts->n * sizeof *c->layers) == 0;
}

// Returns whether the file has these layers already. Its list must be in use: pp > 1.
static bool has_layers(const struct titan_writer *t, const struct parts *parts)
{
    const struct titan_config *old = &t->old, *c = &t->now;
    return old->layers != NULL && old->pp == c->pp && old->vp == c->vp &&
           old->v_shape == c->v_shape &&
           memcmp(old->layers, c->layers, (size_t)parts->n * sizeof *c->layers) == 0;
}

static bool write_layers(struct titan_writer *t, const struct parts *parts)
{
    if (has_layers(t, parts))
        return true;
    if (is_spread(&t->now, parts) && can_be_automatic(t, parts))
        return write_automatic(t, parts);
    if (parts->per_part > 0 && automatic_parts(&t->now, parts, parts->per_part) != parts->n &&
        !titan_remove(t, TITAN_LAYERS_PER_STAGE))
        return false;
    const bool points =
        titan_get(t->doc, TITAN_PARTS, NULL) == NULL &&
        (titan_get(t->doc, TITAN_SPLIT_POINTS, NULL) != NULL || titan_is_old(t->doc));
    return write_list(t, parts, points);
}

// Without a model in the file, only the settings know the layers.
static bool write_unknown(struct titan_writer *t, const struct parts *parts)
{
    if (t->settings->layers != NULL)
        return plan_layers(t, parts) && write_layers(t, parts);
    if (t->old.pp == t->now.pp && t->old.vp == t->now.vp)
        return true;
    if (can_be_automatic(t, parts))
        return write_automatic(t, parts);
    return titan_fail(&t->source, NULL,
                      "%d parts of the model need [model] with a known flavor, or layers per "
                      "stage",
                      parts->n);
}

static bool write_parts(struct titan_writer *t, struct parts *parts)
{
    struct titan_config *c = &t->now;
    if (!titan_whole(&t->source, TITAN_FIRST_LESS, 0, &parts->first) ||
        !titan_whole(&t->source, TITAN_LAST_LESS, 0, &parts->last) ||
        !titan_whole(&t->source, TITAN_LAYERS_PER_STAGE, 1, &parts->per_part))
        return false;
    if (c->flavor == NULL)
        return write_unknown(t, parts);
    parts->spread = calloc((size_t)parts->n, sizeof *parts->spread);
    if (parts->spread == NULL)
        return no_memory(t);
    if (!titan_spread(parts->spread, parts->n, c->flavor->layers, (int32_t)parts->first,
                      (int32_t)parts->last)) {
        free(parts->spread);
        parts->spread = NULL;
    }
    return plan_layers(t, parts) && (c->pp == 1 || write_layers(t, parts));
}

bool titan_write_stages(struct titan_writer *t)
{
    struct parts parts = {.n = t->now.pp * t->now.vp, .first = 1, .last = 1};
    if (parts.n > TITAN_MAX_STAGES)
        return titan_fail(&t->source, titan_get(t->doc, TITAN_PP, NULL),
                          "expected at most %d parts of the model", TITAN_MAX_STAGES);
    if (t->now.pp > 1 && !write_schedule(t))
        return false;
    const bool ok = write_parts(t, &parts);
    free(parts.spread);
    return ok;
}

// ---- recomputation ------------------------------------------------------------------------------

static int32_t wanted_of(const int32_t *list, const struct titan_config *c, int32_t v,
                         int32_t i)
{
    return list != NULL ? list[v * c->pp + i] : 0;
}

// How a mode compares with the settings.
enum match { MATCH_NONE, MATCH_MORE, MATCH_EXACT };

static enum match match_mode(const struct titan_writer *t, enum titan_recompute mode,
                             int32_t every)
{
    struct titan_config c = t->now;
    bool exact = true;
    c.recompute = mode;
    c.every = every;
    for (int32_t i = 0; i < c.pp; i++) {
        int32_t full = 0, select = 0, made = 0;
        for (int32_t v = 0; v < c.vp; v++) {
            const int32_t layers = c.layers[titan_part(&c, v, i)];
            const int32_t f = wanted_of(t->settings->full, &c, v, i);
            const int32_t s = wanted_of(t->settings->select, &c, v, i);
            const int32_t got = titan_recomputed(&c, v, i);
            exact &= mode == TITAN_OPS ? f == 0 && s == layers : s == 0 && f == got;
            full += f;
            select += s;
            made += got;
        }
        if (mode == TITAN_OPS ? full > 0 : made < full || (select > 0 && mode != TITAN_FULL))
            return MATCH_NONE;
    }
    return exact ? MATCH_EXACT : MATCH_MORE;
}

// Finds the mode that recomputes what the settings want, or the least that torchtitan offers beyond.
static enum match find_mode(const struct titan_writer *t, enum titan_recompute *mode,
                            int32_t *every)
{
    static const enum titan_recompute modes[] = {TITAN_NONE, TITAN_OPS, TITAN_FULL};
    enum { MOST = 128 };
    *every = 0;
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (match_mode(t, *mode = modes[k], 0) == MATCH_EXACT)
            return MATCH_EXACT;
    *mode = TITAN_EVERY;
    for (*every = t->source.recent ? 1 : MOST; *every > 1; --*every)
        if (match_mode(t, TITAN_EVERY, *every) == MATCH_EXACT)
            return MATCH_EXACT;
    for (*every = t->source.recent ? 1 : MOST; *every > 1; --*every)
        if (match_mode(t, TITAN_EVERY, *every) == MATCH_MORE)
            return MATCH_MORE;
    *mode = match_mode(t, TITAN_OPS, 0) == MATCH_MORE ? TITAN_OPS : TITAN_FULL;
    return MATCH_MORE;
}

static void add_list(struct text_buffer *text, const struct titan_config *c,
                     const int32_t *list)
{
    for (int32_t k = 0; k < c->pp * c->vp; k++)
        text_buffer_add(text, "%s%d", k > 0 ? "," : "", list != NULL ? list[k] : 0);
}

// Says above the key what the strategy recomputes.
static bool write_comment(struct titan_writer *t)
{
    struct text_buffer text = {.text = NULL};
    text_buffer_add(&text, "recomputed layers of the strategy, which torchtitan cannot choose "
                           "by stage: full ");
    add_list(&text, &t->now, t->settings->full);
    text_buffer_add(&text, "; select ");
    add_list(&text, &t->now, t->settings->select);
    titan_comment(t, TITAN_CHECKPOINT_MODE, text.failed ? "" : text.text);
    t->edit.failed |= text.failed;
    text_buffer_free(&text);
    return true;
}

static bool write_mode(struct titan_writer *t, enum titan_recompute mode, int32_t every)
{
    static const char *const words[] = {
        [TITAN_NONE] = "none",
        [TITAN_FULL] = "full",
        [TITAN_EVERY] = "selective",
        [TITAN_OPS] = "selective",
    };
    char option[16], text[96];
    if (t->python != NULL || (t->shell != NULL && titan_counts_tokens(t->doc))) {
        snprintf(text, sizeof text,
                 "the strategy needs %s recomputation, which only the configuration sets",
                 mode == TITAN_NONE ? "no" : words[mode]);
        titan_comment(t, TITAN_CHECKPOINT_MODE, text);
        return true;
    }
    snprintf(option, sizeof option, "%d", every);
    if (!titan_set_text(t, TITAN_CHECKPOINT_MODE, words[mode], "selective"))
        return false;
    if ((mode != TITAN_EVERY && mode != TITAN_OPS) || t->source.recent)
        return true;
    return titan_set_text(t, TITAN_CHECKPOINT_OPTION, mode == TITAN_OPS ? "op" : option, "2");
}

bool titan_write_recompute(struct titan_writer *t)
{
    enum titan_recompute mode;
    int32_t every;
    if ((t->settings->full == NULL && t->settings->select == NULL) || t->now.layers == NULL)
        return true;
    if (t->now.recompute != TITAN_OTHER &&
        match_mode(t, t->now.recompute, t->now.every) == MATCH_EXACT)
        return true;
    if (find_mode(t, &mode, &every) == MATCH_EXACT)
        return write_mode(t, mode, every);
    return write_mode(t, mode, every) && write_comment(t);
}
