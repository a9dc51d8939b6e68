// SPDX-License-Identifier: Apache-2.0
// Reads which layers of the model each pipeline stage has: from lists of modules, split points, or
// the number of parts that torchtitan derives from the schedule.
#include "base/text/nearest.h"
#include "kernels/frameworks/form/form.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- schedules ----------------------------------------------------------------------------------

#define ONE_PART .one_part = true
#define V_SHAPE  .v_shape = true

static const struct titan_schedule schedules[] = {
    {"1F1B", ONE_PART},
    {"GPipe", ONE_PART, .family = "gpipe"},
    {"PipelineScheduleSingle", ONE_PART, .needs_csv = true},
    {"Interleaved1F1B", .rounds = true},
    {"LoopedBFS", .family = "pytorch_bfs"},
    {"InterleavedZeroBubble", .rounds = true, .family = "pytorch_zb"},
    {"FlexibleInterleaved1F1B", .rounds = true},
    {"PipelineScheduleMulti", .needs_csv = true},
    {"_PipelineScheduleRuntime", .needs_csv = true},
    {"ZBVZeroBubble", V_SHAPE, .family = "pytorch_zbv"},
    {"DualPipeV", V_SHAPE, .family = "dualpipev"},
    {"interleaved_1f1b", .rounds = true}, // until late 2024
    {"flexible_interleaved_1f1b", .rounds = true},
};

enum { N_SCHEDULES = sizeof schedules / sizeof *schedules };

const struct titan_schedule *titan_schedule_of(const char *family, bool one_part)
{
    if (family != NULL && strcmp(family, "interleaved") == 0)
        family = NULL;
    for (int k = 0; k < N_SCHEDULES; k++) {
        const struct titan_schedule *s = &schedules[k];
        const bool same = family == NULL ? s->family == NULL && !s->needs_csv
                                         : s->family != NULL && strcmp(s->family, family) == 0;
        if (same && s->one_part == one_part)
            return s;
    }
    return NULL;
}

bool titan_read_schedule(const struct titan_source *s, struct titan_schedule *schedule)
{
    const char *name = "1F1B", *path = "";
    struct pps_nearest nearest;
    if (!titan_text(s, TITAN_SCHEDULE, &name))
        return false;
    nearest = pps_nearest_to(name);
    for (int k = 0; k < N_SCHEDULES; k++) {
        if (strcasecmp(schedules[k].name, name) == 0) {
            *schedule = schedules[k];
            return true;
        }
        pps_nearest_consider(&nearest, schedules[k].name);
    }
    const cJSON *item = titan_get(s->doc, TITAN_SCHEDULE, &path);
    return titan_fail(s, item, "%s = \"%.40s\": unknown schedule; %s%s", path, name,
                      nearest.name != NULL ? "did you mean "
                                           : "expected 1F1B, Interleaved1F1B, ",
                      nearest.name != NULL ? nearest.name : "ZBVZeroBubble or DualPipeV");
}

int32_t titan_part(const struct titan_config *c, int32_t chunk, int32_t stage)
{
    return c->v_shape && chunk % 2 == 1 ? (chunk + 1) * c->pp - 1 - stage
                                        : chunk * c->pp + stage;
}

// ---- lists of modules ---------------------------------------------------------------------------

// Returns the number of a layer in "layers.7" or "layers.7.attention"; -1: another module.
static int64_t layer_of(const cJSON *item)
{
    char *end;
    if (!cJSON_IsString(item) || strncmp(item->valuestring, "layers.", 7) != 0)
        return -1;
    const char *digits = item->valuestring + 7;
    const long n = strtol(digits, &end, 10);
    return end != digits && *digits != '-' && n < INT32_MAX ? n : -1;
}

// A layer may appear by its parts: "layers.7.attention", "layers.7.feed_forward".
static bool is_repeated(const cJSON *part, const cJSON *item)
{
    for (const cJSON *other = part->child; other != item; other = other->next)
        if (layer_of(other) == layer_of(item))
            return true;
    return false;
}

