// SPDX-License-Identifier: Apache-2.0
// The lower bound: the maximum of several times, each of which every schedule needs.
//
// Facts that all bounds use. A task of work w lasts at least w less eps_work (a task ends when
// at most eps_work of its work is left), as no rate is above 1: a compute rate is 1 less a
// slowdown, a transfer's rate is a share. A stage computes one task at a time. The shares of a
// port add up to 1 at most: rules 1 to 3 hand out 1, and receivers only take away and let the
// rest be handed out again; so a port needs the sum of its transfers' works. Tasks of a class
// end in the order of their micro-batches (model.md), so the last backward of a stage is that
// of micro-batch n - 1, which a synchronisation always follows.
//
// F, B and P are the lengths of a forward, a backward and a transfer, g the stages, W the work of a
// regular synchronisation, K their number, L the work of the last one, of micro-batch n - 1. One
// micro-batch takes R = g (F + B) + 2 (g - 1) P through the pipeline and back.
//
// END OF A BACKWARD. When backward(i, 0) ends, at least this has passed:
//   1f1b
//   - R + i (F + B): the last stage takes forward and backward of each micro-batch in turn, the
//     first of them g - 1 forwards and transfers after the start; then backward i still has its
//     way from there to stage 0.
//   - R + i P, where transfers share a port: port 0 sends fwd_props 0 ... i one after the other.
//   - on shared ports between two others, (g - 1) F + (g - 2) B + (2 g - 3) P + 2 i P: the port of
//     stage g - 2 sends both transfers of each micro-batch; before the first there are g - 1
//     forwards and g - 2 transfers, after the last g - 2 backwards and g - 3 transfers.
//   - forward(k + g, 0) waits for backward(k, 0): micro-batches c, c + g, c + 2 g ... go through
//     the pipeline one after the other. The first enters after c forwards (c < g), and after the
//     last of them the backwards up to i are still to be done at stage 0.
//   gpipe
//   - no backward starts before forward(n - 1, g - 1) ends, which is not before
//     g F + (g - 1) P + (n - 1) max(F, P): a stage's forwards, and a port's fwd_props, are done
//     one after the other. In the same way it takes g B + (g - 1) P + i max(B, P) from there.
//     Where transfers have no port to share, the maximum is F, or B.
//
// END OF THE POINT. Not before
//   - backward(n - 1, 0) and its synchronisation L;
//   - backward(f - 1, 0) and the K regular synchronisations, each of which waits for the one
//     before; or the last of these backwards and its synchronisation;
//   - the compute of stage g - 1, which starts after g - 1 forwards and transfers, and what follows
//     its last backward: the way to stage 0 and L, or the synchronisations of stage g - 1 that are
//     still to be done. Synchronisations done before slow compute down, or take time without
//     compute: they cost at least their work times the lesser impact.
//   - where transfers share ports, all the work of a port after its first task is ready: the
//     synchronisations of stage 0, and its fwd_props that cannot have started yet (in 1f1b the
//     fwd_props of micro-batches from f - 1 + g on, when backward(f - 1, 0) ends); the
//     synchronisations of stage 1, with its grad_props from micro-batch f - 1 on and late fwd_props, or with all of its grad_props;
//     all transfers of stage g - 2, and of stage 0.
#include "kernels/contention/lower_bound.h"

#include "kernels/contention/model/state.h"

// EPS_WORK, in units: the work that may be left when a task ends. The relative margin covers
// rounding, skipped periods and sums of shares together.
#define EPS_WORK 1.0001e-9
#define SLACK    4e-9

struct works {
    const struct contention_point *p;
    double f, b, p_len; // F, B, P
    double stages;      // g
    double way;         // R
    double sync, last_sync, sync_sum;
    double chain;  // the regular synchronisations
    double shared; // P where transfers share a port with others of their kind, else 0
};

static double less(double work, double eps)
{
    return fmax(0, work - eps);
}

static struct works works_of(const struct contention_point *p)
{
    const double eps = EPS_WORK * contention_unit(p), g = p->gpus;
    const int32_t regular = p->n / p->sync_freq, rest = p->n % p->sync_freq;
    struct works w = {.p = p, .stages = g};
    w.f = less(p->fwd_len, eps);
    w.b = less(p->bwd_len, eps);
    w.p_len = less(p->prop_len, eps);
    w.way = g * (w.f + w.b) + 2 * (g - 1) * w.p_len;
    w.sync = less(contention_sync_work(p, p->sync_freq), eps);
    w.last_sync = rest > 0 ? less(contention_sync_work(p, rest), eps) : w.sync;
    w.chain = regular * w.sync;
    w.sync_sum = w.chain + (rest > 0 ? w.last_sync : 0);
    w.shared = p->channels != CONTENTION_IDEAL && p->gpus > 1 ? w.p_len : 0;
    return w;
}

static bool is_shared(const struct works *w)
{
    return w->p->channels == CONTENTION_SHARED;
}

