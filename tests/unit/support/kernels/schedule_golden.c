// SPDX-License-Identifier: Apache-2.0
// Loads a golden case of schedules.
#include "tests/unit/support/kernels/schedule_golden.h"

#include "kernels/common/plan/order_text.h"
#include "tests/unit/support/documents.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const cJSON *root, const char *key)
{
    const cJSON *item = pps_json_member(root, key);
    cr_assert(cJSON_IsNumber(item), "%s is not a number", key);
    return item->valuedouble;
}

static int32_t whole(const cJSON *root, const char *key)
{
    return (int32_t)number(root, key);
}

static double *numbers(const cJSON *list, int32_t n)
{
    double *values = calloc((size_t)n, sizeof *values);
    cr_assert_eq(cJSON_GetArraySize(list), n);
    for (int32_t i = 0; i < n; i++)
        values[i] = cJSON_GetArrayItem(list, i)->valuedouble;
    return values;
}

static void set_stages(struct schedule_golden *g, const cJSON *root)
{
    struct pipeline *p = g->pipeline;
    const cJSON *dur = pps_json_member(root, "dur"), *mem = pps_json_member(root, "mem_delta");
    const int32_t devices = p->shape.devices;
    double *f = numbers(pps_json_member(dur, "F"), devices),
           *b = numbers(pps_json_member(dur, "B"), devices),
           *w = numbers(pps_json_member(dur, "W"), devices),
           *mb = numbers(pps_json_member(mem, "B"), devices),
           *mw = numbers(pps_json_member(mem, "W"), devices);
    for (int32_t s = 0; s < p->shape.stages; s++) {
        const int32_t d = p->device_of[s];
        p->stage[s] = (struct pipeline_stage){.f = f[d],
                                              .b = b[d],
                                              .w = w[d],
                                              .r = f[d],
                                              .kept_until_b = -mb[d],
                                              .kept_until_w = -mw[d]};
    }
    free(f);
    free(b);
    free(w);
    free(mb);
    free(mw);
    const cJSON *limit = pps_json_member(root, "mem_limit");
    for (int32_t d = 0; d < devices && cJSON_IsArray(limit); d++)
        p->limit[d] = cJSON_GetArrayItem(limit, d)->valuedouble;
    p->links.latency = number(root, "comm_latency");
}

static enum pipeline_placement placement_of(const char *name)
{
    if (strcmp(name, "V") == 0)
        return PIPELINE_VEE;
    return strcmp(name, "bidirectional") == 0 ? PIPELINE_BIDIRECTIONAL : PIPELINE_LOOP;
}

static void read_order(struct schedule_golden *g, const cJSON *lines)
{
    struct order_text_fault fault;
    g->order = order_new(g->pipeline->shape.devices, order_room(g->pipeline, true));
    for (int32_t d = 0; d < g->pipeline->shape.devices; d++) {
        const char *text = cJSON_GetArrayItem(lines, d)->valuestring;
        cr_assert(order_text_read(text, strlen(text), 1, g->order, d, &fault), "%s: %s",
                  g->name, fault.text);
    }
}

// The times of a unit stand once in the file and at both operations here.
static double *times_of(const struct schedule_golden *g, const cJSON *rows)
{
    const struct order *o = g->order;
    double *times = calloc((size_t)o->devices * (size_t)o->room, sizeof *times);
    for (int32_t d = 0; d < o->devices; d++)
        for (int32_t i = 0, at = 0; i < o->n[d]; i++) {
            const int64_t k = order_at(o, d, i);
            times[k] = cJSON_GetArrayItem(cJSON_GetArrayItem(rows, d), at)->valuedouble;
            at += !o->paired[k];
        }
    return times;
}

