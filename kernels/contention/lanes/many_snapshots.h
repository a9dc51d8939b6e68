// SPDX-License-Identifier: Apache-2.0
// Saves and restores the state of a point in lanes for many stages. Included once for each
// instruction set, after many.h.
static void save_lane(struct lane_state *s, int lane, int gpus, lane_snapshot *to)
{
    to->now = get(&s->now, lane);
    to->epoch = get(&s->epoch, lane);
    to->to_come = get(&s->to_come, lane);
    to->unsettled = s->unsettled[lane];
    to->region = s->region[lane];
    memcpy(to->gap, s->gap[lane], sizeof to->gap);
    for (int j = 0; j < gpus; j++) {
        to->stage[j].finish = get(&s->finish[j], lane);
        to->stage[j].early = get(&s->early[j], lane);
        to->stage[j].record = *stage_of(s, lane, j);
    }
}

// A snapshot is taken between events.
static void start_events(struct lane_state *s, int lane)
{
    mask_set(&s->held, lane, false);
    set(&s->repeats, lane, 0);
    s->todo[lane] = 0;
}

static void load_lane(struct lane_state *s, int lane, int gpus, const lane_snapshot *from)
{
    set(&s->now, lane, from->now);
    set(&s->epoch, lane, from->epoch);
    set(&s->to_come, lane, from->to_come);
    s->unsettled[lane] = from->unsettled;
    s->region[lane] = from->region;
    set_parts(s, lane, s->at.point[lane]);
    start_events(s, lane);
    s->any_unsettled = s->any_unsettled || from->unsettled != 0;
    mask_set(&s->forks, lane, false);
    memcpy(s->gap[lane], from->gap, sizeof from->gap);
    for (int j = 0; j < gpus; j++) {
        set(&s->finish[j], lane, from->stage[j].finish);
        set(&s->early[j], lane, from->stage[j].early);
        *stage_of(s, lane, j) = from->stage[j].record;
    }
}

// Sets the state in which the first forward has started; without a point, a state without
// events.
static void begin_lane(struct lane_state *s, int lane, int gpus,
                       const struct contention_lane_point *p)
{
    const struct many_stage idle = {
        .left = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL},
        .waiting = (uint64_t)p->sync_freq << UNTIL_AT,
    };
    set(&s->now, lane, 0);
    set(&s->epoch, lane, 0);
    set(&s->to_come, lane, p->n);
    mask_set(&s->forks, lane, false);
    s->unsettled[lane] = s->region[lane] = 0;
    set_parts(s, lane, p);
    start_events(s, lane);
    for (int j = 0; j < gpus + AT_ONCE; j++) {
        set(&s->finish[j], lane, HUGE_VAL);
        set(&s->early[j], lane, HUGE_VAL);
        *stage_of(s, lane, j < gpus ? j : NOWHERE) = idle;
    }
    if (p->n <= 0)
        return;
    struct many_stage *const first = stage_of(s, lane, 0);
    first->left[COMPUTE] = p->len[FWD];
    first->counts = (uint64_t)((p->n < p->gpus ? p->n : p->gpus) - 1) << ready_at(FWD);
    set_forward(first, true);
    s->unsettled[lane] = 1;
    s->any_unsettled = true;
}
