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
    NULL,
};

const struct family *schedule_family_at(int i)
{
    return family_named(schedule_family_names[i]);
}
