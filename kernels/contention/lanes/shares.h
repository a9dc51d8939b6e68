// SPDX-License-Identifier: Apache-2.0
// Computes the shares of the kinds of transfers in the ports of their stages, by rules 1 to 3
// of model.md. Included once in each file of lanes, after few.h or many.h.

// ---- rules 1 to 3 ---------------------------------------------------------------------------

// Returns the share of `kind` among the active kinds; 0 in lanes in which `kind` is not active.
VEC_INLINE vec share_of(const struct constants *at, unsigned kinds, const mask active[3],
                        int kind)
{
    const int a = kind == 0 ? 1 : 0, b = kind == 2 ? 1 : 2; // the other two kinds
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

// Returns the lanes in which all active tasks have equal shares.
VEC_INLINE mask equal_shares(const struct constants *at, const mask active[3])
{
    const mask fg = mask_and(active[0], active[1]), fs = mask_and(active[0], active[2]);
    const mask gs = mask_and(active[1], active[2]), all = mask_and(fg, active[2]);
    mask equal = mask_and(all, at->equal_of_three);
    equal = mask_or(equal, mask_and(mask_less(fg, all), at->equal_of_two[0][1]));
    equal = mask_or(equal, mask_and(mask_less(fs, all), at->equal_of_two[0][2]));
    return mask_or(equal, mask_and(mask_less(gs, all), at->equal_of_two[1][2]));
}

// Applies rule 3 in the lanes in which it holds. With one task per kind the tables suffice. `two`:
// lanes with two synchronisations.
VEC_INLINE void share_equally(const struct constants *at, const struct lane_stage *st,
                              const mask active[3], mask two, vec share[3])
{
    const mask equal = equal_shares(at, active);
    const vec count[3] = {vec_where(mask_less(active[0], at->apart), n_tasks(st, 0)),
                          vec_where(active[1], n_tasks(st, 1)),
                          vec_pick(two, vec_all(2), vec_where(active[2], vec_all(1)))};
    const vec total = count[0] + count[1] + count[2];
    const vec each = vec_all(1) / vec_pick(equal, total, vec_all(1));
    for (int kind = 0; kind < 3; kind++)
        share[kind] = vec_pick(kind == 0 ? mask_less(equal, at->apart) : equal,
                               count[kind] * each, share[kind]);
}

// Computes the shares of the active kinds of a stage in its whole port.
VEC_INLINE void share_port(struct shape of, const struct constants *at,
                           const struct lane_stage *st, unsigned kinds, const mask active[3],
                           vec share[3])
{
    for (int kind = 0; kind < 3; kind++)
        share[kind] = kinds >> kind & 1 ? share_of(at, kinds, active, kind) : vec_all(0);
    if (!at->any_equal)
        return;
    const mask two = mask_and(both_syncs(of, st), active[2]);
    if (mask_any(mask_or(mask_or(several(of, st, FWD), several(of, st, GRAD)), two)))
        share_equally(at, st, active, two, share);
}
