// SPDX-License-Identifier: Apache-2.0
// The contention model's fast path against the reference on random points of the whole
// parameter space, and on extreme ones; scaling of all lengths; the stop flag.
#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contention/model.h"
#include "kernels/contention/reference.h"

// How many points are compared; $PPS_RANDOM_POINTS says another number.
static uint64_t n_points(void)
{
    const char *asked = getenv("PPS_RANDOM_POINTS");
    return asked != NULL ? strtoull(asked, NULL, 10) : 20000;
}
#define TOLERANCE 1e-9 // relative

// ---- random points --------------------------------------------------------------------------

struct random {
    uint64_t state;
};

// splitmix64
static uint64_t draw(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int32_t below(struct random *r, int32_t end)
{
    return (int32_t)(draw(r) % (uint64_t)end);
}

static double unit(struct random *r)
{
    return (double)(draw(r) >> 11) * 0x1p-53;
}

static double one_of(struct random *r, const double *values, int count)
{
    return values[below(r, count)];
}

// Half of the lengths are round, so that many events coincide.
static double length(struct random *r, bool may_be_zero)
{
    static const double round[] = {0.25, 0.5, 0.75, 1, 1.3, 1.5, 2, 2.5, 3, 4};
    if (may_be_zero && below(r, 10) == 0)
        return 0;
    return below(r, 2) ? one_of(r, round, 10) : 0.05 + 4 * unit(r);
}

static double impact(struct random *r)
{
    static const double round[] = {0, 0.1, 0.2, 0.4, 0.5, 0.999};
    return below(r, 2) ? one_of(r, round, 6) : 0.99 * unit(r);
}

static double priority(struct random *r)
{
    switch (below(r, 8)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return -1 - below(r, 3);
    case 3:
        return unit(r);
    default:
        return below(r, 11) / 10.0;
    }
}

// Mostly small, with a tail of larger ones.
static int32_t size(struct random *r, int32_t most)
{
    int32_t bound = below(r, 20) == 0 ? most : most / 4 + 1;
    return 1 + below(r, bound);
}

static struct contention_point random_point(uint64_t seed)
{
    struct random r = {seed * 0x2545f4914f6cdd1du};
    struct contention_point p = {.n = size(&r, 64), .gpus = size(&r, 16)};
    p.sync_freq = below(&r, 2) ? 1 : 1 + below(&r, p.n);
    p.fwd_len = length(&r, false);
    p.bwd_len = length(&r, false);
    p.prop_len = length(&r, true);
    p.sync_base_len = length(&r, true);
    p.fwd_impact = impact(&r);
    p.bwd_impact = impact(&r);
    p.pipeline = below(&r, 4) == 0 ? CONTENTION_GPIPE : CONTENTION_1F1B;
    p.congestion = below(&r, 4) != 0;
    p.channels =
        below(&r, 5) != 0 ? CONTENTION_SHARED : (enum contention_channels)(1 + below(&r, 2));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = priority(&r);
    return p;
}

// ---- comparing ------------------------------------------------------------------------------

static const char *show(const struct contention_point *p)
{
    static _Thread_local char text[512];
    snprintf(text, sizeof text,
             "n %d gpus %d sync_freq %d lengths %.17g %.17g %.17g %.17g impacts %.17g %.17g "
             "pipeline %d channels %d congestion %d priorities %.17g %.17g %.17g",
             p->n, p->gpus, p->sync_freq, p->fwd_len, p->bwd_len, p->prop_len, p->sync_base_len,
             p->fwd_impact, p->bwd_impact, p->pipeline, p->channels, p->congestion,
             p->priority[0], p->priority[1], p->priority[2]);
    return text;
}

static void *room(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(memory, 0x5a, bytes);
    return memory;
}

// Relative to the larger, or to `scale`: of a metric that is a sum of differences of times, its
// value where these are the completion time.
static double error_of(double a, double b, double scale)
{
    return fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), scale);
}

