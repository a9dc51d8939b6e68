// SPDX-License-Identifier: Apache-2.0
// Writes instructions: starts in order of time, then waits, then slots.
#include "kernels/dynapipe/instructions/instructions.h"

#include <string.h>

const char *const instruction_names[INSTRUCTION_KINDS] = {
    "LOAD", "FREE", "SA", "SAF", "RA", "RAF", "SG", "SGF", "RG", "RGF", "F", "B"};

// Where the tensors of a forward or a backward lie, and what uses them last.
struct holding {
    int32_t slot[INSTRUCTION_TENSORS];
    uint8_t slots;
    int32_t last; // number of the instruction that uses them last
};

struct instruction_room {
    struct instruction *raw; // [devices * room]: without waits and frees
    int32_t *n;              // [devices]
    int32_t *next[LANES];    // [devices]: of a lane
    struct holding *holding; // [count * 2 * stages]: of a micro-batch at a flattened stage
    uint8_t *is_used;        // slots; [room of a device]
    uint8_t *is_done[LANES]; // [count * 2 * stages]: operations that have been written
};

void instructions_take(struct instructions *i, int32_t devices, int32_t stages, int32_t widest,
                       int32_t count, struct room *room)
{
    i->devices = devices;
    i->stages = stages;
    i->count = count;
    i->room = INSTRUCTION_MOST * widest * count;
    i->n = room_take(room, (size_t)devices, sizeof *i->n);
    i->slots = room_take(room, (size_t)devices, sizeof *i->slots);
    i->list = room_take(room, (size_t)devices * (size_t)i->room, sizeof *i->list);
}

struct instruction_room *instruction_room_take(const struct instructions *i, struct room *room)
{
    struct instruction_room *taken = room_take(room, 1, sizeof *taken), counted;
    struct instruction_room *r = taken != NULL ? taken : &counted;
    const size_t devices = (size_t)i->devices, cells = 2 * (size_t)i->stages * (size_t)i->count;
    r->raw = room_take(room, devices * (size_t)i->room, sizeof *r->raw);
    r->n = room_take(room, devices, sizeof *r->n);
    r->holding = room_take(room, cells, sizeof *r->holding);
    r->is_used = room_take(room, (size_t)i->room, sizeof *r->is_used);
    for (int lane = 0; lane < LANES; lane++) {
        r->next[lane] = room_take(room, devices, sizeof *r->next[lane]);
        r->is_done[lane] = room_take(room, cells, sizeof *r->is_done[lane]);
    }
    return taken;
}

struct making {
    struct instructions *out;
    const struct dynapipe_pipeline *pipeline;
    const struct lanes *lanes;
    const struct lanes_times *times;
    const int32_t *tensors;
    bool reuses;
    struct instruction_room *room;
};

static int32_t flattened(const struct making *m, const struct lane_operation *op)
{
    return op->backward ? 2 * m->out->stages - 1 - op->stage : op->stage;
}

static int64_t cell_of(const struct making *m, int32_t micro_batch, int32_t stage)
{
    return (int64_t)micro_batch * 2 * m->out->stages + stage;
}

// ---- starts ---------------------------------------------------------------------------------------

static void add(const struct making *m, int32_t device, enum instruction_kind kind,
                int32_t micro_batch, int32_t stage, int32_t peer, int32_t tensors)
{
    struct instruction_room *r = m->room;
    r->raw[(int64_t)device * m->out->room + r->n[device]++] =
        (struct instruction){.kind = (uint8_t)kind,
                             .tensors = (uint8_t)tensors,
                             .micro_batch = micro_batch,
                             .stage = stage,
                             .peer = peer};
}

static void add_compute(const struct making *m, int32_t device, const struct lane_operation *op)
{
    const int32_t stage = flattened(m, op), loaded = instruction_loaded(m->tensors, op->stage);
    if (!op->backward && loaded > 0)
        add(m, device, INSTRUCTION_LOAD, op->micro_batch, stage, -1, loaded);
    add(m, device, op->backward ? INSTRUCTION_B : INSTRUCTION_F, op->micro_batch, stage, -1, 0);
}

