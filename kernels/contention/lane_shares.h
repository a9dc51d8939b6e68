// SPDX-License-Identifier: Apache-2.0
// The shares of the kinds of transfers in the ports of their stages: rules 1 to 3, and what receivers
// hold back. Included once for each instruction set, after lane_state.h.
#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion
#define LEAST_REST 1e-9 // less of a port than this is not handed out again

// ---- rules 1 to 3 ---------------------------------------------------------------------------

// The kinds that a stage can have: bit 0 fwd_prop, but not at the last stage; bit 1 grad_prop,
// but not at the first; bit 2 grad_sync. A constant wherever it is used.
VEC_INLINE unsigned kinds_of(struct shape of, int j)
{
    return (j < of.gpus - 1 ? 1u : 0) | (j > 0 ? 2u : 0) | 4u;
}

// The share of `kind` among the kinds active beside it; 0 where it is not active itself.
VEC_INLINE vec share_of(const struct constants *at,
                        unsigned kinds,
                        const mask active[3],
                        int kind)
{
    const int a = kind == 0 ? 1 : 0, b = kind == 2 ? 1 : 2; // the other two
    vec share = vec_all(1);
    if (kinds >> a & 1)
        share = vec_pick(active[a], at->of_two[kind][a], share);
    if (kinds >> b & 1) {
        vec with_b = at->of_two[kind][b];
        if (kinds >> a & 1)
            with_b = vec_pick(active[a], at->of_three[kind], with_b);
        share = vec_pick(active[b], with_b, share);
    }
    return vec_where(active[kind], share);
}

// Lanes in which all active tasks have equal shares.
VEC_INLINE mask equal_shares(const struct constants *at, const mask active[3])
{
    const mask fg = mask_and(active[0], active[1]), fs = mask_and(active[0], active[2]);
    const mask gs = mask_and(active[1], active[2]), all = mask_and(fg, active[2]);
    mask equal = mask_and(all, at->equal_of_three);
    equal = mask_or(equal, mask_and(mask_less(fg, all), at->equal_of_two[0][1]));
    equal = mask_or(equal, mask_and(mask_less(fs, all), at->equal_of_two[0][2]));
    return mask_or(equal, mask_and(mask_less(gs, all), at->equal_of_two[1][2]));
}

// Rule 3 in the lanes in which it holds. With one task a kind it needs no more than the tables.
VEC_INLINE void share_equally(const struct constants *at,
                              const struct lane_stage *st,
                              const mask active[3],
                              vec share[3])
{
    const mask equal = equal_shares(at, active);
    const vec count[3] = {vec_where(active[0], as_numbers(st->count[0])),
                          vec_where(active[1], as_numbers(st->count[1])),
                          vec_where(active[2], vec_all(1))};
    const vec total = count[0] + count[1] + count[2];
    const vec each = vec_all(1) / vec_pick(equal, total, vec_all(1));
    for (int kind = 0; kind < 3; kind++)
        share[kind] = vec_pick(equal, count[kind] * each, share[kind]);
}

// The shares of the active kinds of a stage in the whole of its port.
VEC_INLINE void share_port(struct shape of,
                           const struct constants *at,
                           const struct lane_stage *st,
                           unsigned kinds,
                           const mask active[3],
                           vec share[3])
{
    for (int kind = 0; kind < 3; kind++)
        share[kind] = kinds >> kind & 1 ? share_of(at, kinds, active, kind) : vec_all(0);
    if (at->any_equal && mask_any(mask_or(several(of, st, FWD), several(of, st, GRAD))))
        share_equally(at, st, active, share);
}

// ---- congestion -----------------------------------------------------------------------------

// A stage's port.
struct port {
    mask active[3]; // kinds that have tasks
    vec share[3];
};

VEC_INLINE void set_port(struct shape of, const struct lane_state *s, struct port *port, int j)
{
    const struct lane_stage *st = &s->stage[j];
    *port = (struct port){
        .active = {some(st->count[FWD]), some(st->count[GRAD]), st->syncs},
    };
    share_port(of, &s->at, st, kinds_of(of, j), port->active, port->share);
}

// Hands out what class c of a stage leaves in the lanes in which it is held back.
VEC_INLINE void hand_out_rest(struct shape of,
                              struct lane_state *s,
                              int j,
                              struct port *port,
                              int c,
                              mask held)
{
    const struct lane_stage *st = &s->stage[j];
    const vec rest = vec_all(1) - port->share[c];
    const mask some = mask_and(held, vec_le(vec_all(LEAST_REST), rest));
    mask free[3] = {port->active[0], port->active[1], port->active[2]};
    vec share[3];
    free[c] = mask_none();
    share_port(of, &s->at, st, kinds_of(of, j) & ~(1u << c), free, share);
    for (int kind = 0; kind < 3; kind++)
        port->share[kind] =
            vec_pick(mask_and(some, free[kind]), rest * share[kind], port->share[kind]);
    // An exclusive class of several tasks gives its second task what is left; such points are
    // left to others.
    const mask second = mask_and(s->at.exclusive[c], several(of, st, c));
    s->leaves = mask_or(s->leaves, mask_and(held, second));
}

// A round for receiver r. With so few stages no sender serves two receivers, so what is handed
// out again reaches none, and one round is enough.
VEC_INLINE void congest(struct shape of, struct lane_state *s, struct port *port, int r)
{
    struct port *before = &port[r - 1], *after = &port[r + 1];
    const vec sum = before->share[FWD] + after->share[GRAD];
    const mask over = mask_and(s->at.congestion, vec_gt(sum, vec_all(1 + SUM_SLACK)));
    if (!mask_any(over))
        return;
    const vec factor = vec_all(1) / sum;
    before->share[FWD] = vec_pick(over, before->share[FWD] * factor, before->share[FWD]);
    after->share[GRAD] = vec_pick(over, after->share[GRAD] * factor, after->share[GRAD]);
    hand_out_rest(of, s, r - 1, before, FWD, over);
    hand_out_rest(of, s, r + 1, after, GRAD, over);
}
