// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/contention_compare.h"

#include <stdio.h>
#include <string.h>

double error_of(double a, double b, double scale)
{
    return fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), scale);
}

void list_parts(const struct contention_parts *parts, double list[N_PARTS])
{
    const double all[N_PARTS] = {parts->compute,   parts->slowdown, parts->waits[0],
                                 parts->waits[1],  parts->waits[2], parts->bubble,
                                 parts->final_sync};
    memcpy(list, all, sizeof all);
}

double parts_error(const struct contention_result *r)
{
    double list[N_PARTS], sum = 0;
    list_parts(&r->critical, list);
    for (int k = 0; k < N_PARTS; k++) {
        if (!(list[k] >= 0))
            return HUGE_VAL;
        sum += list[k];
    }
    return error_of(sum, r->total_time, 0);
}

static double worst_part(const struct contention_result *a, const struct contention_result *b)
{
    double of_a[N_PARTS], of_b[N_PARTS], worst = 0;
    list_parts(&a->critical, of_a);
    list_parts(&b->critical, of_b);
    for (int k = 0; k < N_PARTS; k++)
        worst = fmax(worst, error_of(of_a[k], of_b[k], a->total_time));
    return a->critical.gpu == b->critical.gpu ? worst : HUGE_VAL;
}

double worst_error(const struct contention_result *a, const struct contention_result *b)
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
    worst = fmax(worst, worst_part(a, b));
    if (a->throttled_tasks != b->throttled_tasks || a->peak_in_flight != b->peak_in_flight)
        return HUGE_VAL;
    return worst;
}

bool is_sensitive(const struct contention_point *p, double error)
{
    static const double changes[] = {0x1p-50, -0x1p-50, 0x1p-48, -0x1p-48};
    struct contention_result before, after;
    double moved = 0;
    contention_reference(p, true, NULL, NULL, &before);
    for (int k = 0; k < 4; k++) {
        struct contention_point q = *p;
        q.fwd_len *= 1 + changes[k];
        q.prop_len *= 1 - changes[k];
        contention_reference(&q, true, NULL, NULL, &after);
        moved = fmax(moved, worst_error(&before, &after));
    }
    return moved >= error / 16;
}

double compare_at(const struct contention_point *p, void *scratch, char *text)
{
    struct contention_result fast, plain, reference;
    bool done = contention_simulate(p, true, true, scratch, NULL, &fast) == CONTENTION_DONE &&
                contention_simulate(p, false, true, scratch, NULL, &plain) == CONTENTION_DONE &&
                contention_reference(p, true, NULL, NULL, &reference) == CONTENTION_DONE;
    double error = done ? worst_error(&fast, &reference) : HUGE_VAL;
    // Without metrics, gpipe is simulated stage by stage, which rounds otherwise.
    const double rounding = p->pipeline == CONTENTION_GPIPE ? TOLERANCE : 0;
    if (done && error_of(plain.total_time, fast.total_time, 0) > rounding)
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

// ---- traces ---------------------------------------------------------------------------------

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

void check_trace(const struct contention_point *p, void *scratch, struct tally *fast)
{
    struct contention_result result;
    struct tally reference = {.end = 0};
    const struct contention_sink to_fast = {fast, count_piece};
    const struct contention_sink to_reference = {&reference, count_piece};
    *fast = (struct tally){.end = 0};
    cr_assert_eq(contention_trace(p, scratch, NULL, &to_fast, &result), CONTENTION_DONE);
    cr_assert_eq(contention_reference(p, false, &to_reference, NULL, &result), CONTENTION_DONE);
    cr_assert_eq(fast->unordered, 0, "%s: pieces out of order", show(p));
    cr_assert_leq(fast->count, reference.count, "%s: more pieces than events cut", show(p));
    const double error = tally_error(fast, &reference);
    cr_assert(error <= 1e-8 || is_sensitive(p, error), "%s: %g", show(p), error);
}
