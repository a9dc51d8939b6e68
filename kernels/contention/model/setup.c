// SPDX-License-Identifier: Apache-2.0
// Prepares the fast path: the scratch, the constants of a point, and the state before its first
// event.
#include "kernels/contention/model/shares.h"

#include <string.h>

// Remaining work that counts as 0, in units (unit_of).
#define EPS 1e-9

// Units of time after which the clock starts again from 0: the fewer, the more digits times
// have; a restart costs a look at each stage.
#define EPOCH_UNITS 16

// Places of the queue of pieces beyond one for each task that can be active: the more, the
// fewer pieces are cut in two. 1024 (40 kB) leave traces that a person can look at uncut.
#define PIECES_MORE 1024

// ---- scratch --------------------------------------------------------------------------------

// Places arrays in one block of memory, each 64-byte aligned; without a block it only adds up
// their sizes. SIZE_MAX: too large.
struct layout {
    char *base;
    size_t bytes;
};

static void *take(struct layout *l, size_t count, size_t size)
{
    size_t start = l->bytes, room = SIZE_MAX - 64;
    if (start > room || count > (room - start) / size) {
        l->bytes = SIZE_MAX;
        return NULL;
    }
    l->bytes = (start + count * size + 63) / 64 * 64;
    return l->base == NULL ? NULL : l->base + start;
}

