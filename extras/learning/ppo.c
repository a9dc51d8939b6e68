// SPDX-License-Identifier: Apache-2.0
// Updates the networks of a policy by proximal policy optimisation.
#include "extras/learning/ppo.h"

#include "base/math/detmath.h"

#include <math.h>

enum { SUM_KL, SUM_ENTROPY, SUM_LOSS, SUM_CLIPPED };

static double entropy_of(int n, const double *log_p, const double *p)
{
    double entropy = 0;
    for (int i = 0; i < n; i++)
        entropy -= p[i] * log_p[i];
    return entropy;
}

// Replaces the logarithms of the probabilities by the gradient of the loss with respect to the scores.
static void set_slopes(const struct ppo_options *options, const struct episode_decision *d,
                       const double *p, double *log_p, double *sums)
{
    const double entropy = entropy_of(d->n, log_p, p), advantage = (double)d->advantage,
                 change = log_p[d->chosen] - (double)d->log_p, ratio = detmath_exp(change);
    const bool at_clip = advantage > 0 ? ratio > 1 + options->clip : ratio < 1 - options->clip;
    const double push = at_clip ? 0 : ratio * advantage;
    for (int i = 0; i < d->n; i++)
        log_p[i] =
            -push * ((i == d->chosen) - p[i]) + options->entropy * p[i] * (log_p[i] + entropy);
    sums[SUM_KL] += ratio - 1 - change;
    sums[SUM_ENTROPY] += entropy;
    sums[SUM_CLIPPED] += at_clip;
}

// Returns the gradient of the error of the value.
static double value_slope(const struct ppo_options *options, const struct episode_decision *d,
                          double value, double *sums)
{
    const double old = (double)d->value, target = (double)d->target, error = value - target,
                 near = fmax(old - options->value_clip, fmin(old + options->value_clip, value)),
                 near_error = near - target;
    sums[SUM_LOSS] += error * error;
    if (near_error * near_error > error * error && near != value)
        return 0; // the value has moved far enough
    return options->value * error;
}

static double slope(const void *self, const struct episode_decision *decision, const double *p,
                    double value, double *log_p, double *sums)
{
    const struct ppo_options *options = self;
    set_slopes(options, decision, p, log_p, sums);
    return value_slope(options, decision, value, sums);
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

bool ppo_update(struct descent *descent, const struct ppo_options *options,
                struct episode_log *logs, int n_logs, uint64_t seed, uint64_t number,
                int threads, struct poll *poll, struct descent_state *state,
                struct ppo_report *report)
{
    const struct descent_loss loss = {.self = options,
                                      .slope = slope,
                                      .has_value = true,
                                      .minibatch = DESCENT_MINIBATCH,
                                      .rate = options->rate,
                                      .norm = options->norm,
                                      .averaged = 1};
    double means[DESCENT_SUMS] = {0};
    for (int l = 0; l < n_logs; l++)
        normalise(&logs[l]);
    for (int epoch = 0; epoch < options->epochs && !(means[SUM_KL] > options->kl); epoch++)
        if (!descent_epoch(descent, &loss, logs, n_logs, seed, number * 1000 + (uint64_t)epoch,
                           threads, poll, state, means))
            return false;
    *report = (struct ppo_report){.kl = means[SUM_KL],
                                  .entropy = means[SUM_ENTROPY],
                                  .clipped = means[SUM_CLIPPED]};
    return true;
}
