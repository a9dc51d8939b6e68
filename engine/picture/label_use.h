// SPDX-License-Identifier: Apache-2.0
// Finds labels that no picture uses: their names are not in the data that are drawn.
#pragma once

#include "engine/picture/picture_style.h"

#include <stdint.h>

// Returns the labels, one bit for each of the first 64, whose names are words of the file. A file that
// cannot be read uses all labels.
uint64_t pps_label_use(const struct pps_picture_style *style, const char *path);

// Says which labels are not in `used`.
void pps_label_use_say(const struct pps_picture_style *style, uint64_t used);
