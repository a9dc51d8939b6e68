// SPDX-License-Identifier: Apache-2.0
// Lists the families that follow a closed rule.
#ifndef PPS_SCHEDULE_FAMILIES_RULES_H
#define PPS_SCHEDULE_FAMILIES_RULES_H

#include "kernels/schedule/families/family.h"

// One stage per device.
extern const struct family family_gpipe;
extern const struct family family_one_f_one_b;

#endif
