// SPDX-License-Identifier: Apache-2.0
// Orders with blocking messages: the executor and the plain simulation agree, and examples by hand.
#include "kernels/common/executor/reference.h"

#include "tests/unit/support/kernels/drawn_order.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// More rounds than in CI: PPS_RANDOM_POINTS=100000.
enum { ROUNDS = 20000, MOST = 4 * DRAWN_ROOM, DEVICES = 8 };

// ---- messages of a drawn order ------------------------------------------------------------------

struct drawn_message {
    struct order_message send, receive;
    int32_t from, to;
    double time; // the end of the operation that sends
};

struct drawn_messages {
    struct drawn_message list[MOST];
    int32_t n;
    struct order_messages messages;
    int32_t first[DEVICES + 1];
    struct order_message ends[2 * MOST];
};

// Returns the first position of a device from which on operations start at a time or later, at most `last`.
static int32_t position_from(const struct drawn_order *b, int32_t d, double time, int32_t last)
{
    int32_t i = 0;
    while (i < last && (executor_starts(b->executor)[order_at(b->order, d, i)] < time ||
                        (i > 0 && b->order->paired[order_at(b->order, d, i - 1)])))
        i++;
    return i;
}

// Returns the position of the operation that needs the message, or of its unit.
static int32_t needed_at(const struct drawn_order *b, int32_t d, const struct order_message *m)
{
    const int32_t stage = m->backward ? m->stage - 1 : m->stage + 1;
    for (int32_t i = 0; i < b->order->n[d]; i++) {
        const int64_t at = order_at(b->order, d, i);
        const struct operation *op = &b->order->operations[at];
        const bool backward = op->type == OPERATION_B || op->type == OPERATION_BW;
        if ((m->backward ? backward : op->type == OPERATION_F) && op->stage == stage &&
            op->item == m->item)
            return i > 0 && b->order->paired[at - 1] ? i - 1 : i;
    }
    return b->order->n[d];
}

// Lists the message of an operation, if it goes to another device.
static void list_message(struct random *r, const struct drawn_order *b, int32_t d, int32_t i,
                         struct drawn_messages *to)
{
    const int64_t at = order_at(b->order, d, i);
    const struct operation *op = &b->order->operations[at];
    const bool backward = op->type == OPERATION_B || op->type == OPERATION_BW;
    const int32_t stage = backward ? op->stage - 1 : op->stage + 1;
    if ((!backward && op->type != OPERATION_F) || stage < 0 ||
        stage >= b->pipeline->shape.stages || pipeline_device(b->pipeline, 0, stage) == d ||
        drawn_within(r, 0, 9) == 0)
        return;
    struct drawn_message *m = &to->list[to->n++];
    m->from = d;
    m->to = pipeline_device(b->pipeline, 0, stage);
    m->time = executor_ends(b->executor)[at];
    m->send = (struct order_message){.before = i + 1 + b->order->paired[at],
                                     .item = op->item,
                                     .stage = op->stage,
                                     .backward = backward,
                                     .send = true};
    m->receive = m->send;
    m->receive.send = false;
    m->receive.before = position_from(b, m->to, m->time, needed_at(b, m->to, &m->receive));
}

static int by_time(const void *a, const void *b)
{
    const struct drawn_message *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->send.before - y->send.before;
}

