// SPDX-License-Identifier: Apache-2.0
// Chooses the actions of the rules that move W, in the environment.
#include "kernels/schedule/online/pull.h"

// Returns the candidate at a position of the reference order; -1: none.
static int32_t candidate_at(const struct online_decision *decision, int32_t at)
{
    for (int32_t i = 0; i < decision->n; i++)
        if (decision->candidate[i].at == at)
            return i;
    return -1;
}

int32_t pull_choose(const struct pull_rule *rule, struct online *online,
                    const struct online_decision *decision, uint8_t *waits)
{
    const int32_t d = decision->device, last = decision->n - 1;
    const struct online_device *device = online_device(online, d);
    const int32_t w = candidate_at(decision, device->next_w),
                  ws_run = device->n / 3 - device->left[OPERATION_W],
                  ws_before = device->next_fb - (device->started - ws_run),
                  late = ws_before - ws_run;
    if (device->next_fb == device->n)
        return w >= 0 ? w : last;
    const struct operation x = online_reference(online, d, device->next_fb);
    if (online_is_here(online, x.type, x.stage)) {
        const int32_t go = candidate_at(decision, device->next_fb);
        waits[d] = 0;
        return (go < 0 || late > rule->lag) && w >= 0 ? w : go >= 0 ? go : last;
    }
    if (waits[d] || w < 0)
        return last;
    const double wait = online_expected(online, x.type, x.stage) - decision->now,
                 least = decision->candidate[w].nominal;
    if (late > 0 ||
        (-late < rule->ahead && (rule->threshold == 0 || wait >= rule->threshold * least)))
        return w;
    waits[d] = 1;
    return last;
}
