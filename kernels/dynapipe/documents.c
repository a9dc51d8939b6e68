// SPDX-License-Identifier: Apache-2.0
// Reads the documents of an experiment.
#include "kernels/dynapipe/documents.h"

#include "base/document/fault.h"
#include "base/document/json.h"
#include "base/text/grow_list.h"
#include "kernels/configuration/convert.h"
#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/documents/network_read.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int plan_sets[] = {P_MICRO_BATCHES, P_DEVICES, P_CHUNKS, P_DP};

const struct pps_slot dynapipe_slots[N_SLOTS] = {
    [SLOT_COSTS] = {"costs",
                    .summary = "cost tables of layers, JSON or CSV; needed with batches",
                    .param = P_COSTS, .text = true},
    [SLOT_CLUSTER] = {"cluster",
                      .summary = "links and memory; without it 4800 Gbit/s and 10 us in nodes "
                                 "of 8, 200 Gbit/s and 20 us between them",
                      .param = P_CLUSTER},
    [SLOT_BATCHES] = {"batches",
                      .summary = "lengths of the samples of batches, as dynaplan reads them; "
                                 "without it sizes are drawn",
                      .param = P_BATCHES, .text = true},
    [SLOT_PLAN] = {"plan",
                   .summary =
                       "a plan of dynaplan, in place of costs and batches: its pipeline and "
                       "micro-batches, as simulated, are planned again",
                   .param = P_PLAN,
                   .convert = configuration_convert_run, // to say what to do with a training
                   .sets = plan_sets, .n_sets = (int)(sizeof plan_sets / sizeof *plan_sets)},
};

struct cost_tables *shared_tables(const struct shared_costs *costs, int32_t tensor_parallel)
{
    for (int k = 0; k < costs->n; k++)
        if (costs->tables[k].tensor_parallel == tensor_parallel)
            return &costs->tables[k];
    return NULL;
}

// ---- cost tables ----------------------------------------------------------------------------------

static bool read_degree(const struct pps_document *d, int32_t degree,
                        struct shared_costs *costs, struct pps_fault *fault)
{
    struct cost_tables *tables =
        realloc(costs->tables, ((size_t)costs->n + 1) * sizeof *tables);
    if (tables == NULL)
        return pps_fault_memory(fault);
    costs->tables = tables;
    if (!(d->root != NULL
              ? cost_tables_read(d->root, degree, &tables[costs->n], fault)
              : cost_tables_read_csv(d->text, d->n, degree, &tables[costs->n], fault)))
        return false;
    costs->n++;
    return true;
}

static bool read_costs(struct dynapipe_shared *shared, const struct pps_document *d,
                       struct pps_fault *fault)
{
    struct shared_costs *costs = &shared->costs[shared->n_costs++];
    int32_t degrees[SHARED_DEGREES];
    const int n = d->root != NULL
                      ? cost_tables_degrees(d->root, degrees, SHARED_DEGREES)
                      : cost_tables_degrees_csv(d->text, d->n, degrees, SHARED_DEGREES);
    const cJSON *network = d->root != NULL ? network_of_costs(d->root) : NULL;
    if (n == 0) // whatever is wrong, the reader says
        return read_degree(d, 1, costs, fault);
    for (int k = 0; k < n; k++)
        if (!read_degree(d, degrees[k], costs, fault))
            return false;
    return network == NULL || network_read(network, &costs->network, fault);
}

static bool read_cluster(struct dynapipe_shared *shared, const struct pps_document *d,
                         struct pps_fault *fault)
{
    struct shared_cluster *cluster = &shared->clusters[shared->n_clusters++];
    cluster->counts_devices = cJSON_GetObjectItemCaseSensitive(d->root, "node_devices") == NULL;
    return network_links_read(d->root, &cluster->links, &cluster->memory, fault);
}

// ---- batches --------------------------------------------------------------------------------------

static bool add_batch(struct shared_batches *to, struct batch *batch, struct pps_fault *fault)
{
    struct batch *list = pps_grow(to->list, &to->room, (size_t)to->n + 1, sizeof *list);
    if (list == NULL)
        return pps_fault_memory(fault);
    to->list = list;
    to->list[to->n++] = *batch;
    to->most = batch->count > to->most ? batch->count : to->most;
    *batch = (struct batch){.count = 0};
    return true;
}

