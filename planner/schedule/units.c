// SPDX-License-Identifier: Apache-2.0
// Chooses the units of figures of schedules.
#include "planner/schedule/units.h"

#include "base/math/units.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Memory of plans that tests and lessons write is a few bytes.
static bool is_large(const struct plan *plan, double memory)
{
    return plan != NULL && fabs(memory) >= UNITS_MIB;
}

struct schedule_units schedule_units_of(const struct plan *plan, double time, double memory)
{
    const bool large = is_large(plan, memory);
    struct schedule_units units = {1, large ? UNITS_GIB : 1, "", large ? "GiB" : ""};
    if (plan != NULL) {
        units.time = time >= 1 ? 1 : time >= 1e-3 ? 1e-3 : 1e-6;
        units.time_name = time >= 1 ? "s" : time >= 1e-3 ? "ms" : "us";
    }
    return units;
}

struct pps_count_text schedule_time_text(const struct plan *plan, double time)
{
    return plan != NULL ? pps_time_text(time) : pps_digits_text(time, 10);
}

struct pps_count_text schedule_memory_text(const struct plan *plan, double memory)
{
    const bool large = is_large(plan, memory);
    if (!large && (plan == NULL || fabs(memory) < UNITS_KIB))
        return pps_digits_text(memory, 10);
    struct pps_count_text text = pps_decimals_text(memory / (large ? UNITS_GIB : UNITS_MIB), 3);
    strcat(text.text, large ? " GiB" : " MiB");
    return text;
}