// Puts the ends of the messages on their devices, in the order of time; then exchanges some neighbours.
static void arrange(struct random *r, const struct drawn_order *b, struct drawn_messages *to)
{
    int32_t n = 0;
    qsort(to->list, (size_t)to->n, sizeof *to->list, by_time);
    for (int32_t d = 0; d < b->order->devices; d++) {
        to->first[d] = n;
        for (int32_t p = 0; p <= b->order->n[d]; p++)
            for (int32_t i = 0; i < to->n; i++) {
                const struct drawn_message *m = &to->list[i];
                if (m->from == d && m->send.before == p)
                    to->ends[n++] = m->send;
                if (m->to == d && m->receive.before == p)
                    to->ends[n++] = m->receive;
            }
        to->first[d + 1] = n;
    }
    for (int32_t k = drawn_within(r, 0, 40); k > 0 && n > 1; k--) {
        const int32_t i = drawn_within(r, 0, n - 2);
        bool same = to->ends[i].before == to->ends[i + 1].before;
        for (int32_t d = 0; d <= b->order->devices; d++)
            same = same && to->first[d] != i + 1;
        if (!same)
            continue;
        const struct order_message swap = to->ends[i];
        to->ends[i] = to->ends[i + 1];
        to->ends[i + 1] = swap;
    }
    to->messages = (struct order_messages){to->first, to->ends};
}

static void draw_messages(struct random *r, const struct drawn_order *b,
                          struct drawn_messages *to)
{
    to->n = 0;
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++)
            list_message(r, b, d, i, to);
    arrange(r, b, to);
}

// ---- tests --------------------------------------------------------------------------------------

// Every device that waits is a head, and messages among the heads do not meet.
static void check_heads(const struct drawn_order *b, const struct drawn_messages *m, int round)
{
    struct executor_head heads[DEVICES];
    const int32_t n = executor_blocked_heads(b->executor, &m->messages, heads);
    cr_assert_geq(n, 1, "round %d", round);
    for (int32_t i = 0; i < n; i++) {
        if (heads[i].message < 0)
            continue;
        const struct order_message *x = &m->ends[heads[i].message],
                                   *y = &m->ends[heads[i].other];
        cr_assert(x->send != y->send && x->stage == y->stage && x->item == y->item &&
                      x->backward == y->backward,
                  "round %d", round);
        for (int32_t k = 0; k < n; k++)
            cr_assert_neq(heads[k].message, heads[i].other, "round %d", round);
    }
}

Test(executor_blocking, agrees_with_the_plain_simulation)
{
    struct random r = {11};
    int counts[2] = {0};
    const int rounds = n_rounds(ROUNDS);
    struct drawn_messages *m = calloc(1, sizeof *m);
    for (int round = 0; round < rounds; round++) {
        struct drawn_order *b = drawn_order_new(&r);
        enum executor_status status, wanted;
        b->pipeline->links.channels = PIPELINE_FREE;
        if (b->pipeline->shape.directions == 1 &&
            executor_run(b->executor, b->pipeline, b->order, NULL, NULL) == EXECUTOR_DONE) {
            const double free = executor_makespan(b->executor);
            draw_messages(&r, b, m);
            status =
                executor_run_blocking(b->executor, b->pipeline, b->order, &m->messages, NULL);
            cr_assert(reference_run_blocking(b->pipeline, b->order, &m->messages, b->starts,
                                             b->ends, &wanted));
            cr_assert_eq(status, wanted, "round %d: %d, not %d", round, status, wanted);
            counts[status == EXECUTOR_DONE ? 0 : 1]++;
            for (int32_t d = 0; d < b->order->devices && status == EXECUTOR_DONE; d++)
                for (int32_t i = 0; i < b->order->n[d]; i++) {
                    const int64_t at = order_at(b->order, d, i);
                    cr_assert_eq(executor_starts(b->executor)[at], b->starts[at], "round %d",
                                 round);
                    cr_assert_eq(executor_ends(b->executor)[at], b->ends[at], "round %d",
                                 round);
                }
            if (status == EXECUTOR_DONE)
                cr_assert_geq(executor_makespan(b->executor), free, "round %d", round);
            else
                check_heads(b, m, round);
        }
        drawn_order_free(b);
    }
    free(m);
    cr_assert_geq(counts[0], rounds / 20, "%d", counts[0]);
    cr_assert_geq(counts[1], rounds / 200, "%d", counts[1]);
}

