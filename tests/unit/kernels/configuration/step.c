// SPDX-License-Identifier: Apache-2.0
// The step of a configuration compared with the definition of the estimate, and with the pipeline program.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/configuration/step.h"
#include "tests/unit/support/kernels/nd_points.h"
#include "tests/unit/support/kernels/step_times.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/rounds.h"

enum { PASSES_MOST = 20000 };

static struct configuration configuration_of(const struct nd_setting *s,
                                             const struct nd_point *p)
{
    struct configuration c = {.model = s->model,
                              .cluster = s->cluster,
                              .training = s->training,
                              .strategy = p->strategy,
                              .recompute_group = 1};
    c.model.seq_length = p->seq_length;
    c.training.gbs = p->gbs;
    c.cluster.world_size =
        (int64_t)p->strategy.dp * p->strategy.tp * p->strategy.cp * p->strategy.pp;
    cr_assert(configuration_spread(&c));
    configuration_recompute(&c, p->strategy.recompute);
    return c;
}

// The definition has all modules that predict several tokens on the last stage.
static bool spreads_modules(const struct nd_setting *s, const struct nd_point *p)
{
    const int64_t parts = (int64_t)p->strategy.pp * p->strategy.vp;
    return modeldesc_layers(&s->model) / parts < s->model.mtp_depth;
}

static void draw(struct random *r, struct nd_setting *s, struct nd_point *p, uint32_t id)
{
    do {
        random_setting(r, s, id);
        s->training.schedule = TRAINING_ANY_SCHEDULE;
        nd_estimate_open(&s->estimate, &s->model, &s->cluster, &s->training, id);
        *p = random_nd_point(r, &s->model);
        p->strategy.op = p->strategy.op < 1 ? p->strategy.dp * p->strategy.cp : p->strategy.op;
    } while (spreads_modules(s, p) || nd_micro_batches(p) < p->strategy.pp ||
             nd_micro_batches(p) > 4096 ||
             nd_micro_batches(p) * p->strategy.pp * p->strategy.vp > PASSES_MOST);
}

// Catches every cause of memory that the two definitions count differently, on every stage.
static void compare_memory(const struct configuration *c, const struct configuration_step *step,
                           const struct nd_memory *whole)
{
    for (int32_t d = 0; d < c->strategy.pp; d++) {
        const double *memory = step->devices[d].memory;
        const struct nd_stage *stage = &plain_stages[d];
        near(memory[CONFIGURATION_PARAMETERS], stage->parameters, 1e-9, "parameters");
        near(memory[CONFIGURATION_GRADIENTS], stage->gradients, 1e-9, "gradients");
        near(memory[CONFIGURATION_OPTIMIZER_STATE], stage->optimizer, 1e-9, "optimizer");
        near(memory[CONFIGURATION_ACTIVATIONS], stage->activations, 1e-9, "activations");
        near(memory[CONFIGURATION_WORKING] + memory[CONFIGURATION_LOGITS] +
                 memory[CONFIGURATION_BUFFERS],
             stage->transient, 1e-9, "transient");
        near(step->devices[d].peak, stage->total, 1e-9, "total");
    }
    near(step->peak, whole->total, 1e-9, "peak");
}

Test(configuration_step, memory_is_that_of_the_definition)
{
    struct random r = {first_point() + 21};
    for (int round = 0; round < n_rounds(400); round++) {
        struct nd_setting s;
        struct nd_point p;
        struct nd_memory memory;
        struct configuration_step step;
        draw(&r, &s, &p, (uint32_t)round + 1);
        plain_estimate(&s.estimate, &p, &memory, NULL);
        struct configuration c = configuration_of(&s, &p);
        cr_assert_eq(configuration_step_of(&step, &c, NULL), CONFIGURATION_DONE);
        compare_memory(&c, &step, &memory);
        configuration_step_free(&step);
        configuration_free(&c);
    }
}

static double seconds_of(const struct configuration *c, double pipeline, double *executed)
{
    struct configuration_step step;
    cr_assert_eq(configuration_step_time(&step, c, pipeline, NULL), CONFIGURATION_DONE);
    const double seconds = step.seconds;
    *executed = step.pipeline;
    configuration_step_free(&step);
    return seconds;
}

// Catches a pipeline that is shared though the shards of the optimizer change it, and a rest that stays.
Test(configuration_step, a_known_pipeline_is_not_executed_again)
{
    struct random r = {first_point() + 23};
    int shared = 0;
    for (int round = 0; round < n_rounds(200); round++) {
        struct nd_setting s;
        struct nd_point p;
        double pipeline, known, whole;
        draw(&r, &s, &p, (uint32_t)round + 1);
        struct configuration c = configuration_of(&s, &p);
        (void)seconds_of(&c, (double)NAN, &pipeline);
        c.strategy.op = 1;
        if (configuration_shares_pipeline(&c)) {
            const double seconds = seconds_of(&c, pipeline, &known);
            cr_assert_eq(seconds, seconds_of(&c, (double)NAN, &whole));
            cr_assert(known == whole && known == pipeline);
            shared++;
        }
        configuration_free(&c);
    }
    cr_assert_gt(shared, 0);
}

// Catches times of parts, transfers and orders that differ from the timeline of the estimate, parts of a
// step that do not add up, and a brief evaluation with other figures.
Test(configuration_step, time_is_that_of_the_timeline)
{
    struct random r = {first_point() + 22};
    struct nd_cache *cache = make_cache();
    for (int round = 0; round < n_rounds(400); round++) {
        struct nd_setting s;
        struct nd_point p;
        struct passes passes;
        struct nd_time time;
        struct configuration_step step, brief;
        draw(&r, &s, &p, (uint32_t)round + 1);
        struct configuration c = configuration_of(&s, &p);
        cr_assert_eq(configuration_step_of(&step, &c, NULL), CONFIGURATION_DONE);
        cr_assert_eq(configuration_step_brief(&brief, &c, NULL), CONFIGURATION_DONE);
        cr_assert_eq(nd_steptimes_of(&passes, &s.estimate, cache, &p), ND_STEPTIMES_DONE);
        near(step.pipeline, passes.makespan, 1e-9, "pipeline");
        nd_estimate(&s.estimate, cache, &p, NULL, &time);
        near(step.times[CONFIGURATION_REPLICAS], time.dp_exposed, 1e-9, "exchange");
        near(step.times[CONFIGURATION_OPTIMIZER], time.optimizer, 1e-9, "optimizer");
        double sum = 0;
        for (int k = 0; k < CONFIGURATION_TIMES; k++)
            sum += step.times[k];
        near(sum, step.seconds, 1e-9, "sum");
        cr_expect(brief.seconds == step.seconds && brief.peak == step.peak);
        passes_free(&passes);
        configuration_step_free(&step);
        configuration_step_free(&brief);
        configuration_free(&c);
    }
    free(cache);
}
