// SPDX-License-Identifier: Apache-2.0
// The learned scheduler of the published project: its environment, networks and training.
#include "extras/serial/serial_learner.h"
#include "extras/serial/serial_network.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double found, double wanted, double tolerance, const char *what)
{
    cr_assert(fabs(found - wanted) <= tolerance, "%s: %.15g, expected %.15g", what, found,
              wanted);
}

static void *memory_of(size_t bytes)
{
    return aligned_alloc(ROOM_ALIGNMENT, bytes);
}

// ---- the environment ----------------------------------------------------------------------------

// Two devices, one micro-batch: figures by hand. Catches a load that is not of the action's device, a count
// of ready operations before the action, and a state in another order.
Test(serial_learner, environment_by_hand)
{
    struct serial_problem problem = serial_defaults();
    problem.devices = 2;
    problem.micro_batches = 1;
    struct serial_environment e;
    struct room room = {NULL, 0};
    serial_environment_take(&e, &problem, &room);
    room = (struct room){memory_of(room.used), 0};
    void *memory = room.memory;
    serial_environment_take(&e, &problem, &room);
    serial_environment_start(&e);
    cr_assert_eq(serial_environment_step(&e, 4, 1), -1);
    cr_assert_eq(e.clock, 0);
    // F of stage 0: load 48, mean 24, then F of stage 1 is ready.
    near(serial_environment_step(&e, 0, 48), 1 + 0.5 / 48.1 + 0.3 / 24.1 + 0.02, 1e-15, "F");
    // F of stage 1: loads 48 and 50, mean 49, then B of stage 1 is ready.
    near(serial_environment_step(&e, 3, 50), 1 + 0.5 / 50.1 + 0.3 / 1.1 + 0.02, 1e-15, "F");
    near(serial_environment_step(&e, 4, 60), 1 + 0.5 / 60.1 + 0.3 / 31.1 + 0.04, 1e-15, "B");
    const double wanted[] = {1,    0, 1,     0,       1,       0, 0, 0, 0, // F, B, W of stage 0
                             1,    0, 1,     1,       0,       1, 0, 1, 0, // of stage 1
                             0.48, 1, 0.158, 2 / 6.0, 1 / 6.0, 0}; // loads, clock, shares
    double state[24];
    cr_assert_eq(serial_state_length(&problem), 24);
    serial_environment_state(&e, state);
    for (int i = 0; i < 24; i++)
        near(state[i], wanted[i], 1e-15, "state");
    free(memory);
}

// ---- networks -----------------------------------------------------------------------------------

// Gradients against differences. Catches a layer, a bias or a unit that the gradient skips.
Test(serial_learner, gradient_of_a_network)
{
    enum { INPUTS = 7, OUTPUTS = 11 };
    struct serial_network net;
    struct room room = {NULL, 0};
    const size_t n = serial_network_take(&net, INPUTS, OUTPUTS, &room);
    room = (struct room){memory_of(room.used), 0};
    void *memory = room.memory;
    serial_network_take(&net, INPUTS, OUTPUTS, &room);
    double *parameter = calloc(n, sizeof *parameter), *gradient = calloc(n, sizeof *gradient);
    double input[INPUTS] = {1, 0, -0.5, 0.25, 0, 2, 1}, dout[OUTPUTS];
    for (int o = 0; o < OUTPUTS; o++)
        dout[o] = 0.5 * o - 2;
    serial_network_start(&net, 3, 0, parameter);
    serial_network_run(&net, parameter, input);
    serial_network_gradient(&net, parameter, input, dout, gradient);
    for (size_t i = 0; i < n; i += i < 2000 ? 1 : 37) {
        const double h = 1e-6, before = parameter[i];
        double change = 0;
        for (int side = -1; side <= 1; side += 2) {
            parameter[i] = before + side * h;
            const double *out = serial_network_run(&net, parameter, input);
            for (int o = 0; o < OUTPUTS; o++)
                change += side * dout[o] * out[o];
        }
        parameter[i] = before;
        near(gradient[i], change / (2 * h), 1e-7, "gradient");
    }
    free(parameter);
    free(gradient);
    free(memory);
}

