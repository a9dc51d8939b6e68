// SPDX-License-Identifier: Apache-2.0
// Sends traces of the fast path. A segment is complete only when it ends but is sent in order
// of start, so a queue holds the segments that wait for the end of an earlier one. If the queue
// is full, the earliest segment is cut in two.
#include "kernels/contention/model/state.h"

static struct open_piece *numbered(const struct tracer *t, uint64_t number)
{
    return &t->queue[number % t->cap];
}

// Where the number of a task's open piece is kept.
static uint64_t *number_of(const struct sim *s, int32_t j, enum slot slot, int32_t i)
{
    if (slot == FWD || slot == GRAD)
        return &s->tracer.of_transfer[(uint32_t)i & s->ring];
    return &s->tracer.of_stage[3 * (size_t)j + (size_t)(slot - SYNC)];
}

static void tell(const struct sim *s, const struct open_piece *open)
{
    const struct contention_sink *sink = s->tracer.sink;
    bool is_sync = open->kind == CONTENTION_GRAD_SYNC;
    if (open->start >= open->end)
        return;
    sink->piece(sink->self, &(struct contention_piece){
                                .kind = (enum contention_kind)open->kind,
                                .micro_batch = open->micro_batch,
                                .ordinal = is_sync ? open->micro_batch / s->p->sync_freq
                                                   : open->micro_batch,
                                .gpu = open->gpu,
                                .start = open->start,
                                .end = open->end,
                                .rate = open->rate,
                                .throttled = open->throttled,
                            });
}

static void tell_closed(struct sim *s)
{
    struct tracer *t = &s->tracer;
    for (; t->first < t->end && numbered(t, t->first)->closed; t->first++)
        tell(s, numbered(t, t->first));
}

static void append(struct sim *s, const struct open_piece *open)
{
    struct tracer *t = &s->tracer;
    *numbered(t, t->end) = *open;
    *number_of(s, open->gpu, (enum slot)open->slot, open->micro_batch) = ++t->end;
}

// Makes room for one more: cuts open pieces in two until a closed one comes first. The queue
// has more places than there are active tasks, so there is one.
static void make_room(struct sim *s)
{
    struct tracer *t = &s->tracer;
    while (t->end - t->first == t->cap) {
        struct open_piece open = *numbered(t, t->first++);
        open.end = clock_time(s);
        tell(s, &open);
        open.start = open.end;
        append(s, &open);
        tell_closed(s);
    }
}

static void close_piece(struct sim *s, uint64_t *number)
{
    if (*number == 0)
        return;
    struct open_piece *open = numbered(&s->tracer, *number - 1);
    open->end = clock_time(s);
    open->closed = true;
    *number = 0;
    tell_closed(s);
}

static enum contention_kind kind_of(const struct stage *st, enum slot slot)
{
    if (slot == COMPUTE)
        return st->computing == 1 ? CONTENTION_FORWARD : CONTENTION_BACKWARD;
    return slot == LEFT ? CONTENTION_GRAD_SYNC : (enum contention_kind)slot;
}

// The task runs at this rate from now on.
static void set_rate(struct sim *s, int32_t j, enum slot slot, int32_t i, double rate,
                     bool throttled)
{
    uint64_t *number = number_of(s, j, slot, i);
    if (*number != 0) {
        const struct open_piece *open = numbered(&s->tracer, *number - 1);
        if (open->rate == rate && open->throttled == throttled)
            return;
        close_piece(s, number);
    }
    if (rate <= 0)
        return;
    make_room(s);
    append(s, &(struct open_piece){
                  .start = clock_time(s),
                  .rate = rate,
                  .gpu = j,
                  .micro_batch = i,
                  .kind = (uint8_t)kind_of(&s->stages[j], slot),
                  .slot = (uint8_t)slot,
                  .throttled = throttled,
              });
}

void contention_tracer_start(struct sim *s, const struct contention_sink *sink)
{
    struct tracer *t = &s->tracer;
    t->sink = sink;
    t->first = t->end = 0;
    for (uint32_t k = 0; k <= s->ring; k++)
        t->of_transfer[k] = 0;
    for (int32_t k = 0; k < 3 * s->p->gpus; k++)
        t->of_stage[k] = 0;
}

void contention_tracer_finish(struct sim *s, int32_t j, enum slot slot, int32_t i)
{
    close_piece(s, number_of(s, j, slot, i));
}

static void class_rates(struct sim *s, int32_t j, int c)
{
    const struct stage *st = &s->stages[j];
    for (int32_t k = 0; k < st->done[c] - st->sent[c]; k++) {
        double exclusive = k == 0 ? st->rate[c] : k == 1 ? st->second[c] : 0;
        set_rate(s, j, (enum slot)c, st->sent[c] + k, s->even[c] > 0 ? st->rate[c] : exclusive,
                 k < st->throttled[c]);
    }
}

void contention_tracer_rates(struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    for (int c = 0; c < 2; c++)
        class_rates(s, j, c);
    if (st->rem[SYNC] < HUGE_VAL)
        set_rate(s, j, SYNC, st->sync_at, st->rate[SYNC], false);
    if (st->rem[LEFT] < HUGE_VAL)
        set_rate(s, j, LEFT, s->p->n - 1, st->rate[LEFT], false);
    if (st->computing != 0)
        set_rate(s, j, COMPUTE, st->done[st->computing - 1], st->rate[COMPUTE], false);
}

void contention_tracer_end(struct sim *s)
{
    tell_closed(s);
}
