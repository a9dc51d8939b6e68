// SPDX-License-Identifier: Apache-2.0
// Processes one stage of every lane, in vectors loaded from the records of lanes for many
// stages. Included once for each instruction set, after many_record.h.

// ---- records --------------------------------------------------------------------------------

// Returns the rate of the compute task.
VEC_INLINE vec compute_rate(const struct lane_state *s, const struct lane_stage *st)
{
    const vec impact = vec_pick(st->forward, s->at.impact[FWD], s->at.impact[GRAD]);
    return vec_all(1) - st->rate[SYNC] * impact;
}

// Load records into vectors, and store them.
VEC_INLINE void load_stages(const struct lane_state *s, const struct places *p,
                            struct lane_stage *st)
{
    const double *row[LANES];
    for (int lane = 0; lane < LANES; lane++)
        row[lane] = p->record[lane]->left;
    for (int k = 0; k < LANE_NUMBERS; k += 8)
        vec_load_rows(&st->number[k], row, k);
    st->syncs = vec_gt(vec_all(HUGE_VAL), st->left[SYNC]);
    st->busy = vec_gt(vec_all(HUGE_VAL), st->left[COMPUTE]);
    st->forward = bits_test(st->waiting, UINT64_C(1) << FORWARD_AT);
    st->has_pending = bits_test(st->waiting, PENDING_MAX);
    st->since = st->number[SINCE];
    st->rate[COMPUTE] = compute_rate(s, st);
}

VEC_INLINE void store_stages(const struct places *p, struct lane_stage *st)
{
    const uint64_t forward = UINT64_C(1) << FORWARD_AT;
    double *row[LANES];
    st->number[SINCE] = st->since;
    st->waiting = bits_or_where(st->forward, st->waiting & ~forward, bits_all(forward));
    st->counts &= ~((SENT_MAX + 1) << sent_at(FWD));
    for (int lane = 0; lane < LANES; lane++)
        row[lane] = p->record[lane]->left;
    for (int k = 0; k < LANE_NUMBERS; k += 8)
        vec_store_rows(&st->number[k], row, k);
}

// Computes the present work left.
VEC_INLINE void advance(const struct lane_state *s, struct lane_stage *st)
{
    const vec step = s->now - st->since;
    for (int k = 0; k < N_SLOTS; k++)
        st->left[k] -= st->rate[k] * step;
    if (s->at.any_exclusive)
        for (int c = 0; c < 2; c++)
            st->tail[c] -= st->second[c] * step;
    st->since = s->now;
}

// ---- how many -------------------------------------------------------------------------------

// Returns the lanes in which a class has tasks.
VEC_INLINE mask has_tasks(const struct lane_stage *st, int c)
{
    return bits_test(st->counts, COUNT_MAX << count_at(c));
}

VEC_INLINE vec n_tasks(const struct lane_stage *st, int c)
{
    return vec_of_bits(st->counts >> count_at(c) & COUNT_MAX);
}

// Returns 1 / n_tasks; 1 without tasks.
VEC_INLINE vec part_of_task(const struct lane_stage *st, int c)
{
    return bits_part(st->counts >> count_at(c) & COUNT_MAX, part_of_few);
}

VEC_INLINE mask has_ready(const struct lane_stage *st, int c)
{
    return bits_test(st->counts, COUNT_MAX << ready_at(c));
}

VEC_INLINE void add_ready(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_add_where(lanes, st->counts, UINT64_C(1) << ready_at(c));
}

VEC_INLINE void take_ready(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_sub_where(lanes, st->counts, UINT64_C(1) << ready_at(c));
}

// ---- synchronisations -----------------------------------------------------------------------

