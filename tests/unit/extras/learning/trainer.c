// SPDX-License-Identifier: Apache-2.0
// Trainings: the same bits on any number of threads and after an interruption, and gains over the guide.
#include "extras/learning/trainer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct trainer_options options_of(enum trainer_method method, int32_t problems,
                                         int64_t batches)
{
    struct trainer_options options = trainer_default(method, 1);
    options.space.devices = (struct problem_range){2, 3};
    options.space.rounds = (struct problem_range){1, 2};
    options.shape.width[0] = options.shape.width[1] = 8;
    options.problems = problems;
    options.batches = batches;
    options.validation = 4;
    options.batches_per_validation = 2;
    return options;
}

static char *state_of(const struct trainer *trainer)
{
    char *bytes = malloc(trainer_state_bytes(trainer));
    trainer_save(trainer, bytes);
    return bytes;
}

static void train(struct trainer *trainer, int64_t batches)
{
    struct trainer_batch batch;
    while (trainer_batches(trainer) < batches)
        cr_assert(trainer_run(trainer, NULL, &batch));
}

static void expect_same(const struct trainer *a, const struct trainer *b)
{
    char *left = state_of(a), *right = state_of(b);
    cr_assert(trainer_state_bytes(a) == trainer_state_bytes(b));
    cr_assert(memcmp(left, right, trainer_state_bytes(a)) == 0);
    free(left);
    free(right);
}

static void check_threads(enum trainer_method method)
{
    const struct trainer_options options = options_of(method, 5, 3);
    struct trainer *one = trainer_new(&options, 1);
    train(one, 3);
    for (int threads = 2; threads <= 7; threads += 5) {
        struct trainer *many = trainer_new(&options, threads);
        train(many, 3);
        expect_same(one, many);
        trainer_free(many);
    }
    trainer_free(one);
}

// Catches sums whose order depends on threads, and numbers drawn by thread.
Test(trainer, threads_change_nothing)
{
    check_threads(TRAINER_ROLLOUTS);
    check_threads(TRAINER_PPO);
}

static void check_resume(enum trainer_method method)
{
    const struct trainer_options options = options_of(method, 3, 4);
    struct trainer *whole = trainer_new(&options, 1), *first = trainer_new(&options, 2),
                   *second = trainer_new(&options, 1);
    train(whole, 4);
    train(first, 1);
    char *bytes = state_of(first);
    const size_t n = trainer_state_bytes(first);
    cr_assert(trainer_restore(second, bytes, n));
    cr_assert(!trainer_restore(second, bytes, n - 1), "the end is missing");
    train(second, 4);
    expect_same(whole, second);
    struct trainer_options others = options;
    others.rate *= 2;
    struct trainer *other = trainer_new(&others, 1);
    cr_assert(!trainer_restore(other, bytes, n), "a state of other options");
    free(bytes);
    trainer_free(other);
    trainer_free(whole);
    trainer_free(first);
    trainer_free(second);
}

Test(trainer, resumes_where_it_was_saved)
{
    check_resume(TRAINER_ROLLOUTS);
    check_resume(TRAINER_PPO);
}

static bool is_third(void *self)
{
    int *polls = self;
    return --*polls <= 0;
}

static void check_stop(enum trainer_method method)
{
    const struct trainer_options options = options_of(method, 4, 2);
    struct trainer *whole = trainer_new(&options, 1), *stopped = trainer_new(&options, 1);
    struct trainer_batch batch;
    train(whole, 2);
    for (int at = 1; at < 20; at += 3) {
        int polls = at;
        struct poll poll = {.over = is_third, .self = &polls};
        if (trainer_run(stopped, &poll, &batch))
            break;
    }
    train(stopped, 2);
    expect_same(whole, stopped);
    trainer_free(whole);
    trainer_free(stopped);
}

// Catches a batch that is half done when it is stopped.
Test(trainer, a_stopped_batch_changes_nothing)
{
    check_stop(TRAINER_ROLLOUTS);
    check_stop(TRAINER_PPO);
}

static bool count(void *self)
{
    int *polls = self;
    ++*polls;
    return false;
}

