// SPDX-License-Identifier: Apache-2.0
// Saves the state of a training as bytes, and restores it.
#include "extras/learning/trainer_private.h"

#include <string.h>

static const char magic[8] = "ppslrn3";

enum { OPTION_NUMBERS = 42 };

// What comes before the arrays. Has no padding.
struct head {
    char magic[8];
    double options[OPTION_NUMBERS];
    int64_t done;
    uint64_t steps;
    struct trainer_value best;
    double guide[2][3]; // of the state and of the best: threshold, lag, ahead
};

static double *put_range(double *at, struct problem_range range)
{
    *at++ = range.least;
    *at++ = range.most;
    return at;
}

static void set_options(const struct trainer_options *o, double *at)
{
    const struct problem_space *s = &o->space;
    const struct problem_range ranges[] = {
        s->devices, s->rounds,    s->chunks,      s->b,           s->w,     s->latency,
        s->level,   s->outlier_p, s->straggler_p, s->straggler_k, s->limit, s->message_level,
    };
    const double others[] = {s->outlier_k,
                             o->shape.candidate,
                             o->shape.state,
                             o->shape.width[0],
                             o->shape.width[1],
                             o->guide.threshold,
                             o->guide.lag,
                             o->guide.ahead,
                             (double)(o->seed >> 32),
                             (double)(o->seed & UINT32_MAX),
                             o->beta,
                             o->rate,
                             o->entropy,
                             o->problems,
                             (double)o->batches,
                             o->validation,
                             o->batches_per_validation,
                             o->method};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        at = put_range(at, ranges[k]);
    memcpy(at, others, sizeof others);
    _Static_assert(2 * sizeof ranges / sizeof *ranges + sizeof others / sizeof *others ==
                       OPTION_NUMBERS,
                   "every option is in the state");
}

static void put_guide(const struct pull_rule *guide, double at[3])
{
    at[0] = guide->threshold;
    at[1] = guide->lag;
    at[2] = guide->ahead;
}

static bool get_guide(const double at[3], struct pull_rule *guide)
{
    if (!(at[0] >= 0 && at[1] >= 0 && at[1] <= PULL_UNLIMITED && at[2] >= 0 &&
          at[2] <= PULL_UNLIMITED))
        return false;
    *guide = (struct pull_rule){at[0], (int32_t)at[1], (int32_t)at[2]};
    return true;
}

static void set_head(const struct trainer *t, struct head *head)
{
    *head = (struct head){.done = t->done, .steps = t->state.steps, .best = t->best_value};
    memcpy(head->magic, magic, sizeof magic);
    put_guide(&t->guide, head->guide[0]);
    put_guide(&t->best_guide, head->guide[1]);
    set_options(&t->options, head->options);
}

size_t trainer_state_bytes(const struct trainer *t)
{
    return sizeof(struct head) + 5 * (size_t)t->state.n * sizeof(double) +
           (size_t)t->done * sizeof *t->curve;
}

static char *put(char *at, const void *from, size_t n)
{
    memcpy(at, from, n);
    return at + n;
}

void trainer_save(const struct trainer *t, void *bytes)
{
    const size_t n = (size_t)t->state.n * sizeof(double);
    struct head head;
    char *at = bytes;
    set_head(t, &head);
    at = put(at, &head, sizeof head);
    at = put(at, t->state.parameter, n);
    at = put(at, t->state.first, n);
    at = put(at, t->state.second, n);
    at = put(at, t->state.average, n);
    at = put(at, t->best, n);
    put(at, t->curve, (size_t)t->done * sizeof *t->curve);
}

static const char *get(void *to, const char *at, size_t n)
{
    memcpy(to, at, n);
    return at + n;
}

bool trainer_restore(struct trainer *t, const void *bytes, size_t size)
{
    const size_t n = (size_t)t->state.n * sizeof(double);
    struct head head, own;
    struct pull_rule guides[2];
    const char *at = bytes;
    if (size < sizeof head)
        return false;
    at = get(&head, at, sizeof head);
    set_head(t, &own);
    if (memcmp(head.magic, own.magic, sizeof head.magic) != 0 ||
        memcmp(head.options, own.options, sizeof head.options) != 0 || head.done < 0 ||
        head.done > t->options.batches ||
        size != sizeof head + 5 * n + (size_t)head.done * sizeof *t->curve ||
        !get_guide(head.guide[0], &guides[0]) || !get_guide(head.guide[1], &guides[1]))
        return false;
    at = get(t->state.parameter, at, n);
    at = get(t->state.first, at, n);
    at = get(t->state.second, at, n);
    at = get(t->state.average, at, n);
    at = get(t->best, at, n);
    get(t->curve, at, (size_t)head.done * sizeof *t->curve);
    t->done = head.done;
    t->state.steps = head.steps;
    t->best_value = head.best;
    t->guide = guides[0];
    t->best_guide = guides[1];
    return true;
}
