// SPDX-License-Identifier: Apache-2.0
// Reads durations as people write them.
#pragma once

#include <stdbool.h>

// Reads 90, 90s, 1.5h, 1h30m or 2d as seconds. Returns false for other texts, for 0 and for more than a
// year.
bool pps_duration_read(const char *text, double *seconds);
