// SPDX-License-Identifier: Apache-2.0
// Saves and restores the state of a point in lanes for few stages. Included once for each
// instruction set, after few.h.

// Copy a number of a lane to a snapshot, or from a snapshot.
VEC_INLINE void move(vec *v, int lane, double *value, bool save)
{
    if (save)
        *value = get(v, lane);
    else
        set(v, lane, *value);
}

VEC_INLINE void move_lane(struct lane_state *s, int lane, lane_snapshot *snapshot, bool save)
{
    move(&s->now, lane, &snapshot->now, save);
    move(&s->carry, lane, &snapshot->carry, save);
    move(&s->to_come, lane, &snapshot->to_come, save);
    NO_UNROLL for (int j = 0; j < LANE_GPUS_FEW; j++)
    {
        struct lane_stage *st = &s->stage[j];
        for (int k = 0; k < N_SLOTS; k++)
            move(&st->left[k], lane, &snapshot->stage[j].left[k], save);
        for (int c = 0; c < 2; c++) {
            move(&st->tail[c], lane, &snapshot->stage[j].tail[c], save);
            for (int k = 0; k < LANE_GPUS_FEW - 1; k++)
                move(&st->gap[c][k], lane, &snapshot->stage[j].gap[c][k], save);
        }
        move(&st->until_sync, lane, &snapshot->stage[j].until_sync, save);
        move(&st->pending, lane, &snapshot->stage[j].pending, save);
    }
}

static void save_lane(struct lane_state *s, int lane, int gpus, lane_snapshot *snapshot)
{
    (void)gpus;
    move_lane(s, lane, snapshot, true);
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        struct lane_stage *st = &s->stage[j];
        snapshot->stage[j].forward = mask_get(st->forward, lane);
        for (int c = 0; c < 2; c++) {
            snapshot->stage[j].count[c] = tally_get(st->count[c], lane);
            snapshot->stage[j].ready[c] = tally_get(st->ready[c], lane);
        }
    }
}

static void load_lane(struct lane_state *s, int lane, int gpus, lane_snapshot *snapshot)
{
    (void)gpus;
    move_lane(s, lane, snapshot, false);
    NO_UNROLL for (int j = 0; j < LANE_GPUS_FEW; j++)
    {
        struct lane_stage *st = &s->stage[j];
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

// Sets the state in which the first forward has started; without a point, a state without
// events.
static void begin_lane(struct lane_state *s, int lane, int gpus,
                       const struct contention_lane_point *p)
{
    const double first = p->n < p->gpus ? p->n : p->gpus;
    lane_snapshot snapshot = {.to_come = p->n};
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        snapshot.stage[j].until_sync = p->sync_freq;
        for (int k = 0; k < N_SLOTS; k++)
            snapshot.stage[j].left[k] = HUGE_VAL;
    }
    if (first > 0) {
        snapshot.stage[0].left[COMPUTE] = p->len[FWD];
        snapshot.stage[0].ready[FWD] = (int)first - 1;
        snapshot.stage[0].forward = true;
    }
    load_lane(s, lane, gpus, &snapshot);
}
