// SPDX-License-Identifier: Apache-2.0
// Updates the networks of a policy.
#include "kernels/schedule/learning/ppo.h"

#include "base/math/dense.h"
#include "base/math/detmath.h"
#include "base/math/permutation.h"
#include "kernels/schedule/learning/stop.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { PERMUTATION_PURPOSE = 0x70706f };

// What one thread needs.
struct worker {
    struct network *network;
    double *candidate, *state, *score, *slope;
};

struct sums {
    double kl, entropy, loss_value, clipped;
};

struct ppo {
    struct network_shape shape;
    int n_parameters, n_blocks; // blocks of a minibatch at most
    struct worker *worker;
    double *gradient;  // [block][parameter]
    struct sums *sums; // [block]
};

void ppo_state_take(struct ppo_state *state,
                    const struct network_shape *shape,
                    struct room *room)
{
    const size_t n = (size_t)network_parameters(shape);
    *state = (struct ppo_state){.n = (int)n};
    state->parameter = room_take(room, n, sizeof(double));
    state->first = room_take(room, n, sizeof(double));
    state->second = room_take(room, n, sizeof(double));
}

static void take_worker(struct worker *worker,
                        const struct network_shape *shape,
                        struct room *room)
{
    const size_t n = EPISODE_CANDIDATES, size = sizeof(double);
    worker->network = network_take(shape, EPISODE_CANDIDATES, room);
    worker->candidate = room_take(room, n * (size_t)shape->candidate, size);
    worker->state = room_take(room, (size_t)shape->state, size);
    worker->score = room_take(room, n, size);
    worker->slope = room_take(room, n, size);
}

struct ppo *ppo_take(const struct network_shape *shape, int threads, struct room *room)
{
    struct ppo *taken = room_take(room, 1, sizeof *taken), counted;
    struct ppo *ppo = taken != NULL ? taken : &counted;
    *ppo = (struct ppo){.shape = *shape,
                        .n_parameters = network_parameters(shape),
                        .n_blocks = (PPO_MINIBATCH + PPO_BLOCK - 1) / PPO_BLOCK};
    const size_t blocks = (size_t)ppo->n_blocks;
    ppo->worker = room_take(room, (size_t)threads, sizeof *ppo->worker);
    for (int t = 0; t < threads; t++) {
        struct worker unused;
        take_worker(taken != NULL ? &ppo->worker[t] : &unused, shape, room);
    }
    ppo->gradient = room_take(room, blocks * (size_t)ppo->n_parameters, sizeof(double));
    ppo->sums = room_take(room, blocks, sizeof *ppo->sums);
    return taken;
}

// ---- one decision -------------------------------------------------------------------------------

// An update: what stays the same for all its minibatches.
struct update {
    struct ppo *ppo;
    const struct ppo_options *options;
    const struct episode_log *logs;
    const int64_t *first; // [n_logs + 1]: number of the first decision of a log
    int n_logs;
    int threads;
    struct ppo_state *state;
    struct poll *poll;
};

