// SPDX-License-Identifier: Apache-2.0
// Evaluates a program by executing its order, built once, or by a closed form if one exists.
#include "kernels/common/split/evaluator.h"

#include "kernels/common/interleaved/one_f_one_b.h"
#include "kernels/common/interleaved/timed_order.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/published_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nd_evaluator {
    const struct nd_program *program;
    struct poll *poll; // or NULL
    bool closed;       // 1F1B without transfers: the closed form holds, no order is needed
    int32_t residue;
    double latest, period;       // of the last objective: start of the last backward; period
    struct timed_order laid_out; // built when needed
    struct timed_order whole;    // the same, where it is another
    bool is_timed;               // the last run of laid_out was not ended
    int32_t *path;               // [operations of laid_out]
    int32_t (*marks)[2];         // [stages]: first forwards of the last two parts, order_at
    double *starts;              // [order_at]: temporary
    double *paths;               // [2 stages + stages^2]: of struct nd_marks
    double *room;
};

// ---- making -------------------------------------------------------------------------------------

static bool make_order(struct nd_evaluator *e, struct timed_order *timed,
                       const struct orders_shape *shape, bool with_paths)
{
    if (timed->memory != NULL)
        return true;
    if (!timed_order_build(timed, shape, with_paths, e->poll)) {
        timed_order_free(timed);
        return false;
    }
    timed->pipeline.links.latency = e->program->hop;
    return true;
}

void nd_evaluator_free(struct nd_evaluator *e)
{
    if (e == NULL)
        return;
    timed_order_free(&e->laid_out);
    timed_order_free(&e->whole);
    free(e->path);
    free(e->marks);
    free(e->starts);
    free(e->paths);
    free(e->room);
    free(e);
}

// Finds the first forwards of the last two parts in the order of every stage. Returns false if the poll
// ended the loop.
static bool find_marks(struct nd_evaluator *e)
{
    const struct order *order = &e->laid_out.order;
    const int32_t stages = e->program->stages,
                  last = e->laid_out.pipeline.shape.micro_batches - stages;
    for (int32_t i = 0; i < stages; i++)
        for (int32_t k = 0; k < order->n[i]; k++) {
            const int32_t at = (int32_t)order_at(order, i, k);
            const struct operation *op = &order->operations[at];
            if (poll_over(e->poll))
                return false;
            if (op->type != OPERATION_F || op->stage >= stages)
                continue;
            if (op->item == last - stages)
                e->marks[i][0] = at;
            if (op->item == last)
                e->marks[i][1] = at;
        }
    return true;
}

static bool make_marks(struct nd_evaluator *e, size_t operations)
{
    const size_t n = (size_t)e->program->stages;
    e->marks = malloc(n * sizeof *e->marks);
    e->starts = malloc(operations * sizeof *e->starts);
    e->paths = malloc((2 + n) * n * sizeof *e->paths);
    e->room = malloc((n + 2) * (n + 2) * sizeof *e->room);
    return e->marks != NULL && e->starts != NULL && e->paths != NULL && e->room != NULL &&
           find_marks(e);
}

// Builds the order of the parts that are laid out, at its first use.
static bool make_laid_out(struct nd_evaluator *e)
{
    const struct orders_shape shape = nd_program_laid_out(e->program);
    if (e->path != NULL)
        return true;
    if (!make_order(e, &e->laid_out, &shape, true))
        return false;
    const struct order *order = &e->laid_out.order;
    const size_t n = (size_t)order->devices * (size_t)order->room;
    e->path = malloc(n * sizeof *e->path);
    return e->path != NULL && (e->residue == 0 || make_marks(e, n));
}

struct nd_evaluator *nd_evaluator_new(const struct nd_program *program, struct poll *poll)
{
    struct nd_evaluator *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->program = program;
    e->poll = poll;
    e->residue = nd_program_residue(program);
    e->closed = program->chunks == 1 && program->splits == 1 && program->hop == 0;
    if (e->closed || make_laid_out(e))
        return e;
    nd_evaluator_free(e);
    return NULL;
}

// ---- the closed form ----------------------------------------------------------------------------

static double largest_sum(const double *forward, const double *backward, int32_t n)
{
    double most = 0;
    for (int32_t k = 0; k < n; k++)
        most = fmax(most, forward[k] + backward[k]);
    return most;
}

// In 1F1B the shortest period is P times the slowest stage, and the end does not change with it.
static double closed_objective(struct nd_evaluator *e, const double *forward,
                               const double *backward)
{
    const int32_t stages = e->program->stages;
    const int32_t m = e->program->micro_batches - e->residue * stages;
    const double end = onefb_makespan(stages, m, forward, backward);
    e->latest = end - backward[0];
    e->period = e->residue > 0 ? stages * largest_sum(forward, backward, stages) : 0;
    return end + e->residue * e->period;
}

// ---- orders -------------------------------------------------------------------------------------

// Executes the order that is laid out, unless its last run had the same times.
static double run_laid_out(struct nd_evaluator *e, const double *forward,
                           const double *backward, bool may_reuse)
{
    const bool changed = timed_order_set(&e->laid_out, forward, backward);
    if (may_reuse && e->is_timed && !changed)
        return executor_makespan(e->laid_out.executor);
    const double end = timed_order_run(&e->laid_out, e->poll);
    e->is_timed = !isnan(end);
    return end;
}

