// SPDX-License-Identifier: Apache-2.0
// Lists the names of parameter `family`. The list is constant data, as the table of parameters needs;
// a test compares it with the catalogue.
#include "kernels/schedule/family_names.h"

#include <stddef.h>

const char *const schedule_family_names[FAMILY_NAMES + 1] = {"gpipe",
                                                             [FAMILY_NAME_DEFAULT] = "1f1b",
                                                             "one_f_one_b",
                                                             "zb_auto",
                                                             "list_dispatch",
                                                             "vshape_dispatch",
                                                             NULL};

const struct family *schedule_family_at(int i)
{
    return family_named(schedule_family_names[i]);
}
