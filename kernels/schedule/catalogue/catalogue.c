// SPDX-License-Identifier: Apache-2.0
// Lists the families of pipeline schedules by name.
#include "kernels/schedule/catalogue/catalogue.h"

#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/exact/exact.h"
#include "kernels/schedule/families/rules.h"
#include "kernels/schedule/search/search_families.h"

#include <stddef.h>
#include <string.h>

const struct family *const families[] = {
#define ALIASED(name, alias) &family_##name,
#define FAMILY(name)         &family_##name,
#define SEARCH(name)         &family_##name,
#include "kernels/schedule/catalogue/families.def"
#undef ALIASED
#undef FAMILY
#undef SEARCH
    NULL,
};

static const struct {
    const char *name;
    const struct family *family;
} aliases[] = {
#define ALIASED(name, alias) {alias, &family_##name},
#define FAMILY(name)
#define SEARCH(name)
#include "kernels/schedule/catalogue/families.def"
#undef ALIASED
#undef FAMILY
#undef SEARCH
#define CLASS(name, class) {#name, &family_##name}, {class, &family_##name},
#include "kernels/schedule/catalogue/classes.def"
#undef CLASS
    {NULL, NULL},
};

const struct family *family_named(const char *name)
{
    for (int i = 0; aliases[i].name != NULL; i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].family;
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}
