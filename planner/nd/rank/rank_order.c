// SPDX-License-Identifier: Apache-2.0
// Ranks candidates in the placement and order of the user's training.
#include "planner/nd/rank/ordered_split.h"
#include "planner/nd/rank/rank.h"

#include "base/math/units.h"

#include <math.h>
#include <stdlib.h>

struct nd_rank_price nd_price_of_step(const struct configuration_step *step)
{
    return (struct nd_rank_price){
        .step = units_to_ms(step->seconds),
        .program = units_to_ms(step->pipeline),
        .dp = units_to_ms(step->times[CONFIGURATION_REPLICAS]),
        .optimizer = units_to_ms(step->times[CONFIGURATION_OPTIMIZER]),
        .embedding = units_to_ms(step->times[CONFIGURATION_EMBEDDING]),
        .peak_mb = units_to_mib(step->peak)};
}

static struct nd_ordered ordered_of(const struct nd_ranked *ranked,
                                    const struct configuration *c)
{
    const struct nd_program *program = &ranked->used.program;
    const bool alike =
        ranked->solution.found && program->chunks == c->strategy.vp && ranked->family == NULL;
    return (struct nd_ordered){.mine = c,
                               .loop = alike ? &ranked->solution.choice : NULL,
                               .dialect = program->dialect,
                               .allow_select = program->allow_select,
                               .allow_full = program->allow_full};
}

// Replaces the solution of the candidate. Only the work of all stages together bounds every order.
static bool take(struct nd_ranked *ranked, const struct nd_rank_case *prepared,
                 const struct configuration *c, const struct configuration_step *step)
{
    const struct nd_rank_price price = nd_price_of_step(step);
    struct nd_rank_case used = *prepared;
    struct nd_solution solution = {.status = ND_FEASIBLE, .found = true};
    int32_t *room = calloc(6 * (size_t)c->n_parts, sizeof *room);
    used.program.chunks = c->strategy.vp;
    if (room == NULL)
        return false;
    const struct nd_choice choice = nd_choice_of_configuration(c, room);
    const bool taken = nd_solution_of_choice(&solution, &used.program, &choice);
    free(room);
    if (!taken)
        return false;
    solution.objective = price.program / used.layer_ms;
    solution.bound = fmin(solution.objective, nd_program_average_bound(&used.program));
    solution.gap = 1 - solution.bound / solution.objective;
    nd_solution_free(&ranked->solution);
    ranked->outcome = ND_RANK_PRICED;
    ranked->why[0] = '\0';
    ranked->used = used;
    ranked->solution = solution;
    ranked->family = c->family;
    ranked->others_ms = fmin(ranked->others_ms, ranked->least_ms);
    ranked->cost_ms = HUGE_VAL;
    nd_ranked_set_price(ranked, &price);
    ranked->least_ms = price.step - price.program * solution.gap;
    return true;
}

static bool try_chunks(struct nd_ranked *ranked, const struct nd_rank_case *prepared,
                       const struct configuration *mine, int32_t chunks)
{
    struct configuration c, best = {.parts = NULL};
    struct configuration_step step = {.seconds = 0};
    struct nd_strategy strategy = ranked->strategy;
    bool no_memory, found = false;
    strategy.vp = chunks;
    if (nd_ordered_like(&c, mine, &strategy, &no_memory)) {
        const struct nd_ordered ordered = ordered_of(ranked, &c);
        no_memory = nd_ordered_solve(&ordered, &best, &step, &found) == CONFIGURATION_NO_MEMORY;
    }
    if (!no_memory && found && units_to_ms(step.seconds) < ranked->cost_ms)
        no_memory = !take(ranked, prepared, &best, &step);
    configuration_step_free(&step);
    configuration_free(&best);
    configuration_free(&c);
    return !no_memory;
}

bool nd_rank_in_order(struct nd_ranked *ranked, const struct nd_rank_case *prepared,
                      const struct nd_rank_options *options)
{
    const struct configuration *mine = options->mine;
    const int32_t own = mine->strategy.vp;
    for (int32_t v = 1; v <= options->max_vpp || v <= own; v++) {
        const bool has = mine->family->chunks(v) == v && (v == own || v <= options->max_vpp);
        if (has && !try_chunks(ranked, prepared, mine, v)) {
            ranked->outcome = ND_RANK_NO_MEMORY;
            return false;
        }
    }
    return true;
}
