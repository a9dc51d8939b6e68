// SPDX-License-Identifier: Apache-2.0
// Draws the sizes of micro-batches, and makes the times and memory of stages from them.
#include "base/math/detmath.h"
#include "base/math/normal.h"
#include "base/math/random.h"
#include "kernels/dynapipe/point.h"

#include <math.h>

enum { PURPOSE = 0x73697a65 }; // of the random numbers

#define LEAST 0.1
#define MOST  10.0
// Of a layer for a micro-batch of size 1: the figures of the published sweep; memory is an assumption.
#define FORWARD  4000.0 // us
#define STORED   200.0  // MB
#define PEAK     300.0  // MB
#define TRANSFER 200.0  // MB of a boundary

static const double backward[DYNAPIPE_RECOMPUTE_TYPES] = {2, 3, 2.4};   // times FORWARD
static const double stored[DYNAPIPE_RECOMPUTE_TYPES] = {1, 0.1, 0.375}; // times STORED

static double draw(const struct dynapipe_point *p, int32_t replica, int32_t m)
{
    const uint64_t number = (uint64_t)replica << 32 | (uint32_t)m;
    const double z = normal_inverse(pps_random_53(p->seed, number, PURPOSE));
    const double variance = detmath_log(1 + p->spread * p->spread);
    const double x = p->distribution == DISTRIBUTION_NORMAL
                         ? 1 + p->spread * z
                         : detmath_exp(sqrt(variance) * z - variance / 2);
    return fmin(fmax(x, LEAST), MOST);
}

// Sets what passes of a stage need beside what is stored: in the forward that of its last layer, in the backward one
// layer that is made again.
static void set_peaks(struct micro_batches *b, int64_t at, int type, int32_t layers,
                      double size)
{
    const double kept = STORED * stored[type];
    b->peak[at] = (kept * layers + PEAK - STORED) * size;
    b->backward_peak[at] = type == DYNAPIPE_KEEP ? 0 : (PEAK - kept) * size;
}

void dynapipe_generate(const struct dynapipe_point *p, int32_t replica, double *size,
                       struct step_replica *out)
{
    double sum = 0;
    for (int32_t m = 0; m < out->count; m++)
        sum += size[m] = draw(p, replica, m);
    for (int32_t m = 0; m < out->count; m++)
        size[m] *= out->count / sum;
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int32_t m = 0; m < out->count; m++)
            for (int32_t s = 0; s < p->stages.stages; s++) {
                struct micro_batches *b = &out->of[type];
                const int64_t at = micro_batches_at(b, m, s);
                const int32_t layers = p->stages.first_layer[s + 1] - p->stages.first_layer[s];
                b->forward[at] = FORWARD * layers * size[m];
                b->backward[at] = FORWARD * backward[type] * layers * size[m];
                b->stored[at] = STORED * stored[type] * layers * size[m];
                set_peaks(b, at, p->choice.as_published ? DYNAPIPE_KEEP : type, layers,
                          size[m]);
                b->activation[at] = b->gradient[at] =
                    s == p->stages.stages - 1
                        ? 0
                        : network_transfer(&p->links, p->stages.device_of[s],
                                           p->stages.device_of[s + 1],
                                           TRANSFER * p->comm_ratio * size[m]);
            }
}