// The largest relative error among all results; HUGE_VAL where counts differ.
static double worst_error(const struct contention_result *a, const struct contention_result *b)
{
    double worst = error_of(a->total_time, b->total_time, 0);
    worst = fmax(worst, error_of(a->ideal_time, b->ideal_time, 0));
    worst = fmax(worst, error_of(a->bubble_ratio, b->bubble_ratio, 1));
    worst = fmax(worst, error_of(a->compute_slowdown, b->compute_slowdown,
                                 a->compute_slowdown / (1 - a->bubble_ratio)));
    worst = fmax(worst, error_of(a->port_utilization, b->port_utilization, 1));
    worst = fmax(worst, error_of(a->exposed_comm, b->exposed_comm, 1));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        worst = fmax(worst, error_of(a->latency[k], b->latency[k], a->total_time));
    if (a->throttled_tasks != b->throttled_tasks || a->peak_in_flight != b->peak_in_flight)
        return HUGE_VAL;
    return worst;
}

// What is left of a difference, in a point that repeats small differences many times larger:
// some points of this model do (a shared port can stretch the gap between two events by its
// shares, period after period), so that the last digits of any two implementations part. The
// reference itself then moves as much when a length changes in its last digits.
static bool is_sensitive(const struct contention_point *p, double error)
{
    static const double changes[] = {0x1p-50, -0x1p-50, 0x1p-48, -0x1p-48};
    struct contention_result before, after;
    double moved = 0;
    contention_reference(p, true, NULL, &before);
    for (int k = 0; k < 4; k++) {
        struct contention_point q = *p;
        q.fwd_len *= 1 + changes[k];
        q.prop_len *= 1 - changes[k];
        contention_reference(&q, true, NULL, &after);
        moved = fmax(moved, worst_error(&before, &after));
    }
    return moved >= error / 16;
}

// Compares fast path and reference at a point, with metrics; what differs goes to `text`.
static double compare_at(const struct contention_point *p, void *scratch, char *text)
{
    struct contention_result fast, plain, reference;
    bool done = contention_simulate(p, true, true, scratch, NULL, &fast) == CONTENTION_DONE &&
                contention_simulate(p, false, true, scratch, NULL, &plain) == CONTENTION_DONE &&
                contention_reference(p, true, NULL, &reference) == CONTENTION_DONE;
    double error = done ? worst_error(&fast, &reference) : HUGE_VAL;
    if (done && plain.total_time != fast.total_time)
        error = HUGE_VAL;
    if (error > TOLERANCE)
        snprintf(text, 1024,
                 "%s: error %g, done %d, time %.17g with metrics %.17g reference %.17g, "
                 "throttled %lld %lld, in flight %d %d",
                 show(p), error, done, plain.total_time, fast.total_time, reference.total_time,
                 (long long)fast.throttled_tasks, (long long)reference.throttled_tasks,
                 fast.peak_in_flight, reference.peak_in_flight);
    return error;
}

// Catches any case in which the fast path's short cuts leave the model.
Test(contention_random, fast_path_equals_reference)
{
    static char fault[1024];
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    const uint64_t n = n_points();
    double worst = 0;
    int faults = 0, sensitive = 0;
#pragma omp parallel reduction(max : worst) reduction(+ : faults, sensitive)
    {
        void *scratch = room(contention_scratch_bytes(&largest));
#pragma omp for schedule(dynamic, 64)
        for (uint64_t seed = 0; seed < n; seed++) {
            char text[1024];
            struct contention_point p = random_point(seed);
            double error = compare_at(&p, scratch, text);
            if (error > TOLERANCE && is_sensitive(&p, error)) {
                sensitive++;
            } else if (error <= TOLERANCE) {
                worst = fmax(worst, error);
            } else {
                faults++;
#pragma omp critical
                memcpy(fault, text, sizeof fault);
            }
        }
        free(scratch);
    }
    cr_assert_eq(faults, 0, "%d points differ; one of them: %s", faults, fault);
    cr_assert_leq(sensitive, (int)(n / 1000), "%d points are left uncompared", sensitive);
    cr_log_info("%d points: largest relative error %.3g, %d too sensitive to compare", (int)n,
                worst, sensitive);
}

// ---- traces ---------------------------------------------------------------------------------

