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

const struct nd_left_out_group *nd_left_out_group(const struct hardware *hardware,
                                                  const struct training *training,
                                                  bool experts)
{
    const char *stack = training_stack(training)->name;
    for (int i = 0; i < N_GROUPS; i++)
        if (strcmp(groups[i].device, hardware->base) == 0 &&
            strcmp(groups[i].stack, stack) == 0 && groups[i].experts == experts &&
            groups[i].fp8 == is_fp8(hardware, training))
            return &groups[i];
    return NULL;
}

// How near a group is to a prediction of the same kind of device and model; 0: another kind. The
// default stack of the training stands for stacks that were never measured.
static int nearness(const struct nd_left_out_group *group,
                    const struct hardware *hardware,
                    const struct training *training,
                    bool experts)
{
    struct training plain = *training;
    plain.stack.name[0] = '\0';
    if (strcmp(group->device, hardware->base) != 0 || group->experts != experts)
        return 0;
    const int precision = group->fp8 == is_fp8(hardware, training) ? 4 : 0;
    if (strcmp(group->stack, training_stack(training)->name) == 0)
        return 3 + precision;
    return (strcmp(group->stack, training_stack(&plain)->name) == 0 ? 2 : 1) + precision;
}

static const struct nd_left_out_group *nearest(const struct hardware *hardware,
                                               const struct training *training,
                                               bool experts)
{
    const struct nd_left_out_group *found = NULL;
    int best = 0;
    for (int i = 0; i < N_GROUPS; i++) {
        const int near = nearness(&groups[i], hardware, training, experts);
        if (near > best) {
            best = near;
            found = &groups[i];
        }
    }
    return found;
}

// Whether a device is of the generation that was measured, and not merely has its efficiencies.
static bool is_kind_of(const struct hardware *hardware, const char *device)
{
    return hardware->design_power > 0 || strcmp(hardware->name, device) == 0;
}

const char *nd_trust_text(const struct hardware *hardware,
                          const struct training *training,
                          bool experts,
                          char text[ND_TRUST_TEXT])
{
    const struct stack *stack = training_stack(training);
    const bool assumed = training->stack.name[0] == '\0';
    const struct nd_left_out_group *exact = nd_left_out_group(hardware, training, experts);
    const struct nd_left_out_group *group = nearest(hardware, training, experts);
    const char *kind = experts ? "with experts" : "dense";
    int n = snprintf(text, ND_TRUST_TEXT, "stack %s%s; ", stack->name,
                     assumed ? " (assumed; --stack)" : "");
    if (group == NULL)
        snprintf(text + n, (size_t)(ND_TRUST_TEXT - n),
                 "no measured step on %s for models %s: the error of times is unknown",
                 hardware->base[0] != '\0' ? hardware->base : hardware->name, kind);
    else
        snprintf(text + n, (size_t)(ND_TRUST_TEXT - n),
                 "times +- %.0f %% (%s of %d published steps on %s%s, %s%s%s%s)",
                 100 * group->within, group->steps < 5 ? "all" : "four of five", group->steps,
                 group->device,
                 is_kind_of(hardware, group->device) ? "" : " (the nearest device)", kind,
                 exact == NULL ? ", stack " : "", exact == NULL ? group->stack : "",
                 group->fp8 ? ", 8 bits" : "");
    return text;
}
