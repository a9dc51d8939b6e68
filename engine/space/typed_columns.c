// SPDX-License-Identifier: Apache-2.0
// Finds the columns that belong together in a typed result.
#include "engine/space/typed_columns.h"

#include "engine/space/value.h"

#include <string.h>

// ---- column kinds -------------------------------------------------------------------------------

static enum pps_cell_kind kind_of_param(enum pps_kind kind)
{
    switch (kind) {
    case PPS_INTEGER:
        return PPS_CELLS_INTEGER;
    case PPS_REAL:
        return PPS_CELLS_REAL;
    case PPS_BOOLEAN:
        return PPS_CELLS_BOOLEAN;
    case PPS_CHOICE:
        break;
    }
    return PPS_CELLS_TEXT;
}

static enum pps_cell_kind kind_of_column(enum pps_column_kind kind)
{
    switch (kind) {
    case PPS_COLUMN_REAL:
        return PPS_CELLS_REAL;
    case PPS_COLUMN_INTEGER:
        return PPS_CELLS_INTEGER;
    case PPS_COLUMN_TEXT:
        break;
    }
    return PPS_CELLS_TEXT;
}

bool pps_column_cells(const struct pps_kernel *kernel, const char *name,
                      enum pps_cell_kind *kind)
{
    const size_t n = strlen(name);
    const int p = pps_param_find(kernel, name, n), c = pps_column_find(kernel, name, n);
    if (p >= 0)
        *kind = kind_of_param(kernel->params[p].kind);
    else if (c >= 0)
        *kind = kind_of_column(kernel->columns[c].kind);
    else if (pps_typed_find(kernel, name, n) >= 0)
        *kind = PPS_CELLS_TEXT;
    else
        return false;
    return true;
}

// ---- typed columns ------------------------------------------------------------------------------

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
