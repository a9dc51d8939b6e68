// SPDX-License-Identifier: Apache-2.0
// Makes configurations of choices.
#include "planner/nd/input/choice_price.h"

#include <math.h>
#include <stdlib.h>

bool nd_choice_has_price(const struct nd_input *input, enum nd_ratio_source source)
{
    const struct nd_ratios *given = &input->given;
    return input->compat == ND_CORRECTED && source == ND_RATIOS_MODEL && !input->has_figures &&
           isnan(given->dense) && isnan(given->backward) && isnan(given->head) &&
           isnan(given->recompute);
}

// Writes the layers, and those that are made again wholly and in part, in the order of the model: [3][n].
static void add_lists(int32_t *lists, const struct nd_choice *choice, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        lists[k] = choice->layers[0][k] + choice->layers[1][k];
        lists[n + k] = choice->full[0][k] + choice->full[1][k];
        lists[2 * n + k] = choice->part[0][k] + choice->part[1][k];
    }
}

bool nd_choice_configuration(struct configuration *c, const struct plan_run *run,
                             const struct nd_strategy *strategy,
                             const struct nd_program *program, const struct nd_choice *choice)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    *c = (struct configuration){.model = run->model,
                                .cluster = run->cluster,
                                .training = run->training,
                                .strategy = *strategy,
                                .recompute_group = 1};
    c->strategy.vp = program->chunks;
    c->training.low_mem_vpp = program->low_mem;
    int32_t *lists = calloc(3 * n, sizeof *lists);
    const bool made = lists != NULL && configuration_spread(c);
    if (made) {
        add_lists(lists, choice, n);
        configuration_set_layers(c, lists, lists + n, lists + 2 * n);
    }
    free(lists);
    return made;
}

enum configuration_status nd_choice_step(struct configuration_step *step,
                                         const struct plan_run *run,
                                         const struct nd_strategy *strategy,
                                         const struct nd_program *program,
                                         const struct nd_choice *choice, struct poll *poll)
{
    struct configuration c;
    enum configuration_status status = CONFIGURATION_NO_MEMORY;
    *step = (struct configuration_step){.seconds = 0};
    if (nd_choice_configuration(&c, run, strategy, program, choice))
        status = configuration_step_brief(step, &c, poll);
    configuration_free(&c);
    return status;
}

bool nd_maker_price(void *self, const struct nd_strategy *strategy,
                    const struct nd_rank_case *used, const struct nd_choice *choice,
                    struct nd_rank_price *price, bool *no_memory)
{
    const struct nd_maker *maker = self;
    struct configuration_step step;
    if (!nd_choice_has_price(maker->input, used->source))
        return false;
    const enum configuration_status status =
        nd_choice_step(&step, &maker->input->job.run, strategy, &used->program, choice, NULL);
    *no_memory = status == CONFIGURATION_NO_MEMORY;
    if (status == CONFIGURATION_DONE)
        *price = nd_price_of_step(&step);
    configuration_step_free(&step);
    return status == CONFIGURATION_DONE;
}
