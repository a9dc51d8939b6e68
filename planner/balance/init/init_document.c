// SPDX-License-Identifier: Apache-2.0
// Reads init files.
#include "planner/balance/init/init_document.h"

#include "base/document/fault.h"
#include "base/document/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MOST 1e9
#define TIME_MOST   1e9

struct reader {
    const cJSON *root;
    struct balance_init *init;
    struct pps_fault *fault;
};

// ---- values -------------------------------------------------------------------------------------

static const cJSON *section(const struct reader *r, const char *name)
{
    const cJSON *found = pps_json_member(r->root, name);
    if (found == NULL && strcmp(name, "profiling_config") == 0)
        return NULL;
    return found;
}

static bool is_whole(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble == floor(item->valuedouble) &&
           fabs(item->valuedouble) < 1e9;
}

static bool read_whole(struct reader *r, const cJSON *object, const char *key, int32_t least,
                       int32_t most, int32_t *value)
{
    const cJSON *item = pps_json_member(object, key);
    if (!is_whole(item) || item->valuedouble < least || item->valuedouble > most)
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected a whole number from %d to %d", key, least, most);
    *value = (int32_t)item->valuedouble;
    return true;
}

static bool read_memory(struct reader *r, const cJSON *object, const char *key, double *value)
{
    const cJSON *item = pps_json_member(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || item->valuedouble > MEMORY_MOST)
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected MiB, above 0", key);
    *value = item->valuedouble;
    return true;
}

// ---- lists of rounds ----------------------------------------------------------------------------

static bool is_flat(const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, list)
        if (!cJSON_IsNumber(item))
            return false;
    return true;
}

static bool is_zero(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble == 0;
}

// A list of numbers is one round, unless all are 0 and they are not one for each stage.
static bool is_one_round(const cJSON *list, int32_t stages)
{
    const cJSON *item;
    if (!is_flat(list))
        return false;
    if (cJSON_GetArraySize(list) == stages)
        return true;
    cJSON_ArrayForEach (item, list)
        if (!is_zero(item))
            return true;
    return false;
}

static bool count_rounds(struct reader *r, const cJSON *pipeline, const cJSON *offset)
{
    struct balance_init *init = r->init;
    init->rounds = 1;
    if (is_zero(offset))
        return true;
    if (!cJSON_IsArray(offset) || cJSON_GetArraySize(offset) == 0)
        return pps_fault_set(r->fault, offset != NULL ? offset : pipeline, false,
                             "offset: expected %d whole numbers, 0, or a list of them for each "
                             "round",
                             init->stages);
    if (!is_one_round(offset, init->stages))
        init->rounds = cJSON_GetArraySize(offset);
    if (init->rounds > INIT_ROUNDS_MAX)
        return pps_fault_set(r->fault, offset, false, "offset: more than %d rounds",
                             INIT_ROUNDS_MAX);
    return true;
}

// Returns the value of a round: of a list of lists its element, otherwise the value of all rounds.
static const cJSON *of_round(struct reader *r, const cJSON *item, int32_t round, bool *ok)
{
    *ok = true;
    if (!cJSON_IsArray(item) || is_one_round(item, r->init->stages))
        return item;
    if (cJSON_GetArraySize(item) == r->init->rounds)
        return cJSON_GetArrayItem(item, round);
    *ok = pps_fault_set(r->fault, item, false, "%s: expected a list for each of the %d rounds",
                        item->string != NULL ? item->string : "list", r->init->rounds);
    return NULL;
}

// Reads the numbers of the stages in a round. true: all layers; false, 0 or absent: none.
static bool read_stages(struct reader *r, const cJSON *of_all, const char *key, int32_t round,
                        const int32_t *all, int32_t *list)
{
    bool ok;
    const int32_t stages = r->init->stages;
    const cJSON *item = of_round(r, of_all, round, &ok);
    if (!ok)
        return false;
    if (item == NULL || cJSON_IsFalse(item) || is_zero(item) || cJSON_IsTrue(item)) {
        if (cJSON_IsTrue(item) && all == NULL)
            return pps_fault_set(r->fault, item, false, "%s: expected numbers", key);
        for (int32_t s = 0; s < stages; s++)
            list[s] = cJSON_IsTrue(item) ? all[s] : 0;
        return true;
    }
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != stages)
        return pps_fault_set(r->fault, item, false,
                             "%s: round %d: expected %d whole numbers, one for each stage", key,
                             round + 1, stages);
    int32_t s = 0;
    const cJSON *number;
    cJSON_ArrayForEach (number, item) {
        if (!is_whole(number))
            return pps_fault_set(r->fault, number, false,
                                 "%s: round %d, stage %d: expected a whole number", key,
                                 round + 1, s);
        list[s++] = (int32_t)number->valuedouble;
    }
    return true;
}

