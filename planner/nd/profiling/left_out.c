// SPDX-License-Identifier: Apache-2.0
// Holds the table of groups. measured_steps (bench) makes it, and its check compares it.
#include "planner/nd/profiling/left_out.h"

#include <stdio.h>
#include <string.h>

static const struct nd_left_out_group groups[] = {
#include "planner/nd/profiling/left_out_table.h"
};

enum { N_GROUPS = sizeof groups / sizeof *groups };

const struct nd_left_out_group *nd_left_out_groups(int *n)
{
    *n = N_GROUPS;
    return groups;
}

static bool is_fp8(const struct hardware *hardware, const struct training *training)
{
    return hardware->fp8 || (training->precision != TRAINING_BF16 && hardware->peak_fp8 > 0);
}

static bool is_named(const struct hardware *hardware)
{
    return hardware->base[0] != '\0' &&
           (hardware->design_power > 0 || strcmp(hardware->name, hardware->base) == 0);
}

// The steps of a device, stack and kind of model; `fp8` below 0: in any precision. NULL: none.
static const struct nd_left_out_group *find(const struct hardware *hardware,
                                            const struct training *training, bool experts,
                                            int fp8)
{
    for (int i = 0; i < N_GROUPS; i++)
        if (groups[i].experts == experts && strcmp(groups[i].device, hardware->base) == 0 &&
            strcmp(groups[i].stack, training_stack(training)->name) == 0 &&
            (fp8 < 0 || groups[i].fp8 == (fp8 > 0)))
            return &groups[i];
    return NULL;
}

static bool is_scan(enum modeldesc_mixer mixer)
{
    return mixer != MODELDESC_ATTENTION && mixer != MODELDESC_NO_MIXER;
}

// The name of the first mixer that is no attention; NULL: there is none.
static const char *scan_of(const struct modeldesc *model)
{
    for (int k = 0; k < model->n_kinds; k++)
        if (is_scan(model->kinds[k].mixer))
            return modeldesc_mixer_words[model->kinds[k].mixer];
    return is_scan(model->mixer) ? modeldesc_mixer_words[model->mixer] : NULL;
}

// What of a prediction no published step has; "": steps of the same kind are published. A device is
// known if its generation was measured, and does not merely lend its efficiencies.
static void unmeasured(char *text, size_t size, const struct hardware *hardware,
                       const struct training *training, const struct modeldesc *model)
{
    const bool fp8 = is_fp8(hardware, training), experts = model->experts > 0;
    const char *scan = scan_of(model);
    if (scan != NULL)
        snprintf(text, size, " of a model with layers of kind %s", scan);
    else if (!is_named(hardware))
        snprintf(text, size, " on %s", hardware->name);
    else if (hardware->changed)
        snprintf(text, size, " on a device with these rates");
    else if (find(hardware, training, experts, -1) == NULL)
        snprintf(text, size, " on %s with this stack", hardware->base);
    else if (find(hardware, training, experts, fp8) == NULL)
        snprintf(text, size, " in %s bits", fp8 ? "8" : "16");
    else
        snprintf(text, size, "%s", training->frozen ? " with frozen weights" : "");
}

const struct nd_left_out_group *nd_left_out_group(const struct hardware *hardware,
                                                  const struct training *training,
                                                  const struct modeldesc *model)
{
    const bool experts = model->experts > 0;
    char what[128];
    unmeasured(what, sizeof what, hardware, training, model);
    if (*what == '\0')
        return find(hardware, training, experts, is_fp8(hardware, training));
    // All steps of models with experts, or without: a band of like steps is not lent to others.
    for (int i = 0; i < N_GROUPS; i++)
        if (*groups[i].device == '\0' && groups[i].experts == experts)
            return &groups[i];
    return NULL;
}

// If errors are normal around 0, one more stays within the greatest of n errors with a probability of n / (n + 1) or
// nearly so: four of five for n = 4. With fewer errors it stays within so many times the greatest one.
double nd_left_out_band(const struct nd_left_out_group *group)
{
    static const double times[] = {1, 3.078, 1.495, 1.154};
    return group->within * (group->steps < 4 ? times[group->steps] : 1);
}

static void describe(char *text, size_t size, const struct nd_left_out_group *group,
                     const char *what)
{
    const char *models = group->experts ? "for models with experts" : "for dense models";
    const double band = 100 * nd_left_out_band(group);
    const char *of = group->steps == 1 ? "only " : group->steps < 5 ? "all of " : "80 % of ";
    if (*what != '\0') {
        snprintf(text, size,
                 "no published step%s: times +- %.0f %% (%sall %d published steps %s)", what,
                 band, of, group->steps, models);
        return;
    }
    const int n =
        snprintf(text, size, "times +- %.0f %% (%s%d published step%s on devices like %s, %s%s",
                 band, of, group->steps, group->steps == 1 ? "" : "s", group->device, models,
                 group->fp8 ? ", 8 bits" : "");
    if (group->steps < 4)
        snprintf(text + n, size - (size_t)n, "; their %.3g %% widened, as they are few)",
                 100 * group->within);
    else
        snprintf(text + n, size - (size_t)n, ")");
}

const char *nd_trust_text(const struct hardware *hardware, const struct training *training,
                          const struct modeldesc *model, char text[ND_TRUST_TEXT])
{
    const struct nd_left_out_group *group = nd_left_out_group(hardware, training, model);
    char what[128];
    const int n = snprintf(text, ND_TRUST_TEXT, "stack %s%s; ", training_stack(training)->name,
                           training->stack.name[0] == '\0' ? " (assumed; --stack)" : "");
    unmeasured(what, sizeof what, hardware, training, model);
    describe(text + n, (size_t)(ND_TRUST_TEXT - n), group, what);
    return text;
}