// ---- the end of backward(i, 0) --------------------------------------------------------------

// Returns the time of micro-batches c, c + g, c + 2 g ... <= i through the pipeline, and of the
// backwards after the last of them.
static double in_turns(const struct works *w, int32_t i, int32_t c)
{
    const int32_t turns = (i - c) / w->p->gpus;
    const int32_t behind = i - (c + turns * w->p->gpus);
    return c * w->f + (turns + 1.0) * w->way + behind * w->b;
}

// Returns the maximum over all c: the bound is linear in c as long as the number of turns stays
// the same.
static double all_turns(const struct works *w, int32_t i)
{
    const int32_t g = w->p->gpus, rest = i % g;
    double most = fmax(in_turns(w, i, 0), in_turns(w, i, rest));
    if (i >= g && rest + 1 < g)
        most = fmax(most, fmax(in_turns(w, i, rest + 1), in_turns(w, i, g - 1)));
    return most;
}

static double end_of_forwards(const struct works *w) // gpipe
{
    return w->stages * w->f + (w->stages - 1) * w->p_len +
           (w->p->n - 1.0) * fmax(w->f, w->shared);
}

static double end_of_backward(const struct works *w, int32_t i)
{
    const double g = w->stages;
    if (w->p->pipeline == CONTENTION_GPIPE)
        return end_of_forwards(w) + g * w->b + (g - 1) * w->p_len + i * fmax(w->b, w->shared);
    double most = fmax(w->way + i * fmax(w->f + w->b, w->shared), all_turns(w, i));
    if (is_shared(w) && w->p->gpus > 2)
        most = fmax(most, (g - 1) * w->f + (g - 2) * w->b + (2 * g - 3) * w->p_len +
                              2.0 * i * w->p_len);
    return most;
}

// Returns a bound on the end of backward(i, 1) that does not depend on stage 0.
static double end_at_stage_1(const struct works *w, int32_t i)
{
    const double g = w->stages;
    if (w->p->pipeline == CONTENTION_GPIPE)
        return end_of_forwards(w) + (g - 1) * w->b + (g - 2) * w->p_len + i * w->b;
    return fmax(w->way + i * (w->f + w->b), in_turns(w, i, i % w->p->gpus)) - w->p_len - w->b;
}

// ---- ports ----------------------------------------------------------------------------------

// fwd_props of one stage that cannot have started when backward(f - 1) of any stage ends.
static double late_sends(const struct works *w)
{
    const struct contention_point *p = w->p;
    const double late = p->n - (p->sync_freq - 1.0) - p->gpus;
    return p->pipeline == CONTENTION_1F1B && is_shared(w) ? fmax(0, late) * w->p_len : 0;
}

static double busiest_port(const struct works *w)
{
    const struct contention_point *p = w->p;
    const int32_t first = p->sync_freq - 1; // the first backward that a synchronisation follows
    const double g = w->stages, n = p->n, sends = n * w->p_len;
    double most = end_of_backward(w, first) + w->sync_sum + (p->gpus > 1 ? late_sends(w) : 0);
    if (p->gpus == 1)
        return most;
    most = fmax(most, end_at_stage_1(w, first) + w->sync_sum + (n - first) * w->p_len +
                          (p->gpus > 2 ? late_sends(w) : 0));
    // From the first grad_prop of stage 1 on, all of them.
    most = fmax(most, end_at_stage_1(w, 0) + sends + w->sync_sum);
    if (is_shared(w) && p->gpus > 2)
        most = fmax(most, (g - 1) * w->f + (g - 2) * w->p_len + 2 * sends + w->sync_sum);
    if (is_shared(w))
        most = fmax(most, w->f + sends + w->sync_sum);
    return most;
}

// ---- compute --------------------------------------------------------------------------------

static double last_stage(const struct works *w)
{
    const struct contention_point *p = w->p;
    const double others = w->stages - 1;
    const double tail = others * (w->p_len + w->b) + w->last_sync;
    const double impact =
        p->channels == CONTENTION_IDEAL ? 0 : fmin(p->fwd_impact, p->bwd_impact);
    return others * (w->f + w->p_len) + p->n * (w->f + w->b) + tail +
           impact * fmax(0, w->sync_sum - tail);
}

// ---- the whole ------------------------------------------------------------------------------

double contention_lower_bound(const struct contention_point *p)
{
    const struct works w = works_of(p);
    const int32_t last_regular = p->n / p->sync_freq * p->sync_freq - 1;
    double most = end_of_backward(&w, p->n - 1) + w.last_sync;
    most = fmax(most, last_stage(&w));
    most = fmax(most, end_of_backward(&w, p->sync_freq - 1) + w.chain);
    most = fmax(most, end_of_backward(&w, last_regular) + w.sync);
    if (p->channels != CONTENTION_IDEAL)
        most = fmax(most, busiest_port(&w));
    return most * (1 - SLACK);
}