// Counts the backwards that have ended in lanes `ended`. Returns the lanes in which a
// synchronisation becomes due.
VEC_INLINE mask count_backwards(const struct lane_state *s, struct lane_stage *st, mask ended)
{
    st->waiting = bits_sub_where(ended, st->waiting, UINT64_C(1) << UNTIL_AT);
    const mask due = mask_less(ended, bits_test(st->waiting, UNTIL_MAX << UNTIL_AT));
    st->waiting = bits_or_where(due, st->waiting, bits_of(s->at.sync_freq) << UNTIL_AT);
    return due;
}

// Adds a waiting synchronisation in lanes `more` and removes one in lanes `fewer`.
VEC_INLINE void change_pending(struct lane_stage *st, mask more, mask fewer)
{
    st->waiting = bits_add_where(more, bits_sub_where(fewer, st->waiting, 1), 1);
    st->has_pending = bits_test(st->waiting, PENDING_MAX);
}

// Leftover synchronisations and metrics are of few stages.
VEC_INLINE mask both_syncs(struct shape of, const struct lane_stage *st)
{
    (void)of;
    (void)st;
    return mask_none();
}

VEC_INLINE void forget_held(struct shape of, struct lane_state *s, const struct lane_stage *st,
                            int c, mask ended)
{
    (void)of;
    (void)s;
    (void)st;
    (void)c;
    (void)ended;
}

// ---- a class --------------------------------------------------------------------------------

// Returns the lanes in which a class has several tasks.
VEC_INLINE mask several(struct shape of, const struct lane_stage *st, int c)
{
    (void)of;
    return bits_test(st->counts, (COUNT_MAX - 1) << count_at(c));
}

// Add a task to a class: to an empty class, or to a class with tasks.
VEC_INLINE void add_first(struct lane_stage *st, int c, mask lanes)
{
    st->counts = bits_add_where(lanes, st->counts, UINT64_C(1) << count_at(c));
}

VEC_INLINE void add_another(struct lane_stage *st, int c, mask lanes)
{
    add_first(st, c, lanes);
}

// Remove the head of a class; drop_last: the head is the only task.
VEC_INLINE void drop_head(struct lane_stage *st, int c, mask lanes)
{
    const uint64_t sent = UINT64_C(1) << sent_at(c), count = UINT64_C(1) << count_at(c);
    st->counts = bits_add_where(lanes, st->counts, sent - count);
}

VEC_INLINE void drop_last(struct lane_stage *st, int c, mask lanes)
{
    drop_head(st, c, lanes);
}

// Adds a task behind the other tasks of its class, with `tail` more work left than the head.
VEC_INLINE void put_last(struct shape of, struct lane_state *s, struct lane_stage *st, int c,
                         mask lanes, vec tail)
{
    const mask third = several(of, st, c), exclusive = s->at.exclusive[c];
    const vec gap =
        vec_where(mask_less(lanes, exclusive), tail - vec_where(third, st->tail[c]));
    const vec second = vec_pick(third, st->tail[c], s->at.prop_len);
    st->tail[c] = vec_pick(lanes, vec_pick(exclusive, second, tail), st->tail[c]);
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        const uint64_t counts = st->counts[lane];
        const int last = (int)(counts >> count_at(c) & COUNT_MAX);
        s->gap[lane][gap_place(counts, c, last)] = get(&gap, lane);
    }
}

// Makes the next task the head of a class in some lanes. Returns the work left of the new head.
VEC_INLINE vec take_next(struct lane_state *s, struct lane_stage *st, const vec *left, int c,
                         mask lanes)
{
    const mask exclusive = s->at.exclusive[c];
    mask even = mask_less(lanes, exclusive);
    vec gap = vec_all(0);
    for (; mask_any(even); mask_set(&even, mask_first(even), false)) {
        const int lane = mask_first(even);
        set(&gap, lane, s->gap[lane][gap_place(st->counts[lane], c, 1)]);
    }
    const vec next = vec_pick(exclusive, st->tail[c], left[c] + gap);
    const vec tail = vec_pick(exclusive, s->at.prop_len, st->tail[c] - gap);
    st->tail[c] = vec_pick(lanes, tail, st->tail[c]);
    return next;
}
