// SPDX-License-Identifier: Apache-2.0
// Divides the devices of this machine among runs that run at the same time.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { ND_SLOTS_MAX = 1024, ND_DEVICE_NAMES_MAX = 65536 };

// Places for runs. All zeros: none.
struct nd_slots {
    char **devices; // of each place, as in "0,1,2,3"; "": not restricted
    uint64_t n;
    uint64_t n_devices; // of the machine; 0: unknown
    uint64_t per_run;   // devices of a run; 0: not restricted
};

// list: a number of devices, or their names, as in "0-3,6"; NULL: with `need` those of
// CUDA_VISIBLE_DEVICES or ASCEND_RT_VISIBLE_DEVICES, if set, else 0, 1, ... if per_run is given. A
// number counts in these variables, too, if they are set. per_run: devices of a run; 0: all, divided by
// the number of places. parallel: number of places; 0: as many as fit. Returns PPS_E_INPUT if they do
// not fit. The caller frees the slots in every case.
PPS_MUST_CHECK enum pps_status nd_slots_open(struct nd_slots *slots, const char *list,
                                             bool need, uint64_t per_run, uint64_t parallel,
                                             struct pps_error *err);
void nd_slots_free(struct nd_slots *slots);
