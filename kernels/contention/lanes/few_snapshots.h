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

// Copy what metrics and leftover synchronisations need of a lane.
VEC_INLINE void move_more(struct lane_state *s, int lane, struct few_more *more, bool save)
{
    for (int k = 0; k < FEW_SUMS; k++)
        move(&s->sum[k], lane, &more->sum[k], save);
    NO_UNROLL for (int j = 0; j < LANE_GPUS_FEW; j++)
    {
        struct stage_more *st = &s->more[j];
        move(&st->leftover, lane, &more->stage[j].leftover, save);
        move(&st->backwards, lane, &more->stage[j].backwards, save);
        move(&st->end, lane, &more->stage[j].end, save);
        move(&st->last, lane, &more->stage[j].last, save);
        move(&st->unsettled, lane, &more->stage[j].unsettled, save);
        for (int c = 0; c < 2; c++)
            move(&st->unsettled_sync[c], lane, &more->stage[j].unsettled_sync[c], save);
    }
}

static void save_more(struct lane_state *s, int lane, struct few_more *more)
{
    move_more(s, lane, more, true);
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        more->stage[j].in_flight = tally_get(s->more[j].in_flight, lane);
        more->stage[j].peak = tally_get(s->more[j].peak, lane);
        for (int c = 0; c < 2; c++)
            more->stage[j].held[c] = tally_get(s->more[j].held[c], lane);
    }
}

static void load_more(struct lane_state *s, int lane, struct few_more *more)
{
    move_more(s, lane, more, false);
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        mask_set(&s->stage[j].lefts, lane, more->stage[j].leftover < HUGE_VAL);
        mask_set(&s->more[j].has_unsettled, lane, more->stage[j].unsettled > 0);
        tally_set(&s->more[j].in_flight, lane, more->stage[j].in_flight);
        tally_set(&s->more[j].peak, lane, more->stage[j].peak);
        for (int c = 0; c < 2; c++)
            tally_set(&s->more[j].held[c], lane, more->stage[j].held[c]);
    }
}

// Returns whether any lane needs more than the plain simulation. The answer is the same for a
// lane when it is saved and when it is loaded.
static bool needs_more(const struct lane_state *s, int lane)
{
    return s->watch != 0 || mask_get(s->at.has_left, lane);
}

static void save_lane(struct lane_state *s, int lane, int gpus, lane_snapshot *snapshot)
{
    (void)gpus;
    move_lane(s, lane, snapshot, true);
    if (needs_more(s, lane))
        save_more(s, lane, &snapshot->more);
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        struct lane_stage *st = &s->stage[j];
        snapshot->stage[j].forward = mask_get(st->forward, lane);
        for (int c = 0; c < 2; c++) {
            snapshot->stage[j].count[c] = tally_get(st->count[c], lane);
            snapshot->stage[j].ready[c] = tally_get(st->ready[c], lane);
        }
    }
}

// Sets that the lane has no leftover synchronisation.
static void leave_more(struct lane_state *s, int lane)
{
    for (int j = 0; j < LANE_GPUS_FEW; j++) {
        set(&s->more[j].leftover, lane, HUGE_VAL);
        mask_set(&s->stage[j].lefts, lane, false);
    }
}

static void load_lane(struct lane_state *s, int lane, int gpus, lane_snapshot *snapshot)
{
    (void)gpus;
    move_lane(s, lane, snapshot, false);
    if (needs_more(s, lane))
        load_more(s, lane, &snapshot->more);
    else
        leave_more(s, lane);
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
        snapshot.more.stage[j].leftover = HUGE_VAL;
        snapshot.more.stage[j].backwards = p->n;
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
