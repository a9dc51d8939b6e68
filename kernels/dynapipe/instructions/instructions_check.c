// SPDX-License-Identifier: Apache-2.0
// Checks instructions.
#include "kernels/dynapipe/instructions/instructions_check_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE_MB 1e-6

struct instruction_check *instruction_check_take(const struct instructions *i, int32_t widest,
                                                 struct room *room)
{
    struct instruction_check *taken = room_take(room, 1, sizeof *taken), counted;
    struct instruction_check *c = taken != NULL ? taken : &counted;
    const size_t cells = 2 * (size_t)i->stages * (size_t)i->count;
    lanes_take(&c->lanes, i->devices, 2 * widest * i->count, room);
    c->times = lanes_times_take(i->devices, i->stages, i->count, room);
    c->seen = room_take(room, cells * INSTRUCTION_KINDS, sizeof *c->seen);
    c->next = room_take(room, (size_t)i->devices, sizeof *c->next);
    c->written = room_take(room, cells, sizeof *c->written);
    c->owner = room_take(room, (size_t)i->room + 1, sizeof *c->owner);
    return taken;
}

bool instructions_refuse(const struct instructions_checking *c, int32_t device, int32_t k,
                         const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (k >= 0)
        snprintf(c->text, c->size, "device %d, instruction %d: %s", (int)device, (int)k, what);
    else if (device >= 0)
        snprintf(c->text, c->size, "device %d: %s", (int)device, what);
    else
        snprintf(c->text, c->size, "%s", what);
    return false;
}

static int32_t *seen(const struct instructions_checking *c, int kind, int64_t cell)
{
    return &c->check->seen[(int64_t)kind * 2 * c->in->stages * c->in->count + cell];
}

// ---- single instructions --------------------------------------------------------------------------

// Returns the stage that an instruction runs at: receives belong to the stage that they feed.
static bool is_on_device(const struct instructions_checking *c, int32_t device,
                         const struct instruction *i)
{
    return c->pipeline->device_of[instruction_stage(c->in->stages, i->stage)] == device;
}

static bool is_forward_kind(int kind)
{
    return kind == INSTRUCTION_LOAD || kind == INSTRUCTION_F || kind == INSTRUCTION_SA ||
           kind == INSTRUCTION_SAF || kind == INSTRUCTION_RA || kind == INSTRUCTION_RAF;
}

static bool is_transfer(int kind)
{
    return kind >= INSTRUCTION_SA && kind <= INSTRUCTION_RGF;
}

// Returns the device at the other end of a transfer; -1: the instruction is none.
static int32_t peer_of(const struct instructions_checking *c, const struct instruction *i)
{
    const int32_t n = 2 * c->in->stages;
    const bool sends = i->kind == INSTRUCTION_SA || i->kind == INSTRUCTION_SAF ||
                       i->kind == INSTRUCTION_SG || i->kind == INSTRUCTION_SGF,
               receives = i->kind == INSTRUCTION_RA || i->kind == INSTRUCTION_RAF ||
                          i->kind == INSTRUCTION_RG || i->kind == INSTRUCTION_RGF;
    const int32_t other = sends ? i->stage + 1 : i->stage - 1;
    if ((!sends && !receives) || other < 0 || other >= n ||
        (i->stage < c->in->stages) != (other < c->in->stages))
        return -1;
    return c->pipeline->device_of[instruction_stage(c->in->stages, other)];
}

// Returns the tensors that an instruction must carry: a gradient has those of the stage that receives it.
static int32_t carried(const struct instructions_checking *c, const struct instruction *i)
{
    const int32_t s = instruction_stage(c->in->stages, i->stage);
    switch (i->kind) {
    case INSTRUCTION_LOAD:
        return instruction_loaded(c->tensors, s);
    case INSTRUCTION_SA:
    case INSTRUCTION_RG:
        return c->tensors[s];
    case INSTRUCTION_RA:
    case INSTRUCTION_SG:
        return c->tensors[s - 1];
    default:
        return 0;
    }
}

