// SPDX-License-Identifier: Apache-2.0
// Keeps the estimates of recent settings open.
#include "kernels/ndsearch/open_estimates.h"

#include <string.h>

static bool is_at(const struct nd_opened *opened, int i, const struct nd_setting *setting)
{
    return opened->used[i] && memcmp(&opened->settings[i], setting, sizeof *setting) == 0;
}

const struct nd_estimate *nd_opened_get(struct nd_opened *opened,
                                        const struct nd_setting *setting)
{
    for (int i = 0; i < ND_OPENED; i++) {
        const int at = (opened->last + i) % ND_OPENED;
        if (!is_at(opened, at, setting))
            continue;
        opened->last = at;
        return &opened->estimates[at];
    }
    // Returns an id that no earlier estimate had, because caches store figures by id.
    const int at = (int)(opened->n_made % ND_OPENED);
    nd_estimate_open(&opened->estimates[at], setting->model, &setting->cluster,
                     &setting->training, ++opened->n_made);
    memcpy(&opened->settings[at], setting, sizeof *setting);
    opened->used[at] = true;
    opened->last = at;
    return &opened->estimates[at];
}
