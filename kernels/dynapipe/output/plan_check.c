// SPDX-License-Identifier: Apache-2.0
// Reads and replays plans of steps.
#include "kernels/dynapipe/output/plan_check.h"

#include "base/document/fault.h"
#include "kernels/dynapipe/instructions/instructions_check.h"
#include "kernels/dynapipe/output/plan_read.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9 // relative

enum { NUMBER_MOST = 1 << 28 };

// A plan that is read.
struct reading {
    struct pps_fault *fault;
    struct plan_pipeline plan;
    // Of a replica:
    int32_t count;
    struct micro_batches batches;
    struct instructions instructions;
    struct instruction_check *check;
    double *peaks;
};

static bool refuse(const struct reading *r, const cJSON *item, const char *what)
{
    return pps_fault_set(r->fault, item, false, "%s", what);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool read_real(const struct reading *r,
                      const cJSON *object,
                      const char *name,
                      double *value)
{
    const cJSON *item = member(object, name);
    *value = 0;
    if (!cJSON_IsNumber(item))
        return pps_fault_set(r->fault, item != NULL ? item : object, false,
                             "%s: expected a number", name);
    *value = item->valuedouble;
    return true;
}

// ---- a replica ------------------------------------------------------------------------------------

static void take(struct reading *r, struct room *room)
{
    micro_batches_take(&r->batches, r->count, r->plan.pipeline.stages, room);
    instructions_take(&r->instructions, r->plan.pipeline.devices, r->plan.pipeline.stages,
                      r->plan.widest, r->count, room);
    r->check = instruction_check_take(&r->instructions, r->plan.widest, room);
    r->peaks = room_take(room, (size_t)r->plan.pipeline.devices, sizeof *r->peaks);
}

static bool read_slots(const cJSON *list, struct instruction *i)
{
    const cJSON *one;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > INSTRUCTION_TENSORS)
        return false;
    cJSON_ArrayForEach(one, list) if (!plan_whole_read(one, 0, NUMBER_MOST,
                                                       &i->slot[i->slots++])) return false;
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

static bool read_instructions(const struct reading *r, const cJSON *replica)
{
    const cJSON *lists = member(replica, "instructions"), *slots = member(replica, "slots"),
                *list, *one;
    int32_t d = 0;
    if (!cJSON_IsArray(lists) || cJSON_GetArraySize(lists) != r->plan.pipeline.devices ||
        !cJSON_IsArray(slots) || cJSON_GetArraySize(slots) != r->plan.pipeline.devices)
        return refuse(r, lists != NULL ? lists : replica,
                      "expected \"instructions\" and \"slots\" for each device");
    cJSON_ArrayForEach(list, lists)
    {
        int32_t *n = &r->instructions.n[d];
        *n = 0;
        if (!plan_whole_read(cJSON_GetArrayItem(slots, d), 0, r->instructions.room,
                             &r->instructions.slots[d]))
            return refuse(r, slots, "slots: expected a whole number for each device");
        if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > r->instructions.room)
            return refuse(
                r, list,
                "instructions: expected a list that is not longer than the micro-batches need");
        cJSON_ArrayForEach(one, list) if (
            !read_instruction(
                one,
                instruction_at(&r->instructions, d,
                               (*n)++))) return refuse(r, one,
                                                       "expected an instruction, as in [\"F\", "
                                                       "0, 1, -1, [0], 0]: kind, micro-batch, "
                                                       "stage, peer, slots, tensors");
        d++;
    }
    return true;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

// Compares a replay with what the plan states.
static bool compare(const struct reading *r, const cJSON *replica, double makespan)
{
    const cJSON *peaks = member(replica, "peak_mb");
    double stated;
    if (!read_real(r, replica, "makespan_ms", &stated))
        return false;
    if (!is_same(stated, makespan / 1000))
        return pps_fault_set(r->fault, member(replica, "makespan_ms"), false,
                             "the replay takes %.6f ms, but the plan states %.6f ms",
                             makespan / 1000, stated);
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++) {
        const cJSON *one = cJSON_GetArrayItem(peaks, d);
        if (!cJSON_IsNumber(one) || !is_same(one->valuedouble, r->peaks[d]))
            return pps_fault_set(r->fault, one != NULL ? one : replica, false,
                                 "device %d needs %.6f MB, but the plan states another peak",
                                 (int)d, r->peaks[d]);
    }
    return true;
}

static bool read_replica(struct reading *r, const cJSON *replica)
{
    return plan_tables_read(replica, &r->batches, r->fault) && read_instructions(r, replica);
}

static void add(const struct reading *r, double makespan, struct plan_checked *c)
{
    c->replicas++;
    c->micro_batches += r->count;
    c->makespan = fmax(c->makespan, makespan / 1000);
    for (int32_t d = 0; d < r->plan.pipeline.devices; d++) {
        c->instructions += r->instructions.n[d];
        c->peak = fmax(c->peak, r->peaks[d]);
        c->slack = fmin(c->slack, r->plan.limit[d] - r->peaks[d]);
    }
}

static bool check_replica(struct reading *r,
                          const cJSON *replica,
                          struct plan_checked *c,
                          bool *is_wrong)
{
    char text[512];
    double makespan = 0;
    struct room room = {NULL, 0};
    if (!plan_count_read(replica, &r->count, r->fault))
        return false;
    take(r, &room);
    void *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (memory == NULL) {
        r->fault->text[0] = '\0';
        return false;
    }
    room = (struct room){memory, 0};
    take(r, &room);
    bool done = read_replica(r, replica);
    if (done) {
        *is_wrong = true;
        done = instructions_check(&r->instructions, &r->plan.pipeline, &r->batches, true,
                                  r->check, &makespan, r->peaks, text, sizeof text) ||
               refuse(r, member(replica, "instructions"), text);
        done = done && compare(r, replica, makespan);
    }
    if (done) {
        *is_wrong = false;
        add(r, makespan, c);
    }
    free(memory);
    return done;
}

static bool check_all(struct reading *r,
                      const cJSON *root,
                      struct plan_checked *c,
                      bool *is_wrong)
{
    const cJSON *replicas = member(root, "replicas"), *one;
    double stated;
    if (!cJSON_IsArray(replicas))
        return refuse(r, replicas != NULL ? replicas : root,
                      "replicas: expected a list of plans");
    cJSON_ArrayForEach(one, replicas) if (!check_replica(r, one, c, is_wrong)) return false;
    if (!read_real(r, root, "makespan_ms", &stated))
        return false;
    *is_wrong = !is_same(stated, c->makespan);
    return !*is_wrong ||
           pps_fault_set(r->fault, member(root, "makespan_ms"), false,
                         "the slowest replica takes %.6f ms, but the plan states %.6f ms",
                         c->makespan, stated);
}

bool plan_check(const struct cJSON *root,
                struct plan_checked *checked,
                bool *is_wrong,
                struct pps_fault *fault)
{
    struct reading *r = malloc(sizeof *r);
    *fault = (struct pps_fault){.document = 0};
    *checked = (struct plan_checked){.slack = (double)INFINITY};
    *is_wrong = false;
    if (r == NULL)
        return false;
    r->fault = fault;
    const bool done =
        plan_pipeline_read(root, &r->plan, fault) && check_all(r, root, checked, is_wrong);
    checked->devices = r->plan.pipeline.devices;
    checked->stages = r->plan.pipeline.stages;
    free(r);
    return done;
}