// Both sides of a transfer start it at the same moment. A gradient has the tensors of the stage that receives it.
static void add_transfer(const struct making *m, int32_t device,
                         const struct lane_operation *op)
{
    const int32_t to = op->backward ? op->stage - 1 : op->stage + 1, stage = flattened(m, op),
                  peer = m->pipeline->device_of[to],
                  tensors = m->tensors[op->backward ? to : op->stage];
    add(m, device, op->backward ? INSTRUCTION_SG : INSTRUCTION_SA, op->micro_batch, stage, peer,
        tensors);
    add(m, peer, op->backward ? INSTRUCTION_RG : INSTRUCTION_RA, op->micro_batch, stage + 1,
        device, tensors);
}

// Returns whether the operation before this one in its chain has been written.
static bool may_start(const struct making *m, enum lane lane, const struct lane_operation *op)
{
    const int32_t stage = flattened(m, op);
    if (lane == LANE_SEND)
        return m->room->is_done[LANE_COMPUTE][cell_of(m, op->micro_batch, stage)];
    if (stage == 0)
        return true;
    return m->room->is_done[stage == m->out->stages ? LANE_COMPUTE : LANE_SEND]
                           [cell_of(m, op->micro_batch, stage - 1)];
}

// Finds the lane whose next operation starts first; of equal times a send lane, then the lowest device. Returns false
// behind the last operation.
static bool find_next(const struct making *m, enum lane *lane, int32_t *device)
{
    double first = 0;
    bool found = false;
    for (int l = LANE_SEND; l >= LANE_COMPUTE; l--)
        for (int32_t d = 0; d < m->out->devices; d++) {
            const int32_t next = m->room->next[l][d];
            if (next == m->lanes->n[l][d])
                continue;
            const struct lane_operation *op =
                &m->lanes->operations[l][lanes_at(m->lanes, d, next)];
            const double start = lanes_start(m->times, (enum lane)l, op);
            if ((!found || start < first) && may_start(m, (enum lane)l, op)) {
                found = true;
                first = start;
                *lane = (enum lane)l;
                *device = d;
            }
        }
    return found;
}

static void add_starts(const struct making *m)
{
    enum lane lane;
    int32_t device;
    const size_t cells = 2 * (size_t)m->out->stages * (size_t)m->out->count;
    memset(m->room->n, 0, (size_t)m->out->devices * sizeof *m->room->n);
    for (int l = 0; l < LANES; l++) {
        memset(m->room->next[l], 0, (size_t)m->out->devices * sizeof *m->room->next[l]);
        memset(m->room->is_done[l], 0, cells);
    }
    while (find_next(m, &lane, &device)) {
        const struct lane_operation *op =
            &m->lanes
                 ->operations[lane][lanes_at(m->lanes, device, m->room->next[lane][device]++)];
        if (lane == LANE_COMPUTE)
            add_compute(m, device, op);
        else
            add_transfer(m, device, op);
        m->room->is_done[lane][cell_of(m, op->micro_batch, flattened(m, op))] = 1;
    }
}

// ---- waits ----------------------------------------------------------------------------------------

static void append(const struct making *m, int32_t device, const struct instruction *i)
{
    *instruction_at(m->out, device, m->out->n[device]++) = *i;
}

static void wait_for(const struct making *m, int32_t device, enum instruction_kind kind,
                     int32_t micro_batch, int32_t stage, int32_t peer)
{
    const struct instruction wait = {.kind = (uint8_t)kind,
                                     .micro_batch = micro_batch,
                                     .stage = stage,
                                     .peer = peer};
    append(m, device, &wait);
}

// A pass waits for its input; a backward for the activation that its stage has sent, too.
static void add_waits(const struct making *m, int32_t device, const struct instruction *i)
{
    const int32_t stages = m->out->stages, last = stages - 1,
                  s = instruction_stage(stages, i->stage);
    const int32_t *device_of = m->pipeline->device_of;
    if (i->kind == INSTRUCTION_F && s > 0)
        wait_for(m, device, INSTRUCTION_RAF, i->micro_batch, i->stage, device_of[s - 1]);
    if (i->kind == INSTRUCTION_B && s < last) {
        wait_for(m, device, INSTRUCTION_RGF, i->micro_batch, i->stage, device_of[s + 1]);
        wait_for(m, device, INSTRUCTION_SAF, i->micro_batch, s, device_of[s + 1]);
    }
}

