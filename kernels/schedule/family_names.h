// SPDX-License-Identifier: Apache-2.0
// Lists the names of parameter `family`: every family of the catalogue, 1f1b, order, and families of classes.
#pragma once

#include "kernels/schedule/catalogue/catalogue.h"
#include "ppsweep/kernel.h"

// The index of each name: FAMILY_NAME_gpipe ...; 1f1b is FAMILY_NAME_DEFAULT.
enum {
#define ALIASED(name, alias) FAMILY_NAME_DEFAULT, FAMILY_NAME_##name,
#define FAMILY(name)         FAMILY_NAME_##name,
#define SEARCH(name)         FAMILY_NAME_##name,
#include "kernels/schedule/catalogue/families.def"
#undef ALIASED
#undef FAMILY
#undef SEARCH
    FAMILY_NAME_ORDER, // the order of a document
#define CLASS(name, class) FAMILY_NAME_##name,
#include "kernels/schedule/catalogue/classes.def"
#undef CLASS
    FAMILY_NAMES,
};

extern const char *const schedule_family_names[FAMILY_NAMES + 1]; // ends with NULL

// Classes of torch.distributed.pipelining; ends with a NULL name.
extern const struct pps_alias schedule_family_aliases[];

// Returns the family of a name's index; NULL: the order of a document.
const struct family *schedule_family_at(int i);
