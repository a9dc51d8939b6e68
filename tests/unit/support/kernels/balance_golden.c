// SPDX-License-Identifier: Apache-2.0
// Loads golden cases of layers and strategies.
#include "tests/unit/support/kernels/balance_golden.h"

#include "kernels/balance/documents/layers_read.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void balance_golden_case(const cJSON *of, struct balance_layers *layers,
                         struct balance_shape *shape)
{
    struct pps_fault fault;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddNumberToObject(document, "stage_const_mem", golden_real(of, "const_memory"));
    cJSON_AddItemToObject(document, "layers_description",
                          cJSON_Duplicate(golden_item(of, "layers"), true));
    cr_assert(balance_layers_read(document, layers, &fault), "%s", fault.text);
    cr_assert_null(balance_layers_misfit(layers));
    cJSON_Delete(document);
    *shape = (struct balance_shape){.stages = golden_whole(of, "pp"),
                                    .chunks = golden_whole(of, "vp"),
                                    .micro_batches = golden_whole(of, "micro"),
                                    .pieces = 1,
                                    .order = golden_real(of, "less_memory") != 0
                                                 ? BALANCE_LESS_MEMORY
                                                 : BALANCE_BIG_MEMORY};
}

// Writes one list; `all`: what true means for a chunk.
static void set_list(const cJSON *item, int32_t stages, int32_t n, const int32_t *all,
                     int32_t *list)
{
    for (int32_t k = 0; k < n; k++) {
        const cJSON *row = cJSON_IsArray(item) && cJSON_IsArray(item->child)
                               ? cJSON_GetArrayItem(item, k / stages)
                               : item;
        list[k] = cJSON_IsArray(row)    ? cJSON_GetArrayItem(row, k % stages)->valueint
                  : cJSON_IsTrue(item)  ? all[k]
                  : cJSON_IsNumber(row) ? row->valueint
                                        : 0;
    }
}

struct balance_strategy balance_golden_lists(const struct balance_layers *layers,
                                             const cJSON *lists, int32_t stages, int32_t chunks)
{
    const int32_t n = stages * chunks, base = layers->layers / n;
    int32_t *list = calloc(5 * (size_t)n, sizeof *list), *all = list + 4 * n;
    struct balance_strategy strategy = {
        stages, chunks, calloc(BALANCE_KINDS * (size_t)n, sizeof *strategy.count)};
    struct balance_misplaced wrong;
    set_list(golden_item(lists, "offset"), stages, n, all, list);
    for (int32_t k = 0; k < n; k++)
        all[k] = base + list[k];
    set_list(golden_item(lists, "recompute"), stages, n, all, list + n);
    set_list(golden_item(lists, "select_recompute"), stages, n, all, list + 2 * n);
    set_list(golden_item(lists, "select_comm_recompute"), stages, n, all, list + 3 * n);
    const struct balance_lists read = {list, list + n, list + 2 * n, list + 3 * n};
    const bool fits = balance_from_lists(layers, &read, &strategy, &wrong);
    cr_assert(fits || wrong.stage < 0, "chunk %d of stage %d", wrong.chunk, wrong.stage);
    free(list);
    return strategy;
}

struct balance_replay *balance_golden_replay(const struct balance_shape *shape, void **memory)
{
    struct room room = {NULL, 0};
    cr_assert_null(balance_shape_misfit(shape));
    balance_replay_take(shape, &room);
    *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){*memory, 0};
    struct balance_replay *replay = balance_replay_take(shape, &room);
    cr_assert(balance_replay_open(replay, NULL));
    return replay;
}

struct balance_golden_replayed balance_golden_replayed(const char *file, int which)
{
    struct balance_golden_replayed r;
    cJSON *document = golden_of("balance", file);
    const cJSON *one = cJSON_GetArrayItem(golden_item(document, "strategies"), which);
    const cJSON *chunks = cJSON_GetObjectItem(one, "vp");
    balance_golden_case(golden_item(document, "case"), &r.layers, &r.shape);
    if (cJSON_IsNumber(chunks))
        r.shape.chunks = chunks->valueint;
    r.replay = balance_golden_replay(&r.shape, &r.memory);
    r.strategy = balance_golden_lists(&r.layers, golden_item(one, "strategy"), r.shape.stages,
                                      r.shape.chunks);
    r.result.peak_mb = calloc((size_t)r.shape.stages, sizeof *r.result.peak_mb);
    balance_replay_run(r.replay, &r.layers, &r.strategy, &r.result);
    cJSON_Delete(document);
    return r;
}

void balance_golden_done(struct balance_golden_replayed *r)
{
    free(r->strategy.count);
    free(r->result.peak_mb);
    free(r->memory);
}
