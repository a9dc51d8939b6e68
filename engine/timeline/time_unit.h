// SPDX-License-Identifier: Apache-2.0
// The unit in which the times of a timeline are shown: us, ms or s by their size. Times of a model without a
// physical unit are shown as they are.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pps_time_unit {
    const char *name; // "": none
    double size;      // in units of the model: a shown time is time / size
};

// Returns the unit for times of which `most` is the longest. model_unit: that of the model, or NULL.
struct pps_time_unit pps_time_unit_of(const char *model_unit, double most);

// Returns whether the unit is us, ms or s.
bool pps_time_unit_is_physical(const char *unit);

// Reads "1.5", a time in the unit of the model, or "1.5s", if that is a physical one.
bool pps_time_unit_read(const char *text, const char *model_unit, double *time);

// Writes a time in the unit, with at most `digits` significant digits, and the unit behind it.
void pps_time_unit_text(const struct pps_time_unit *unit, double time, int digits, char *out,
                        size_t cap);
