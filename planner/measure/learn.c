// SPDX-License-Identifier: Apache-2.0
// Times have one factor. A peak is what a device holds anyway, plus activations times one and the share that
// the allocator adds, so the share is the only figure to search.
#include "planner/measure/measured.h"

#include "base/math/detmath.h"
#include "planner/nd/profiling/calibrate.h"

#include <math.h>

static const struct configuration *configuration_of(const struct measured *m)
{
    return &m->training.mine.plan.configuration;
}

static double fragmentation_of(const struct measured *m)
{
    return training_stack(&configuration_of(m)->training)->fragmentation;
}

double measured_predict_peak(const struct measured *measured, double fragmentation)
{
    const struct configuration_step *step = &measured->training.mine.step;
    double most = 0;
    for (int32_t d = 0; d < configuration_of(measured)->strategy.pp; d++) {
        const double *memory = step->devices[d].memory;
        const double grows = memory[CONFIGURATION_ACTIVATIONS] + memory[CONFIGURATION_WORKING] +
                             memory[CONFIGURATION_LOGITS] + memory[CONFIGURATION_BUFFERS];
        most = fmax(most, step->devices[d].peak - memory[CONFIGURATION_FRAGMENTATION] +
                              fragmentation * grows);
    }
    return most;
}

// Allocators do not report what framework and communication take beside them.
static double allocated(const struct measured *m, double share)
{
    const struct configuration_step *step = &m->training.mine.step;
    return measured_predict_peak(m, share) -
           step->devices[step->worst].memory[CONFIGURATION_RESERVE];
}

// ---- times --------------------------------------------------------------------------------------

static double log_ratio(const struct measured *m)
{
    return detmath_log(m->seconds / m->training.mine.step.seconds);
}

static double error_of_time(const struct measured *m, double scale)
{
    return fabs(scale * m->training.mine.step.seconds / m->seconds - 1);
}

// The factor by all trainings with a time but `skip`.
static double scale_of(const struct measured *list, int n, int skip)
{
    double sum = 0;
    int of = 0;
    for (int i = 0; i < n; i++)
        if (i != skip && list[i].seconds > 0) {
            sum += log_ratio(&list[i]);
            of++;
        }
    return of > 0 ? nd_scale_of(sum, of) : 1;
}

static void learn_times(struct learned *learned, const struct measured *list, int n)
{
    struct learned_errors *e = &learned->times;
    learned->scale = scale_of(list, n, -1);
    for (int i = 0; i < n; i++)
        if (list[i].seconds > 0) {
            e->n++;
            e->before += error_of_time(&list[i], 1);
            e->after += error_of_time(&list[i], learned->scale);
            e->left_out += error_of_time(&list[i], scale_of(list, n, i));
        }
}

// ---- memory -------------------------------------------------------------------------------------

static double limit_of(const struct measured *m)
{
    return configuration_of(m)->cluster.memory_limit;
}

// How far a share contradicts what was measured: logarithms of predicted over measured peaks, and how far
// the prediction is on the wrong side of the limit.
static double contradiction(const struct measured *m, double share)
{
    if (m->peak > 0)
        return fabs(detmath_log(allocated(m, share) / m->peak));
    const double over = detmath_log(measured_predict_peak(m, share) / limit_of(m));
    return m->end == MEASURED_RAN       ? fmax(0, over)
           : m->end == MEASURED_RAN_OUT ? fmax(0, -over)
                                        : 0;
}

// A share further from that of the record is no property of an allocator.
enum { SHARE_RANGE = 1, SHARE_STEPS = 100 };

// The share by all trainings but `skip`; the nearest to the present one of several that are as good.
static double share_of(const struct measured *list, int n, int skip, double now)
{
    double best = now, least = HUGE_VAL;
    for (int k = 0; k <= 2 * SHARE_STEPS; k++) {
        const double steps = k % 2 > 0 ? k / 2 + 1 : -k / 2;
        const double share = now + SHARE_RANGE * steps / SHARE_STEPS;
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += i == skip ? 0 : contradiction(&list[i], share);
        if (share >= 0 && sum < least - 1e-12) {
            least = sum;
            best = share;
        }
    }
    return best;
}

static bool tells_end(const struct measured *m, double share)
{
    return (measured_predict_peak(m, share) <= limit_of(m)) == (m->end == MEASURED_RAN);
}

static double error_of_peak(const struct measured *m, double share)
{
    return fabs(allocated(m, share) / m->peak - 1);
}

static void learn_memory(struct learned *learned, const struct measured *list, int n)
{
    struct learned_errors *e = &learned->peaks;
    const double now = fragmentation_of(&list[0]);
    const double share = share_of(list, n, -1, now);
    learned->fragmentation = share;
    learned->at_end = share > now + SHARE_RANGE - 1e-9 || (share < now && share < 1e-9);
    for (int i = 0; i < n; i++) {
        const struct measured *m = &list[i];
        if (m->end != MEASURED_UNKNOWN) {
            learned->ends++;
            learned->ends_before += tells_end(m, now);
            learned->ends_after += tells_end(m, share);
        }
        if (m->peak <= 0)
            continue;
        e->n++;
        e->before += error_of_peak(m, now);
        e->after += error_of_peak(m, share);
        e->left_out += error_of_peak(m, share_of(list, n, i, now));
    }
}

static void take_means(struct learned_errors *e)
{
    const double n = e->n > 0 ? e->n : 1;
    e->before /= n;
    e->after /= n;
    e->left_out = e->n > 1 ? e->left_out / n : (double)NAN;
}

void measured_learn(struct learned *learned, const struct measured *list, int n)
{
    *learned = (struct learned){.scale = 1};
    learn_times(learned, list, n);
    learn_memory(learned, list, n);
    learned->has_time = learned->times.n > 0;
    learned->has_memory = learned->peaks.n > 0 || learned->ends > 0;
    take_means(&learned->times);
    take_means(&learned->peaks);
}
