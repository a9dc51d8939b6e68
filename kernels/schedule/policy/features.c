// SPDX-License-Identifier: Apache-2.0
// Computes the features of a decision.
#include "kernels/schedule/policy/features.h"

#include <math.h>
#include <string.h>

enum { MOST_WAIT = 3, MOST_PENDING = 8 };

static double limited(double value, double most)
{
    return value > most ? most : value < -most ? -most : value;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void features_open(struct features *f, struct online *online, const struct pipeline *pipeline,
                   const struct order *reference)
{
    *f = (struct features){.online = online,
                           .pipeline = pipeline,
                           .tails = online_reference_tails(online),
                           .makespan = online_reference_makespan(online),
                           .room = reference->room};
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        double work = 0;
        for (int32_t s = 0; s < pipeline->shape.stages; s++)
            if (pipeline_device(pipeline, 0, s) == d)
                work += pipeline->stage[s].f + (pipeline->stage[s].b + pipeline->stage[s].w);
        f->period = fmax(f->period, work);
    }
    f->work = f->period * pipeline_items(pipeline);
}

// Time until `moment` in periods; `unknown` is set if it is infinite.
static double until(const struct features *f, double now, double moment, double *unknown)
{
    *unknown = isinf(moment);
    return *unknown != 0 ? MOST_WAIT : limited(ratio(moment - now, f->period), MOST_WAIT);
}

// The earliest expected arrival that is not here yet, of the inputs of a type; INFINITY: none is known.
static double next_arrival(const struct features *f, int32_t device, int32_t type, double now)
{
    const int32_t *stages = online_stages(f->online, device);
    const int32_t n = online_device(f->online, device)->n_chunks;
    double next = (double)INFINITY;
    for (int32_t c = 0; c < n; c++)
        if (!online_is_here(f->online, type, stages[c]))
            next = fmin(next, fmax(now, online_expected(f->online, type, stages[c])));
    return next;
}

// How long the expected arrival of an input has passed although it is not here.
static double overdue(const struct features *f, int32_t type, int32_t stage, double now)
{
    if (online_is_here(f->online, type, stage))
        return 0;
    const double late = now - online_expected(f->online, type, stage);
    return late > 0 ? limited(ratio(late, f->period), MOST_WAIT) : 0;
}

// The same for the inputs of a type: the longest.
static double most_overdue(const struct features *f, int32_t device, int32_t type, double now)
{
    const int32_t *stages = online_stages(f->online, device);
    const int32_t n = online_device(f->online, device)->n_chunks;
    double most = 0;
    for (int32_t c = 0; c < n; c++)
        most = fmax(most, overdue(f, type, stages[c], now));
    return most;
}

static double reference_overdue(const struct features *f, int32_t device, double now)
{
    const struct online_device *own = online_device(f->online, device);
    if (own->next_fb == own->n)
        return 0;
    const struct operation x = online_reference(f->online, device, own->next_fb);
    return overdue(f, x.type, x.stage, now);
}

// The expected arrival of the input of the next F or B of the reference order; now: it is here.
static double reference_arrival(const struct features *f, int32_t device, double now)
{
    const struct online_device *own = online_device(f->online, device);
    if (own->next_fb == own->n)
        return (double)INFINITY;
    const struct operation x = online_reference(f->online, device, own->next_fb);
    if (online_is_here(f->online, x.type, x.stage))
        return now;
    return fmax(now, online_expected(f->online, x.type, x.stage));
}

int32_t features_guide(const struct features *f, const struct pull_rule *rule,
                       const struct online_decision *decision, uint8_t *waits)
{
    const struct online_device *own = online_device(f->online, decision->device);
    const int32_t choice = pull_choose(rule, f->online, decision, waits);
    if (decision->candidate[choice].type != ONLINE_WAIT || own->next_fb == own->n)
        return choice;
    const struct operation x = online_reference(f->online, decision->device, own->next_fb);
    if (!online_is_here(f->online, x.type, x.stage))
        return choice;
    int32_t first = 0;
    for (int32_t i = 1; i < decision->n; i++)
        if (decision->candidate[i].type != ONLINE_WAIT &&
            decision->candidate[i].at < decision->candidate[first].at)
            first = i;
    return first;
}

