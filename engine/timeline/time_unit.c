// SPDX-License-Identifier: Apache-2.0
// Chooses and reads units of time.
#include "engine/timeline/time_unit.h"

#include "base/text/human.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double us;
} units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};

enum { UNITS = sizeof units / sizeof *units };

// Returns the number of a unit; -1: it is no physical one.
static int find(const char *name)
{
    for (int i = 0; name != NULL && i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            return i;
    return -1;
}

bool pps_time_unit_is_physical(const char *unit)
{
    return find(unit) >= 0;
}

struct pps_time_unit pps_time_unit_of(const char *model_unit, double most)
{
    const int own = find(model_unit);
    int shown = 0;
    if (own < 0)
        return (struct pps_time_unit){model_unit != NULL ? model_unit : "", 1};
    while (shown + 1 < UNITS && most * units[own].us >= units[shown + 1].us)
        shown++;
    return (struct pps_time_unit){units[shown].name, units[shown].us / units[own].us};
}

bool pps_time_unit_read(const char *text, const char *model_unit, double *time)
{
    char *end;
    *time = strtod(text, &end);
    const int own = find(model_unit), given = find(end);
    if (end == text || !isfinite(*time) || *time < 0)
        return false;
    if (*end == '\0')
        return true;
    if (own < 0 || given < 0)
        return false;
    *time = *time * units[given].us / units[own].us;
    return true;
}

void pps_time_unit_text(const struct pps_time_unit *unit, double time, int digits, char *out,
                        size_t cap)
{
    char number[48];
    pps_human_number(time / unit->size, digits, number, sizeof number);
    snprintf(out, cap, "%s%s%s", number, unit->name[0] != '\0' ? " " : "", unit->name);
}
