// SPDX-License-Identifier: Apache-2.0
// Orders that follow a closed rule: 1F1B and interleaved 1F1B.
#include "kernels/dynapipe/methods/methods_private.h"

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void one_f_one_b_make(const struct making *m)
{
    const int32_t n = m->batches->count, devices = m->pipeline->devices;
    lanes_clear(m->lanes);
    for (int32_t d = 0; d < devices; d++) {
        struct lane_operation forward = {.stage = d}, backward = {.stage = d, .backward = true};
        const int32_t warm_up = lesser(n, devices - d);
        while (forward.micro_batch < warm_up) {
            lanes_add(m->lanes, LANE_COMPUTE, d, &forward);
            forward.micro_batch++;
        }
        for (; backward.micro_batch < n; backward.micro_batch++) {
            lanes_add(m->lanes, LANE_COMPUTE, d, &backward);
            if (forward.micro_batch < n) {
                lanes_add(m->lanes, LANE_COMPUTE, d, &forward);
                forward.micro_batch++;
            }
        }
    }
    lanes_send_as_computed(m->lanes, m->pipeline);
}

// ---- interleaved 1F1B -----------------------------------------------------------------------------

struct slots {
    const struct making *making;
    int32_t device, devices, chunks, count;
    bool dense;
    int32_t next[2]; // slots of forwards, of backwards
};

// Returns the number of slots of a direction.
static int32_t slots_of(const struct slots *s)
{
    const int32_t rounds =
        s->dense ? s->count : (s->count + s->devices - 1) / s->devices * s->devices;
    return rounds * s->chunks;
}

// Adds the operation of the next slot of a direction. Returns false if the slot is empty.
static bool take_slot(struct slots *s, int way)
{
    const int32_t d = s->devices, c = s->chunks, k = s->next[way]++, base = k / (d * c) * d,
                  rest = s->count - base, size = rest < d && rest > 0 ? rest : d,
                  row = s->dense ? size : d, within = k - base * c, chunk = within / row,
                  micro_batch = base + within % row;
    if (within % row >= size)
        return false;
    const struct lane_operation op = {.micro_batch = micro_batch,
                                      .stage =
                                          (way == 0 ? chunk : c - 1 - chunk) * d + s->device,
                                      .backward = way == 1};
    lanes_add(s->making->lanes, LANE_COMPUTE, s->device, &op);
    return true;
}

static void make_lane(struct slots *s)
{
    const int32_t all = slots_of(s), d = s->devices, c = s->chunks,
                  usual = 2 * (d - s->device - 1) + (c - 1) * d;
    int32_t warm_up = lesser(usual, s->dense ? all : s->count / d * d * c);
    if (warm_up == 0)
        warm_up = lesser(s->count * c, all);
    while (s->next[0] < warm_up)
        take_slot(s, 0);
    for (bool some = false; !some && s->next[0] < all;)
        some = take_slot(s, 0); // forward turns follow one another until the first forward
    while (s->next[0] < all) {
        take_slot(s, 1);
        take_slot(s, 0);
    }
    while (s->next[1] < all)
        take_slot(s, 1);
}

void interleaved_make(const struct making *m, bool dense)
{
    lanes_clear(m->lanes);
    for (int32_t d = 0; d < m->pipeline->devices; d++) {
        struct slots slots = {.making = m,
                              .device = d,
                              .devices = m->pipeline->devices,
                              .chunks = m->pipeline->stages / m->pipeline->devices,
                              .count = m->batches->count,
                              .dense = dense};
        make_lane(&slots);
    }
    lanes_send_as_computed(m->lanes, m->pipeline);
}