// Work done by the pieces, per kind and throttled or not, and when the last one ended.
struct tally {
    double work[5][2];
    double start, end;
    int unordered, count;
};

static void count_piece(void *self, const struct contention_piece *piece)
{
    struct tally *t = self;
    t->work[piece->kind][piece->throttled] += piece->rate * (piece->end - piece->start);
    t->unordered += piece->start < t->start || piece->end <= piece->start;
    t->start = piece->start;
    t->end = fmax(t->end, piece->end);
    t->count++;
}

static double tally_error(const struct tally *a, const struct tally *b)
{
    double worst = error_of(a->end, b->end, 0);
    for (int kind = 0; kind < 5; kind++)
        for (int k = 0; k < 2; k++)
            worst = fmax(worst, error_of(a->work[kind][k], b->work[kind][k], a->end));
    return worst;
}

static void check_trace(const struct contention_point *p, void *scratch, struct tally *fast)
{
    struct contention_result result;
    struct tally reference = {.end = 0};
    const struct contention_sink to_fast = {fast, count_piece};
    const struct contention_sink to_reference = {&reference, count_piece};
    *fast = (struct tally){.end = 0};
    cr_assert_eq(contention_trace(p, scratch, NULL, &to_fast, &result), CONTENTION_DONE);
    cr_assert_eq(contention_reference(p, false, &to_reference, &result), CONTENTION_DONE);
    cr_assert_eq(fast->unordered, 0, "%s: pieces out of order", show(p));
    cr_assert_leq(fast->count, reference.count, "%s: more pieces than events cut", show(p));
    const double error = tally_error(fast, &reference);
    cr_assert(error <= 1e-8 || is_sensitive(p, error), "%s: %g", show(p), error);
}

// Catches pieces lost or cut wrongly in congested points, which few golden traces have.
Test(contention_random, traces_hold_all_work_in_order)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = room(contention_scratch_bytes(&largest));
    for (uint64_t seed = 0; seed < n_points() / 50; seed++) {
        struct contention_point p = random_point(seed + n_points());
        struct tally tally;
        check_trace(&p, scratch, &tally);
    }
    free(scratch);
}

// ---- extremes -------------------------------------------------------------------------------

static void check_at(const struct contention_point *p)
{
    char text[1024];
    void *scratch = room(contention_scratch_bytes(p));
    cr_assert(compare_at(p, scratch, text) <= TOLERANCE, "%s", text);
    free(scratch);
}

static struct contention_point usual(void)
{
    return (struct contention_point){8,
                                     4,
                                     1,
                                     1,
                                     2,
                                     1,
                                     2,
                                     0.2,
                                     0.2,
                                     CONTENTION_1F1B,
                                     CONTENTION_SHARED,
                                     true,
                                     {0.3, 0.3, 0.4}};
}

// Catches places that assume a neighbour, a second micro-batch, or work above 0.
Test(contention_random, smallest_sizes_and_zero_lengths)
{
    for (int bits = 0; bits < 128; bits++) {
        struct contention_point p = usual();
        p.n = bits & 1 ? 1 : 7;
        p.gpus = bits & 2 ? 1 : bits & 4 ? 2 : 5;
        p.prop_len = bits & 8 ? 0 : 1;
        p.sync_base_len = bits & 16 ? 0 : 2;
        p.sync_freq = bits & 32 && p.n > 1 ? 3 : 1;
        p.pipeline = bits & 64 ? CONTENTION_GPIPE : CONTENTION_1F1B;
        check_at(&p);
        p.channels = CONTENTION_IDEAL;
        check_at(&p);
    }
}

// Catches clocks and tolerances that do not follow the size of the lengths. No length is
// eps_work itself, where rounding would decide.
Test(contention_random, lengths_far_apart)
{
    static const double lengths[] = {2.5e-9, 1e-3, 1, 1e5, 1e9};
    for (int k = 0; k < 625; k++) {
        struct contention_point p = usual();
        p.fwd_len = lengths[k % 5];
        p.bwd_len = lengths[k / 5 % 5];
        p.prop_len = lengths[k / 25 % 5];
        p.sync_base_len = lengths[k / 125];
        p.fwd_impact = p.bwd_impact = k % 2 ? 0.999 : 0;
        check_at(&p);
    }
}