static bool count_modules(const struct titan_source *s, const cJSON *parts, int32_t *layers)
{
    int32_t k = 0;
    for (const cJSON *part = parts->child; part != NULL; part = part->next, k++) {
        if (!cJSON_IsArray(part))
            return titan_fail(s, part,
                              "module_fqns_per_model_part: expected a list of lists "
                              "of module names");
        layers[k] = 0;
        for (const cJSON *item = part->child; item != NULL; item = item->next)
            layers[k] += layer_of(item) >= 0 && !is_repeated(part, item);
    }
    return true;
}

// A split point is the first module of a part; "norm" and "output" begin a part without layers.
static bool count_points(const struct titan_config *c, const struct titan_source *s,
                         const cJSON *points, int32_t *layers)
{
    const int32_t all = c->flavor->layers;
    int32_t before = 0, k = 0;
    for (const cJSON *point = points->child; point != NULL; point = point->next, k++) {
        const int64_t layer = layer_of(point);
        const int32_t first = layer >= 0 && layer < all ? (int32_t)layer : all;
        if (!cJSON_IsString(point) || layer >= all || first < before)
            return titan_fail(s, point,
                              "pipeline_parallel_split_points: expected \"layers.N\", N "
                              "growing and below %d",
                              all);
        layers[k] = first - before;
        before = first;
    }
    layers[k] = all - before;
    return true;
}

bool titan_spread(int32_t *layers, int32_t parts, int32_t n_layers, int32_t first, int32_t last)
{
    const int32_t all = n_layers + (parts > 1 ? first + last : 0), least = all / parts;
    for (int32_t k = 0; k < parts; k++) {
        layers[k] = least + (k < all % parts);
        if (parts > 1 && k == 0)
            layers[k] -= first;
        else if (parts > 1 && k == parts - 1)
            layers[k] -= last;
    }
    return parts == 1 || (least > 0 && first <= least && last <= least);
}

// ---- number of parts ----------------------------------------------------------------------------

static const cJSON *list_of(const struct titan_source *s, enum titan_key key)
{
    const cJSON *item = titan_get(s->doc, key, NULL);
    return cJSON_IsArray(item) && item->child != NULL ? item : NULL;
}

struct parts {
    const cJSON *item; // the key that decides; NULL: the schedule
    int64_t n;
    int64_t first, last; // by how many layers the first and last part are shorter
};

static bool count_parts(const struct titan_config *c, const struct titan_source *s,
                        const struct titan_schedule *schedule, struct parts *parts)
{
    const cJSON *modules = list_of(s, TITAN_PARTS), *points = list_of(s, TITAN_SPLIT_POINTS);
    int64_t per_part = 0;
    *parts = (struct parts){NULL, (int64_t)c->pp * (schedule->one_part ? 1 : 2), 1, 1};
    if (!titan_whole(s, TITAN_LAYERS_PER_STAGE, 1, &per_part) ||
        !titan_whole(s, TITAN_FIRST_LESS, 0, &parts->first) ||
        !titan_whole(s, TITAN_LAST_LESS, 0, &parts->last))
        return false;
    if (modules != NULL) {
        parts->item = modules;
        parts->n = cJSON_GetArraySize(modules);
    } else if (points != NULL) {
        parts->item = points;
        parts->n = cJSON_GetArraySize(points) + 1;
    } else if (per_part > 0 && c->flavor != NULL) {
        parts->item = titan_get(s->doc, TITAN_LAYERS_PER_STAGE, NULL);
        parts->n = (c->flavor->layers + parts->first + parts->last + per_part - 1) / per_part;
    }
    return true;
}

static bool check_parts(const struct titan_config *c, const struct titan_source *s,
                        const struct titan_schedule *schedule, const struct parts *parts)
{
    const cJSON *at = parts->item != NULL ? parts->item : titan_get(s->doc, TITAN_PP, NULL);
    if (parts->n % c->pp != 0)
        return titan_fail(s, at,
                          "%lld parts of the model do not divide evenly among %d pipeline "
                          "ranks",
                          (long long)parts->n, c->pp);
    if (schedule->one_part ? parts->n != c->pp : parts->n < 2 * (int64_t)c->pp)
        return titan_fail(s, at,
                          "%s needs %s per pipeline rank; the model has %lld parts for %d "
                          "ranks",
                          schedule->name, schedule->one_part ? "one part" : "two parts or more",
                          (long long)parts->n, c->pp);
    if (schedule->v_shape && parts->n != 2 * (int64_t)c->pp)
        return titan_fail(
            s, at,
            "%s needs two parts per pipeline rank; the model has %lld parts for %d "
            "ranks",
            schedule->name, (long long)parts->n, c->pp);
    if (parts->n > TITAN_MAX_STAGES)
        return titan_fail(s, at, "expected at most %d parts of the model", TITAN_MAX_STAGES);
    return true;
}