static size_t power_of_two(size_t least)
{
    size_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

// Micro-batches that can be under way at once: in 1f1b stage 0 lets no more than gpus in.
static size_t in_flight(const struct contention_point *p)
{
    int32_t most = p->pipeline == CONTENTION_1F1B && p->gpus < p->n ? p->gpus : p->n;
    return power_of_two((size_t)most);
}

// Places as many anchors as fit. More stages never need less memory, so scratch for the largest
// point is sufficient for all points.
static void lay_out_window(struct steady *steady, struct layout *l, size_t gpus)
{
    const bool full = STEADY_STAGES / gpus >= STEADY_WINDOW;
    const size_t stages = full ? STEADY_WINDOW * gpus : STEADY_STAGES;
    steady->n_window = full ? STEADY_WINDOW : STEADY_STAGES / gpus;
    steady->room = STEADY_SLOTS * gpus + power_of_two(gpus);
    steady->window = take(l, STEADY_WINDOW, sizeof *steady->window);
    steady->values = take(l, (STEADY_SLOTS + 2) * stages, sizeof *steady->values);
    steady->sync = take(l, stages, sizeof *steady->sync);
    steady->mark = take(l, 2 * STEADY_MARKS, sizeof *steady->mark);
    steady->time = take(l, STEADY_MARKS, sizeof *steady->time);
}

// Arrays for points no larger than `p`.
static void lay_out(struct sim *s, struct layout *l, const struct contention_point *p)
{
    size_t gpus = (size_t)p->gpus, ring = in_flight(p);
    size_t pieces = ring + 3 * gpus + PIECES_MORE;
    s->ring = (uint32_t)(ring - 1);
    s->stages = take(l, gpus, sizeof *s->stages);
    size_t places = gpus;
    s->n_levels = 0;
    do {
        places = (places + FAN - 1) / FAN;
        s->times[s->n_levels++] = take(l, FAN * places, sizeof **s->times);
    } while (places > 1);
    s->due = take(l, gpus, sizeof *s->due);
    s->touched = take(l, gpus, sizeof *s->touched);
    s->target = take(l, ring, sizeof *s->target);
    s->in_region = take(l, gpus + 2 * REGION_PAD, sizeof *s->in_region);
    s->seeds = take(l, 4 * gpus, sizeof *s->seeds);
    s->metrics = take(l, gpus, sizeof *s->metrics);
    s->ready = take(l, ring, sizeof *s->ready);
    lay_out_window(&s->steady, l, gpus);
    s->steady.moved = take(l, ring, sizeof *s->steady.moved);
    s->slopes_room = take(l, gpus, sizeof *s->slopes_room);
    s->target_slope = take(l, ring, sizeof *s->target_slope);
    s->tracer.of_transfer = take(l, ring, sizeof *s->tracer.of_transfer);
    s->tracer.of_stage = take(l, 3 * gpus, sizeof *s->tracer.of_stage);
    s->tracer.queue = take(l, pieces, sizeof *s->tracer.queue);
    s->tracer.cap = pieces;
}

size_t contention_scratch_bytes(const struct contention_point *largest)
{
    struct sim s;
    struct layout l = {.base = NULL};
    lay_out(&s, &l, largest);
    return l.bytes;
}

// ---- constants of a point -------------------------------------------------------------------

// The largest power of two no greater than x: x without its fraction, unless it is so small
// that it has no exponent.
static double floor_power(double x)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t bits;
    int e;
    memcpy(&bits, &x, sizeof bits);
    bits &= exponent;
    if (bits == 0) {
        frexp(x, &e);
        return ldexp(1, e - 1);
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

double contention_unit(const struct contention_point *p)
{
    return floor_power(contention_longest(p));
}

// The kinds of a mask that have its best tier.
static unsigned best_tier(const struct contention_point *p, unsigned kinds)
{
    double best = -HUGE_VAL;
    unsigned winners = 0;
    for (int k = 0; k < CONTENTION_N_SHARING; k++) {
        double tier = p->priority[k];
        if (!(kinds & KIND_BIT(k)) || tier >= 0 || tier < best)
            continue;
        winners = tier > best ? KIND_BIT(k) : winners | KIND_BIT(k);
        best = tier;
    }
    return winners;
}

static struct rule rule_for(const struct contention_point *p, unsigned kinds)
{
    struct rule rule = {.winners = best_tier(p, kinds)};
    double sum = 0;
    if (rule.winners != 0)
        return rule;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        if (kinds & KIND_BIT(k) && p->priority[k] > WEIGHT_MIN)
            sum += rule.part[k] = p->priority[k];
    rule.weighted = sum > 0;
    for (int k = 0; k < CONTENTION_N_SHARING && rule.weighted; k++)
        if (rule.part[k] > 0)
            rule.part[k] = rule.part[k] < sum ? rule.part[k] / sum : 1;
    return rule;
}

// Kinds of transfer that are ever active.
static unsigned kinds_possible(const struct sim *s)
{
    unsigned kinds = 0;
    if (s->p->gpus > 1 && !s->instant_prop)
        kinds |= KIND_BIT(CONTENTION_FWD_PROP) | KIND_BIT(CONTENTION_GRAD_PROP);
    if (!s->instant_sync || !s->instant_left)
        kinds |= KIND_BIT(CONTENTION_GRAD_SYNC);
    return kinds;
}

// Whether exactly these kinds can be active together at one port.
static bool can_be_together(const struct sim *s, unsigned possible, unsigned kinds)
{
    const unsigned props = KIND_BIT(CONTENTION_FWD_PROP) | KIND_BIT(CONTENTION_GRAD_PROP);
    if ((kinds & ~possible) != 0 || s->p->channels == CONTENTION_IDEAL)
        return false;
    if (s->p->gpus == 2 && (kinds & props) == props)
        return false;
    return s->p->channels == CONTENTION_SHARED || kinds == KIND_BIT(CONTENTION_FWD_PROP) ||
           (kinds & KIND_BIT(CONTENTION_FWD_PROP)) == 0;
}

static unsigned sets_together(const struct sim *s)
{
    const unsigned possible = kinds_possible(s);
    unsigned together = 0;
    for (unsigned kinds = 1; kinds < sizeof s->rules / sizeof *s->rules; kinds++)
        together |= (unsigned)can_be_together(s, possible, kinds) << kinds;
    return together;
}

void contention_constants(struct sim *s, const struct contention_point *p)
{
    double unit = contention_unit(p);
    bool ideal = p->channels == CONTENTION_IDEAL;
    s->eps_work = EPS * unit;
    s->span = EPOCH_UNITS * unit;
    s->per_unit = 1 / unit;
    s->compute_len[FWD] = p->fwd_len;
    s->compute_len[GRAD] = p->bwd_len;
    s->impact[1] = ideal ? 0 : p->fwd_impact;
    s->impact[2] = ideal ? 0 : p->bwd_impact;
    s->sync_work = contention_sync_work(p, p->sync_freq);
    s->left_work = contention_sync_work(p, p->n % p->sync_freq);
    s->instant_prop = p->prop_len <= s->eps_work;
    s->instant_sync = s->sync_work <= s->eps_work;
    s->instant_left = s->left_work <= s->eps_work;
    // In gpipe every fwd_prop is over before the first grad_prop, so no receiver has too much.
    s->congestion = p->congestion && p->channels == CONTENTION_SHARED && p->gpus > 2 &&
                    p->pipeline == CONTENTION_1F1B && !s->instant_prop;
    for (int c = 0; c < 2; c++)
        s->even[c] = ideal || p->priority[c] >= 0;
    for (unsigned kinds = 1; kinds < sizeof s->rules / sizeof *s->rules; kinds++)
        s->rules[kinds] = rule_for(p, kinds);
    s->together = sets_together(s);
}

// ---- the state before the first event -------------------------------------------------------

static int32_t window_of(const struct contention_point *p, int32_t j)
{
    if (p->pipeline == CONTENTION_GPIPE)
        return p->n;
    if (j == 0)
        return p->gpus;
    return j == p->gpus - 1 ? 1 : p->n;
}

static void set_stage(struct sim *s, int32_t j)
{
    const struct contention_point *p = s->p;
    bool last = j == p->gpus - 1;
    struct stage *st = &s->stages[j];
    *st = (struct stage){
        .in = {j == 0 ? p->n : 0, last && p->pipeline == CONTENTION_1F1B ? p->n : 0},
        .window = window_of(p, j),
        .next_sync = p->sync_freq,
        .sync_at = -1,
    };
    for (int k = 0; k < N_SLOTS; k++)
        st->rem[k] = HUGE_VAL;
    s->metrics[j] = (struct stage_metrics){0};
}

static void clear_times(struct sim *s)
{
    size_t places = (size_t)s->p->gpus;
    for (int l = 0; l < s->n_levels; l++) {
        places = (places + FAN - 1) / FAN;
        for (size_t k = 0; k < FAN * places; k++)
            s->times[l][k] = (struct times){HUGE_VAL, HUGE_VAL};
    }
}

void contention_setup(struct sim *s, const struct contention_point *point, void *scratch)
{
    struct layout l = {.base = scratch};
    *s = (struct sim){.p = point};
    lay_out(s, &l, point);
    contention_constants(s, point);
    clear_times(s);
    memset(s->in_region, 0, (size_t)point->gpus + 2 * REGION_PAD);
    for (int32_t j = 0; j < point->gpus; j++)
        set_stage(s, j);
    contention_steady_start(s);
}