// Catches growth with n that the random points, which are small, do not show: clocks that lose
// digits, rings that are too small, counters that wrap.
Test(contention_random, many_micro_batches)
{
    struct contention_point p = usual();
    p.n = 700;
    for (int k = 0; k < 4; k++) {
        p.pipeline = k & 1 ? CONTENTION_GPIPE : CONTENTION_1F1B;
        p.bwd_len = k & 2 ? 1.7 : 2;
        check_at(&p);
    }
}

// Catches a queue of pieces that overflows, or loses what it cuts: here thousands of pieces
// wait for synchronisations that take longer than all the rest.
Test(contention_random, traces_with_a_full_queue)
{
    struct contention_point p = usual();
    struct tally tally;
    p.n = 64;
    p.gpus = 16;
    p.sync_base_len = 1000;
    p.channels = CONTENTION_IDEAL;
    void *scratch = room(contention_scratch_bytes(&p));
    check_trace(&p, scratch, &tally);
    int n_tasks = 64 * (5 * 16 - 2);
    cr_assert_gt(tally.count, n_tasks, "nothing was cut: the test misses its point");
    cr_assert_lt(tally.count, n_tasks + n_tasks / 4);
    free(scratch);
}

// ---- jumping --------------------------------------------------------------------------------

// Long points of all settings, in most of which something repeats.
static struct contention_point long_point(uint64_t seed)
{
    struct contention_point p = random_point(seed);
    struct random r = {seed};
    p.n = 150 + below(&r, below(&r, 4) ? 600 : 3000);
    p.gpus = 1 + below(&r, below(&r, 4) ? 6 : 16);
    p.sync_freq = below(&r, 2) ? 1 : 1 + below(&r, below(&r, 2) ? 8 : p.n);
    p.pipeline = CONTENTION_1F1B;
    return p;
}

// Whether the exact result itself moves about as much as `error` when lengths change in their
// last digits.
static bool moves_as_much(const struct contention_point *p, void *scratch, double error)
{
    struct contention_result before, after;
    double moved = 0;
    contention_simulate(p, false, true, scratch, NULL, &before);
    for (int k = 1; k <= 6; k++) {
        struct contention_point q = *p;
        q.fwd_len *= 1 + k * 0x1p-50;
        q.bwd_len *= 1 - k * 0x1p-51;
        q.prop_len *= 1 - k * 0x1p-50;
        contention_simulate(&q, false, true, scratch, NULL, &after);
        moved = fmax(moved, error_of(before.total_time, after.total_time, 0));
    }
    return moved >= error / 16;
}

// Catches a jump over micro-batches that only seem to repeat, one that goes too far, or one that
// forgets something: leftovers, synchronisations that pile up, transfers that wait.
Test(contention_random, jumps_change_rounding_only)
{
    const uint64_t n = n_points() / 50;
    static char fault[1024];
    int faults = 0, sensitive = 0, jumps = 0;
#pragma omp parallel reduction(+ : faults, sensitive, jumps)
    {
        const struct contention_point largest = {.n = 4000, .gpus = 16};
        void *scratch = room(contention_scratch_bytes(&largest));
#pragma omp for schedule(dynamic, 4)
        for (uint64_t seed = 0; seed < n; seed++) {
            struct contention_point p = long_point(seed);
            struct contention_result fast, exact;
            contention_simulate(&p, false, false, scratch, NULL, &fast);
            contention_simulate(&p, false, true, scratch, NULL, &exact);
            double error = error_of(fast.total_time, exact.total_time, 0);
            jumps += fast.n_events < exact.n_events;
            if (error <= TOLERANCE)
                continue;
            if (moves_as_much(&p, scratch, error)) {
                sensitive++;
                continue;
            }
            faults++;
#pragma omp critical
            snprintf(fault, sizeof fault, "%s: %.17g, exactly %.17g", show(&p), fast.total_time,
                     exact.total_time);
        }
        free(scratch);
    }
    cr_assert_eq(faults, 0, "%d points differ; one of them: %s", faults, fault);
    cr_assert_leq(sensitive, 1 + (int)(n / 200), "%d points are left uncompared", sensitive);
    cr_assert_geq(jumps, (int)(n / 3), "only %d of %d points jump", jumps, (int)n);
}