static void read_figures(struct schedule_golden *g, const cJSON *root)
{
    const int32_t devices = g->pipeline->shape.devices;
    const cJSON *start = pps_json_member(root, "start"), *objective;
    g->makespan = number(root, "makespan");
    g->span = number(root, "span");
    g->bubble_ratio = number(root, "bubble_ratio");
    g->bubble_ratio_span = number(root, "bubble_ratio_span");
    g->busy = numbers(pps_json_member(root, "busy"), devices);
    g->peak = numbers(pps_json_member(root, "peak_memory"), devices);
    objective = pps_json_member(root, "objective_span");
    g->objective_span = objective != NULL ? objective->valuedouble : (double)NAN;
    if (start != NULL) {
        g->starts = times_of(g, start);
        g->ends = times_of(g, pps_json_member(root, "end"));
        g->first_start = calloc((size_t)devices, sizeof(double));
        g->last_end = calloc((size_t)devices, sizeof(double));
        for (int32_t d = 0; d < devices; d++) {
            g->first_start[d] = g->starts[order_at(g->order, d, 0)];
            g->last_end[d] = g->ends[order_at(g->order, d, g->order->n[d] - 1)];
        }
    } else {
        g->first_start = numbers(pps_json_member(root, "first_start"), devices);
        g->last_end = numbers(pps_json_member(root, "last_end"), devices);
    }
}

struct schedule_golden *schedule_golden_load(const char *file)
{
    char path[200];
    struct schedule_golden *g = calloc(1, sizeof *g);
    snprintf(path, sizeof path, "tests/golden/schedule/%s", file);
    struct pps_json json = document_in(path);
    const cJSON *root = json.root, *options = pps_json_member(root, "options");
    snprintf(g->name, sizeof g->name, "%s", pps_json_member(root, "name")->valuestring);
    snprintf(g->family, sizeof g->family, "%s", pps_json_member(root, "family")->valuestring);
    if (pps_json_member(root, "order") != NULL) {
        const struct pipeline_shape shape = {
            .devices = whole(root, "P"),
            .stages = whole(root, "virtual_stages"),
            .micro_batches = whole(root, "M"),
            .slices = 1,
            .directions = whole(root, "directions"),
        };
        g->chunks = whole(root, "chunks_per_device");
        if (pps_json_member(options, "group") != NULL)
            g->group = whole(options, "group");
        if (pps_json_member(options, "limit_chunks") != NULL)
            g->limit_chunks = whole(options, "limit_chunks");
        g->placement = placement_of(pps_json_member(root, "placement")->valuestring);
        g->pipeline = pipeline_new(&shape);
        pipeline_place(g->pipeline, g->placement);
        set_stages(g, root);
        read_order(g, pps_json_member(root, "order"));
        read_figures(g, root);
    }
    pps_json_free(&json);
    return g;
}

void schedule_golden_free(struct schedule_golden *golden)
{
    pipeline_free(golden->pipeline);
    order_free(golden->order);
    free(golden->starts);
    free(golden->ends);
    free(golden->first_start);
    free(golden->last_end);
    free(golden->busy);
    free(golden->peak);
    free(golden);
}

int schedule_golden_each(const char *family,
                         void (*check)(const struct schedule_golden *golden))
{
    int n = 0;
    DIR *dir = opendir(PPS_GOLDEN "/schedule");
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != 'g')
            continue;
        struct schedule_golden *golden = schedule_golden_load(entry->d_name);
        if (golden->order != NULL && (family == NULL || strcmp(golden->family, family) == 0)) {
            check(golden);
            n++;
        }
        schedule_golden_free(golden);
    }
    closedir(dir);
    return n;
}

void schedule_golden_same_order(const struct schedule_golden *golden, const struct order *order)
{
    cr_assert_eq(order->devices, golden->order->devices);
    for (int32_t d = 0; d < order->devices; d++) {
        struct text_buffer wanted = {.text = NULL}, got = {.text = NULL};
        order_text_write(golden->order, d, 1, &wanted);
        order_text_write(order, d, 1, &got);
        cr_assert_str_eq(got.text, wanted.text, "%s, device %d\nfound:  %s\nwanted: %s",
                         golden->name, d, got.text, wanted.text);
        text_buffer_free(&wanted);
        text_buffer_free(&got);
    }
}
