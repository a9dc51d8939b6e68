// SPDX-License-Identifier: Apache-2.0
// Lists the names of parameter `family`.
#include "kernels/schedule/family_names.h"

#include <stddef.h>

const char *const schedule_family_names[FAMILY_NAMES + 1] = {
#define ALIASED(name, alias) alias, #name,
#define FAMILY(name)         #name,
#define SEARCH(name)         #name,
#include "kernels/schedule/catalogue/families.def"
#undef ALIASED
#undef FAMILY
#undef SEARCH
    "order",
#define CLASS(name, class) #name,
#include "kernels/schedule/catalogue/classes.def"
#undef CLASS
    NULL,
};

const struct pps_alias schedule_family_aliases[] = {
    {"ScheduleGPipe", FAMILY_NAME_gpipe, NULL},
    {"Schedule1F1B", FAMILY_NAME_DEFAULT, NULL},
    {"ScheduleInterleaved1F1B", FAMILY_NAME_interleaved, NULL},
    {"ScheduleDualPipeV", FAMILY_NAME_dualpipev, NULL},
#define CLASS(name, class) {class, FAMILY_NAME_##name, NULL},
#include "kernels/schedule/catalogue/classes.def"
#undef CLASS
    {NULL, -1, NULL},
};

const struct family *schedule_family_at(int i)
{
    return family_named(schedule_family_names[i]);
}
