// SPDX-License-Identifier: Apache-2.0
// Measures an executed order.
#include "kernels/common/executor/metrics.h"

#include <math.h>

// ---- devices ------------------------------------------------------------------------------------

static double busy_of(const struct pipeline *pipeline, const struct order *order,
                      int32_t device)
{
    double busy = 0;
    for (int32_t i = 0; i < order->n[device]; i++) {
        const int64_t at = order_at(order, device, i);
        const struct operation *op = &order->operations[at];
        const bool unit = order->paired[at] && !isnan(pipeline->pair[device]);
        busy += unit ? pipeline->pair[device]
                     : operation_time(&pipeline->stage[op->stage], op->type);
        i += unit;
    }
    return busy;
}

void metrics_of(const struct pipeline *pipeline, const struct order *order,
                const double *starts, const double *ends, struct metrics *metrics, double *busy,
                double *peak)
{
    struct metrics m = {.makespan = 0};
    for (int32_t d = 0; d < order->devices; d++) {
        const double work = busy_of(pipeline, order, d), most = order_peak(pipeline, order, d);
        m.busy_most = fmax(m.busy_most, work);
        m.busy_sum += work;
        m.peak_most = d == 0 ? most : fmax(m.peak_most, most);
        if (busy != NULL)
            busy[d] = work;
        if (peak != NULL)
            peak[d] = most;
        if (order->n[d] == 0)
            continue;
        const double last = ends[order_at(order, d, order->n[d] - 1)];
        m.makespan = fmax(m.makespan, last);
        m.span = fmax(m.span, last - starts[order_at(order, d, 0)]);
    }
    const double all = order->devices * m.makespan;
    m.bubble_time = all - m.busy_sum;
    m.bubble_ratio = all > 0 ? 1 - m.busy_sum / all : 0;
    m.bubble_ratio_span = m.span > 0 ? 1 - m.busy_most / m.span : 0;
    m.bubble_to_ideal = m.busy_most > 0 ? (m.makespan - m.busy_most) / m.busy_most : 0;
    m.throughput = m.makespan > 0 ? pipeline->shape.micro_batches / m.makespan : 0;
    *metrics = m;
}

bool metrics_over_limit(const struct pipeline *pipeline, const struct order *order,
                        struct metrics_excess *excess)
{
    for (int32_t d = 0; d < order->devices; d++) {
        const double limit = pipeline->limit[d];
        double held = pipeline->fixed[d];
        for (int32_t i = 0; i < order->n[d]; i++) {
            held += operation_memory(pipeline, &order->operations[order_at(order, d, i)]);
            if (held <= limit * (1 + 1e-9))
                continue;
            *excess = (struct metrics_excess){d, i, held, limit};
            return true;
        }
    }
    return false;
}

// ---- idle time ----------------------------------------------------------------------------------

// The message that an operation waits for: when the operation that sends it ends is known only from
// the order, so the wait for an occupied channel is what the arrival exceeds its undisturbed time by.
struct idle_input {
    const struct pipeline *pipeline;
    const struct order *order;
    const double *ends;
};

// Returns the end of the operation whose message `op` waits for, and *delay of the message when no
// other message delays it; NAN if the input comes from this device.
static double sent_at(const struct idle_input *in, const struct operation *op, int32_t device,
                      double *delay)
{
    const struct pipeline *pipeline = in->pipeline;
    const bool forward = op->type == OPERATION_F;
    const int32_t stage = forward ? op->stage - 1 : op->stage + 1;
    if (op->type == OPERATION_W || op->type == OPERATION_R || stage < 0 ||
        stage >= pipeline->shape.stages)
        return (double)NAN;
    const int32_t from = pipeline_device(pipeline, op->direction, stage);
    if (from == device)
        return (double)NAN;
    const struct pipeline_stage *sender = &pipeline->stage[stage];
    *delay = pipeline_delay(pipeline, from, device,
                            forward ? sender->forward_bytes : sender->backward_bytes);
    for (int32_t i = 0; i < in->order->n[from]; i++) {
        const int64_t at = order_at(in->order, from, i);
        const struct operation *other = &in->order->operations[at];
        const bool sends = forward ? other->type == OPERATION_F
                                   : other->type == OPERATION_B || other->type == OPERATION_BW;
        if (sends && other->item == op->item && other->stage == stage &&
            other->direction == op->direction)
            return in->ends[at];
    }
    return (double)NAN;
}

// Splits a gap before an operation by its cause.
static void add_gap(struct metrics_idle *idle, const struct idle_input *in,
                    const struct operation *op, int32_t device, double clock, double start)
{
    const double gap = start - clock;
    double delay = 0, channel = 0;
    if (in->pipeline->links.channels != PIPELINE_FREE) {
        const double sent = sent_at(in, op, device, &delay);
        if (!isnan(sent))
            channel = fmin(gap, fmax(0, start - fmax(clock, sent + delay)));
        channel = channel > 1e-12 * start ? channel : 0;
    }
    idle->channel += channel;
    if (op->type == OPERATION_F)
        idle->forward += gap - channel;
    else
        idle->gradient += gap - channel;
}

void metrics_idle_of(const struct pipeline *pipeline, const struct order *order,
                     const double *starts, const double *ends, struct metrics_idle *idle)
{
    const struct idle_input in = {pipeline, order, ends};
    double makespan = 0;
    *idle = (struct metrics_idle){.warm_up = 0};
    for (int32_t d = 0; d < order->devices; d++)
        if (order->n[d] > 0)
            makespan = fmax(makespan, ends[order_at(order, d, order->n[d] - 1)]);
    for (int32_t d = 0; d < order->devices; d++) {
        double clock = 0;
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int64_t at = order_at(order, d, i);
            if (i == 0)
                idle->warm_up += starts[at];
            else if (starts[at] > clock)
                add_gap(idle, &in, &order->operations[at], d, clock, starts[at]);
            clock = ends[at];
        }
        idle->cool_down += makespan - clock;
    }
}
