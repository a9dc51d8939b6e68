// SPDX-License-Identifier: Apache-2.0
// Checks the slots of instructions.
#include "kernels/dynapipe/instructions/instructions_check_private.h"

static bool is_slot(const struct instructions_checking *c, int32_t device, int32_t slot)
{
    return slot >= 0 && slot < c->in->slots[device] && slot <= c->in->room;
}

static bool brings(int kind)
{
    return kind == INSTRUCTION_LOAD || kind == INSTRUCTION_RA || kind == INSTRUCTION_RG;
}

static bool uses(int kind)
{
    return kind == INSTRUCTION_F || kind == INSTRUCTION_B || kind == INSTRUCTION_SA ||
           kind == INSTRUCTION_SG;
}

// Returns the index of the tensors of an instruction: those of the first backward are those of the last forward.
static int64_t tensors_of(const struct instructions_checking *c, const struct instruction *i)
{
    return instructions_cell(c, i) - (i->stage == c->in->stages);
}

// A slot is written while it is free, read while it holds the tensors, and freed once.
static bool check_slot(const struct instructions_checking *c, int32_t device, int32_t k, int t)
{
    const struct instruction *i = instruction_at(c->in, device, k);
    const int32_t slot = i->slot[t];
    if (!is_slot(c, device, slot))
        return instructions_refuse(c, device, k, "slot %d: the device has %d slots", (int)slot,
                                   (int)c->in->slots[device]);
    int64_t *owner = &c->check->owner[slot];
    if (brings(i->kind) && *owner >= 0)
        return instructions_refuse(c, device, k, "slot %d is written while it is in use",
                                   (int)slot);
    if (!brings(i->kind) && *owner < 0)
        return instructions_refuse(c, device, k,
                                   "slot %d is used before it is written, or after it is freed",
                                   (int)slot);
    if (i->kind == INSTRUCTION_FREE) {
        *owner = -1;
        return true;
    }
    struct written *written = &c->check->written[tensors_of(c, i)];
    if (brings(i->kind)) {
        *owner = tensors_of(c, i);
        written->slot[written->n++] = slot;
        return true;
    }
    return (*owner == tensors_of(c, i) && written->slot[t] == slot) ||
           instructions_refuse(c, device, k, "%s %d,%d uses slot %d, which holds other tensors",
                               instruction_names[i->kind], (int)i->micro_batch, (int)i->stage,
                               (int)slot);
}

// Loads and receives write as many slots as they have tensors, passes and sends use all of a pass, and waits none.
static bool check_slot_count(const struct instructions_checking *c, int32_t device, int32_t k)
{
    const struct instruction *i = instruction_at(c->in, device, k);
    if (i->kind == INSTRUCTION_FREE)
        return true;
    const int32_t wanted = brings(i->kind) ? i->tensors
                           : uses(i->kind)
                               ? c->tensors[instruction_stage(c->in->stages, i->stage)]
                               : 0;
    const struct written *written = &c->check->written[tensors_of(c, i)];
    if (brings(i->kind) && written->n + wanted > INSTRUCTION_TENSORS)
        return instructions_refuse(
            c, device, k, "%s %d,%d brings more tensors than its stage has",
            instruction_names[i->kind], (int)i->micro_batch, (int)i->stage);
    return i->slots == wanted ||
           instructions_refuse(c, device, k, "%s %d,%d has %d slots, not %d",
                               instruction_names[i->kind], (int)i->micro_batch, (int)i->stage,
                               (int)i->slots, (int)wanted);
}

bool instructions_check_slots(const struct instructions_checking *c, int32_t device)
{
    int32_t most = 0;
    for (int32_t slot = 0; slot <= c->in->room; slot++)
        c->check->owner[slot] = -1;
    for (int32_t k = 0; k < c->in->n[device]; k++) {
        const struct instruction *i = instruction_at(c->in, device, k);
        if (!check_slot_count(c, device, k))
            return false;
        for (int t = 0; t < i->slots; t++) {
            if (!check_slot(c, device, k, t))
                return false;
            most = i->slot[t] >= most ? i->slot[t] + 1 : most;
        }
    }
    for (int32_t slot = 0; slot < c->in->slots[device]; slot++)
        if (c->check->owner[slot] >= 0)
            return instructions_refuse(c, device, -1, "slot %d is never freed", (int)slot);
    return most == c->in->slots[device] ||
           instructions_refuse(c, device, -1, "%d slots are used, not %d", (int)most,
                               (int)c->in->slots[device]);
}