int32_t features_candidates(const struct features *f, const struct online_decision *decision,
                            int32_t guide)
{
    const int32_t n = decision->n, d = decision->device;
    if (decision->candidate[n - 1].type != ONLINE_WAIT || guide == n - 1)
        return n;
    return isinf(next_arrival(f, d, OPERATION_F, decision->now)) &&
                   isinf(next_arrival(f, d, OPERATION_B, decision->now))
               ? n - 1
               : n;
}

// What a device expects, for all features of a decision.
struct arrivals {
    double reference; // of the input of the next F or B of the reference order; now: it is here
    double forward, backward; // of the next input of an F, of a B, that is not here
};

static struct arrivals arrivals_of(const struct features *f, int32_t device, double now)
{
    return (struct arrivals){.reference = reference_arrival(f, device, now),
                             .forward = next_arrival(f, device, OPERATION_F, now),
                             .backward = next_arrival(f, device, OPERATION_B, now)};
}

// ---- state --------------------------------------------------------------------------------------

static double speed(const struct online_device *device)
{
    return device->nominal > 0 ? device->actual / device->nominal : 1;
}

static double variation(const struct online_device *device)
{
    if (device->n_ended < 2)
        return 0;
    const double n = device->n_ended, mean = device->ratios / n;
    return sqrt(fmax(0, device->squares / n - mean * mean)) / mean;
}

// Returns a lower bound of the time from now to the end of the step, by nominal times: the largest work
// that is left on a device.
static double remaining(const struct features *f, double now)
{
    double most = 0;
    for (int32_t d = 0; d < f->pipeline->shape.devices; d++) {
        const struct online_device *device = online_device(f->online, d);
        const double left = device->work_left[0] + device->work_left[1] + device->work_left[2];
        most = fmax(most, left + (device->busy ? fmax(0, device->expected - now) : 0));
    }
    return most;
}

static void set_state(const struct features *f, const struct online_decision *decision,
                      const struct arrivals *arrivals, double *x)
{
    const struct pipeline_shape *shape = &f->pipeline->shape;
    const int32_t d = decision->device, last = shape->devices - 1;
    const double now = decision->now;
    const struct online_device *own = online_device(f->online, d),
                               *before = online_device(f->online, d > 0 ? d - 1 : d),
                               *behind = online_device(f->online, d < last ? d + 1 : d);
    const int32_t items = pipeline_items(f->pipeline) * own->n_chunks;
    x[0] = ratio(own->used, own->limit);
    x[1] = ratio(own->in_flight, own->cap);
    x[2] = fmin(own->pending, MOST_PENDING) / MOST_PENDING;
    x[3] = ratio(d, last);
    for (int type = 0; type < 3; type++)
        x[4 + type] = ratio(own->left[type], items);
    x[7] = speed(own) - 1;
    x[8] = speed(before) - 1;
    x[9] = speed(behind) - 1;
    x[10] = variation(own);
    x[11] = until(f, now, arrivals->reference, &x[12]);
    x[13] = arrivals->reference <= now;
    x[14] = ratio(1, shape->devices);
    x[15] = ratio(shape->micro_batches, 4.0 * shape->devices);
    x[16] = limited(ratio(f->pipeline->links.latency, f->period), MOST_WAIT);
    x[17] = before->busy;
    x[18] = behind->busy;
    x[19] = until(f, now, arrivals->forward, &x[20]);
    x[21] = until(f, now, arrivals->backward, &x[22]);
    x[23] = ratio(remaining(f, now), f->work);
    x[24] = limited(ratio(ratio(own->late, own->n_received), f->period), MOST_WAIT);
    x[25] =
        limited(ratio(sqrt(ratio(own->late_squares, own->n_received)), f->period), MOST_WAIT);
    x[26] = reference_overdue(f, d, now);
    x[27] = most_overdue(f, d, OPERATION_F, now);
    x[28] = most_overdue(f, d, OPERATION_B, now);
}

bool features_quiet(const struct features *f, const struct online_decision *decision)
{
    const struct online_device *own = online_device(f->online, decision->device);
    if (fabs(speed(own) - 1) > 0.01 || variation(own) > 0.01)
        return false;
    if (own->next_fb == own->n)
        return true;
    const int64_t at = (int64_t)decision->device * f->room + own->next_fb;
    return decision->now <= online_reference_starts(f->online)[at] + 1e-6 * f->period;
}

