// SPDX-License-Identifier: Apache-2.0
// Reads and replays plans of steps.
#include "kernels/dynapipe/output/plan_check.h"

#include "base/document/fault.h"
#include "base/document/json.h"
#include "kernels/dynapipe/output/plan_check_private.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 1 << 28 };

// ---- a replica ------------------------------------------------------------------------------------

static void take(struct plan_reading *r, struct room *room)
{
    micro_batches_take(&r->batches, r->count, r->plan.pipeline.stages, room);
    instructions_take(&r->instructions, r->plan.pipeline.devices, r->plan.pipeline.stages,
                      r->plan.widest, r->count, room);
    r->check = instruction_check_take(&r->instructions, r->plan.widest, room);
    r->peaks = room_take(room, (size_t)r->plan.pipeline.devices, sizeof *r->peaks);
    r->order = room_take(room, (size_t)r->count, sizeof *r->order);
    r->plain =
        room_take(room, (size_t)r->count * (size_t)r->plan.pipeline.stages, sizeof *r->plain);
}

static bool read_slots(const cJSON *list, struct instruction *i)
{
    const cJSON *one;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > INSTRUCTION_TENSORS)
        return false;
    cJSON_ArrayForEach (one, list)
        if (!plan_whole_read(one, 0, NUMBER_MOST, &i->slot[i->slots++]))
            return false;
    return true;
}

static bool read_instruction(const cJSON *item, struct instruction *i)
{
    const cJSON *part = cJSON_IsArray(item) ? item->child : NULL;
    int32_t tensors = 0;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 6 || !cJSON_IsString(part))
        return false;
    *i = (struct instruction){.kind = 0};
    while (i->kind < INSTRUCTION_KINDS &&
           strcmp(part->valuestring, instruction_names[i->kind]) != 0)
        i->kind++;
    const cJSON *m = part->next, *stage = m->next, *peer = stage->next, *slots = peer->next;
    const bool known =
        i->kind < INSTRUCTION_KINDS && plan_whole_read(m, -1, NUMBER_MOST, &i->micro_batch) &&
        plan_whole_read(stage, -1, NUMBER_MOST, &i->stage) &&
        plan_whole_read(peer, -1, NUMBER_MOST, &i->peer) && read_slots(slots, i) &&
        plan_whole_read(slots->next, 0, INSTRUCTION_TENSORS, &tensors);
    i->tensors = (uint8_t)tensors;
    return known;
}

static bool read_instructions(struct plan_reading *r, const cJSON *replica)
{
    const cJSON *lists = pps_json_member(replica, "instructions"),
                *slots = pps_json_member(replica, "slots"), *list, *one;
    int32_t d = 0;
    if (!cJSON_IsArray(lists) || cJSON_GetArraySize(lists) != r->plan.pipeline.devices ||
        !cJSON_IsArray(slots) || cJSON_GetArraySize(slots) != r->plan.pipeline.devices)
        return plan_refuse(r, lists != NULL ? lists : replica,
                           "expected \"instructions\" and \"slots\" for each device");
    cJSON_ArrayForEach (list, lists) {
        int32_t *n = &r->instructions.n[d];
        *n = 0;
        if (!plan_whole_read(cJSON_GetArrayItem(slots, d), 0, r->instructions.room,
                             &r->instructions.slots[d]))
            return plan_refuse(r, slots, "slots: expected a whole number for each device");
        if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > r->instructions.room)
            return plan_refuse(
                r, list,
                "instructions: expected a list that is not longer than the micro-batches need");
        cJSON_ArrayForEach (one, list)
            if (!read_instruction(one, instruction_at(&r->instructions, d, (*n)++)))
                return plan_refuse(r, one,
                                   "expected an instruction, as in [\"F\", "
                                   "0, 1, -1, [0], 0]: kind, micro-batch, "
                                   "stage, peer, slots, tensors");
        d++;
    }
    return true;
}

