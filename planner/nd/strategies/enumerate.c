// SPDX-License-Identifier: Apache-2.0
// Computes the domain of every degree and loops over the domains.
#include "planner/nd/strategies/enumerate.h"

#include <string.h>

// ---- setting up ---------------------------------------------------------------------------------

// Ascending.
static int find_divisors(int32_t n, int32_t divisors[ND_DIVISORS_MAX])
{
    int count = 0, low;
    int32_t d = 1;
    for (; (int64_t)d * d <= n; d++)
        if (n % d == 0)
            divisors[count++] = d;
    low = count;
    for (int k = low - 1; k >= 0; k--)
        if (n / divisors[k] != divisors[k])
            divisors[count++] = n / divisors[k];
    return count;
}

bool nd_space_init(struct nd_space *space, enum nd_preset preset, bool orig, int64_t devices)
{
    if (devices < 1 || devices > ND_DEVICES_MAX)
        return false;
    memset(space, 0, sizeof *space);
    space->preset = preset;
    space->orig = orig;
    space->vary = (struct nd_switches){true, true, true, true, false, true};
    space->devices = (int32_t)devices;
    space->node_devices = 8;
    space->layers = 1;
    space->gbs = 1;
    for (int32_t mbs = 1; mbs <= (orig ? 4 : 1); mbs *= 2)
        space->mbs[space->n_mbs++] = mbs;
    space->n_divisors = find_divisors(space->devices, space->divisors);
    return true;
}

void nd_space_set_model(struct nd_space *space, const struct modeldesc *model)
{
    const bool mtp = !space->orig || space->preset == ND_CLASSIC;
    space->model = *model;
    space->layers = (int32_t)(model->num_layers + (mtp ? model->mtp_depth : 0));
    space->experts = (int32_t)model->experts;
}

// Inserts mbs where it belongs, unless it is there.
static void insert_mbs(struct nd_space *space, int32_t mbs)
{
    int at = space->n_mbs;
    for (; at > 0 && space->mbs[at - 1] >= mbs; at--)
        if (space->mbs[at - 1] == mbs)
            return;
    for (int k = space->n_mbs++; k > at; k--)
        space->mbs[k] = space->mbs[k - 1];
    space->mbs[at] = mbs;
}

void nd_space_set_training(struct nd_space *space, const struct training *training)
{
    space->gbs = training->gbs;
    space->expert_tensor_parallel = training->expert_tensor_parallel;
    if (space->orig)
        return;
    space->schedule = training->schedule;
    space->n_mbs = 0;
    for (int k = 0; k < training->n_mbs; k++)
        insert_mbs(space, (int32_t)training->mbs[k]);
}

// ---- quadruples ---------------------------------------------------------------------------------

static bool goes_into(bool varies, int32_t degree, int32_t rest)
{
    return (varies || degree == 1) && rest % degree == 0;
}

bool nd_quads_next(struct nd_quads *q, struct nd_quad *quad)
{
    const struct nd_space *s = q->space;
    for (; q->i_dp < s->n_divisors; q->i_dp++, q->i_tp = 0) {
        quad->dp = s->divisors[q->i_dp];
        if (!goes_into(s->vary.dp, quad->dp, s->devices))
            continue;
        const int32_t after_dp = s->devices / quad->dp;
        for (; q->i_tp < s->n_divisors; q->i_tp++, q->i_cp = 0) {
            quad->tp = s->divisors[q->i_tp];
            if (!goes_into(s->vary.tp, quad->tp, after_dp))
                continue;
            const int32_t after_tp = after_dp / quad->tp;
            while (q->i_cp < s->n_divisors) {
                quad->cp = s->divisors[q->i_cp++];
                if (!goes_into(s->vary.cp, quad->cp, after_tp))
                    continue;
                quad->pp = after_tp / quad->cp;
                if (s->vary.pp || quad->pp == 1)
                    return true;
            }
        }
    }
    return false;
}

// ---- domains within a quadruple -----------------------------------------------------------------

static void add_ep(struct nd_domains *d, int32_t ep)
{
    d->ep[d->n_ep++] = ep;
}

static void classic_ep(const struct nd_space *s, const struct nd_quad *quad,
                       struct nd_domains *d)
{
    const int32_t within = quad->dp * quad->tp;
    for (int k = 0; k < s->n_divisors && s->divisors[k] <= within; k++) {
        const int32_t ep = s->divisors[k];
        if (within % ep != 0)
            continue;
        if (s->orig || ep == 1 || (ep <= s->experts && s->experts % ep == 0))
            add_ep(d, ep);
    }
}

