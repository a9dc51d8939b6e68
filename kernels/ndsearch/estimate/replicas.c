// SPDX-License-Identifier: Apache-2.0
// Prices the exchange of one micro-batch, and the exchange of the last micro-batch of a step.
#include "kernels/ndsearch/estimate/replicas.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>

// The share of the longest stage's time of one micro-batch that hides the exchange between
// replicas.
#define DP_HIDDEN 0.33

// Times of the parts of an exchange, s.
struct parts {
    double gather, scatter;
};

// Levels 2 and 3: shards lie within groups; what each device holds after the scatter is summed over
// the groups.
static struct parts within_shards(const struct nd_estimate *e,
                                  const struct nd_strategy *s,
                                  double held)
{
    const struct hardware *hw = &e->layers.hardware;
    const int64_t replicas = (int64_t)s->dp * s->cp, shards = s->op > 0 ? s->op : s->dp;
    const double gradients = e->bytes_grad * held;
    struct parts parts = {hardware_gather(hw, shards, s->tp, e->bytes_param * held),
                          hardware_gather(hw, shards, s->tp, gradients)};
    if (shards < replicas)
        parts.scatter += 2 * hardware_gather(hw, replicas / shards, s->tp * shards,
                                             gradients / (double)shards);
    return parts;
}

void nd_exchange_replicas(const struct nd_estimate *e,
                          const struct nd_strategy *s,
                          double held,
                          double micro_batches,
                          struct nd_time *time)
{
    const double hidden = DP_HIDDEN * time->stage;
    if (e->zero_level < 2) {
        // Gradients are scattered, parameters gathered: as twice their mean.
        const double bytes = (e->bytes_grad + e->bytes_param) / 2 * held;
        time->dp =
            2 * hardware_gather(&e->layers.hardware, (int64_t)s->dp * s->cp, s->tp, bytes);
        time->dp_exposed = fmax(0, time->dp - hidden);
        return;
    }
    const struct parts parts = within_shards(e, s, held);
    const bool full = e->zero_level >= 3;
    const double each = parts.scatter + (full ? 2 * parts.gather : 0);
    const double last = full ? each : each + parts.gather;
    time->dp = (micro_batches - 1) * each + last;
    time->dp_exposed = (micro_batches - 1) * fmax(0, each - hidden) + fmax(0, last - hidden);
}
