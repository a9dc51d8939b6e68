// SPDX-License-Identifier: Apache-2.0
// Converts the rows of a table to peaks.
#include "planner/nd/profiling/peaks.h"

#include <math.h>
#include <stdlib.h>

enum {
    DP,
    TP,
    PP,
    EP,
    PEAK,
    RANK,
    CP,
    OP,
    MBS,
    N_FIELDS,
};

static const struct table_field fields[N_FIELDS] = {
    [DP] = {"dp", NULL, true, true, 1, 1e9},
    [TP] = {"tp", NULL, true, true, 1, 1e9},
    [PP] = {"pp", NULL, true, true, 1, 1e9},
    [EP] = {"ep", NULL, true, true, 1, 1e9},
    [PEAK] = {"peak_mb", "peakMem", true, false, 0, 1e15},
    [RANK] = {"rank", NULL, false, true, 0, 1e9},
    [CP] = {"cp", NULL, false, true, 1, 1e9},
    [OP] = {"op", NULL, false, true, -1, 1e9},
    [MBS] = {"mbs", NULL, false, true, 1, 1e9},
};

static int32_t whole(double value)
{
    return isnan(value) ? 0 : (int32_t)value;
}

bool nd_dryrun_peaks_read(struct nd_dryrun_peaks *peaks, const struct table *table, bool dense,
                          struct pps_fault *fault)
{
    struct table_field wanted[N_FIELDS];
    int columns[N_FIELDS];
    const int64_t n = table_rows(table);
    *peaks = (struct nd_dryrun_peaks){0};
    for (int k = 0; k < N_FIELDS; k++)
        wanted[k] = fields[k];
    wanted[EP].required = !dense;
    wanted[EP].min = dense ? 0 : 1;
    if (!table_bind(table, wanted, N_FIELDS, columns, fault))
        return false;
    peaks->rows = calloc((size_t)n + 1, sizeof *peaks->rows);
    if (peaks->rows == NULL) {
        *fault = (struct pps_fault){0};
        return pps_fault_set(fault, NULL, false, "out of memory for the peaks");
    }
    for (int64_t row = 0; row < n; row++) {
        double v[N_FIELDS];
        if (!table_row(table, row, wanted, N_FIELDS, columns, v, fault))
            return false;
        peaks->rows[peaks->n++] = (struct nd_dryrun_peak){.dp = whole(v[DP]),
                                                          .tp = whole(v[TP]),
                                                          .pp = whole(v[PP]),
                                                          .ep = whole(v[EP]),
                                                          .cp = whole(v[CP]),
                                                          .op = whole(v[OP]),
                                                          .mbs = whole(v[MBS]),
                                                          .rank = whole(v[RANK]),
                                                          .peak_mb = v[PEAK]};
    }
    return true;
}

void nd_dryrun_peaks_free(struct nd_dryrun_peaks *peaks)
{
    free(peaks->rows);
    *peaks = (struct nd_dryrun_peaks){0};
}
