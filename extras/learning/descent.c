// SPDX-License-Identifier: Apache-2.0
// Moves parameters along gradients.
#include "extras/learning/descent.h"

#include "base/math/dense.h"
#include "base/math/detmath.h"
#include "base/math/permutation.h"
#include "extras/learning/stop.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { PERMUTATION_PURPOSE = 0x70706f };

// What one thread needs.
struct worker {
    struct network *network;
    double *candidate, *state, *score, *p;
};

struct descent {
    struct network_shape shape;
    int n_parameters, n_blocks; // blocks of a minibatch at most
    struct worker *worker;
    double *gradient;             // [block][parameter]
    double (*sums)[DESCENT_SUMS]; // [block]
};

void descent_state_take(struct descent_state *state, const struct network_shape *shape,
                        struct room *room)
{
    const size_t n = (size_t)network_parameters(shape);
    *state = (struct descent_state){.n = (int)n};
    state->parameter = room_take(room, n, sizeof(double));
    state->first = room_take(room, n, sizeof(double));
    state->second = room_take(room, n, sizeof(double));
    state->average = room_take(room, n, sizeof(double));
}

static void take_worker(struct worker *worker, const struct network_shape *shape,
                        struct room *room)
{
    const size_t n = EPISODE_CANDIDATES, size = sizeof(double);
    worker->network = network_take(shape, EPISODE_CANDIDATES, room);
    worker->candidate = room_take(room, n * (size_t)shape->candidate, size);
    worker->state = room_take(room, (size_t)shape->state, size);
    worker->score = room_take(room, n, size);
    worker->p = room_take(room, n, size);
}

struct descent *descent_take(const struct network_shape *shape, int threads, struct room *room)
{
    struct descent *taken = room_take(room, 1, sizeof *taken), counted;
    struct descent *d = taken != NULL ? taken : &counted;
    *d = (struct descent){.shape = *shape,
                          .n_parameters = network_parameters(shape),
                          .n_blocks = (DESCENT_MINIBATCH + DESCENT_BLOCK - 1) / DESCENT_BLOCK};
    const size_t blocks = (size_t)d->n_blocks;
    d->worker = room_take(room, (size_t)threads, sizeof *d->worker);
    for (int t = 0; t < threads; t++) {
        struct worker unused;
        take_worker(taken != NULL ? &d->worker[t] : &unused, shape, room);
    }
    d->gradient = room_take(room, blocks * (size_t)d->n_parameters, sizeof(double));
    d->sums = room_take(room, blocks, sizeof *d->sums);
    return taken;
}

// ---- one decision -------------------------------------------------------------------------------

// An update: what stays the same for all its minibatches.
struct update {
    struct descent *descent;
    const struct descent_loss *loss;
    const struct episode_log *logs;
    const int64_t *first; // [n_logs + 1]: number of the first decision of a log
    int n_logs;
    int threads;
    struct descent_state *state;
    struct poll *poll;
};

