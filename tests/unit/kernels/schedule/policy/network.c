// SPDX-License-Identifier: Apache-2.0
// Networks of policies: gradients against differences of values, and the start at the guide.
#include "kernels/schedule/policy/network.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, CANDIDATE = 5, STATE = 3 };

static const struct network_shape shape = {CANDIDATE, STATE, {16, 8}};

static double number(struct draws *d)
{
    return (draws_below(d, 2001) - 1000) * 1e-3;
}

struct bench {
    struct network *network;
    void *memory;
    double candidate[N * CANDIDATE], state[STATE], *parameter;
    struct network_input input;
    int n; // parameters
};

static void open_bench(struct bench *b, uint64_t seed)
{
    struct draws d = {61, seed, 0};
    struct room room = {NULL, 0};
    (void)network_take(&shape, N, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){b->memory, 0};
    b->network = network_take(&shape, N, &room);
    b->n = network_parameters(&shape);
    b->parameter = calloc((size_t)b->n, sizeof(double));
    network_start(&shape, seed, 4, b->parameter);
    for (int i = 0; i < N * CANDIDATE; i++)
        b->candidate[i] = number(&d);
    for (int i = 0; i < STATE; i++)
        b->state[i] = number(&d);
    b->input = (struct network_input){2 + (int)draws_below(&d, 3), 1, b->candidate, b->state};
}

static void close_bench(struct bench *b)
{
    free(b->memory);
    free(b->parameter);
}

static double loss(struct bench *b, const double *dscore, double dvalue)
{
    double score[N], sum = dvalue * network_value(b->network, b->parameter, &b->input);
    network_scores(b->network, b->parameter, &b->input, score);
    for (int i = 0; i < b->input.n; i++)
        sum += dscore[i] * score[i];
    return sum;
}

// Catches a layer whose gradient is missing, doubled or in another place: all parameters are compared.
Test(network, gradients_are_those_of_the_outputs)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct bench b;
        struct draws d = {62, seed, 0};
        double dscore[N];
        open_bench(&b, seed);
        for (int i = 0; i < b.n; i++) // the last layers, too
            b.parameter[i] += 0.3 * number(&d);
        for (int i = 0; i < N; i++)
            dscore[i] = number(&d);
        const double dvalue = number(&d);
        double *gradient = calloc((size_t)b.n, sizeof(double));
        loss(&b, dscore, dvalue);
        network_gradient(b.network, b.parameter, &b.input, dscore, dvalue, gradient);
        int moved = 0;
        for (int i = 0; i < b.n; i++) {
            const double kept = b.parameter[i], step = 1e-6;
            b.parameter[i] = kept + step;
            const double above = loss(&b, dscore, dvalue);
            b.parameter[i] = kept - step;
            const double below = loss(&b, dscore, dvalue);
            b.parameter[i] = kept;
            cr_assert_float_eq(gradient[i], (above - below) / (2 * step), 1e-8,
                               "parameter %d: %g, difference %g", i, gradient[i],
                               (above - below) / (2 * step));
            moved += gradient[i] != 0;
        }
        cr_assert(moved > 0.9 * b.n, "%d of %d", moved, b.n);
        free(gradient);
        close_bench(&b);
    }
}

Test(network, starts_at_the_guide)
{
    struct bench b;
    double score[N];
    open_bench(&b, 7);
    network_scores(b.network, b.parameter, &b.input, score);
    for (int i = 0; i < b.input.n; i++)
        cr_assert(score[i] == (i == b.input.guide ? 4 : 0));
    cr_assert(network_value(b.network, b.parameter, &b.input) == 0);
    cr_assert(network_beta(&shape, b.parameter) == 4);
    close_bench(&b);
}

// The order of the candidates must not matter, but for the rounding of the mean.
Test(network, candidates_are_a_set)
{
    struct bench b;
    struct draws d = {63, 0, 0};
    double score[N], turned[N], candidate[N * CANDIDATE];
    open_bench(&b, 8);
    b.input.n = N;
    for (int i = 0; i < b.n; i++)
        b.parameter[i] += 0.3 * number(&d);
    network_scores(b.network, b.parameter, &b.input, score);
    for (int i = 0; i < N; i++)
        memcpy(candidate + i * CANDIDATE, b.candidate + (N - 1 - i) * CANDIDATE,
               CANDIDATE * sizeof(double));
    b.input.candidate = candidate;
    b.input.guide = N - 1 - b.input.guide;
    network_scores(b.network, b.parameter, &b.input, turned);
    for (int i = 0; i < N; i++)
        cr_assert_float_eq(score[i], turned[N - 1 - i], 1e-13);
    close_bench(&b);
}
