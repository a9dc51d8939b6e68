// SPDX-License-Identifier: Apache-2.0
// Ranks the strategy of `ppsweep nd pipeline` as nd rank does, so that both find the same split, and takes the chunks
// per stage and the micro-batch size that no option sets.
#include "planner/nd/commands/pipeline_report.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/input/choice_price.h"

#include <math.h>
#include <stdio.h>

enum { TIME_OF_CHOICE = 2, PROGRAMS_USUAL = 12 }; // a part of the time, for so many programs

// Says what was chosen, and of what.
static void say(struct nd_pipe *pipe, const struct nd_rank_options *options, bool of_sizes)
{
    const struct nd_strategy *s = &pipe->strategy;
    const struct training *training = &pipe->input->job.run.training;
    const int32_t first = options->min_vpp > 1 ? options->min_vpp : 1;
    size_t n = 0, size = sizeof pipe->chosen;
    if (pipe->chooses_vp && s->pp > 1 && options->max_vpp > first)
        n = (size_t)snprintf(pipe->chosen, size, "vp %d, the best of %d to %d chunks per stage",
                             s->vp, first, options->max_vpp);
    if (of_sizes && training->n_mbs > 1)
        snprintf(pipe->chosen + n, size - n, "%smbs %d, the best of %d micro-batch sizes",
                 n > 0 ? "; " : "", s->mbs, training->n_mbs);
}

static void rank(struct nd_pipe *pipe, const struct nd_strategy *strategy,
                 const struct nd_rank_options *options)
{
    struct nd_effort *effort = pipe->effort;
    const struct nd_effort given = *effort;
    const double started = effort->max_seconds > 0 ? effort->seconds() : 0;
    struct nd_maker maker;
    nd_maker_open(&maker, pipe->input);
    const struct nd_rank_source source = {nd_maker_prepare, nd_maker_price, &maker, NULL};
    if (effort->max_nodes == 0)
        effort->max_nodes = ND_RANK_LIMIT;
    effort->max_seconds /= TIME_OF_CHOICE * PROGRAMS_USUAL;
    nd_solve_progress_start(pipe->progress, effort);
    nd_rank_best(pipe->ranked, strategy, 0, &source, options);
    nd_solve_progress_end(pipe->progress);
    *effort = given;
    if (given.max_seconds > 0)
        effort->max_seconds = fmax(given.max_seconds - (effort->seconds() - started),
                                   given.max_seconds / TIME_OF_CHOICE);
}

enum pps_status nd_pipe_choose(struct nd_pipe *pipe, struct pps_error *err)
{
    const struct nd_input *input = pipe->input;
    const bool of_sizes = !nd_strategy_sets(pipe->at, "mbs");
    struct nd_rank_options options = {.max_vpp = pipe->strategy.vp,
                                      .min_vpp = pipe->strategy.vp,
                                      .compat = input->compat,
                                      .effort = pipe->effort,
                                      .training = &input->job.run.training};
    struct nd_strategy strategy = pipe->strategy;
    if (input->compat == ND_ORIG)
        return PPS_OK;
    if (pipe->chooses_vp) {
        options.min_vpp = 1;
        options.max_vpp = ND_CHUNKS_USUAL;
        const enum pps_status status = nd_input_chunks(input, &options, false, err);
        if (status != PPS_OK)
            return status;
        pipe->strategy.vp = options.min_vpp;
    }
    if (of_sizes)
        strategy.mbs = 0;
    rank(pipe, &strategy, &options);
    if (pipe->ranked->outcome == ND_RANK_NO_MEMORY)
        return pps_fail_memory(err, "the pipeline program");
    if (pipe->ranked->outcome != ND_RANK_PRICED)
        return PPS_OK;
    pipe->strategy.vp = pipe->ranked->used.program.chunks;
    pipe->strategy.mbs = pipe->ranked->strategy.mbs;
    say(pipe, &options, of_sizes);
    return PPS_OK;
}

// Takes what a search for a shorter step than the ranked one has proven: there is none where it is infeasible.
static void take_bound(struct nd_solution *ranked, const struct nd_solution *solution)
{
    const bool none = solution->status == ND_INFEASIBLE;
    const double bound = none ? ranked->objective : fmax(ranked->bound, solution->bound);
    ranked->status = none ? ND_OPTIMAL : solution->status;
    ranked->bound = fmin(bound, ranked->objective);
    ranked->gap = 1 - ranked->bound / ranked->objective;
}

enum nd_outcome nd_pipe_solve_best(const struct nd_pipe *pipe, const struct nd_program *program,
                                   struct nd_solution *solution)
{
    struct nd_solution *ranked = &pipe->ranked->solution, solved;
    struct nd_effort *effort = pipe->effort;
    const double below = effort->below;
    if (!ranked->found || ranked->status != ND_OPTIMAL) {
        if (ranked->found)
            effort->below = ranked->objective;
        const enum nd_outcome outcome = nd_pipe_solve(pipe, program, solution);
        effort->below = below;
        if (outcome != ND_DONE || !ranked->found ||
            (solution->found && solution->objective < ranked->objective * (1 - 1e-9)))
            return outcome;
        take_bound(ranked, solution);
    }
    solved = *ranked;
    *ranked = *solution;
    *solution = solved;
    return ND_DONE;
}
