// SPDX-License-Identifier: Apache-2.0
// Lists the names of parameter `family`.
#include "kernels/schedule/family_names.h"

#include "kernels/schedule/pytorch_class.h"

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
    NULL,
};

// A class whose orders need another parameter is refused: rows would not show it.
const struct pps_alias schedule_family_aliases[] = {
    {"ScheduleGPipe", FAMILY_NAME_gpipe, NULL},
    {"Schedule1F1B", FAMILY_NAME_DEFAULT, NULL},
    {"ScheduleInterleaved1F1B", FAMILY_NAME_interleaved, NULL},
    {"ScheduleDualPipeV", FAMILY_NAME_dualpipev, NULL},
    {"ScheduleLoopedBFS", -1, "write bfs_loop, and set the parameter descending to true"},
    {"ScheduleZBVZeroBubble", -1,
     "the class has a fixed order, close to zbv but not equal to it" PYTORCH_AS_ORDER},
    {"ScheduleInterleavedZeroBubble", -1, "the class has an order of its own" PYTORCH_AS_ORDER},
    {NULL, -1, NULL},
};

const struct family *schedule_family_at(int i)
{
    return family_named(schedule_family_names[i]);
}
