// SPDX-License-Identifier: Apache-2.0
// Points into lanes, and what lanes have made of them into snapshots and back. Included once for each
// instruction set, after lane_state.h.

static void set_constants(struct constants *at, int lane, const struct contention_lane_point *p)
{
    set(&at->eps_work, lane, p->eps_work);
    set(&at->prop_len, lane, p->prop_len);
    set(&at->sync_work, lane, p->sync_work);
    set(&at->sync_freq, lane, p->sync_freq);
    for (int c = 0; c < 2; c++) {
        set(&at->len[c], lane, p->len[c]);
        set(&at->impact[c], lane, p->impact[c]);
        mask_set(&at->exclusive[c], lane, p->exclusive[c]);
    }
    mask_set(&at->congestion, lane, p->congestion);
    mask_set(&at->equal_of_three, lane, p->equal_of_three);
    mask equal = at->equal_of_three;
    for (int a = 0; a < 3; a++) {
        set(&at->of_three[a], lane, p->share_of_three[a]);
        for (int b = 0; b < 3; b++) {
            set(&at->of_two[a][b], lane, p->share_of_two[a][b]);
            mask_set(&at->equal_of_two[a][b], lane, p->equal_of_two[a][b]);
            equal = mask_or(equal, at->equal_of_two[a][b]);
        }
    }
    at->any_equal = mask_any(equal);
    at->any_counts = mask_any(vec_gt(at->sync_freq, vec_all(1)));
}

// Copies a number of a lane to a snapshot, or from it.
VEC_INLINE void move(vec *v, int lane, double *value, bool save)
{
    if (save)
        *value = get(v, lane);
    else
        set(v, lane, *value);
}

VEC_INLINE void move_stage(struct lane_stage *st,
                           int lane,
                           struct contention_lane_stage *snapshot,
                           bool save)
{
    for (int k = 0; k < N_SLOTS; k++)
        move(&st->left[k], lane, &snapshot->left[k], save);
    for (int c = 0; c < 2; c++) {
        move(&st->tail[c], lane, &snapshot->tail[c], save);
        for (int k = 0; k < LANE_GPUS_MAX - 1; k++)
            move(&st->gap[c][k], lane, &snapshot->gap[c][k], save);
    }
    move(&st->until_sync, lane, &snapshot->until_sync, save);
    move(&st->pending, lane, &snapshot->pending, save);
}

static void save_lane(struct lane_state *s, int lane, struct contention_lane_snapshot *snapshot)
{
    snapshot->now = get(&s->now, lane);
    snapshot->carry = get(&s->carry, lane);
    snapshot->to_come = get(&s->to_come, lane);
    for (int j = 0; j < LANE_GPUS_MAX; j++) {
        struct lane_stage *st = &s->stage[j];
        move_stage(st, lane, &snapshot->stage[j], true);
        snapshot->stage[j].forward = mask_get(st->forward, lane);
        for (int c = 0; c < 2; c++) {
            snapshot->stage[j].count[c] = tally_get(st->count[c], lane);
            snapshot->stage[j].ready[c] = tally_get(st->ready[c], lane);
        }
    }
}

static void load_lane(struct lane_state *s, int lane, struct contention_lane_snapshot *snapshot)
{
    set(&s->now, lane, snapshot->now);
    set(&s->carry, lane, snapshot->carry);
    set(&s->to_come, lane, snapshot->to_come);
    for (int j = 0; j < LANE_GPUS_MAX; j++) {
        struct lane_stage *st = &s->stage[j];
        move_stage(st, lane, &snapshot->stage[j], false);
        mask_set(&st->forward, lane, snapshot->stage[j].forward);
        mask_set(&st->has_pending, lane, snapshot->stage[j].pending > 0);
        mask_set(&st->syncs, lane, snapshot->stage[j].left[SYNC] < HUGE_VAL);
        mask_set(&st->busy, lane, snapshot->stage[j].left[COMPUTE] < HUGE_VAL);
        for (int c = 0; c < 2; c++) {
            tally_set(&st->count[c], lane, snapshot->stage[j].count[c]);
            tally_set(&st->ready[c], lane, snapshot->stage[j].ready[c]);
        }
    }
}

// The state in which the first forward has started; of no point: in which nothing ever happens.
static void begin(struct contention_lane_snapshot *snapshot,
                  const struct contention_lane_point *p)
{
    const double first = p->n < p->gpus ? p->n : p->gpus;
    *snapshot = (struct contention_lane_snapshot){.to_come = p->n};
    for (int j = 0; j < LANE_GPUS_MAX; j++) {
        snapshot->stage[j].until_sync = p->sync_freq;
        for (int k = 0; k < N_SLOTS; k++)
            snapshot->stage[j].left[k] = HUGE_VAL;
    }
    if (first <= 0)
        return;
    snapshot->stage[0].left[COMPUTE] = p->len[FWD];
    snapshot->stage[0].ready[FWD] = (int)first - 1;
    snapshot->stage[0].forward = true;
}