// Catches a search that goes on for ever, and time that is lost or gained over a million periods.
Test(contention_random, a_million_micro_batches_cost_no_more_than_thousands)
{
    struct contention_point p = usual();
    struct contention_result fast, exact;
    p.n = 1000000;
    void *scratch = room(contention_scratch_bytes(&p));
    for (int k = 0; k < 4; k++) {
        p.priority[0] = k & 1 ? 0.1 : 0.4;
        p.priority[1] = k & 1 ? 0.9 : 0.3;
        p.priority[2] = k & 1 ? 0 : 0.3;
        p.sync_freq = k & 2 ? 3 : 1;
        contention_simulate(&p, false, false, scratch, NULL, &fast);
        contention_simulate(&p, false, true, scratch, NULL, &exact);
        cr_assert_lt(fast.n_events, 40000, "%s: %lld events", show(&p),
                     (long long)fast.n_events);
        cr_assert(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
                  "%s: %.17g, exactly %.17g", show(&p), fast.total_time, exact.total_time);
    }
    free(scratch);
}

// ---- scaling and stopping -------------------------------------------------------------------

static struct contention_point scaled(struct contention_point p, double factor)
{
    p.fwd_len *= factor;
    p.bwd_len *= factor;
    p.prop_len *= factor;
    p.sync_base_len *= factor;
    return p;
}

// Catches absolute tolerances: with the unit of time a power of two larger, every time must be
// so many times larger, bit for bit, and every ratio the same.
Test(contention_random, scaling_is_exact)
{
    static const double factors[] = {0x1p30, 0x1p-30};
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = room(contention_scratch_bytes(&largest));
    for (uint64_t seed = 0; seed < 2000; seed++)
        for (int k = 0; k < 2; k++) {
            struct contention_point p = random_point(seed), q = scaled(p, factors[k]);
            struct contention_result a, b;
            contention_simulate(&p, true, true, scratch, NULL, &a);
            contention_simulate(&q, true, true, scratch, NULL, &b);
            cr_assert(a.total_time * factors[k] == b.total_time &&
                          a.ideal_time * factors[k] == b.ideal_time &&
                          a.exposed_comm == b.exposed_comm &&
                          a.bubble_ratio == b.bubble_ratio &&
                          a.latency[0] * factors[k] == b.latency[0] && a.n_events == b.n_events,
                      "%s: %.17g scaled by %g: %.17g", show(&p), a.total_time, factors[k],
                      b.total_time);
        }
    free(scratch);
}

// Catches a long point that cannot be interrupted.
Test(contention_random, stops_when_told)
{
    struct contention_point p = usual();
    struct contention_result result;
    atomic_bool stop = true;
    p.n = 1000000;
    void *scratch = room(contention_scratch_bytes(&p));
    cr_assert_eq(contention_simulate(&p, false, true, scratch, &stop, &result),
                 CONTENTION_STOPPED);
    p.n = 8;
    cr_assert_eq(contention_simulate(&p, false, true, scratch, &stop, &result), CONTENTION_DONE,
                 "a short point is finished all the same");
    free(scratch);
}

// Catches scratch that grows with n where it need not, and sizes that wrap around.
Test(contention_random, scratch_is_as_large_as_needed)
{
    struct contention_point p = usual();
    size_t small = contention_scratch_bytes(&p);
    p.n = 1000000;
    cr_assert_eq(contention_scratch_bytes(&p), small);
    p.pipeline = CONTENTION_GPIPE;
    cr_assert_lt(contention_scratch_bytes(&p), (size_t)1 << 30);
    p.gpus = 4096;
    cr_assert_lt(contention_scratch_bytes(&p), (size_t)1 << 30);
}