// ---- rounds -------------------------------------------------------------------------------------

static const char *const list_keys[] = {"offset", "recompute", "select_recompute",
                                        "select_comm_recompute"};

static bool fail_misplaced(struct reader *r, const cJSON *const items[4], int32_t round,
                           const struct balance_misplaced *wrong)
{
    const cJSON *item = items[wrong->list] != NULL ? items[wrong->list] : r->root;
    const char *key = list_keys[wrong->list];
    if (wrong->stage < 0)
        return pps_fault_set(r->fault, item, false,
                             "offset: round %d: the sum is %d, expected %d, so that all stages "
                             "together have %d layers",
                             round + 1, (int)wrong->layers, (int)wrong->wanted,
                             r->init->layers);
    if (wrong->list == BALANCE_OFFSET)
        return pps_fault_set(r->fault, item, false,
                             "offset: round %d, stage %d: %d layers, expected at least 1",
                             round + 1, wrong->stage, (int)wrong->layers);
    return pps_fault_set(
        r->fault, item, false,
        "%s: round %d, stage %d: expected from 0 to the %d layers of the stage", key, round + 1,
        wrong->stage, (int)wrong->layers);
}

// Lists and counts of one round.
struct round {
    int32_t *list[4]; // [stages]
    int32_t *all;     // layers of stages
    struct balance_strategy strategy;
};

static bool read_round(struct reader *r, const cJSON *const items[4], int32_t number,
                       struct round *round)
{
    const struct balance_layers layers = {.layers = r->init->layers};
    const int32_t stages = r->init->stages, base = layers.layers / stages;
    struct balance_misplaced wrong;
    if (!read_stages(r, items[0], list_keys[0], number, NULL, round->list[0]))
        return false;
    for (int32_t s = 0; s < stages; s++)
        round->all[s] = base + round->list[0][s];
    for (int k = 1; k < 4; k++)
        if (!read_stages(r, items[k], list_keys[k], number, round->all, round->list[k]))
            return false;
    const struct balance_lists lists = {round->list[0], round->list[1], round->list[2],
                                        round->list[3]};
    if (!balance_from_lists(&layers, &lists, &round->strategy, &wrong))
        return fail_misplaced(r, items, number, &wrong);
    for (int32_t s = 0; s < stages; s++)
        if (round->all[s] < 1) {
            wrong = (struct balance_misplaced){.stage = s,
                                               .list = BALANCE_OFFSET,
                                               .layers = round->all[s]};
            return fail_misplaced(r, items, number, &wrong);
        }
    return true;
}

static struct init_measure measure_of(const struct round *round, int32_t number, int32_t stage,
                                      double memory_mb)
{
    struct init_measure measure = {.round = number,
                                   .stage = stage,
                                   .layers = round->all[stage],
                                   .memory_mb = memory_mb};
    for (int k = 0; k < BALANCE_KINDS; k++)
        measure.count[k] =
            round->strategy.count[balance_at(&round->strategy, (enum balance_kind)k, 0, stage)];
    return measure;
}

// ---- measured memory ----------------------------------------------------------------------------

static bool has_stage(const struct balance_init *init, int32_t round, int32_t stage)
{
    for (int32_t i = 0; i < init->n; i++)
        if (init->middle[i].round == round && init->middle[i].stage == stage)
            return true;
    return false;
}

static bool add_measure(struct reader *r, const struct round *round, int32_t number,
                        const cJSON *id, const cJSON *memory)
{
    struct balance_init *init = r->init;
    if (!is_whole(id) || id->valuedouble < 0 || id->valuedouble >= init->stages)
        return pps_fault_set(r->fault, id, false,
                             "stage_id: round %d: expected stages from 1 to %d", number + 1,
                             init->stages - 2);
    if (!cJSON_IsNumber(memory) || !(memory->valuedouble > 0) ||
        memory->valuedouble > MEMORY_MOST)
        return pps_fault_set(r->fault, memory, false,
                             "memories: round %d: expected MiB, above 0", number + 1);
    const int32_t stage = (int32_t)id->valuedouble;
    if (has_stage(init, number, stage))
        return pps_fault_set(r->fault, id, false, "stage_id: round %d: stage %d appears twice",
                             number + 1, stage);
    if (stage > 0 && stage < init->stages - 1) // those of head and tail are no equations
        init->middle[init->n++] = measure_of(round, number, stage, memory->valuedouble);
    return true;
}

