// SPDX-License-Identifier: Apache-2.0
// Refuses options that the schedules of a comparison do not use.
#include "planner/schedule/unused.h"

#include "base/text/text_buffer.h"
#include "kernels/schedule/catalogue/catalogue.h"

static const struct {
    const char *option;
    int param;
    unsigned use;
} list[] = {
    {"group", P_GROUP, FAMILY_USES_GROUP},
    {"descending", P_DESCENDING, FAMILY_USES_DESCENDING},
    {"compat", P_COMPAT, FAMILY_USES_PUBLISHED},
    {"seed", P_SEED, FAMILY_USES_SEED},
    {"budget", P_BUDGET, FAMILY_USES_BUDGET},
    {"pair", P_PAIR, FAMILY_USES_PAIR},
};

static unsigned uses_of(const struct family *family)
{
    return family != NULL ? family->uses : FAMILY_USES_PAIR;
}

static enum pps_status fail(const char *option,
                            const char *text,
                            unsigned use,
                            const char *name,
                            struct pps_error *err)
{
    struct text_buffer names = {.text = NULL};
    for (int k = 0; families[k] != NULL; k++)
        if (families[k]->uses & use)
            text_buffer_add(&names, "%s%s", names.n > 0 ? ", " : "", families[k]->name);
    const enum pps_status status =
        names.failed
            ? pps_fail_memory(err, "--%s", option)
            : pps_fail(err, PPS_E_INPUT,
                       "--%s%s%s: %s does not use it; remove the option; schedules that use "
                       "it: %s",
                       option, text[0] != '\0' ? " " : "", text, name, names.text);
    text_buffer_free(&names);
    return status;
}

static enum pps_status check_chunks(const double value[N_PARAMS],
                                    const char *name,
                                    const struct schedule_point *named,
                                    struct pps_error *err)
{
    const int32_t chunks = named->shape.stages / named->shape.devices;
    if (value[P_V] == schedule_params[P_V].fallback || value[P_V] == chunks)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--chunks %.0f: %s has %d per device; remove the option",
                    value[P_V], name, chunks);
}

enum pps_status schedule_check_unused(const double value[N_PARAMS],
                                      const char *name,
                                      const struct schedule_point *named,
                                      const struct family *baseline,
                                      const struct pps_args *args,
                                      struct pps_error *err)
{
    unsigned uses = uses_of(named->family) | uses_of(baseline);
    if (!noise_is_none(&named->noise))
        uses |= FAMILY_USES_SEED;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *text = pps_arg(args, list[i].option);
        if (text != NULL && !(uses & list[i].use) &&
            value[list[i].param] != schedule_params[list[i].param].fallback)
            return fail(list[i].option, text, list[i].use, name, err);
    }
    return check_chunks(value, name, named, err);
}