// ---- training -----------------------------------------------------------------------------------

struct bench {
    struct serial_problem problem;
    struct serial_learner *learner;
    struct serial_stream stream;
    void *memory;
    double work[8];
    int32_t order[64];
};

static struct bench bench_new(double level, uint64_t seed)
{
    struct bench b = {.problem = serial_defaults(), .stream = {.seed = seed}};
    struct room room = {NULL, 0};
    b.problem.devices = 2;
    b.problem.micro_batches = 3;
    b.problem.level = level;
    serial_learner_take(&b.problem, &room);
    room = (struct room){b.memory = memory_of(room.used), 0};
    b.learner = serial_learner_take(&b.problem, &room);
    return b;
}

// The same seed gives the same bits in memory that held another training; another seed gives others. Every
// order of a policy keeps the dependencies. Catches state that outlives a training.
Test(serial_learner, depends_on_the_seed_only)
{
    struct bench a = bench_new(0.3, 42), b = bench_new(0.3, 42);
    size_t n;
    cr_assert(serial_learner_train(b.learner, 7, 3, &b.stream, NULL));
    b.stream = a.stream;
    cr_assert(serial_learner_train(a.learner, 42, 12, &a.stream, NULL));
    cr_assert(serial_learner_train(b.learner, 42, 12, &b.stream, NULL));
    cr_assert_eq(a.stream.used, b.stream.used);
    const double *found = serial_learner_parameters(a.learner, &n);
    cr_assert_arr_eq(found, serial_learner_parameters(b.learner, &n), n * sizeof *found);
    const double total = serial_learner_run(a.learner, &a.stream, a.work, a.order).total;
    cr_assert_eq(serial_learner_run(b.learner, &b.stream, b.work, b.order).total, total);
    cr_assert_arr_eq(a.order, b.order, 18 * sizeof *a.order);
    int32_t at[18];
    for (int32_t i = 0; i < 18; i++)
        at[a.order[i]] = i;
    for (int32_t m = 0; m < 3; m++) {
        const int32_t *of = at + m * 6; // F, B, W of stage 0, then of stage 1
        cr_assert(of[0] < of[3] && of[3] < of[4] && of[4] < of[1] && of[1] < of[2] &&
                  of[4] < of[5]);
    }
    cr_assert(serial_learner_train(b.learner, 43, 12, &b.stream, NULL));
    cr_assert(memcmp(found, serial_learner_parameters(b.learner, &n), n * sizeof *found) != 0);
    free(a.memory);
    free(b.memory);
}

// No policy is better or worse: without noise every policy has the same total, trained or not, while the
// reward does change. Catches an environment in which devices overlap, and a training that learns nothing.
Test(serial_learner, no_policy_changes_the_total)
{
    struct bench b = bench_new(0, 1);
    double rewards[2] = {0};
    static const int32_t episodes[2] = {0, 400};
    for (int k = 0; k < 2; k++) {
        cr_assert(serial_learner_train(b.learner, 1, episodes[k], &b.stream, NULL));
        for (int i = 0; i < 50; i++) {
            const struct serial_result result =
                serial_learner_run(b.learner, &b.stream, b.work, NULL);
            near(result.total, serial_nominal_total(&b.problem), 1e-9, "total");
            near(result.bubble, 0.5, 1e-12, "bubble");
            rewards[k] += serial_learner_reward(b.learner) / 50;
        }
    }
    cr_assert(rewards[1] > rewards[0] + 0.2, "%g, untrained %g", rewards[1], rewards[0]);
    free(b.memory);
}

static bool end_now(void *self)
{
    return *(bool *)self;
}

// A training can be stopped.
Test(serial_learner, stops)
{
    struct bench b = bench_new(0, 1);
    bool over = true;
    struct poll poll = {.over = end_now, .self = &over};
    cr_assert_not(serial_learner_train(b.learner, 1, 1000000, &b.stream, &poll));
    free(b.memory);
}
