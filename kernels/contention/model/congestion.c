// SPDX-License-Identifier: Apache-2.0
// Congestion: receivers throttle senders. Stages of equal parity form a chain: receiver r gets
// transfers from senders r-1 and r+1. A sender whose transfer to one receiver is throttled
// gives the rest of its bandwidth to its other tasks, and so perhaps to the receiver on its
// other side. The rounds run on *regions* only: sequences r, r+2, r+4 ... of receivers that the
// rounds can reach. Everywhere else the plain rules define the shares.
#include "kernels/contention/model/shares.h"

static bool is_receiver(const struct sim *s, int32_t r)
{
    return r >= 1 && r <= s->p->gpus - 2;
}

static uint8_t *region(const struct sim *s, int32_t r)
{
    return &s->in_region[r + REGION_PAD];
}

// Sum of the shares that stage j gives to a class.
static double sum_of(const struct sim *s, int32_t j, int c)
{
    const struct stage *st = &s->stages[j];
    return s->even[c] > 0 ? st->rate[c] * class_count(st, c) : st->rate[c] + st->second[c];
}

static double arriving(const struct sim *s, int32_t r)
{
    return sum_of(s, r - 1, FWD) + sum_of(s, r + 1, GRAD);
}

static bool overloaded(const struct sim *s, int32_t r)
{
    return is_receiver(s, r) && arriving(s, r) > 1 + SUM_SLACK;
}

// Gives sender j its plain shares, unmarked.
static void reset_sender(struct sim *s, int32_t j)
{
    struct stage *st = &s->stages[j];
    touch(s, j);
    advance(s, st);
    st->changed = true;
    share_port(s, st);
    for (int c = 0; c < 2; c++)
        st->given[c] = st->rate[c] == 0 ? NONE : s->even[c] > 0 ? ALL : HEAD;
}

// Dissolves the region of receiver r: receivers low ... high.
static void dissolve(struct sim *s, int32_t r, int32_t *low, int32_t *high)
{
    *low = *high = r;
    while (*region(s, *low - 2))
        *low -= 2;
    while (*region(s, *high + 2))
        *high += 2;
    s->n_regions--;
    for (int32_t k = *low; k <= *high; k += 2)
        *region(s, k) = 0;
    for (int32_t j = *low - 1; j <= *high + 1; j += 2)
        reset_sender(s, j);
}

static void mark_throttled(struct sim *s, struct stage *st, int c, enum extent extent)
{
    int32_t count = extent == ALL ? class_count(st, c) : 1;
    int32_t from = st->marked[c] > st->sent[c] ? st->marked[c] : st->sent[c];
    int32_t to = st->sent[c] + count;
    st->throttled[c] = count;
    if (to > from) {
        s->throttled_tasks += to - from;
        st->marked[c] = to;
    }
}

static void scale(struct sim *s, int32_t j, int c, double factor)
{
    struct stage *st = &s->stages[j];
    if (st->given[c] == NONE)
        return;
    st->rate[c] *= factor;
    st->second[c] *= factor;
    st->fixed[c] = st->given[c] == HEAD && class_count(st, c) > 1 ? HEAD : ALL;
    mark_throttled(s, st, c, st->fixed[c]);
}

// Step 1 of a round for receivers low, low + 2 ... high. Returns whether it changed a share.
static bool limit(struct sim *s, int32_t low, int32_t high)
{
    bool changed = false;
    for (int32_t r = low; r <= high; r += 2) {
        double sum = arriving(s, r);
        if (sum <= 1 + SUM_SLACK)
            continue;
        scale(s, r - 1, FWD, 1 / sum);
        scale(s, r + 1, GRAD, 1 / sum);
        changed = true;
    }
    return changed;
}

static double fixed_sum(const struct sim *s, const struct stage *st, int c)
{
    if (st->fixed[c] == NONE)
        return 0;
    if (st->fixed[c] == HEAD)
        return st->rate[c];
    return s->even[c] > 0 ? st->rate[c] * class_count(st, c) : st->rate[c] + st->second[c];
}