static void ep_domain(const struct nd_space *s, const struct nd_quad *quad,
                      struct nd_domains *d)
{
    d->n_ep = 0;
    if (!s->vary.ep) {
        add_ep(d, 1);
    } else if (s->preset == ND_CLASSIC) {
        classic_ep(s, quad, d);
    } else {
        add_ep(d, 1);
        for (int32_t ep = 2; ep <= s->experts; ep++)
            if (s->orig ? ep % 2 == 0 : s->experts % ep == 0)
                add_ep(d, ep);
    }
}

static void op_domain(const struct nd_space *s, const struct nd_quad *quad,
                      struct nd_domains *d)
{
    const bool searched = s->vary.fsdp || s->preset == ND_CLASSIC;
    const bool with_cp = s->preset == ND_MEGATRON && !s->orig;
    const int32_t within = with_cp ? quad->dp * quad->cp : quad->dp;
    d->n_op = 0;
    d->op_of_ep = s->preset == ND_CLASSIC;
    for (int k = 0; k < s->n_divisors && s->divisors[k] <= within; k++) {
        const int32_t op = s->divisors[k];
        if (within % op != 0)
            continue;
        if (searched || op == quad->dp)
            d->op[d->n_op++] = op;
        else if (s->orig)
            d->op[d->n_op++] = -1;
    }
}

static void vp_domain(const struct nd_space *s, const struct nd_quad *quad,
                      struct nd_domains *d)
{
    const bool classic = s->preset == ND_CLASSIC;
    d->first_vp = classic && s->orig ? 0 : 1;
    d->last_vp = (s->layers + quad->pp - 1) / quad->pp - 1;
    if (quad->pp == 1 && !(classic && s->orig))
        d->last_vp = 1;
    const bool one = s->schedule != TRAINING_ANY_SCHEDULE && s->schedule != TRAINING_VPP;
    if (one && d->last_vp > 1)
        d->last_vp = 1;
    if (s->schedule == TRAINING_VPP && quad->pp > 1)
        d->first_vp = 2;
    if (s->schedule == TRAINING_DUALPIPE && quad->pp > 1 && quad->pp % 2 == 1)
        d->last_vp = 0; // stages are in pairs
}

void nd_domains_of(const struct nd_space *space, const struct nd_quad *quad,
                   struct nd_domains *domains)
{
    ep_domain(space, quad, domains);
    op_domain(space, quad, domains);
    vp_domain(space, quad, domains);
    domains->sp_off = true;
    domains->sp_on = quad->tp != 1 || (space->preset == ND_CLASSIC && space->orig);
}

// ---- points -------------------------------------------------------------------------------------

// vp, mbs and sp of a point whose other dimensions are set.
static bool points_of_rest(const struct nd_space *space, const struct nd_domains *d,
                           struct nd_strategy point, nd_visit *visit, void *context)
{
    for (point.vp = d->first_vp; point.vp <= d->last_vp; point.vp++)
        for (int i_mbs = 0; i_mbs < space->n_mbs; i_mbs++)
            for (int sp = !d->sp_off; sp <= d->sp_on; sp++) {
                point.mbs = space->mbs[i_mbs];
                point.sp = sp;
                if (!visit(context, &point))
                    return false;
            }
    return true;
}

bool nd_points(const struct nd_space *space, nd_visit *visit, void *context)
{
    struct nd_quads quads = {.space = space};
    struct nd_quad quad;
    struct nd_domains d;
    while (nd_quads_next(&quads, &quad)) {
        nd_domains_of(space, &quad, &d);
        for (int i_ep = 0; i_ep < d.n_ep; i_ep++)
            for (int i_op = 0; i_op < d.n_op; i_op++) {
                const struct nd_strategy point = {.dp = quad.dp,
                                                  .tp = quad.tp,
                                                  .cp = quad.cp,
                                                  .pp = quad.pp,
                                                  .ep = d.ep[i_ep],
                                                  .op = d.op[i_op]};
                if (d.op_of_ep && !nd_op_follows(&quad, point.ep, point.op))
                    continue;
                if (!points_of_rest(space, &d, point, visit, context))
                    return false;
            }
    }
    return true;
}

// ---- names --------------------------------------------------------------------------------------

static const char *const preset_names[] = {
    [ND_CLASSIC] = "classic",
    [ND_FSDP] = "zero",
    [ND_MEGATRON] = "megatron",
};

const char *nd_preset_name(enum nd_preset preset)
{
    return preset_names[preset];
}

bool nd_preset_find(const char *name, enum nd_preset *preset)
{
    for (int k = ND_CLASSIC; k <= ND_MEGATRON; k++)
        if (strcmp(name, preset_names[k]) == 0) {
            *preset = (enum nd_preset)k;
            return true;
        }
    *preset = ND_FSDP;
    return strcmp(name, "fsdp") == 0;
}
