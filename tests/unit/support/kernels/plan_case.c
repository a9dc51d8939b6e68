// SPDX-License-Identifier: Apache-2.0
// Makes tasks of plans.
#include "tests/unit/support/kernels/plan_case.h"

#include "tests/unit/support/kernels/golden.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void take(struct plan_case *c, int32_t devices, int32_t stages, int32_t count,
                 struct room *room)
{
    c->device_of = room_take(room, (size_t)stages, sizeof *c->device_of);
    c->state = room_take(room, (size_t)devices, sizeof *c->state);
    c->limit = room_take(room, (size_t)devices, sizeof *c->limit);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        micro_batches_take(&c->of[type], count, stages, room);
}

void plan_case_open(struct plan_case *c, int32_t devices, int32_t stages, int32_t count)
{
    struct room room = {NULL, 0};
    take(c, devices, stages, count, &room);
    c->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(c->memory, 0, room.used);
    room = (struct room){c->memory, 0};
    take(c, devices, stages, count, &room);
    for (int32_t s = 0; s < stages; s++)
        c->device_of[s] = s % devices;
    for (int32_t d = 0; d < devices; d++)
        c->limit[d] = (double)INFINITY;
    c->pipeline = (struct dynapipe_pipeline){devices, stages, c->device_of, c->state, c->limit};
    c->task = (struct plan_task){.pipeline = &c->pipeline,
                                 .of = {&c->of[0], &c->of[1], &c->of[2]},
                                 .budget = 40000,
                                 .seed = 1};
}

// Time of a transfer between two devices, us.
static double transfer(const cJSON *input, double mb, int32_t a, int32_t b)
{
    const cJSON *node = golden_item(input, "device_to_node");
    const bool inside =
        cJSON_GetArrayItem(node, a)->valueint == cJSON_GetArrayItem(node, b)->valueint;
    const double gbps =
        golden_real(input, inside ? "intra_node_bw_gbps" : "inter_node_bw_gbps");
    return golden_real(input, inside ? "intra_node_lat_us" : "inter_node_lat_us") +
           1e6 * (mb * 8 / 1000) / gbps;
}

static double of_type(const cJSON *batch, const char *name, int type)
{
    return cJSON_GetArrayItem(golden_item(batch, name), type)->valuedouble;
}

// The goldens of plans have the published peaks: those without recomputation, and nothing is made again in the backward.
static void fill(struct plan_case *c, const cJSON *input, const cJSON *batch, int32_t m)
{
    const double layers = golden_real(input, "layers_per_stage"),
                 mb = golden_real(batch, "comm_mb");
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int32_t s = 0; s < c->pipeline.stages; s++) {
            struct micro_batches *b = &c->of[type];
            const int64_t at = micro_batches_at(b, m, s);
            b->forward[at] = layers * of_type(batch, "fw_layer", type);
            b->backward[at] = layers * of_type(batch, "bw_layer", type);
            b->stored[at] = layers * of_type(batch, "stored_layer", type);
            b->peak[at] = (layers - 1) * of_type(batch, "stored_layer", 0) +
                          golden_real(batch, "peak_layer");
            if (s < c->pipeline.stages - 1)
                b->activation[at] = b->gradient[at] = transfer(input, mb, s, s + 1);
        }
}

cJSON *plan_case_load(struct plan_case *c, const char *name, const cJSON **expected)
{
    cJSON *document = golden_of("dynapipe", name);
    const cJSON *input = golden_item(document, "input"), *one,
                *all = golden_item(input, "microbatches"),
                *limit = golden_item(input, "memory_limit_mb");
    const int32_t stages = golden_whole(input, "n_devices");
    int32_t m = 0;
    plan_case_open(c, stages, stages, cJSON_GetArraySize(all));
    for (int32_t s = 0; s < stages; s++) {
        c->state[s] = golden_real(input, "layers_per_stage") *
                      golden_real(input, "model_state_per_layer_mb");
        if (!cJSON_IsNull(limit))
            c->limit[s] = limit->valuedouble;
    }
    cJSON_ArrayForEach (one, all)
        fill(c, input, one, m++);
    *expected = golden_item(document, "expected");
    return document;
}

static void draw_micro_batch(struct plan_case *c, int32_t m, struct random *r)
{
    static const double backward[] = {2, 3, 2.4}, stored[] = {1, 0.1, 0.4};
    const double size = 0.3 + 3 * random_unit(r) * random_unit(r);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int32_t s = 0; s < c->pipeline.stages; s++) {
            struct micro_batches *b = &c->of[type];
            const int64_t at = micro_batches_at(b, m, s);
            const bool sends =
                s < c->pipeline.stages - 1 && c->device_of[s] != c->device_of[s + 1];
            b->forward[at] = 100 * size;
            b->backward[at] = 100 * size * backward[type];
            b->stored[at] = 100 * size * stored[type];
            b->peak[at] = 60 * size;
            b->backward_peak[at] = type == DYNAPIPE_KEEP ? 0 : (60 - 20 * stored[type]) * size;
            b->activation[at] = b->gradient[at] = sends ? 5 * size : 0;
        }
}

void plan_case_draw(struct plan_case *c, struct random *r)
{
    for (int32_t m = 0; m < c->of[0].count; m++)
        draw_micro_batch(c, m, r);
    for (int32_t d = 0; d < c->pipeline.devices; d++)
        c->state[d] = 100 * random_unit(r);
}

void plan_case_close(struct plan_case *c)
{
    free(c->memory);
}