// ---- candidates ---------------------------------------------------------------------------------

// The stage that receives the result of an operation; -1: none.
static int32_t receiver_of(const struct features *f, const struct online_candidate *candidate)
{
    if (candidate->type == OPERATION_F)
        return candidate->stage + 1 < f->pipeline->shape.stages ? candidate->stage + 1 : -1;
    return candidate->type == OPERATION_B ? candidate->stage - 1 : -1;
}

// Features of the device that receives the result: whether it is idle, how long it will have been free
// when the result arrives, and how many inputs of this kind it has in store.
static void set_receiver(const struct features *f, const struct online_candidate *candidate,
                         double now, double *x)
{
    const int32_t stage = receiver_of(f, candidate);
    x[0] = x[1] = x[2] = 0;
    if (stage < 0)
        return;
    const int32_t device = pipeline_device(f->pipeline, 0, stage);
    const struct online_device *other = online_device(f->online, device);
    const double arrival = now + candidate->nominal + f->pipeline->links.latency;
    const int32_t store = online_count(f->online, candidate->type, candidate->stage) -
                          online_count(f->online, candidate->type, stage);
    x[0] = !other->busy;
    x[1] = limited(ratio(arrival - fmax(other->expected, now), f->period), MOST_WAIT);
    x[2] = fmin(store, 4) / 4.0;
}

static double slack_of(const struct features *f, const struct online_decision *decision,
                       const struct online_candidate *candidate)
{
    const double tail = f->tails[(int64_t)decision->device * f->room + candidate->at];
    return ratio(f->makespan - tail - decision->now, f->period);
}

static void set_candidate(const struct features *f, const struct online_decision *decision,
                          const struct online_candidate *candidate,
                          const struct arrivals *arrivals, double least_slack, double *x)
{
    const struct online_device *own = online_device(f->online, decision->device);
    const double now = decision->now, arrival = arrivals->reference;
    memset(x, 0, FEATURES_CANDIDATE * sizeof *x);
    x[candidate->type == ONLINE_WAIT ? 3 : candidate->type] = 1;
    if (candidate->type == ONLINE_WAIT) {
        x[4] = until(f, now, fmin(arrivals->forward, arrivals->backward), &x[5]);
        return;
    }
    const double slack = slack_of(f, decision, candidate);
    const double end = now + candidate->nominal;
    x[6] = candidate->at == own->next;
    x[7] = candidate->at == own->next_fb;
    x[8] = limited(ratio(candidate->at - own->next, 3.0 * f->pipeline->shape.devices), 2);
    x[9] = limited(ratio(candidate->at - own->next_fb, 3.0 * f->pipeline->shape.devices), 2);
    x[10] = ratio(candidate->nominal, f->period);
    x[11] = limited(slack, 4) / 4;
    x[12] = limited(slack - least_slack, 2);
    x[13] = ratio(f->tails[(int64_t)decision->device * f->room + candidate->at], f->makespan);
    x[14] = isinf(arrival) ? 0 : limited(ratio(end - arrival, f->period), MOST_WAIT);
    x[15] = ratio(candidate->item, pipeline_items(f->pipeline));
    x[16] = own->n_chunks > 1 ? ratio(candidate->chunk, own->n_chunks - 1) : 0;
    x[17] = candidate->type == OPERATION_W ? fmin(own->pending, 4) / 4.0 : 0;
    x[18] = candidate->type == OPERATION_F ? ratio(own->in_flight, own->cap) : 0;
    set_receiver(f, candidate, now, x + 19);
}

static void round_all(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (double)(float)x[i];
}

void features_of(const struct features *f, const struct online_decision *decision,
                 double *candidate, double *state)
{
    const struct arrivals arrivals = arrivals_of(f, decision->device, decision->now);
    double least = HUGE_VAL;
    for (int32_t i = 0; i < decision->n; i++)
        if (decision->candidate[i].type != ONLINE_WAIT)
            least = fmin(least, slack_of(f, decision, &decision->candidate[i]));
    for (int32_t i = 0; i < decision->n; i++)
        set_candidate(f, decision, &decision->candidate[i], &arrivals, least,
                      candidate + i * FEATURES_CANDIDATE);
    set_state(f, decision, &arrivals, state);
    round_all(candidate, decision->n * FEATURES_CANDIDATE);
    round_all(state, FEATURES_STATE);
}
