// SPDX-License-Identifier: Apache-2.0
// Keeps the end times of tasks: the next end at every stage, and a tree over the stages with
// the earliest end at the top. Part of events.c. model.md explains why it is a tree.
#pragma once

#include "kernels/contention/model/state.h"

// ---- putting down ---------------------------------------------------------------------------

ALWAYS_INLINE double lesser(double a, double b)
{
    return a < b ? a : b;
}

ALWAYS_INLINE struct times earlier(struct times a, struct times b)
{
    return (struct times){lesser(a.finish, b.finish), lesser(a.early, b.early)};
}

// The least of a block of FAN places.
ALWAYS_INLINE struct times earliest(const struct times *block)
{
    return earlier(earlier(block[0], block[1]), earlier(block[2], block[3]));
}

// Stores the times of a stage whose rates are set.
ALWAYS_INLINE void set_times(struct sim *s, struct stage *st, int32_t j)
{
    struct times at[N_SLOTS];
    for (int k = 0; k < N_SLOTS; k++) {
        double rate = st->rate[k], time = 1 / rate;
        at[k].finish = rate > RATE_MIN ? st->rem[k] * time : HUGE_VAL;
        at[k].early = rate > 0 ? (st->rem[k] - s->eps_work) * time : HUGE_VAL;
    }
    struct times first = earlier(earliest(at), at[COMPUTE]);
    s->times[0][j] = (struct times){s->now + first.finish, s->now + first.early};
    for (int l = 1; l < s->n_levels; l++) {
        j /= FAN;
        s->times[l][j] = earliest(&s->times[l - 1][FAN * j]);
    }
}

// ---- looking up -----------------------------------------------------------------------------

// Bit k: something of place k of the block ends now.
ALWAYS_INLINE unsigned due_places(const struct times *block, double now)
{
    unsigned due = block[0].early <= now ? 1 : 0;
    due |= block[1].early <= now ? 2 : 0;
    due |= block[2].early <= now ? 4 : 0;
    due |= block[3].early <= now ? 8 : 0;
    return due;
}

// Lists the stages under a block of a level that have something to finish now.
static void list_due(struct sim *s, int level, int32_t block)
{
    unsigned due = due_places(&s->times[level][FAN * block], s->now);
    for (; due != 0; due &= due - 1) {
        int32_t place = FAN * block + __builtin_ctz(due);
        if (level > 0)
            list_due(s, level - 1, place);
        else
            s->due[s->n_due++] = place;
    }
}

// The same where there is but one block: guessed branches are faster than bits that the next
// step waits for, since few stages repeat a pattern that the processor learns.
ALWAYS_INLINE void list_due_of_few(struct sim *s)
{
    for (int32_t k = 0; k < FAN; k++)
        if (s->times[0][k].early <= s->now)
            s->due[s->n_due++] = k;
}

// Moves the origin of all times to a whole number of spans before now. Future times stay exact;
// past times stay exact as far as they matter.
static void restart_clock(struct sim *s)
{
    double shift = floor(s->now / s->span) * s->span;
    s->epoch += shift;
    s->now -= shift;
    int32_t places = s->p->gpus;
    for (int l = 0; l < s->n_levels; l++) {
        places = (places + FAN - 1) / FAN;
        for (int32_t k = 0; k < FAN * places; k++) {
            s->times[l][k].finish -= shift;
            s->times[l][k].early -= shift;
        }
    }
    for (int32_t j = 0; j < s->p->gpus; j++)
        s->stages[j].since -= shift;
}