// Replaces scores by the logarithms of the probabilities.
static void set_probabilities(int n, double *score, double *p)
{
    double most = score[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = fmax(most, score[i]);
    for (int i = 0; i < n; i++)
        sum += detmath_exp(score[i] - most);
    const double log_sum = most + detmath_log(sum);
    for (int i = 0; i < n; i++) {
        score[i] -= log_sum;
        p[i] = detmath_exp(score[i]);
    }
}

static void add_decision(const struct update *update, struct worker *worker,
                         const struct episode_log *log, int32_t k, double *gradient,
                         double sums[DESCENT_SUMS])
{
    const struct descent_loss *loss = update->loss;
    const struct episode_decision *d = &log->decision[k];
    const float *candidate =
                    log->candidate + (int64_t)k * EPISODE_CANDIDATES * FEATURES_CANDIDATE,
                *state = log->state + (int64_t)k * FEATURES_STATE;
    const struct network_input input = {d->n, d->guide, worker->candidate, worker->state};
    for (int i = 0; i < d->n * FEATURES_CANDIDATE; i++)
        worker->candidate[i] = (double)candidate[i];
    for (int i = 0; i < FEATURES_STATE; i++)
        worker->state[i] = (double)state[i];
    const double *parameter = update->state->parameter;
    network_scores(worker->network, parameter, &input, worker->score);
    const double value =
        loss->has_value ? network_value(worker->network, parameter, &input) : 0;
    set_probabilities(d->n, worker->score, worker->p);
    const double dvalue = loss->slope(loss->self, d, worker->p, value, worker->score, sums);
    network_gradient(worker->network, parameter, &input, worker->score, dvalue, gradient);
}

// ---- minibatches --------------------------------------------------------------------------------

static void find_decision(const struct update *update, int64_t number, int *log, int32_t *k)
{
    int low = 0, high = update->n_logs;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (update->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    *log = low;
    *k = (int32_t)(number - update->first[low]);
}

static void add_block(const struct update *update, struct worker *worker,
                      const struct pps_permutation *order, int64_t from, int64_t to, int block)
{
    struct descent *d = update->descent;
    double *gradient = d->gradient + (int64_t)block * d->n_parameters;
    memset(gradient, 0, (size_t)d->n_parameters * sizeof *gradient);
    memset(d->sums[block], 0, sizeof d->sums[block]);
    for (int64_t i = from; i < to; i++) {
        int log;
        int32_t k;
        find_decision(update, (int64_t)pps_permutation_at(order, (uint64_t)i), &log, &k);
        add_decision(update, worker, &update->logs[log], k, gradient, d->sums[block]);
    }
}

// Adds the gradients of all blocks to that of the first, in the order of their numbers.
static void add_up(struct descent *d, int blocks, int threads)
{
    enum { PIECE = 1024 };
#pragma omp parallel for num_threads(threads)
    for (int from = 0; from < d->n_parameters; from += PIECE)
        for (int b = 1; b < blocks; b++) {
            const double *add = d->gradient + (int64_t)b * d->n_parameters;
            const int to = from + PIECE < d->n_parameters ? from + PIECE : d->n_parameters;
            for (int i = from; i < to; i++)
                d->gradient[i] += add[i];
        }
    for (int b = 1; b < blocks; b++)
        for (int i = 0; i < DESCENT_SUMS; i++)
            d->sums[0][i] += d->sums[b][i];
}

static double length_of(const double *gradient, int n)
{
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += gradient[i] * gradient[i];
    return sqrt(squares);
}

static double power(double base, uint64_t exponent)
{
    double result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if ((exponent & 1) != 0)
            result *= base;
    return result;
}

static void step(const struct update *update, int64_t n)
{
    struct descent_state *s = update->state;
    const double *gradient = update->descent->gradient, t = (double)n,
                 length = length_of(gradient, s->n) / t,
                 scale = (length > update->loss->norm ? update->loss->norm / length : 1) / t;
    s->steps++;
    const double rate =
        update->loss->rate * sqrt(1 - power(0.999, s->steps)) / (1 - power(0.9, s->steps));
    dense_fastest()->adam(s->n, gradient, scale, rate, s->first, s->second, s->parameter);
    const double part = 1 / fmin((double)s->steps, update->loss->averaged);
    for (int i = 0; i < s->n; i++)
        s->average[i] += part * (s->parameter[i] - s->average[i]);
}

// Adds the gradients of the decisions from ... to - 1 of the order, and makes a step. Returns false, without
// a step, if the poll ended it.
static bool run_minibatch(const struct update *update, const struct pps_permutation *order,
                          int64_t from, int64_t to)
{
    struct descent *d = update->descent;
    const int blocks = (int)((to - from + DESCENT_BLOCK - 1) / DESCENT_BLOCK);
    struct stop stop = {.poll = update->poll};
#pragma omp parallel for schedule(dynamic) num_threads(update->threads)
    for (int b = 0; b < blocks; b++) {
        const int64_t first = from + (int64_t)b * DESCENT_BLOCK;
        if (stop_asked(&stop))
            continue;
        add_block(update, &d->worker[omp_get_thread_num()], order, first,
                  first + DESCENT_BLOCK < to ? first + DESCENT_BLOCK : to, b);
    }
    if (atomic_load(&stop.over))
        return false;
    add_up(d, blocks, update->threads);
    step(update, to - from);
    return true;
}

bool descent_epoch(struct descent *descent, const struct descent_loss *loss,
                   const struct episode_log *logs, int n_logs, uint64_t seed, uint64_t number,
                   int threads, struct poll *poll, struct descent_state *state,
                   double means[DESCENT_SUMS])
{
    int64_t first[DESCENT_LOGS_MAX + 1] = {0};
    struct pps_permutation order;
    for (int l = 0; l < n_logs; l++)
        first[l + 1] = first[l] + logs[l].n;
    const struct update update = {descent, loss, logs, first, n_logs, threads, state, poll};
    const int64_t n = first[n_logs];
    memset(means, 0, DESCENT_SUMS * sizeof *means);
    if (n == 0)
        return true;
    pps_permutation_init(&order, (uint64_t)n, seed + number, PERMUTATION_PURPOSE);
    for (int64_t from = 0; from < n; from += loss->minibatch) {
        const int64_t to = from + loss->minibatch < n ? from + loss->minibatch : n;
        if (!run_minibatch(&update, &order, from, to))
            return false;
        for (int i = 0; i < DESCENT_SUMS; i++)
            means[i] += descent->sums[0][i];
    }
    for (int i = 0; i < DESCENT_SUMS; i++)
        means[i] /= (double)n;
    return true;
}