// The last backward of stage 0 is the last operation. Returns NAN if the poll ended the evaluation.
static double stable_objective(struct nd_evaluator *e, double end, double *period)
{
    const int32_t n = e->program->stages, last = e->laid_out.order.n[0] - 1;
    double *arrive = e->paths, *leave = arrive + n, *between = leave + n;
    const struct nd_marks marks = {n, end, arrive, leave, between};
    if (!timed_order_paths(&e->laid_out, e->poll))
        return (double)NAN;
    for (int32_t i = 0; i < n; i++)
        arrive[i] = executor_starts(e->laid_out.executor)[e->marks[i][1]];
    for (int32_t i = 0; i < n; i++) {
        if (!longest_path_from(&e->laid_out.paths, e->marks[i][0], e->starts, e->poll))
            return (double)NAN;
        for (int32_t j = 0; j < n; j++)
            between[i * n + j] = e->starts[e->marks[j][1]];
        leave[i] = e->starts[last] + e->laid_out.pipeline.stage[0].b;
    }
    return nd_stable(&marks, e->residue, period, e->room);
}

static double order_objective(struct nd_evaluator *e, const double *forward,
                              const double *backward)
{
    const double end = run_laid_out(e, forward, backward, false);
    double objective = end;
    e->period = 0;
    if (e->residue > 0 && !isnan(end))
        objective = stable_objective(e, end, &e->period);
    e->latest = objective - e->residue * e->period - backward[0] / e->program->splits;
    return objective;
}

// Whether the last objective is within the published bounds of starts and periods.
static bool is_within(const struct nd_evaluator *e)
{
    return e->program->compat != ND_ORIG ||
           (e->latest <= ND_ORIG_START && e->period <= ND_ORIG_START);
}

double nd_evaluator_objective(struct nd_evaluator *e, const double *forward,
                              const double *backward)
{
    if (e->program->compat == ND_ORIG && e->program->splits > 1)
        return HUGE_VAL; // as published a split waits for its own end
    return e->closed ? closed_objective(e, forward, backward)
                     : order_objective(e, forward, backward);
}

double nd_evaluator_by_order(struct nd_evaluator *e, const double *forward,
                             const double *backward)
{
    return make_laid_out(e) ? order_objective(e, forward, backward) : (double)NAN;
}

double nd_evaluator_makespan(struct nd_evaluator *e, const double *forward,
                             const double *backward)
{
    const struct orders_shape shape = nd_program_shape(e->program);
    if (e->closed)
        return onefb_makespan(e->program->stages, e->program->micro_batches, forward, backward);
    if (e->residue == 0)
        return run_laid_out(e, forward, backward, false);
    if (!make_order(e, &e->whole, &shape, false))
        return (double)NAN;
    (void)timed_order_set(&e->whole, forward, backward);
    return timed_order_run(&e->whole, e->poll);
}

// Counts the operations of a path.
static void count_path(const struct nd_evaluator *e, int32_t n, double *forwards,
                       double *backwards, double *constant)
{
    const struct timed_order *timed = &e->laid_out;
    int32_t device = -1;
    for (int32_t k = 0; k < n; k++) {
        const struct operation *op = &timed->order.operations[e->path[k]];
        const int32_t of_this = timed->pipeline.device_of[op->stage];
        double *counts = op->type == OPERATION_F ? forwards : backwards;
        counts[op->stage] += 1.0 / e->program->splits;
        if (k > 0 && of_this != device)
            *constant += e->program->hop;
        device = of_this;
    }
}

enum nd_outcome nd_evaluator_path(struct nd_evaluator *e, const double *forward,
                                  const double *backward, double *forwards, double *backwards,
                                  double *constant)
{
    const size_t n = (size_t)e->program->chunks * (size_t)e->program->stages;
    if (!make_laid_out(e))
        return ND_NO_MEMORY;
    const struct timed_order *timed = &e->laid_out;
    if (isnan(run_laid_out(e, forward, backward, true)) ||
        !timed_order_paths(&e->laid_out, e->poll))
        return ND_NO_MEMORY;
    const int32_t length = longest_path_critical(
        &timed->paths, executor_starts(timed->executor), executor_ends(timed->executor),
        e->path, timed->order.devices * timed->order.room, e->poll);
    if (length < 0)
        return ND_NO_MEMORY; // the poll ended the search of the path
    memset(forwards, 0, n * sizeof *forwards);
    memset(backwards, 0, n * sizeof *backwards);
    *constant = 0;
    count_path(e, length, forwards, backwards, constant);
    return ND_DONE;
}

// ---- one choice ---------------------------------------------------------------------------------

enum nd_outcome nd_evaluate_within(const struct nd_program *program,
                                   const struct nd_choice *choice, struct poll *poll,
                                   struct nd_value *value)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    double *durations = malloc(2 * n * sizeof *durations);
    struct nd_evaluator *e =
        nd_evaluator_new(program, program->compat == ND_ORIG ? NULL : poll);
    *value = (struct nd_value){(double)NAN, (double)NAN};
    if (durations != NULL && e != NULL) {
        nd_durations(program, choice, durations, durations + n);
        value->objective = nd_evaluator_objective(e, durations, durations + n);
        if (!is_within(e))
            value->objective = HUGE_VAL;
        e->poll = poll;
        value->makespan = nd_evaluator_makespan(e, durations, durations + n);
    }
    nd_evaluator_free(e);
    free(durations);
    return isnan(value->makespan) && !poll_has_ended(poll) ? ND_NO_MEMORY : ND_DONE;
}

enum nd_outcome nd_evaluate(const struct nd_program *program, const struct nd_choice *choice,
                            struct nd_value *value)
{
    return nd_evaluate_within(program, choice, NULL, value);
}
