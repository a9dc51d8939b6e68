// SPDX-License-Identifier: Apache-2.0
// Updates the networks of a policy by gains.
#include "extras/learning/gain.h"

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

// Divides the gains of a log by their root mean square: problems with rare, large gains would decide alone otherwise.
// Gains below a hundredth of a period count as such.
static void normalise(struct episode_log *log)
{
    double squares = 0, n = 0;
    for (int32_t k = 0; k < log->n; k++)
        for (int i = 0; i < log->decision[k].n; i++) {
            const double gain = (double)log->decision[k].gain[i];
            squares += gain * gain;
            n += i != log->decision[k].chosen;
        }
    const double size = sqrt(squares / fmax(n, 1)) + 0.01;
    for (int32_t k = 0; k < log->n; k++)
        for (int i = 0; i < log->decision[k].n; i++)
            log->decision[k].gain[i] = (float)((double)log->decision[k].gain[i] / size);
}

bool gain_update(struct descent *descent,
                 const struct gain_options *options,
                 struct episode_log *logs,
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
    for (int l = 0; l < n_logs; l++)
        normalise(&logs[l]);
    for (int epoch = 0; epoch < options->epochs; epoch++)
        if (!descent_epoch(descent, &loss, logs, n_logs, seed, number * 1000 + (uint64_t)epoch,
                           threads, poll, state, means))
            return false;
    *report = (struct gain_report){.gain = means[SUM_GAIN], .entropy = means[SUM_ENTROPY]};
    return true;
}