static int start_of(int kind)
{
    return kind == INSTRUCTION_SAF   ? INSTRUCTION_SA
           : kind == INSTRUCTION_RAF ? INSTRUCTION_RA
           : kind == INSTRUCTION_SGF ? INSTRUCTION_SG
           : kind == INSTRUCTION_RGF ? INSTRUCTION_RG
                                     : -1;
}

static bool check_one(const struct instructions_checking *c, int32_t device, int32_t k)
{
    const struct instruction *i = instruction_at(c->in, device, k);
    const char *name = i->kind < INSTRUCTION_KINDS ? instruction_names[i->kind] : "?";
    if (i->kind == INSTRUCTION_FREE)
        return (i->micro_batch == -1 && i->stage == -1 && i->peer == -1 && i->tensors == 0 &&
                i->slots > 0) ||
               instructions_refuse(c, device, k, "FREE names slots alone");
    if (i->kind >= INSTRUCTION_KINDS || i->micro_batch < 0 || i->micro_batch >= c->in->count ||
        i->stage < 0 || i->stage >= 2 * c->in->stages ||
        is_forward_kind(i->kind) != (i->stage < c->in->stages))
        return instructions_refuse(c, device, k,
                                   "%s of micro-batch %d at flattened stage %d does not exist",
                                   name, (int)i->micro_batch, (int)i->stage);
    if (is_transfer(i->kind) && peer_of(c, i) < 0)
        return instructions_refuse(c, device, k, "%s %d,%d: there is no transfer at this stage",
                                   name, (int)i->micro_batch, (int)i->stage);
    if (!is_on_device(c, device, i))
        return instructions_refuse(
            c, device, k, "%s %d,%d belongs to device %d", name, (int)i->micro_batch,
            (int)i->stage,
            (int)c->pipeline->device_of[instruction_stage(c->in->stages, i->stage)]);
    if (i->peer != peer_of(c, i))
        return instructions_refuse(c, device, k, "%s %d,%d has the peer %d, not %d", name,
                                   (int)i->micro_batch, (int)i->stage, (int)i->peer,
                                   (int)peer_of(c, i));
    if (i->tensors != carried(c, i) || (i->kind == INSTRUCTION_LOAD && i->tensors == 0))
        return instructions_refuse(c, device, k, "%s %d,%d has %d tensors, not %d", name,
                                   (int)i->micro_batch, (int)i->stage, (int)i->tensors,
                                   (int)carried(c, i));
    int32_t *is_seen = seen(c, i->kind, instructions_cell(c, i));
    if (*is_seen > 0)
        return instructions_refuse(c, device, k, "%s %d,%d appears twice", name,
                                   (int)i->micro_batch, (int)i->stage);
    if (start_of(i->kind) >= 0 && *seen(c, start_of(i->kind), instructions_cell(c, i)) == 0)
        return instructions_refuse(c, device, k,
                                   "%s %d,%d waits for a transfer that has not started", name,
                                   (int)i->micro_batch, (int)i->stage);
    *is_seen = k + 1;
    return true;
}

// A pass runs behind the wait for its input.
static bool check_input(const struct instructions_checking *c, int32_t device, int32_t k)
{
    const struct instruction *i = instruction_at(c->in, device, k);
    const int32_t n = c->in->stages;
    const bool forward = i->kind == INSTRUCTION_F;
    if ((!forward && i->kind != INSTRUCTION_B) || i->stage == 0 || i->stage == n)
        return true;
    return *seen(c, forward ? INSTRUCTION_RAF : INSTRUCTION_RGF, instructions_cell(c, i)) > 0 ||
           instructions_refuse(c, device, k, "%s %d,%d runs before its input has been received",
                               instruction_names[i->kind], (int)i->micro_batch, (int)i->stage);
}

// ---- transfers ------------------------------------------------------------------------------------

