// SPDX-License-Identifier: Apache-2.0
// Loads points into lanes. Included once in each file of lanes, after common.h.

static void set_constants(struct constants *at, int lane, const struct contention_lane_point *p)
{
    at->point[lane] = p;
    set(&at->eps_work, lane, p->eps_work);
    set(&at->span, lane, p->span);
    set(&at->prop_len, lane, p->prop_len);
    set(&at->sync_work, lane, p->sync_work);
    set(&at->sync_freq, lane, p->sync_freq);
    set(&at->left_work, lane, p->left_work);
    mask_set(&at->has_left, lane, p->left_work > 0);
    at->any_left = mask_any(at->has_left);
    for (int c = 0; c < 2; c++) {
        mask_set(&at->divided[c], lane, !p->ideal && !p->exclusive[c]);
        mask_set(&at->beside[c], lane, !p->ideal && !(p->apart && c == FWD));
        set(&at->len[c], lane, p->len[c]);
        set(&at->impact[c], lane, p->impact[c]);
    }
    mask_set(&at->congestion, lane, p->congestion);
    mask_set(&at->apart, lane, p->apart);
    mask_set(&at->ports, lane, p->gpus > 0 && !p->ideal);
    at->any_ports = mask_any(at->ports);
    mask_set(&at->equal_of_three, lane, p->equal_of_three);
    mask equal = at->equal_of_three;
    for (int a = 0; a < 3; a++) {
        mask_set(&at->exclusive[a], lane, p->exclusive[a]);
        set(&at->of_three[a], lane, p->share_of_three[a]);
        for (int b = 0; b < 3; b++) {
            set(&at->of_two[a][b], lane, p->share_of_two[a][b]);
            mask_set(&at->equal_of_two[a][b], lane, p->equal_of_two[a][b]);
            equal = mask_or(equal, at->equal_of_two[a][b]);
        }
    }
    at->any_equal = mask_any(equal);
    at->any_exclusive = mask_any(mask_or(at->exclusive[0], at->exclusive[1]));
    at->any_counts = mask_any(vec_gt(at->sync_freq, vec_all(1)));
}