static void add_device(const struct making *m, int32_t device)
{
    const struct instruction *raw = m->room->raw + (int64_t)device * m->out->room;
    m->out->n[device] = 0;
    for (int32_t k = 0; k < m->room->n[device]; k++) {
        add_waits(m, device, &raw[k]);
        append(m, device, &raw[k]);
    }
    for (int32_t k = 0; k < m->room->n[device]; k++)
        if (raw[k].kind == INSTRUCTION_SG)
            wait_for(m, device, INSTRUCTION_SGF, raw[k].micro_batch, raw[k].stage, raw[k].peer);
}

// ---- slots ----------------------------------------------------------------------------------------

static bool brings(const struct instruction *i)
{
    return i->kind == INSTRUCTION_LOAD || i->kind == INSTRUCTION_RA ||
           i->kind == INSTRUCTION_RG;
}

static bool uses(const struct instruction *i)
{
    return i->kind == INSTRUCTION_F || i->kind == INSTRUCTION_B || i->kind == INSTRUCTION_SA ||
           i->kind == INSTRUCTION_SG;
}

// Returns the tensors of an instruction: those of the first backward are those of the last forward.
static struct holding *holding_of(const struct making *m, const struct instruction *i)
{
    const int32_t stage = i->stage == m->out->stages ? i->stage - 1 : i->stage;
    return &m->room->holding[cell_of(m, i->micro_batch, stage)];
}

static void find_last_uses(const struct making *m, int32_t device)
{
    for (int32_t k = 0; k < m->out->n[device]; k++) {
        const struct instruction *i = instruction_at(m->out, device, k);
        if (brings(i) || uses(i)) {
            struct holding *h = holding_of(m, i);
            h->slots = 0;
            h->last = k;
        }
    }
}

static int32_t take_slot(const struct making *m, int32_t device)
{
    int32_t slot = 0;
    if (!m->reuses)
        return m->out->slots[device]++;
    while (m->room->is_used[slot])
        slot++;
    m->room->is_used[slot] = 1;
    if (slot >= m->out->slots[device])
        m->out->slots[device] = slot + 1;
    return slot;
}

// Received tensors come before loaded ones.
static void take_slots(const struct making *m, int32_t device, struct instruction *i)
{
    struct holding *h = holding_of(m, i);
    for (int32_t t = 0; t < i->tensors; t++)
        i->slot[i->slots++] = h->slot[h->slots++] = take_slot(m, device);
}

static void use_slots(const struct making *m, struct instruction *i)
{
    const struct holding *h = holding_of(m, i);
    i->slots = h->slots;
    memcpy(i->slot, h->slot, sizeof i->slot);
}

// Copies the instructions of a device behind themselves, with slots and frees.
static void add_slots(const struct making *m, int32_t device)
{
    struct instruction *raw = m->room->raw + (int64_t)device * m->out->room;
    const int32_t n = m->out->n[device];
    find_last_uses(m, device);
    memcpy(raw, instruction_at(m->out, device, 0), (size_t)n * sizeof *raw);
    memset(m->room->is_used, 0, (size_t)m->out->room);
    m->out->n[device] = m->out->slots[device] = 0;
    for (int32_t k = 0; k < n; k++) {
        struct instruction *i = &raw[k];
        if (brings(i))
            take_slots(m, device, i);
        if (uses(i))
            use_slots(m, i);
        append(m, device, i);
        if (!uses(i) || holding_of(m, i)->last != k)
            continue;
        struct instruction free = {.kind = INSTRUCTION_FREE,
                                   .slots = i->slots,
                                   .micro_batch = -1,
                                   .stage = -1,
                                   .peer = -1};
        memcpy(free.slot, i->slot, sizeof free.slot);
        append(m, device, &free);
        for (int t = 0; t < free.slots; t++)
            m->room->is_used[free.slot[t]] = 0;
    }
}

void instructions_make(struct instructions *instructions,
                       const struct dynapipe_pipeline *pipeline, const struct lanes *lanes,
                       const struct lanes_times *times, const int32_t *tensors, bool reuses,
                       struct instruction_room *room)
{
    const struct making making = {instructions, pipeline, lanes, times, tensors, reuses, room};
    add_starts(&making);
    for (int32_t d = 0; d < instructions->devices; d++) {
        add_device(&making, d);
        add_slots(&making, d);
    }
}