// Two devices, one micro-batch, f = 2, b = 3, w = 1, a message of 1 that occupies both ends for 4.
// Without a list, messages are where order_messages_place puts them; with that list the times are the same.
Test(executor_blocking, messages_that_are_placed)
{
    struct random r = {12};
    const int rounds = n_rounds(ROUNDS);
    int n_done = 0;
    for (int round = 0; round < rounds; round++) {
        struct drawn_order *b = drawn_order_new(&r);
        const struct pipeline_shape *shape = &b->pipeline->shape;
        struct order_messages messages;
        struct order_stuck stuck;
        if (shape->directions == 1 && shape->slices == 1) {
            b->pipeline->links.channels = PIPELINE_BLOCKING;
            const bool done =
                executor_run(b->executor, b->pipeline, b->order, NULL, NULL) == EXECUTOR_DONE;
            const double makespan = executor_makespan(b->executor);
            const bool placed = order_messages_place(b->pipeline, b->order, &messages, &stuck);
            cr_assert(placed || !done);
            n_done += done;
            if (done) {
                cr_assert_eq(
                    executor_run_blocking(b->executor, b->pipeline, b->order, &messages, NULL),
                    EXECUTOR_DONE, "round %d", round);
                cr_assert_eq(executor_makespan(b->executor), makespan, "round %d", round);
            }
            order_messages_free(&messages);
        }
        drawn_order_free(b);
    }
    cr_assert_geq(n_done, rounds / 40, "%d", n_done);
}

Test(executor_blocking, by_hand)
{
    const struct pipeline_shape shape = {2, 2, 1, 1, 1};
    struct pipeline *p = pipeline_new(&shape);
    struct order *order = order_new(2, 2);
    int32_t first[] = {0, 2, 4};
    struct order_message list[] = {
        {.before = 1, .stage = 0, .send = true},                    // F0.0 leaves device 0
        {.before = 1, .stage = 1, .backward = true},                // BW0.1 comes
        {.before = 0, .stage = 0},                                  // F0.0 comes to device 1
        {.before = 2, .stage = 1, .backward = true, .send = true}}; // BW0.1 leaves
    const struct order_messages messages = {first, list};
    struct room count = {NULL, 0};
    pipeline_place(p, PIPELINE_LOOP);
    for (int s = 0; s < 2; s++) {
        p->stage[s] = (struct pipeline_stage){.f = 2, .b = 3, .w = 1};
        order_add(order, s, OPERATION_F, 0, s);
        order_add(order, s, OPERATION_BW, 0, s);
    }
    p->links.occupation = 4;
    p->links.latency = 1;
    (void)executor_take(&shape, 2, &count);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, count.used);
    struct room room = {memory, 0};
    struct executor *executor = executor_take(&shape, 2, &room);
    cr_assert_eq(executor_run_blocking(executor, p, order, &messages, NULL), EXECUTOR_DONE);
    const double *starts = executor_starts(executor);
    cr_expect_eq(starts[order_at(order, 1, 0)], 7); // sent at 2, device 1 free at 6, there at 7
    cr_expect_eq(starts[order_at(order, 1, 1)], 9);
    cr_expect_eq(starts[order_at(order, 0, 1)], 18); // sent at 13
    cr_expect_eq(executor_makespan(executor), 22);
    const struct order_message swap = list[0]; // both wait for their receives
    list[0] = list[1];
    list[1] = swap;
    struct executor_head heads[2];
    cr_assert_eq(executor_run_blocking(executor, p, order, &messages, NULL), EXECUTOR_DEADLOCK);
    cr_assert_eq(executor_blocked_heads(executor, &messages, heads), 2);
    cr_expect(heads[0].device == 0 && heads[0].message == 0 && heads[0].other == 3);
    cr_expect(heads[1].device == 1 && heads[1].message == 2 && heads[1].other == 1);
    free(memory);
    order_free(order);
    pipeline_free(p);
}