// Returns the logarithm of the probability of the chosen candidate; `slope` are the probabilities then.
static double set_probabilities(int n, double *score, double *slope)
{
    double most = score[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = fmax(most, score[i]);
    for (int i = 0; i < n; i++)
        sum += detmath_exp(score[i] - most);
    const double log_sum = most + detmath_log(sum);
    for (int i = 0; i < n; i++) {
        score[i] -= log_sum;
        slope[i] = detmath_exp(score[i]);
    }
    return log_sum;
}

static double entropy_of(int n, const double *log_p, const double *p)
{
    double entropy = 0;
    for (int i = 0; i < n; i++)
        entropy -= p[i] * log_p[i];
    return entropy;
}

// Replaces the probabilities in `slope` by the gradient of the loss with respect to the scores.
static void set_slopes(const struct ppo_options *options,
                       const struct episode_decision *d,
                       const double *log_p,
                       double *slope,
                       struct sums *sums)
{
    const double entropy = entropy_of(d->n, log_p, slope), advantage = (double)d->advantage,
                 change = log_p[d->chosen] - (double)d->log_p, ratio = detmath_exp(change);
    const bool at_clip = advantage > 0 ? ratio > 1 + options->clip : ratio < 1 - options->clip;
    const double push = at_clip ? 0 : ratio * advantage;
    for (int i = 0; i < d->n; i++) {
        const double p = slope[i];
        slope[i] = -push * ((i == d->chosen) - p) + options->entropy * p * (log_p[i] + entropy);
    }
    sums->kl += ratio - 1 - change;
    sums->entropy += entropy;
    sums->clipped += at_clip;
}

// Returns the gradient of the error of the value.
static double value_slope(const struct ppo_options *options,
                          const struct episode_decision *d,
                          double value,
                          struct sums *sums)
{
    const double old = (double)d->value, target = (double)d->target, error = value - target,
                 near = fmax(old - options->value_clip, fmin(old + options->value_clip, value)),
                 near_error = near - target;
    sums->loss_value += error * error;
    if (near_error * near_error > error * error && near != value)
        return 0; // the value has moved far enough
    return options->value * error;
}

static void add_decision(const struct update *update,
                         struct worker *worker,
                         const struct episode_log *log,
                         int32_t k,
                         double *gradient,
                         struct sums *sums)
{
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
    const double value = network_value(worker->network, parameter, &input);
    (void)set_probabilities(d->n, worker->score, worker->slope);
    set_slopes(update->options, d, worker->score, worker->slope, sums);
    network_gradient(worker->network, parameter, &input, worker->slope,
                     value_slope(update->options, d, value, sums), gradient);
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

static void add_block(const struct update *update,
                      struct worker *worker,
                      const struct pps_permutation *order,
                      int64_t from,
                      int64_t to,
                      int block)
{
    struct ppo *ppo = update->ppo;
    double *gradient = ppo->gradient + (int64_t)block * ppo->n_parameters;
    memset(gradient, 0, (size_t)ppo->n_parameters * sizeof *gradient);
    ppo->sums[block] = (struct sums){.kl = 0};
    for (int64_t i = from; i < to; i++) {
        int log;
        int32_t k;
        find_decision(update, (int64_t)pps_permutation_at(order, (uint64_t)i), &log, &k);
        add_decision(update, worker, &update->logs[log], k, gradient, &ppo->sums[block]);
    }
}

// Adds the gradients of all blocks to that of the first, in the order of their numbers.
static void add_up(struct ppo *ppo, int blocks, int threads)
{
    enum { PIECE = 1024 };
#pragma omp parallel for num_threads(threads)
    for (int from = 0; from < ppo->n_parameters; from += PIECE)
        for (int b = 1; b < blocks; b++) {
            const double *add = ppo->gradient + (int64_t)b * ppo->n_parameters;
            const int to = from + PIECE < ppo->n_parameters ? from + PIECE : ppo->n_parameters;
            for (int i = from; i < to; i++)
                ppo->gradient[i] += add[i];
        }
    for (int b = 1; b < blocks; b++) {
        ppo->sums[0].kl += ppo->sums[b].kl;
        ppo->sums[0].entropy += ppo->sums[b].entropy;
        ppo->sums[0].loss_value += ppo->sums[b].loss_value;
        ppo->sums[0].clipped += ppo->sums[b].clipped;
    }
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
    struct ppo_state *s = update->state;
    const double *gradient = update->ppo->gradient, t = (double)n,
                 length = length_of(gradient, s->n) / t,
                 scale =
                     (length > update->options->norm ? update->options->norm / length : 1) / t;
    s->steps++;
    const double rate =
        update->options->rate * sqrt(1 - power(0.999, s->steps)) / (1 - power(0.9, s->steps));
    dense_fastest()->adam(s->n, gradient, scale, rate, s->first, s->second, s->parameter);
}

// Adds the gradients of the decisions from ... to - 1 of the order, and makes a step. Returns false, without
// a step, if the poll ended it.
static bool run_minibatch(const struct update *update,
                          const struct pps_permutation *order,
                          int64_t from,
                          int64_t to)
{
    struct ppo *ppo = update->ppo;
    const int blocks = (int)((to - from + PPO_BLOCK - 1) / PPO_BLOCK);
    struct stop stop = {.poll = update->poll};
#pragma omp parallel for schedule(dynamic) num_threads(update->threads)
    for (int b = 0; b < blocks; b++) {
        const int64_t first = from + (int64_t)b * PPO_BLOCK;
        if (stop_asked(&stop))
            continue;
        add_block(update, &ppo->worker[omp_get_thread_num()], order, first,
                  first + PPO_BLOCK < to ? first + PPO_BLOCK : to, b);
    }
    if (atomic_load(&stop.over))
        return false;
    add_up(ppo, blocks, update->threads);
    step(update, to - from);
    return true;
}

// Makes the advantages of each log of mean 0 and standard deviation 1: problems with rare, large
// differences would decide alone otherwise. Differences below a thousandth of a percent count as such.
static void normalise(struct episode_log *log)
{
    double sum = 0, squares = 0;
    for (int32_t k = 0; k < log->n; k++)
        sum += (double)log->decision[k].advantage;
    const double n = log->n, mean = sum / n;
    for (int32_t k = 0; k < log->n; k++) {
        const double rest = (double)log->decision[k].advantage - mean;
        squares += rest * rest;
    }
    const double deviation = sqrt(squares / n) + 1e-3;
    for (int32_t k = 0; k < log->n; k++) {
        float *advantage = &log->decision[k].advantage;
        *advantage = (float)(((double)*advantage - mean) / deviation);
    }
}

static bool run_epoch(const struct update *update,
                      uint64_t seed,
                      uint64_t number,
                      int epoch,
                      struct ppo_report *report)
{
    const int64_t n = update->first[update->n_logs];
    struct pps_permutation order;
    struct sums sums = {0, 0, 0, 0};
    pps_permutation_init(&order, (uint64_t)n, seed + number * 1000 + (uint64_t)epoch,
                         PERMUTATION_PURPOSE);
    for (int64_t from = 0; from < n; from += PPO_MINIBATCH) {
        const int64_t to = from + PPO_MINIBATCH < n ? from + PPO_MINIBATCH : n;
        if (!run_minibatch(update, &order, from, to))
            return false;
        const struct sums *own = &update->ppo->sums[0];
        sums.kl += own->kl;
        sums.entropy += own->entropy;
        sums.loss_value += own->loss_value;
        sums.clipped += own->clipped;
    }
    *report = (struct ppo_report){.kl = sums.kl / (double)n,
                                  .entropy = sums.entropy / (double)n,
                                  .loss_value = sums.loss_value / (double)n,
                                  .clipped = sums.clipped / (double)n,
                                  .epochs = epoch + 1};
    return true;
}

bool ppo_update(struct ppo *ppo,
                const struct ppo_options *options,
                struct episode_log *logs,
                int n_logs,
                uint64_t seed,
                uint64_t number,
                int threads,
                struct poll *poll,
                struct ppo_state *state,
                struct ppo_report *report)
{
    int64_t first[PPO_LOGS_MAX + 1] = {0};
    for (int l = 0; l < n_logs; l++)
        first[l + 1] = first[l] + logs[l].n;
    const struct update update = {ppo, options, logs, first, n_logs, threads, state, poll};
    *report = (struct ppo_report){.kl = 0};
    if (first[n_logs] == 0)
        return true;
    for (int l = 0; l < n_logs; l++)
        normalise(&logs[l]);
    for (int epoch = 0; epoch < options->epochs; epoch++) {
        if (!run_epoch(&update, seed, number, epoch, report))
            return false;
        if (report->kl > options->kl)
            break;
    }
    return true;
}
