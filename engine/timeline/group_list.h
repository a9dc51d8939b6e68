// SPDX-License-Identifier: Apache-2.0
// Lists of groups (GPUs, devices, stages) as people write them: "0,3,8-11".
#ifndef PPS_ENGINE_TIMELINE_GROUP_LIST_H
#define PPS_ENGINE_TIMELINE_GROUP_LIST_H

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_GROUP_RANGES = 256 };

// Ranges in ascending order that neither overlap nor touch. A zeroed struct is empty.
struct pps_group_list {
    int n;
    struct pps_group_range {
        int32_t first, last;
    } range[PPS_GROUP_RANGES];
};

// Reads a list of whole numbers and ranges in any order. Returns PPS_E_INPUT, with `option` in
// front, for anything else and for more than PPS_GROUP_RANGES entries.
PPS_MUST_CHECK enum pps_status pps_group_list_read(struct pps_group_list *list,
                                                   const char *option,
                                                   const char *text,
                                                   struct pps_error *err);

bool pps_group_list_has(const struct pps_group_list *list, int32_t group);

// Returns the largest number of a list that is not empty.
int32_t pps_group_list_last(const struct pps_group_list *list);

// Writes the list as "0, 3, 8-11"; "..." replaces what has no room.
void pps_group_list_text(const struct pps_group_list *list, char *text, size_t cap);

#endif
