// SPDX-License-Identifier: Apache-2.0
// Writes the loads of a timeline as counters of a Chrome trace: of one group, or the mean of all.
#ifndef PPS_ENGINE_TRACE_LOAD_COUNTERS_H
#define PPS_ENGINE_TRACE_LOAD_COUNTERS_H

#include "base/stream/chrome_write.h"
#include "engine/timeline/load.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct pps_load_counters {
    const struct pps_load *load;
    const char *const *names; // of the loads, n
    const int32_t *load_of;   // track -> load; NULL: the track itself
    int n;
    double end;
    int step; // bins per value
    bool *has;
    int32_t n_groups; // that have a segment
    char title[96];   // of the counter: says over which time a value is the mean
};

// Chooses the step: with many groups each has fewer values. The load must stay valid. Returns
// false if memory runs out; there is nothing to close then.
bool pps_load_counters_open(struct pps_load_counters *counters,
                            const struct pps_trace_names *names,
                            const struct pps_load *load,
                            double end);

// Returns whether the group has a segment.
bool pps_load_counters_has(const struct pps_load_counters *counters, int32_t group);

// Writes the loads of a group (-1: their mean over all groups) as counters of the process. Values
// that equal those before are left out.
void pps_load_counters_write(const struct pps_load_counters *counters,
                             int32_t group,
                             struct pps_chrome_writer *chrome,
                             int32_t process);

void pps_load_counters_close(struct pps_load_counters *counters);

#endif
