// SPDX-License-Identifier: Apache-2.0
// Updates the networks of a policy by gains.
#include "kernels/schedule/learning/gain.h"

#include <math.h>

enum { SUM_GAIN, SUM_ENTROPY };

static double gain_of(const struct gain_options *options,
                      const struct episode_decision *decision,
                      int candidate)
{
    return fmax(-options->most, fmin(options->most, (double)decision->gain[candidate]));
}

static double slope(const void *self,
                    const struct episode_decision *decision,
                    const double *p,
                    double value,
                    double *log_p,
                    double *sums)
{
    const struct gain_options *options = self;
    double entropy = 0, expected = 0;
    (void)value;
    for (int i = 0; i < decision->n; i++) {
        entropy -= p[i] * log_p[i];
        expected += p[i] * gain_of(options, decision, i);
    }
    for (int i = 0; i < decision->n; i++)
        log_p[i] = p[i] * (options->entropy * (log_p[i] + entropy) -
                           options->weight * (gain_of(options, decision, i) - expected));
    sums[SUM_GAIN] += expected;
    sums[SUM_ENTROPY] += entropy;
    return 0;
}

bool gain_update(struct descent *descent,
                 const struct gain_options *options,
                 const struct episode_log *logs,
                 int n_logs,
                 uint64_t seed,
                 uint64_t number,
                 int threads,
                 struct poll *poll,
                 struct descent_state *state,
                 struct gain_report *report)
{
    const struct descent_loss loss = {.self = options,
                                      .slope = slope,
                                      .minibatch = DESCENT_MINIBATCH / 2,
                                      .rate = options->rate,
                                      .norm = options->norm,
                                      .averaged = options->averaged};
    double means[DESCENT_SUMS];
    for (int epoch = 0; epoch < options->epochs; epoch++)
        if (!descent_epoch(descent, &loss, logs, n_logs, seed, number * 1000 + (uint64_t)epoch,
                           threads, poll, state, means))
            return false;
    *report = (struct gain_report){.gain = means[SUM_GAIN], .entropy = means[SUM_ENTROPY]};
    return true;
}