// Rule 1 takes the share of all tasks that are not fixed, before it gives one of them u.
static void take_all(struct stage *st, unsigned kinds)
{
    for (int c = 0; c < 2; c++) {
        if (!(kinds & KIND_BIT(c)))
            continue;
        st->given[c] = ALL;
        st->second[c] = 0;
        if (st->fixed[c] == NONE)
            st->rate[c] = 0;
    }
    st->rate[SYNC] = st->rate[LEFT] = 0;
}

// Step 2 of a round at a sender.
static void hand_out_rest(struct sim *s, struct stage *st)
{
    double u = 1 - (fixed_sum(s, st, FWD) + fixed_sum(s, st, GRAD));
    unsigned kinds = kinds_present(st);
    for (int c = 0; c < 2; c++)
        if (st->fixed[c] == ALL)
            kinds &= ~KIND_BIT(c);
    if (kinds == 0 || u < 1e-9)
        return;
    const struct rule *rule = &s->rules[kinds];
    if (rule->winners != 0)
        take_all(st, kinds);
    for (int c = 0; c < 2; c++)
        if (kinds & KIND_BIT(c) && (!rule->weighted || s->p->priority[c] > WEIGHT_MIN))
            st->given[c] = ALL;
    hand_out(s, st, kinds, u);
}

// Returns whether the rounds reach past an end of the region; then moves that end.
static bool widen(const struct sim *s, int32_t *low, int32_t *high)
{
    bool below = overloaded(s, *low - 2), above = overloaded(s, *high + 2);
    *low -= below ? 2 : 0;
    *high += above ? 2 : 0;
    return below || above;
}

// Runs the rounds on receivers low ... high. false: they reach past an end, which has moved.
static bool run_rounds(struct sim *s, int32_t *low, int32_t *high)
{
    for (int32_t j = *low - 1; j <= *high + 1; j += 2)
        reset_sender(s, j);
    for (int32_t round = 0; round < 2 * s->p->gpus; round++) {
        if (widen(s, low, high))
            return false;
        if (!limit(s, *low, *high))
            break;
        for (int32_t j = *low - 1; j <= *high + 1; j += 2)
            hand_out_rest(s, &s->stages[j]);
    }
    return true;
}

// Makes the region around overloaded receiver r: as wide as the rounds reach, and joined with
// the regions it meets, since neighbouring receivers share a sender.
static void grow(struct sim *s, int32_t r)
{
    int32_t low = r, high = r, unused;
    do {
        if (*region(s, low - 2))
            dissolve(s, low - 2, &low, &unused);
        if (*region(s, high + 2))
            dissolve(s, high + 2, &unused, &high);
    } while (!run_rounds(s, &low, &high));
    s->n_regions++;
    for (int32_t k = low; k <= high; k += 2)
        *region(s, k) = 1;
}

static void seed(struct sim *s, int32_t r)
{
    if (overloaded(s, r))
        s->seeds[s->n_seeds++] = r;
}

// Dissolves every region that a change at sender j can affect: the regions of its receivers and the
// neighbouring regions, which is more than any known case needs.
static void dissolve_around(struct sim *s, int32_t j)
{
    for (int32_t r = j - 3; r <= j + 3; r += 2) {
        int32_t low, high;
        if (!*region(s, r))
            continue;
        dissolve(s, r, &low, &high);
        for (int32_t k = low; k <= high; k += 2)
            seed(s, k);
    }
}

void contention_congest(struct sim *s)
{
    int32_t n_changed = s->n_touched;
    s->n_seeds = 0;
    for (int32_t k = 0; k < n_changed && s->n_regions > 0; k++)
        if (s->stages[s->touched[k]].port_changed)
            dissolve_around(s, s->touched[k]);
    for (int32_t k = 0; k < n_changed; k++) {
        int32_t j = s->touched[k];
        if (!s->stages[j].port_changed)
            continue;
        seed(s, j - 1);
        seed(s, j + 1);
    }
    for (int32_t k = 0; k < s->n_seeds; k++)
        if (!*region(s, s->seeds[k]))
            grow(s, s->seeds[k]);
}
