// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/library_calls.h"

#include <criterion/criterion.h>

struct ppsweep_model *open_model(const char *kernel, const char *inputs)
{
    const struct ppsweep_model_options options = {.size = sizeof options, .inputs = inputs};
    struct ppsweep_model *model;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_open(&model, kernel, &options, &error), PPSWEEP_OK, "%s",
                 error.text);
    return model;
}

int model_param(const struct ppsweep_model *model, const char *name)
{
    const int p = ppsweep_model_find_param(model, name, NULL);
    cr_assert_geq(p, 0, "%s", name);
    return p;
}

void run_sweep(struct ppsweep_run_options options, struct ppsweep_summary *summary)
{
    struct ppsweep_error error;
    options.size = sizeof options;
    cr_assert_eq(ppsweep_run(&options, summary, &error), PPSWEEP_OK, "%s", error.text);
}