// Returns the list of a round: the list itself if there is one round and it is flat.
static const cJSON *list_of_round(struct reader *r, const cJSON *object, const char *key,
                                  int32_t round)
{
    const cJSON *list = pps_json_member(object, key), *item = list;
    if (!cJSON_IsArray(list)) {
        pps_fault_set(r->fault, list != NULL ? list : object, false, "%s: expected a list",
                      key);
        return NULL;
    }
    if (r->init->rounds > 1 || !is_flat(list))
        item = cJSON_GetArraySize(list) == r->init->rounds ? cJSON_GetArrayItem(list, round)
                                                           : NULL;
    if (!cJSON_IsArray(item) || !is_flat(item)) {
        pps_fault_set(r->fault, list, false,
                      "%s: expected a list of numbers for each of the %d rounds", key,
                      r->init->rounds);
        return NULL;
    }
    return item;
}

static bool read_measures(struct reader *r, const cJSON *bodies, int32_t number,
                          const struct round *round)
{
    const cJSON *ids = list_of_round(r, bodies, "stage_id", number);
    const cJSON *memories = ids != NULL ? list_of_round(r, bodies, "memories", number) : NULL;
    if (memories == NULL)
        return false;
    const int n = cJSON_GetArraySize(ids);
    if (n != cJSON_GetArraySize(memories))
        return pps_fault_set(r->fault, memories, false,
                             "memories: round %d: %d numbers for %d stages of stage_id",
                             number + 1, cJSON_GetArraySize(memories), n);
    for (int i = 0; i < n && i < r->init->stages; i++)
        if (!add_measure(r, round, number, cJSON_GetArrayItem(ids, i),
                         cJSON_GetArrayItem(memories, i)))
            return false;
    return n <= r->init->stages ||
           pps_fault_set(r->fault, ids, false, "stage_id: round %d: more than %d stages",
                         number + 1, r->init->stages);
}

static bool read_rounds(struct reader *r, const cJSON *const items[4], const cJSON *usage,
                        struct round *round)
{
    struct balance_init *init = r->init;
    const cJSON *bodies = pps_json_member(usage, "body_memories");
    double head_mb = 0, tail_mb = 0;
    if (!cJSON_IsObject(bodies))
        return pps_fault_set(r->fault, usage, false,
                             "body_memories: expected stage_id and memories");
    if (!read_memory(r, usage, "head_memory", &head_mb) ||
        !read_memory(r, usage, "tail_memory", &tail_mb))
        return false;
    for (int32_t i = 0; i < init->rounds; i++) {
        if (!read_round(r, items, i, round) || !read_measures(r, bodies, i, round))
            return false;
        if (i > 0)
            continue;
        init->head = measure_of(round, 0, 0, head_mb);
        init->tail = measure_of(round, 0, init->stages - 1, tail_mb);
    }
    return true;
}

static bool take_round(struct round *round, int32_t stages)
{
    int32_t *numbers = calloc((size_t)stages * (5 + BALANCE_KINDS), sizeof *numbers);
    for (int k = 0; k < 4; k++)
        round->list[k] = numbers + (numbers != NULL ? k * stages : 0);
    round->all = numbers + (numbers != NULL ? 4 * stages : 0);
    round->strategy =
        (struct balance_strategy){.stages = stages,
                                  .chunks = 1,
                                  .count = numbers + (numbers != NULL ? 5 * stages : 0)};
    return numbers != NULL;
}

static bool read_memories(struct reader *r, const cJSON *pipeline)
{
    struct balance_init *init = r->init;
    const cJSON *usage = pps_json_member(r->root, "memory_usage"),
                *recompute = pps_json_member(r->root, "recompute_config");
    const cJSON *const items[4] = {pps_json_member(pipeline, "offset"),
                                   pps_json_member(recompute, "recompute"),
                                   pps_json_member(recompute, "select_recompute"),
                                   pps_json_member(recompute, "select_comm_recompute")};
    struct round round;
    if (!cJSON_IsObject(usage))
        return pps_fault_set(r->fault, r->root, false,
                             "memory_usage: expected head_memory, tail_memory and "
                             "body_memories");
    if (!count_rounds(r, pipeline, items[0]))
        return false;
    init->middle = calloc((size_t)init->rounds * (size_t)init->stages, sizeof *init->middle);
    if (init->middle == NULL || !take_round(&round, init->stages))
        return false;
    const bool ok = read_rounds(r, items, usage, &round);
    free(round.list[0]);
    return ok;
}