// Returns the polls of a batch of one problem.
static int polls_of(enum trainer_method method, int32_t devices, int32_t rounds)
{
    struct trainer_options options = options_of(method, 1, 1);
    struct trainer_batch batch;
    int polls = 0;
    struct poll poll = {.over = count, .self = &polls};
    options.space.devices = (struct problem_range){devices, devices};
    options.space.rounds = (struct problem_range){rounds, rounds};
    options.validation = 1;
    struct trainer *t = trainer_new(&options, 1);
    cr_assert(trainer_run(t, &poll, &batch));
    trainer_free(t);
    return polls;
}

// Catches an interruption that waits for the end of a long step (257 polls), or of a minibatch (60 polls).
Test(trainer, long_steps_and_minibatches_are_polled)
{
    const int steps = polls_of(TRAINER_PPO, 8, 16), minibatches = polls_of(TRAINER_PPO, 2, 16),
              copies = polls_of(TRAINER_ROLLOUTS, 8, 16);
    cr_assert(steps > 600, "%d", steps);
    cr_assert(copies > 1000, "%d", copies);
    cr_assert(minibatches > 100, "%d", minibatches);
}

static void check_learns(enum trainer_method method)
{
    struct trainer_options options = options_of(method, 8, 12);
    options.rate = 3e-2;
    options.beta = 3;
    options.space.chunks = (struct problem_range){1, 1};
    options.space.latency = (struct problem_range){0.3, 0.5};
    options.space.outlier_p = (struct problem_range){0.05, 0.05};
    options.validation = 32;
    options.batches_per_validation = 6;
    struct trainer *trainer = trainer_new(&options, 2);
    struct trainer_value value;
    train(trainer, 12);
    (void)trainer_best(trainer, &value);
    cr_assert(value.mean + value.half_width < 0, "%g +- %g", value.mean, value.half_width);
    cr_assert(trainer_bytes(trainer) < (size_t)256 << 20);
    trainer_free(trainer);
}

// Messages that are lost for a long time: a policy that runs other operations meanwhile gains, and a few
// batches are enough to learn it.
Test(trainer, learns)
{
    check_learns(TRAINER_ROLLOUTS);
    check_learns(TRAINER_PPO);
}

// Catches sums and draws of evolution that depend on threads or on an interruption, and a guide that the
// state forgets.
Test(trainer, evolution_gains_with_the_same_bits)
{
    struct trainer_options options = trainer_default(TRAINER_EVOLUTION, 1);
    options.space.devices = (struct problem_range){2, 3};
    options.space.rounds = (struct problem_range){1, 2};
    options.space.chunks = (struct problem_range){1, 1};
    options.space.latency = (struct problem_range){0.3, 0.5};
    options.space.outlier_p = (struct problem_range){0.05, 0.05};
    options.problems = 4;
    options.batches = 10;
    options.validation = 32;
    struct trainer *whole = trainer_new(&options, 1), *first = trainer_new(&options, 3),
                   *second = trainer_new(&options, 2);
    struct trainer_value value;
    train(whole, 10);
    train(first, 7);
    char *bytes = state_of(first);
    cr_assert(trainer_restore(second, bytes, trainer_state_bytes(first)));
    train(second, 10);
    expect_same(whole, second);
    (void)trainer_best(whole, &value);
    cr_assert(value.mean + value.half_width < 0, "%g +- %g", value.mean, value.half_width);
    free(bytes);
    trainer_free(whole);
    trainer_free(first);
    trainer_free(second);
}

Test(trainer, default_memory_is_below_256_mib)
{
    for (int method = 0; method < TRAINER_METHODS; method++) {
        const struct trainer_options options =
            trainer_default((enum trainer_method)method, 5000000);
        cr_assert_null(trainer_misfit(&options));
        struct trainer *trainer = trainer_new(&options, 2);
        cr_assert(trainer != NULL && trainer_bytes(trainer) < (size_t)256 << 20, "%zu",
                  trainer_bytes(trainer));
        trainer_free(trainer);
    }
}
