// SPDX-License-Identifier: Apache-2.0
// Decides whether lanes can simulate a point, and compares points whose simulation lanes may
// share.
#include "kernels/contention/lanes/lanes.h"
#include "kernels/contention/model/shares.h"

// The minimum share, other than 0, of a class in lanes: far above RATE_MIN, even if the class
// has several tasks.
#define LEAST_SHARE 1e-7

// The maximum impact: the rate that synchronisations leave a compute task is at least
// LEAST_SHARE.
#define GREATEST_IMPACT (1 - LEAST_SHARE)

// Computes the shares if exactly `kinds` are present; false: the shares depend on more than the
// kinds.
static bool share_among(const struct sim *s, unsigned kinds, double share[3], bool *equal)
{
    const struct rule *rule = &s->rules[kinds];
    const bool tie = (rule->winners & (rule->winners - 1)) != 0;
    bool fit = true;
    *equal = false;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        share[k] = 0;
    if (!(s->together >> kinds & 1))
        return true;
    *equal = rule->winners == 0 && !rule->weighted;
    for (int k = 0; k < CONTENTION_N_SHARING; k++) {
        if (!(kinds & KIND_BIT(k)))
            continue;
        if (rule->winners != 0)
            share[k] = rule->winners == KIND_BIT(k);
        else
            share[k] = *equal ? 1.0 / __builtin_popcount(kinds) : rule->part[k];
        fit = fit && (share[k] >= LEAST_SHARE || share[k] <= 0);
    }
    return fit && !tie;
}

static bool set_shares(const struct sim *s, struct contention_lane_point *lane)
{
    bool fit = share_among(s, 7, lane->share_of_three, &lane->equal_of_three);
    for (int a = 0; a < CONTENTION_N_SHARING; a++)
        for (int b = a + 1; b < CONTENTION_N_SHARING; b++) {
            double share[CONTENTION_N_SHARING];
            bool equal;
            fit = share_among(s, KIND_BIT(a) | KIND_BIT(b), share, &equal) && fit;
            lane->share_of_two[a][b] = share[a];
            lane->share_of_two[b][a] = share[b];
            lane->equal_of_two[a][b] = lane->equal_of_two[b][a] = equal;
        }
    return fit;
}

// Ports of their own for fwd_props: the other kinds share as if there were no fwd_props.
static void set_apart(struct contention_lane_point *lane)
{
    for (int k = 1; k < CONTENTION_N_SHARING; k++) {
        lane->share_of_two[0][k] = lane->share_of_two[k][0] = 1;
        lane->share_of_three[k] = lane->share_of_two[k][CONTENTION_N_SHARING - k];
    }
    lane->share_of_three[0] = 1;
    lane->equal_of_three = lane->equal_of_two[1][2];
}

// No contention: every task has rate 1.
static void set_ideal(struct contention_lane_point *lane)
{
    for (int a = 0; a < CONTENTION_N_SHARING; a++) {
        lane->share_of_three[a] = 1;
        for (int b = 0; b < CONTENTION_N_SHARING; b++)
            lane->share_of_two[a][b] = 1;
    }
}

static bool set_port(const struct sim *s, struct contention_lane_point *lane)
{
    const bool fit = set_shares(s, lane);
    if (s->p->channels == CONTENTION_DUPLEX)
        set_apart(lane);
    if (s->p->channels == CONTENTION_IDEAL)
        set_ideal(lane);
    return fit;
}

bool contention_lanes_fit(const struct sim *s, bool exact, struct contention_lane_point *lane)
{
    const struct contention_point *p = s->p;
    const bool few_looks = p->n > contention_lanes_n_whole(p->gpus) && p->sync_freq > p->n / 8;
    if (p->gpus < 2 || p->gpus > LANE_GPUS_MAX || few_looks || p->pipeline != CONTENTION_1F1B ||
        s->instant_prop || s->instant_sync)
        return false;
    const bool leftover = p->n % p->sync_freq != 0;
    if (leftover && (p->gpus > LANE_GPUS_FEW || s->instant_left))
        return false;
    const bool ideal = p->channels == CONTENTION_IDEAL;
    *lane = (struct contention_lane_point){
        .gpus = p->gpus,
        .n = p->n,
        .eps_work = s->eps_work,
        .span = s->span,
        .prop_len = p->prop_len,
        .len = {p->fwd_len, p->bwd_len},
        .impact = {s->impact[1], s->impact[2]},
        .sync_work = s->sync_work,
        .sync_freq = p->sync_freq,
        .left_work = leftover ? s->left_work : 0,
        .exclusive = {s->even[0] == 0, s->even[1] == 0, !ideal && p->priority[2] < 0},
        .apart = p->channels == CONTENTION_DUPLEX,
        .ideal = ideal,
        .congestion = s->congestion,
        .jumps = !exact,
    };
    return set_port(s, lane) && lane->impact[0] <= GREATEST_IMPACT &&
           lane->impact[1] <= GREATEST_IMPACT;
}

bool contention_lanes_begin_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b)
{
    bool alike = a->gpus == b->gpus && a->n == b->n && a->eps_work == b->eps_work &&
                 a->prop_len == b->prop_len && a->sync_work == b->sync_work &&
                 a->sync_freq == b->sync_freq && a->congestion == b->congestion &&
                 a->left_work == b->left_work && a->apart == b->apart && a->ideal == b->ideal &&
                 a->jumps == b->jumps;
    for (int c = 0; c < 2; c++)
        alike = alike && a->len[c] == b->len[c] && a->impact[c] == b->impact[c] &&
                a->exclusive[c] == b->exclusive[c];
    // With many stages, congestion may treat a share of 0 by rule 1 and by rule 2 differently.
    if (a->gpus > LANE_GPUS_FEW)
        alike = alike && a->exclusive[2] == b->exclusive[2];
    return alike;
}

bool contention_lanes_share_alike(const struct contention_lane_point *a,
                                  const struct contention_lane_point *b)
{
    bool alike = a->equal_of_three == b->equal_of_three;
    for (int k = 0; k < 3; k++) {
        alike = alike && a->share_of_three[k] == b->share_of_three[k];
        for (int other = 0; other < 3; other++)
            alike = alike && a->share_of_two[k][other] == b->share_of_two[k][other] &&
                    a->equal_of_two[k][other] == b->equal_of_two[k][other];
    }
    return alike;
}
