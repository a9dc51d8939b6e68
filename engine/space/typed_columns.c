// SPDX-License-Identifier: Apache-2.0
// Finds the columns that belong together in a typed result.
#include "engine/space/typed_columns.h"

#include "engine/space/value.h"

#include <string.h>

uint64_t pps_typed_params(const struct pps_kernel *kernel)
{
    uint64_t params = 0;
    for (int p = 0; p < kernel->n_params; p++)
        if (kernel->params[p].kind == PPS_REAL && kernel->params[p].names != NULL)
            params |= (uint64_t)1 << p;
    return params;
}

int pps_typed_find(const struct pps_kernel *kernel, const char *name, size_t n)
{
    const size_t suffix = sizeof PPS_TIER_SUFFIX - 1;
    if (n <= suffix || memcmp(name + n - suffix, PPS_TIER_SUFFIX, suffix) != 0)
        return -1;
    const int p = pps_param_find(kernel, name, n - suffix);
    return p >= 0 && (pps_typed_params(kernel) >> p & 1) != 0 ? p : -1;
}
