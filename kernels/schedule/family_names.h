// SPDX-License-Identifier: Apache-2.0
// Lists the names of parameter `family`: every family of the catalogue, and 1f1b, another name of
// one_f_one_b.
#ifndef PPS_SCHEDULE_FAMILY_NAMES_H
#define PPS_SCHEDULE_FAMILY_NAMES_H

#include "kernels/schedule/catalogue/catalogue.h"

enum { FAMILY_NAMES = 6, FAMILY_NAME_DEFAULT = 1 };

extern const char *const schedule_family_names[FAMILY_NAMES + 1]; // ends with NULL

// Returns the family of a name's index.
const struct family *schedule_family_at(int i);

#endif