static bool take(struct shared_batches *to, enum batch_fed fed, struct batch *batch,
                 struct pps_fault *fault)
{
    if (fed == BATCH_NO_MEMORY)
        fault->text[0] = '\0';
    if (fed == BATCH_NO_MEMORY || fed == BATCH_REFUSED)
        return false;
    const bool refused = fed == BATCH_READY && fault->text[0] != '\0';
    return fed == BATCH_MORE || (!refused && add_batch(to, batch, fault));
}

static bool read_text(struct shared_batches *to, const char *text, size_t n,
                      struct pps_fault *fault)
{
    struct batch_reader *reader = batch_reader_open();
    struct batch batch = {.count = 0};
    bool done = reader != NULL;
    for (size_t at = 0; at < n && done;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at + 1 : n - at;
        done = take(to, batch_reader_line(reader, text + at, length, &batch, fault), &batch,
                    fault);
        at += length;
    }
    done = done && take(to, batch_reader_end(reader, &batch, fault), &batch, fault);
    if (reader == NULL)
        fault->text[0] = '\0';
    batch_free(&batch);
    batch_reader_close(reader);
    return done;
}

// A JSON object is one batch, as a line of JSONL.
static bool read_object(struct shared_batches *to, const cJSON *root, struct pps_fault *fault)
{
    char *text = pps_json_print_line(root);
    if (text == NULL)
        return pps_fault_memory(fault);
    const bool done = read_text(to, text, strlen(text), fault);
    fault->line = fault->column = 0; // of the copy
    free(text);
    return done;
}

static bool read_batches(struct dynapipe_shared *shared, const struct pps_document *d,
                         struct pps_fault *fault)
{
    struct shared_batches *to = &shared->batches[shared->n_batches++];
    if (!(d->root != NULL ? read_object(to, d->root, fault)
                          : read_text(to, d->text, d->n, fault)))
        return false;
    if (to->n == 0)
        snprintf(fault->text, sizeof fault->text, "there is no batch");
    return to->n > 0;
}

// ---- plans ----------------------------------------------------------------------------------------

// Moves micro-batches from their positions to their numbers.
static void unpermute(const struct micro_batches *from, const int32_t *order,
                      struct micro_batches *to)
{
    for (int32_t i = 0; i < from->count; i++)
        for (int32_t stage = 0; stage < from->stages; stage++)
            micro_batches_copy(to, micro_batches_at(to, order[i], stage), from, from,
                               micro_batches_at(from, i, stage));
}

static bool read_replica(struct shared_plan *plan, const cJSON *replica,
                         struct pps_fault *fault)
{
    const int32_t stages = plan->pipeline->pipeline.stages, k = plan->n++;
    struct micro_batches read;
    int32_t count, *order;
    struct room room = {NULL, 0};
    if (!plan_count_read(replica, &count, fault))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        micro_batches_take(&plan->replicas[k], count, stages, &room);
        micro_batches_take(&read, count, stages, &room);
        order = room_take(&room, (size_t)count, sizeof *order);
        if (pass == 1)
            break;
        plan->memory[k] = room.used == SIZE_MAX
                              ? NULL
                              : aligned_alloc(ROOM_ALIGNMENT, room.used + ROOM_ALIGNMENT);
        room = (struct room){plan->memory[k], 0};
        if (plan->memory[k] == NULL)
            return pps_fault_memory(fault);
    }
    if (!plan_tables_read(replica, &read, fault) ||
        !plan_order_read(replica, count, order, fault))
        return false;
    unpermute(&read, order, &plan->replicas[k]);
    plan->most = count > plan->most ? count : plan->most;
    return true;
}

static bool read_plan(struct dynapipe_shared *shared, const struct pps_document *d,
                      struct pps_fault *fault)
{
    struct shared_plan *plan = &shared->plans[shared->n_plans++];
    const cJSON *replicas = cJSON_GetObjectItemCaseSensitive(d->root, "replicas"), *one;
    const int n = cJSON_IsArray(replicas) ? cJSON_GetArraySize(replicas) : 0;
    plan->pipeline = malloc(sizeof *plan->pipeline);
    plan->replicas = calloc((size_t)n + 1, sizeof *plan->replicas);
    plan->memory = calloc((size_t)n + 1, sizeof *plan->memory);
    if (plan->pipeline == NULL || plan->replicas == NULL || plan->memory == NULL)
        return pps_fault_memory(fault);
    if (!plan_pipeline_read(d->root, plan->pipeline, fault))
        return false;
    cJSON_ArrayForEach (one, replicas)
        if (!read_replica(plan, one, fault))
            return false;
    if (plan->most == 0)
        snprintf(fault->text, sizeof fault->text, "the plan has no micro-batches");
    return plan->most > 0;
}

