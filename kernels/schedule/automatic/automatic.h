// SPDX-License-Identifier: Apache-2.0
// Lists the families whose orders look at the times of the stages and at the memory limits.
#pragma once

#include "kernels/schedule/families/family.h"

// One stage per device.
extern const struct family family_zb_auto;
extern const struct family family_list_dispatch;

// Placement V: two stages per device.
extern const struct family family_zbv;
extern const struct family family_v_half;
extern const struct family family_v_min;
extern const struct family family_v_1f1b;
extern const struct family family_vshape_dispatch;