static bool is_start(int kind)
{
    return kind == INSTRUCTION_SA || kind == INSTRUCTION_RA || kind == INSTRUCTION_SG ||
           kind == INSTRUCTION_RG;
}

// Moves to the next start of a transfer. Returns NULL behind the last one.
static const struct instruction *head(const struct instructions_checking *c, int32_t device)
{
    int32_t *next = &c->check->next[device];
    while (*next < c->in->n[device] && !is_start(instruction_at(c->in, device, *next)->kind))
        ++*next;
    return *next < c->in->n[device] ? instruction_at(c->in, device, *next) : NULL;
}

static bool match(const struct instruction *a, const struct instruction *b)
{
    static const int other[INSTRUCTION_KINDS] = {[INSTRUCTION_SA] = INSTRUCTION_RA,
                                                 [INSTRUCTION_RA] = INSTRUCTION_SA,
                                                 [INSTRUCTION_SG] = INSTRUCTION_RG,
                                                 [INSTRUCTION_RG] = INSTRUCTION_SG};
    const bool sends = a->kind == INSTRUCTION_SA || a->kind == INSTRUCTION_SG;
    return b->kind == other[a->kind] && a->micro_batch == b->micro_batch &&
           b->stage == a->stage + (sends ? 1 : -1) && a->tensors == b->tensors;
}

// Takes heads of devices that name each other until all are taken.
static bool check_transfers(const struct instructions_checking *c)
{
    memset(c->check->next, 0, (size_t)c->in->devices * sizeof *c->check->next);
    for (bool moves = true; moves;) {
        moves = false;
        for (int32_t d = 0; d < c->in->devices; d++) {
            const struct instruction *a = head(c, d);
            if (a == NULL)
                continue;
            const struct instruction *b = head(c, a->peer);
            if (b == NULL)
                return instructions_refuse(c, d, c->check->next[d],
                                           "%s %d,%d: device %d starts no further transfer",
                                           instruction_names[a->kind], (int)a->micro_batch,
                                           (int)a->stage, (int)a->peer);
            if (b->peer != d)
                continue;
            if (!match(a, b))
                return instructions_refuse(c, d, c->check->next[d],
                                           "%s %d,%d meets %s %d,%d of device %d",
                                           instruction_names[a->kind], (int)a->micro_batch,
                                           (int)a->stage, instruction_names[b->kind],
                                           (int)b->micro_batch, (int)b->stage, (int)a->peer);
            c->check->next[d]++;
            c->check->next[a->peer]++;
            moves = true;
        }
    }
    for (int32_t d = 0; d < c->in->devices; d++)
        if (head(c, d) != NULL)
            return instructions_refuse(c, d, c->check->next[d],
                                       "deadlock: devices wait for each other's transfers");
    return true;
}

// ---- replay ---------------------------------------------------------------------------------------

// Returns whether a micro-batch needs an instruction at a flattened stage.
static bool is_needed(const struct instructions_checking *c, int kind, int32_t stage)
{
    const int32_t n = c->in->stages;
    if (kind == INSTRUCTION_FREE || is_forward_kind(kind) != (stage < n))
        return false;
    switch (kind) {
    case INSTRUCTION_LOAD:
        return instruction_loaded(c->tensors, stage) > 0;
    case INSTRUCTION_SA:
    case INSTRUCTION_SAF:
        return stage < n - 1;
    case INSTRUCTION_RA:
    case INSTRUCTION_RAF:
        return stage > 0;
    case INSTRUCTION_SG:
    case INSTRUCTION_SGF:
        return stage < 2 * n - 1;
    case INSTRUCTION_RG:
    case INSTRUCTION_RGF:
        return stage > n;
    default:
        return true; // a pass
    }
}