// Returns whether the tables say what the backwards take without the recomputation of the micro-batches.
static bool has_plain(const cJSON *replica)
{
    const cJSON *batch, *type;
    if (pps_json_member(replica, "plain_backward_us") != NULL)
        return true;
    cJSON_ArrayForEach (batch, pps_json_member(replica, "micro_batches"))
        cJSON_ArrayForEach (type, pps_json_member(batch, "recompute"))
            if (type->valuedouble > 0)
                return false;
    return true;
}

static bool read_replica(struct plan_reading *r, const cJSON *replica)
{
    if (pps_json_member(replica, "backward_peak_mb") == NULL)
        return plan_refuse(r, replica, "backward_peak_mb: missing");
    if (!has_plain(replica))
        return plan_refuse(r, replica,
                           "plain_backward_us: missing, though micro-batches recompute");
    return plan_order_read(replica, r->count, r->order, r->fault) &&
           plan_tables_read(replica, &r->batches, r->fault) &&
           plan_plain_read(replica, &r->batches, r->plain, r->fault) &&
           read_instructions(r, replica);
}

static void add(const struct plan_reading *r, struct plan_checked *c)
{
    c->replicas++;
    c->micro_batches += r->count;
    c->makespan = fmax(c->makespan, r->makespan / 1000);
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++) {
        c->instructions += r->instructions.n[d];
        c->peak = fmax(c->peak, r->peaks[d]);
        c->slack = fmin(c->slack, r->plan.limit[d] - r->peaks[d]);
    }
}

static bool replay(struct plan_reading *r, const cJSON *replica)
{
    char text[512];
    return instructions_check(&r->instructions, &r->plan.pipeline, &r->batches, r->plan.tensors,
                              true, r->check, &r->makespan, r->peaks, text, sizeof text) ||
           plan_wrong(r, pps_json_member(replica, "instructions"), "%s", text);
}

static bool check_replica(struct plan_reading *r, const cJSON *replica, struct plan_checked *c)
{
    struct room room = {NULL, 0};
    if (!plan_count_read(replica, &r->count, r->fault))
        return false;
    take(r, &room);
    void *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (memory == NULL)
        return pps_fault_memory(r->fault);
    room = (struct room){memory, 0};
    take(r, &room);
    const bool done =
        read_replica(r, replica) && replay(r, replica) && plan_check_replica(r, replica);
    if (done)
        add(r, c);
    free(memory);
    return done;
}

static bool check_all(struct plan_reading *r, const cJSON *root, struct plan_checked *c)
{
    const cJSON *replicas = pps_json_member(root, "replicas"), *one,
                *compat = pps_json_member(root, "compat");
    r->is_proven = true;
    r->as_published = cJSON_IsString(compat) && strcmp(compat->valuestring, "orig") == 0;
    if (!cJSON_IsArray(replicas))
        return plan_refuse(r, replicas != NULL ? replicas : root,
                           "replicas: expected a list of plans");
    cJSON_ArrayForEach (one, replicas)
        if (!check_replica(r, one, c))
            return false;
    return plan_states_word(r, root, "status", "planned") && plan_check_step(r, root) &&
           plan_check_samples(r, root);
}

bool plan_check(const struct cJSON *root, struct plan_checked *checked, bool *is_wrong,
                struct pps_fault *fault)
{
    struct plan_reading *r = calloc(1, sizeof *r);
    *fault = (struct pps_fault){.document = 0};
    *checked = (struct plan_checked){.slack = (double)INFINITY};
    *is_wrong = false;
    if (r == NULL)
        return false;
    r->fault = fault;
    const bool done = plan_pipeline_read(root, &r->plan, fault) && check_all(r, root, checked);
    *is_wrong = r->is_wrong;
    checked->devices = r->plan.pipeline.devices;
    checked->stages = r->plan.pipeline.stages;
    free(r);
    return done;
}
