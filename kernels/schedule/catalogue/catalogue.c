// SPDX-License-Identifier: Apache-2.0
// Lists the families of pipeline schedules by name.
#include "kernels/schedule/catalogue/catalogue.h"

#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/families/rules.h"

#include <stddef.h>
#include <string.h>

const struct family *const families[] = {
    &family_gpipe,         &family_one_f_one_b,     &family_zb_auto,
    &family_list_dispatch, &family_vshape_dispatch, NULL,
};

const struct family *family_named(const char *name)
{
    if (strcmp(name, "1f1b") == 0)
        name = "one_f_one_b";
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

const struct family *family_of_pytorch(const char *class_name)
{
    for (int i = 0; families[i] != NULL; i++)
        if (families[i]->pytorch != NULL && strcmp(families[i]->pytorch, class_name) == 0)
            return families[i];
    return NULL;
}