// ---- times --------------------------------------------------------------------------------------

static const char *const part_keys[LAYER_PARTS] = {"head", "body", "tail"};
static const char *const name_keys[LAYER_PARTS] = {"head_layers", "body_layers", "tail_layers"};

static bool read_names(struct reader *r, const cJSON *profiling, enum layer_part part)
{
    static const char *const usual[LAYER_PARTS][2] = {{"LlamaEmbedding", NULL},
                                                      {"LLamaDecodeLayer", NULL},
                                                      {"lm_head-Linear", "LlamaRMSNorm"}};
    struct layer_times *times = &r->init->times;
    const cJSON *item = pps_json_member(profiling, name_keys[part]), *name;
    if (item == NULL) {
        for (int i = 0; i < 2 && usual[part][i] != NULL; i++)
            times->names[part][times->n_names[part]++] = usual[part][i];
        return true;
    }
    if (cJSON_IsString(item)) {
        times->names[part][times->n_names[part]++] = item->valuestring;
        return true;
    }
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) > LAYER_NAMES_MAX)
        return pps_fault_set(r->fault, item, false,
                             "%s: expected a name, or a list of at most %d names",
                             name_keys[part], LAYER_NAMES_MAX);
    cJSON_ArrayForEach (name, item) {
        if (!cJSON_IsString(name) || name->valuestring[0] == '\0')
            return pps_fault_set(r->fault, name, false, "%s: expected names of layers",
                                 name_keys[part]);
        times->names[part][times->n_names[part]++] = name->valuestring;
    }
    return true;
}

static bool read_given(struct reader *r, const cJSON *config)
{
    for (int part = 0; part < LAYER_PARTS; part++) {
        const cJSON *item = pps_json_member(config, part_keys[part]);
        if (item == NULL)
            continue;
        if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > TIME_MOST)
            return pps_fault_set(r->fault, item, false,
                                 "%s: expected a forward time, 0 or more", part_keys[part]);
        r->init->times.is_given[part] = true;
        r->init->times.given[part] = item->valuedouble;
    }
    return true;
}

static bool read_times(struct reader *r)
{
    struct layer_times *times = &r->init->times;
    const cJSON *profiling = section(r, "profiling_config"),
                *config = pps_json_member(r->root, "time_config");
    if (profiling == NULL && pps_json_member(config, "folder_path") != NULL)
        profiling = config;
    if (!read_given(r, config))
        return false;
    for (int part = 0; part < LAYER_PARTS; part++)
        if (!read_names(r, profiling, (enum layer_part)part))
            return false;
    const cJSON *folder = pps_json_member(profiling, "folder_path");
    if (folder == NULL)
        return true;
    if (!cJSON_IsString(folder) || folder->valuestring[0] == '\0')
        return pps_fault_set(r->fault, folder, false,
                             "folder_path: expected the folder of the traces");
    times->folder = folder->valuestring;
    return read_whole(r, profiling, "micro_batch_num", 1, 1 << 20, &times->micro_batches);
}

// ---- the document -------------------------------------------------------------------------------

bool balance_init_read(const cJSON *root, struct balance_init *init, struct pps_fault *fault)
{
    struct reader r = {.root = root, .init = init, .fault = fault};
    *init = (struct balance_init){.stages = 0};
    *fault = (struct pps_fault){.document = 0};
    const cJSON *pipeline = pps_json_member(root, "pipeline_config");
    if (!cJSON_IsObject(pipeline))
        return pps_fault_set(fault, root, false,
                             "pipeline_config: expected pipeline_num, num_layer and offset");
    if (!read_whole(&r, pipeline, "pipeline_num", 3, INIT_STAGES_MAX, &init->stages) ||
        !read_whole(&r, pipeline, "num_layer", 1, 10000, &init->layers))
        return false;
    if (init->layers < init->stages)
        return pps_fault_set(fault, pps_json_member(pipeline, "num_layer"), false,
                             "num_layer: %d layers cannot fill %d stages", init->layers,
                             init->stages);
    return read_memories(&r, pipeline) && read_times(&r);
}

void balance_init_free(struct balance_init *init)
{
    free(init->middle);
    *init = (struct balance_init){.stages = 0};
}