void dynapipe_values(const void *of, int slot, int i, double *values)
{
    const struct dynapipe_shared *shared = of;
    (void)slot;
    values[0] = shared->plans[i].most;
    values[1] = shared->plans[i].pipeline->pipeline.devices;
    values[2] = shared->plans[i].pipeline->widest;
    values[3] = shared->plans[i].n;
}

// ---- all ------------------------------------------------------------------------------------------

static bool check_whole(const struct dynapipe_shared *shared, struct pps_fault *fault)
{
    if (shared->n_batches == 0)
        return true;
    fault->document = -1;
    if (shared->n_plans > 0) {
        snprintf(fault->text, sizeof fault->text, "name a plan or batches, not both");
        return false;
    }
    if (shared->n_costs == 0)
        snprintf(fault->text, sizeof fault->text,
                 "batches need cost tables; write \"inputs\": {\"costs\": \"FILE\", ...}; "
                 "ppsweep dynaplan tables makes them");
    for (int k = 0; k < shared->n_costs; k++)
        if (shared->costs[k].network.hidden == 0)
            snprintf(fault->text, sizeof fault->text,
                     "the cost tables do not describe the network; add \"network\": "
                     "{\"encoder_layers\": 24, \"hidden\": 1024} to them");
    return fault->text[0] == '\0';
}

static bool read_all(struct dynapipe_shared *shared, const struct pps_document *documents,
                     int n, struct pps_fault *fault)
{
    bool (*const readers[N_SLOTS])(struct dynapipe_shared *, const struct pps_document *,
                                   struct pps_fault *) = {read_costs, read_cluster,
                                                          read_batches, read_plan};
    for (int d = 0; d < n; d++) {
        if (!readers[documents[d].slot](shared, &documents[d], fault)) {
            fault->document = d;
            return false;
        }
    }
    return check_whole(shared, fault);
}

void dynapipe_close(void *of)
{
    struct dynapipe_shared *shared = of;
    if (shared == NULL)
        return;
    for (int k = 0; k < shared->n_costs; k++) {
        for (int t = 0; t < shared->costs[k].n; t++)
            cost_tables_free(&shared->costs[k].tables[t]);
        free(shared->costs[k].tables);
    }
    for (int k = 0; k < shared->n_batches; k++) {
        for (int32_t b = 0; b < shared->batches[k].n; b++)
            batch_free(&shared->batches[k].list[b]);
        free(shared->batches[k].list);
    }
    for (int k = 0; k < shared->n_plans; k++) {
        for (int32_t r = 0; r < shared->plans[k].n; r++)
            free(shared->plans[k].memory[r]);
        free(shared->plans[k].memory);
        free(shared->plans[k].replicas);
        free(shared->plans[k].pipeline);
    }
    free(shared->plans);
    free(shared->costs);
    free(shared->clusters);
    free(shared->batches);
    free(shared);
}

bool dynapipe_open(const struct pps_document *documents, int n, void **out,
                   struct pps_fault *fault)
{
    struct dynapipe_shared *shared = calloc(1, sizeof *shared);
    const size_t most = n > 0 ? (size_t)n : 1;
    *fault = (struct pps_fault){.document = 0};
    if (shared != NULL) {
        shared->costs = calloc(most, sizeof *shared->costs);
        shared->clusters = calloc(most, sizeof *shared->clusters);
        shared->batches = calloc(most, sizeof *shared->batches);
        shared->plans = calloc(most, sizeof *shared->plans);
    }
    *out = shared;
    if (shared != NULL && shared->costs != NULL && shared->clusters != NULL &&
        shared->batches != NULL && shared->plans != NULL &&
        read_all(shared, documents, n, fault))
        return true;
    dynapipe_close(shared);
    *out = NULL;
    return false;
}
