// SPDX-License-Identifier: Apache-2.0
// Finds the receivers that the events of many lanes affect, and makes the rounds for a single
// receiver. A single receiver is by far the most frequent case; its rounds are a few
// multiplications. Included once for each instruction set, after many_congestion.h.

// ---- one receiver ---------------------------------------------------------------------------

// Returns the shares of a sender whose class c is limited to a share.
VEC_INLINE struct sender held_sender(const double part[8][4], unsigned kinds, int c,
                                     double share)
{
    const unsigned others = kinds & ~(1u << c);
    const double rest = 1 - share;
    const bool gives = others != 0 && rest >= LEAST_REST;
    struct sender to = {.second = {0, 0}};
    to.share[c] = share;
    to.share[1 - c] = gives ? rest * part[others][1 - c] : part[kinds][1 - c];
    to.sync = gives ? rest * part[others][SYNC] : part[kinds][SYNC];
    return to;
}

// Makes the rounds if receiver r affects no other receiver, nearly always; false: it does, or
// shares depend on more than the kinds that are present together.
VEC_INLINE bool hold_alone(struct lane_state *s, int lane, int r, int gpus)
{
    const struct contention_lane_point *p = s->at.point[lane];
    const struct many_stage *a = look_stage_of(s, lane, r - 1);
    const struct many_stage *b = look_stage_of(s, lane, r + 1);
    const unsigned of_a = present(a), of_b = present(b);
    const double(*const part)[4] = (const double(*)[4])s->part[lane];
    const double sum = part[of_a][FWD] + part[of_b][GRAD];
    const bool over = sum > 1 + SUM_SLACK;
    const double factor = over ? 1 / sum : 1;
    if (counts_matter(s, lane, a, of_a) || counts_matter(s, lane, b, of_b) ||
        counts_matter(s, lane, a, of_a & ~1u) || counts_matter(s, lane, b, of_b & ~2u) ||
        (p->exclusive[FWD] && count_of(a, FWD) > 1) ||
        (p->exclusive[GRAD] && count_of(b, GRAD) > 1))
        return false;
    struct sender to_a = {.share = {part[of_a][0], part[of_a][1]}, .sync = part[of_a][2]};
    struct sender to_b = {.share = {part[of_b][0], part[of_b][1]}, .sync = part[of_b][2]};
    if (over) {
        to_a = held_sender(part, of_a, FWD, part[of_a][FWD] * factor);
        to_b = held_sender(part, of_b, GRAD, part[of_b][GRAD] * factor);
    }
    if ((r > 2 && a[-2].share[FWD] + to_a.share[GRAD] > 1 + SUM_SLACK) ||
        (r < gpus - 3 && to_b.share[FWD] + b[2].share[GRAD] > 1 + SUM_SLACK))
        return false;
    s->region[lane] = (s->region[lane] & ~(UINT64_C(1) << r)) | (stages)over << r;
    set_sender(s, lane, r - 1, &to_a);
    set_sender(s, lane, r + 1, &to_b);
    return true;
}

// ---- a lane ---------------------------------------------------------------------------------

// Limits the senders of a lane to the capacity of these receivers, and of the receivers that
// this affects.
static __attribute__((noinline)) void congest_lane(struct lane_state *s, int lane,
                                                   stages receivers, int gpus)
{
    struct rounds w;
    const bool one =
        (receivers & (receivers - 1)) == 0 && (beside(receivers) & s->region[lane]) == 0;
    if (one && hold_alone(s, lane, first_stage(receivers), gpus))
        return;
    w.s = s;
    w.p = s->at.point[lane];
    w.lane = lane;
    w.all = (UINT64_C(1) << (gpus - 1)) - 2;
    w.receivers = receivers;
    while (!run_rounds(&w, gpus))
        ;
    for (stages left = w.senders; left != 0; left &= left - 1)
        set_sender(s, lane, first_stage(left), &w.sender[first_stage(left)]);
}

// Returns the receivers that a change at sender j can affect.
VEC_INLINE stages concerned(const struct lane_state *s, int lane, int j)
{
    const struct many_stage *st = look_stage_of(s, lane, j);
    const stages region = s->region[lane], one = UINT64_C(1) << j;
    const stages near = one << 1 | one >> 1;
    const stages below = st[-2].share[FWD] + st->share[GRAD] > 1 + SUM_SLACK;
    const stages above = st->share[FWD] + st[2].share[GRAD] > 1 + SUM_SLACK;
    return (near & region) | (one >> 1 & -below) | (one << 1 & -above);
}

// Finds these receivers for the stage of a pass in each lane, which gives `share`; returns the
// lanes in which there are any.
VEC_INLINE mask concerned_at(const struct lane_state *s, const struct places *p,
                             const vec share[2], stages receivers[LANES])
{
    const vec most = vec_all(1 + SUM_SLACK);
    const double *below[LANES], *above[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        below[lane] = &p->record[lane][-2].share[FWD];
        above[lane] = &p->record[lane][2].share[GRAD];
    }
    const bits one = p->one, region = bits_load(s->region);
    const bits near = region & (one << 1 | one >> 1);
    const mask below_over = vec_gt(vec_gather(below) + share[GRAD], most);
    const mask above_over = vec_gt(share[FWD] + vec_gather(above), most);
    const bits with_below = bits_or_where(below_over, near, one >> 1);
    const bits all = bits_or_where(above_over, with_below, one << 1);
    bits_store(receivers, all);
    return bits_any(all);
}

// Limits senders to the capacity of some receivers of some lanes, from plain shares at the
// changed stages.
static void congest_in(struct lane_state *s, mask lanes, const stages receivers[LANES],
                       int gpus)
{
    for (lanes = mask_and(lanes, s->at.congestion); mask_any(lanes);
         mask_set(&lanes, mask_first(lanes), false))
        congest_lane(s, mask_first(lanes), receivers[mask_first(lanes)], gpus);
}

// Limits senders to the capacity of the receivers that stages `due` of each lane affect.
static void congest(struct lane_state *s, mask lanes, const stages due[LANES], int gpus)
{
    stages receivers[LANES];
    mask any = mask_none();
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false)) {
        const int lane = mask_first(lanes);
        receivers[lane] = 0;
        for (stages left = due[lane]; left != 0; left &= left - 1)
            receivers[lane] |= concerned(s, lane, first_stage(left));
        mask_set(&any, lane, receivers[lane] != 0);
    }
    congest_in(s, any, receivers, gpus);
}
