// SPDX-License-Identifier: Apache-2.0
// Searches for the next event of each lane, for many stages. Included once for each instruction
// set, after many_record.h.

enum { CHAINS = 4 }; // of dependent steps in a search

// Sets the clock of a lane back by a whole number of spans, without rounding.
static void restart_clock(struct lane_state *s, int lane, int gpus)
{
    const double span = get(&s->at.span, lane);
    const double shift = floor(get(&s->now, lane) / span) * span;
    set(&s->now, lane, get(&s->now, lane) - shift);
    set(&s->epoch, lane, get(&s->epoch, lane) + shift);
    for (int j = 0; j < gpus; j++) {
        set(&s->finish[j], lane, get(&s->finish[j], lane) - shift);
        set(&s->early[j], lane, get(&s->early[j], lane) - shift);
        stage_of(s, lane, j)->since -= shift;
    }
}

// Returns the time at which the first task of each lane ends.
VEC_INLINE vec find_next(const struct lane_state *s, int gpus)
{
    vec next[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        next[k] = vec_all(HUGE_VAL);
    NO_UNROLL for (int j = 0; j < gpus; j += AT_ONCE)
    {
        for (int k = 0; k < AT_ONCE; k++)
            next[k % CHAINS] = vec_min(s->finish[j + k], next[k % CHAINS]);
    }
    for (int k = 1; k < CHAINS; k++)
        next[0] = vec_min(next[k], next[0]);
    return next[0];
}

// Returns the stages of each lane at which a task ends.
VEC_INLINE bits find_ends(const struct lane_state *s, vec now, int gpus)
{
    bits ends[CHAINS], one[AT_ONCE];
    for (int k = 0; k < CHAINS; k++)
        ends[k] = bits_all(0);
    for (int k = 0; k < AT_ONCE; k++)
        one[k] = bits_all(UINT64_C(1) << k);
    NO_UNROLL for (int j = (gpus - 1) / AT_ONCE * AT_ONCE; j >= 0; j -= AT_ONCE)
    {
        for (int k = 0; k < CHAINS; k++)
            ends[k] <<= AT_ONCE;
        for (int k = 0; k < AT_ONCE; k++) {
            const mask here = vec_le(s->early[j + k], now);
            ends[k % CHAINS] = bits_or_where(here, ends[k % CHAINS], one[k]);
        }
    }
    for (int k = 1; k < CHAINS; k++)
        ends[0] |= ends[k];
    return ends[0];
}

// Moves every lane to its next event, unless the lane is held at one. *p: a stage at which a
// task ends; s->left: the other stages. Returns the lanes without an event.
VEC_INLINE mask find_due(struct lane_state *s, int gpus, struct places *p)
{
    const vec next = find_next(s, gpus);
    const vec soon = vec_min(next, vec_all(DBL_MAX)); // so that HUGE_VAL is never due
    const mask none = mask_less(vec_eq(next, vec_all(HUGE_VAL)), s->held);
    s->now = vec_pick(mask_or(none, s->held), s->now, next);
    s->left = bits_pick(s->held, s->left, find_ends(s, soon, gpus));
    take_places(s, &s->left, p);
    return none;
}