static bool check_cell(const struct instructions_checking *c, int32_t m, int32_t stage)
{
    static const int order[] = {INSTRUCTION_F,   INSTRUCTION_B,   INSTRUCTION_LOAD,
                                INSTRUCTION_SA,  INSTRUCTION_RA,  INSTRUCTION_SG,
                                INSTRUCTION_RG,  INSTRUCTION_SAF, INSTRUCTION_RAF,
                                INSTRUCTION_SGF, INSTRUCTION_RGF};
    const int64_t cell = (int64_t)m * 2 * c->in->stages + stage;
    const bool forward = stage < c->in->stages;
    const int pass = forward ? INSTRUCTION_F : INSTRUCTION_B,
              send = forward ? INSTRUCTION_SA : INSTRUCTION_SG;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (is_needed(c, order[k], stage) && *seen(c, order[k], cell) == 0)
            return instructions_refuse(c, -1, -1, "%s %d,%d is missing",
                                       instruction_names[order[k]], (int)m, (int)stage);
    const int32_t sent = *seen(c, send, cell);
    return sent == 0 || sent > *seen(c, pass, cell) ||
           instructions_refuse(c, -1, -1, "%s %d,%d sends what has not been computed",
                               instruction_names[send], (int)m, (int)stage);
}

static bool is_complete(const struct instructions_checking *c)
{
    for (int32_t m = 0; m < c->in->count; m++)
        for (int32_t stage = 0; stage < 2 * c->in->stages; stage++)
            if (!check_cell(c, m, stage))
                return false;
    return true;
}

static void add_lane(const struct instructions_checking *c, int32_t device,
                     const struct instruction *i)
{
    const bool compute = i->kind == INSTRUCTION_F || i->kind == INSTRUCTION_B,
               send = i->kind == INSTRUCTION_SA || i->kind == INSTRUCTION_SG;
    const struct lane_operation op = {.micro_batch = i->micro_batch,
                                      .stage = instruction_stage(c->in->stages, i->stage),
                                      .backward = i->stage >= c->in->stages};
    if (compute || send)
        lanes_add(&c->check->lanes, compute ? LANE_COMPUTE : LANE_SEND, device, &op);
}

static bool replay(const struct instructions_checking *c, bool checks_memory, double *makespan,
                   double *peaks)
{
    lanes_clear(&c->check->lanes);
    for (int32_t d = 0; d < c->in->devices; d++)
        for (int32_t k = 0; k < c->in->n[d]; k++)
            add_lane(c, d, instruction_at(c->in, d, k));
    if (!lanes_execute(c->check->times, c->pipeline, c->batches, &c->check->lanes))
        return instructions_refuse(
            c, -1, -1, "deadlock: passes wait for each other, or a transfer is missing");
    *makespan = lanes_makespan(c->check->times);
    for (int32_t d = 0; d < c->in->devices; d++) {
        peaks[d] = lanes_peak(&c->check->lanes, c->pipeline, c->batches, d);
        if (checks_memory && peaks[d] > c->pipeline->limit[d] + TOLERANCE_MB)
            return instructions_refuse(c, d, -1,
                                       "the peak of %.3f MB exceeds the limit of %.3f MB",
                                       peaks[d], c->pipeline->limit[d]);
    }
    return true;
}

bool instructions_check(const struct instructions *instructions,
                        const struct dynapipe_pipeline *pipeline,
                        const struct micro_batches *batches, const int32_t *tensors,
                        bool checks_memory, struct instruction_check *check, double *makespan,
                        double *peaks, char *text, size_t size)
{
    const struct instructions_checking c = {instructions, pipeline, batches, tensors,
                                            check,        text,     size};
    const size_t cells = 2 * (size_t)instructions->stages * (size_t)instructions->count;
    memset(check->seen, 0, cells * INSTRUCTION_KINDS * sizeof *check->seen);
    memset(check->written, 0, cells * sizeof *check->written);
    for (int32_t d = 0; d < instructions->devices; d++) {
        for (int32_t k = 0; k < instructions->n[d]; k++)
            if (!check_one(&c, d, k) || !check_input(&c, d, k))
                return false;
        if (!instructions_check_slots(&c, d))
            return false;
    }
    return is_complete(&c) && check_transfers(&c) && replay(&c, checks_memory, makespan, peaks);
}
