// SPDX-License-Identifier: Apache-2.0
// Carries the derivatives of a simulated point by its lengths and impacts along with its numbers. Shares depend on
// which tasks are active, not on lengths, so the rate of a transfer has no derivative, and that of a compute
// task has one by its impact.
#include "kernels/contention/model/shares.h"

void contention_slopes_add(struct slope *to, const struct slope *from, double factor)
{
    for (int k = 0; k < CONTENTION_N_SLOPES; k++)
        to->by[k] += from->by[k] * factor;
}

void contention_slope_start(struct slope *slope, enum contention_param length, double times)
{
    *slope = (struct slope){.by = {0}};
    slope->by[length - PARAM_FWD_LEN] = times;
}

// The derivative of the rate of the compute task by its impact.
static double compute_rate_slope(const struct sim *s, const struct stage *st)
{
    return s->p->channels == CONTENTION_IDEAL ? 0 : -(st->rate[SYNC] + st->rate[LEFT]);
}

static int impact_of(const struct stage *st)
{
    return PARAM_FWD_IMPACT - PARAM_FWD_LEN + st->computing - 1;
}

void contention_slopes_advance(struct sim *s, const struct stage *st, double step)
{
    struct stage_slopes *slopes = &s->slopes[st - s->stages];
    struct slope time = s->now_slope;
    contention_slopes_add(&time, &slopes->since, -1);
    for (int k = 0; k < N_SLOTS; k++)
        contention_slopes_add(&slopes->rem[k], &time, -st->rate[k]);
    if (st->computing != 0)
        slopes->rem[COMPUTE].by[impact_of(st)] -= compute_rate_slope(s, st) * step;
    for (int c = 0; c < 2; c++) {
        contention_slopes_add(&slopes->served[c], &time, s->even[c] * st->rate[c]);
        if (st->second[c] > 0)
            contention_slopes_add(&s->target_slope[(uint32_t)(st->sent[c] + 1) & s->ring],
                                  &time, -st->second[c]);
    }
    slopes->since = s->now_slope;
}

void contention_slopes_clock(struct sim *s)
{
    int32_t j = 0;
    int first = 0;
    double least = HUGE_VAL;
    while (s->times[0][j].finish > s->now)
        j++;
    const struct stage *st = &s->stages[j];
    for (int k = 0; k <= COMPUTE; k++)
        if (slot_active(st, (enum slot)k) && st->rate[k] > RATE_MIN &&
            st->rem[k] / st->rate[k] < least) {
            first = k;
            least = st->rem[k] / st->rate[k];
        }
    const double rate = st->rate[first];
    s->now_slope = s->slopes[j].since;
    contention_slopes_add(&s->now_slope, &s->slopes[j].rem[first], 1 / rate);
    if (first == COMPUTE)
        s->now_slope.by[impact_of(st)] -= least * compute_rate_slope(s, st) / rate;
}