// ---- all ----------------------------------------------------------------------------------------

static bool check_layers(const struct titan_config *c, const struct titan_source *s,
                         const struct parts *parts)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < parts->n; k++)
        sum += c->layers[k];
    if (sum != c->flavor->layers)
        return titan_fail(s, parts->item, "the parts have %lld layers, %s %s has %d",
                          (long long)sum, c->flavor->model, c->flavor->flavor,
                          c->flavor->layers);
    return true;
}

static bool count_layers(struct titan_config *c, const struct titan_source *s,
                         const struct parts *parts)
{
    const cJSON *item = parts->item;
    c->layers = calloc((size_t)parts->n, sizeof *c->layers);
    if (c->layers == NULL) {
        *s->fault = (struct pps_fault){.text = "out of memory for this document"};
        return false;
    }
    if (item != NULL && item == list_of(s, TITAN_PARTS))
        return count_modules(s, item, c->layers) && check_layers(c, s, parts);
    if (item != NULL && item == list_of(s, TITAN_SPLIT_POINTS))
        return count_points(c, s, item, c->layers);
    if (!titan_spread(c->layers, (int32_t)parts->n, c->flavor->layers, (int32_t)parts->first,
                      (int32_t)parts->last))
        return titan_fail(s, item != NULL ? item : titan_get(s->doc, TITAN_PP, NULL),
                          "%d layers are too few for %lld parts of the model",
                          c->flavor->layers, (long long)parts->n);
    return true;
}

// A schedule without an order of its own takes it from a file.
static bool check_csv(const struct titan_source *s, const struct titan_schedule *schedule)
{
    const char *csv = "";
    return titan_text(s, TITAN_SCHEDULE_CSV, &csv) &&
           (!schedule->needs_csv || *csv != '\0' ||
            titan_fail(s, titan_get(s->doc, TITAN_SCHEDULE, NULL),
                       "%s has no order of its own: it needs pipeline_parallel_schedule_csv",
                       schedule->name));
}

// Interleaved schedules of PyTorch run the micro-batches in rounds of equal size, at least one per rank.
static bool check_rounds(const struct titan_config *c, const struct titan_source *s)
{
    const int64_t n = c->local_batch / c->mbs, rounds = n / c->pp;
    if (!c->schedule.rounds || rounds <= 1 || n % rounds == 0)
        return true;
    return titan_fail(s, titan_get(s->doc, TITAN_SCHEDULE, NULL),
                      "%s cannot run %lld micro-batches on %d ranks in %lld rounds of equal "
                      "size",
                      c->schedule.name, (long long)n, c->pp, (long long)rounds);
}

static bool read_parts(struct titan_config *c, const struct titan_source *s)
{
    struct parts parts = {NULL, 1, 0, 0};
    if (c->pp > 1) {
        if (!count_parts(c, s, &c->schedule, &parts) ||
            !check_parts(c, s, &c->schedule, &parts) || !check_csv(s, &c->schedule))
            return false;
        c->vp = (int32_t)(parts.n / c->pp);
        c->v_shape = c->schedule.v_shape;
    }
    return (c->flavor == NULL || count_layers(c, s, &parts)) && check_rounds(c, s);
}

bool titan_read_stages(struct titan_config *c, const struct titan_source *s)
{
    c->vp = 1;
    c->schedule = schedules[0];
    if (c->pp > 1 && !titan_read_schedule(s, &c->schedule))
        return false;
    if (read_parts(c, s))
        return true;
    free(c->layers);
    c->layers = NULL;
    return framework_keep_reason(&c->cannot_run, s->fault);
}
