// SPDX-License-Identifier: Apache-2.0
// What lanes of many stages have made of their points, into snapshots and back. Included once for
// each instruction set, after lane_many.h.
static void save_lane(const struct lane_state *s, int lane, int gpus, lane_snapshot *to)
{
    to->now = get(&s->now, lane);
    to->epoch = get(&s->epoch, lane);
    to->to_come = get(&s->to_come, lane);
    to->forward = to->due = to->changed = to->region = 0;
    memcpy(to->gap, s->gap[lane], sizeof to->gap);
    for (int j = 0; j < gpus; j++) {
        const vec *number = s->stage[j].left;
        to->stage[j].finish = get(&s->finish[j], lane);
        to->stage[j].early = get(&s->early[j], lane);
        for (int k = 0; k < LANE_NUMBERS; k++)
            to->stage[j].number[k] = get(&number[k], lane);
        to->forward |= (stages)mask_get(s->stage[j].forward, lane) << j;
        if (s->due_stages >> j & 1)
            to->due |= (stages)mask_get(s->due[j], lane) << j;
        if (s->changed_stages >> j & 1)
            to->changed |= (stages)mask_get(s->changed[j], lane) << j;
        if (s->regions >> j & 1)
            to->region |= (stages)mask_get(s->region[j], lane) << j;
    }
}

// Puts a lane into a set of stages, or takes it out; masks of stages not in the set mean nothing.
static void put_lane(mask *lanes, stages *set, int j, int lane, bool in)
{
    if (!(*set >> j & 1))
        *lanes = mask_none();
    mask_set(lanes, lane, in);
    *set |= (stages)in << j;
}

// Makes a lane one in which nothing ever happens.
static void clear_lane(struct lane_state *s, int lane, int gpus)
{
    set(&s->now, lane, 0);
    set(&s->epoch, lane, 0);
    set(&s->to_come, lane, 0);
    for (int j = 0; j < gpus; j++) {
        struct lane_stage *st = &s->stage[j];
        vec *const number = st->left;
        set(&s->finish[j], lane, HUGE_VAL);
        set(&s->early[j], lane, HUGE_VAL);
        for (int k = 0; k < LANE_NUMBERS; k++)
            set(&number[k], lane, k < N_SLOTS ? HUGE_VAL : 0);
        mask_set(&st->syncs, lane, false);
        mask_set(&st->busy, lane, false);
        mask_set(&st->forward, lane, false);
        mask_set(&st->has_pending, lane, false);
        put_lane(&s->due[j], &s->due_stages, j, lane, false);
        put_lane(&s->changed[j], &s->changed_stages, j, lane, false);
        put_lane(&s->region[j], &s->regions, j, lane, false);
    }
}

static void load_lane(struct lane_state *s, int lane, int gpus, const lane_snapshot *from)
{
    set(&s->now, lane, from->now);
    set(&s->epoch, lane, from->epoch);
    set(&s->to_come, lane, from->to_come);
    memcpy(s->gap[lane], from->gap, sizeof from->gap);
    for (int j = 0; j < gpus; j++) {
        struct lane_stage *st = &s->stage[j];
        vec *const number = st->left;
        set(&s->finish[j], lane, from->stage[j].finish);
        set(&s->early[j], lane, from->stage[j].early);
        for (int k = 0; k < LANE_NUMBERS; k++)
            set(&number[k], lane, from->stage[j].number[k]);
        mask_set(&st->syncs, lane, get(&st->left[SYNC], lane) < HUGE_VAL);
        mask_set(&st->busy, lane, get(&st->left[COMPUTE], lane) < HUGE_VAL);
        mask_set(&st->forward, lane, from->forward >> j & 1);
        mask_set(&st->has_pending, lane, get(&st->pending, lane) > 0);
        put_lane(&s->due[j], &s->due_stages, j, lane, from->due >> j & 1);
        put_lane(&s->changed[j], &s->changed_stages, j, lane, from->changed >> j & 1);
        put_lane(&s->region[j], &s->regions, j, lane, from->region >> j & 1);
    }
}

// The state in which the first forward has started; of no point: in which nothing ever happens.
static void begin_lane(struct lane_state *s,
                       int lane,
                       int gpus,
                       const struct contention_lane_point *p)
{
    struct lane_stage *first = &s->stage[0];
    clear_lane(s, lane, gpus);
    for (int j = 0; j < gpus; j++)
        set(&s->stage[j].until_sync, lane, p->sync_freq);
    set(&s->to_come, lane, p->n);
    if (p->n <= 0)
        return;
    set(&first->left[COMPUTE], lane, p->len[FWD]);
    set(&first->ready[FWD], lane, (p->n < p->gpus ? p->n : p->gpus) - 1);
    mask_set(&first->busy, lane, true);
    mask_set(&first->forward, lane, true);
    put_lane(&s->due[0], &s->due_stages, 0, lane, true);
    put_lane(&s->changed[0], &s->changed_stages, 0, lane, true);
}
