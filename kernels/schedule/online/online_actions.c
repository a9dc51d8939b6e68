// SPDX-License-Identifier: Apache-2.0
// Finds what a free device can do: operations whose input is here and whose memory fits, such that every
// micro-batch can still be finished.
#include "kernels/schedule/online/online_private.h"

// After the forward, let n(c) be the number of forwards of chunk c. The oldest micro-batch that has passed
// chunk c but not chunk c + 1 needs the memory of the chunks behind c. Nothing of a later micro-batch
// can be freed before. All older ones can finish and free their memory. So, for each c:
//     kept(c + 1) + ... + kept(last) + sum over c' <= c of kept(c') (n(c') - n(c + 1)) <= limit - fixed.
// This is necessary as well. See model.md.
static bool online_guard(const struct online *e, int32_t stage)
{
    const int32_t d = e->stage[stage].device;
    const int32_t *stages = &e->stages[e->first[d]];
    const int32_t n_chunks = e->device[d].n_chunks;
    const double room = e->room[d] - e->pipeline->fixed[d];
    if (e->device[d].used + e->stage[stage].kept > e->room[d])
        return false;
    double behind = 0;
    for (int32_t c = n_chunks - 2; c >= 0; c--) {
        behind += e->stage[stages[c + 1]].kept;
        const int32_t next = e->stage[stages[c + 1]].started[0] + (stages[c + 1] == stage);
        if (e->stage[stages[c]].started[0] + (stages[c] == stage) <= next)
            continue;
        double needed = behind;
        for (int32_t k = 0; k <= c; k++) {
            const struct online_stage *chunk = &e->stage[stages[k]];
            needed += chunk->kept * (chunk->started[0] + (stages[k] == stage) - next);
        }
        if (needed > room)
            return false;
    }
    return true;
}

static void add(struct online *e, int32_t stage, int32_t type)
{
    const struct online_stage *s = &e->stage[stage];
    const int32_t item = s->started[type];
    e->candidate[e->decision.n++] =
        (struct online_candidate){.type = type,
                                  .chunk = s->chunk,
                                  .stage = stage,
                                  .item = item,
                                  .at = e->position[type][online_index(e, stage, item)],
                                  .nominal = s->time[type]};
}

int32_t online_candidates(struct online *e, int32_t device)
{
    e->decision.n = 0;
    for (int32_t i = e->first[device]; i < e->first[device + 1]; i++) {
        const int32_t s = e->stages[i];
        const struct online_stage *stage = &e->stage[s];
        if (online_is_here(e, OPERATION_F, s) && online_guard(e, s))
            add(e, s, OPERATION_F);
        if (online_is_here(e, OPERATION_B, s))
            add(e, s, OPERATION_B);
        if (stage->started[OPERATION_W] < stage->started[OPERATION_B])
            add(e, s, OPERATION_W);
    }
    return e->decision.n;
}

double online_next_arrival(const struct online *e, int32_t device)
{
    double next = (double)INFINITY;
    for (int32_t i = e->first[device]; i < e->first[device + 1]; i++) {
        const int32_t s = e->stages[i];
        for (int32_t type = OPERATION_F; type <= OPERATION_B; type++) {
            const int32_t item = e->stage[s].started[type];
            if (item == e->items)
                continue;
            const double arrival = e->input[type][online_index(e, s, item)].arrival;
            if (arrival > e->now && arrival < next)
                next = arrival;
        }
    }
    return next;
}
