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

// How near a group is to a prediction of the same kind of device and model; 0: another kind. The
// default stack of the training stands for stacks that were never measured.
static int nearness(const struct nd_left_out_group *group,
                    const struct hardware *hardware,
                    const struct training *training,
                    bool experts)
{
    const char *stack = stack_base(training_stack(training));
    struct training plain = *training;
    plain.stack.name[0] = '\0';
    if (strcmp(group->device, hardware->base) != 0 || group->experts != experts)
        return 0;
    const int precision = group->fp8 == is_fp8(hardware, training) ? 4 : 0;
    if (strcmp(group->stack, stack) == 0)
        return 3 + precision;
    return (strcmp(group->stack, training_stack(&plain)->name) == 0 ? 2 : 1) + precision;
}

const struct nd_left_out_group *nd_left_out_group(const struct hardware *hardware,
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

// Writes what of a prediction no published step has; "" where steps of the same kind are published.
static void unmeasured(char *text,
                       size_t size,
                       const struct nd_left_out_group *group,
                       const struct hardware *hardware,
                       const struct training *training)
{
    size_t n = 0;
    *text = '\0';
    if (!is_kind_of(hardware, group->device))
        n += (size_t)snprintf(text + n, size - n, " on %s", hardware->name);
    else if (hardware->changed)
        n += (size_t)snprintf(text + n, size - n, " on a device with these rates");
    if (strcmp(group->stack, training_stack(training)->name) != 0)
        n += (size_t)snprintf(text + n, size - n, " with this stack");
    if (group->fp8 != is_fp8(hardware, training))
        n += (size_t)snprintf(text + n, size - n, " in %s bits", group->fp8 ? "16" : "8");
    if (training->frozen)
        snprintf(text + n, size - n, " with frozen weights");
}

static void describe(char *text,
                     size_t size,
                     const struct nd_left_out_group *group,
                     const char *what)
{
    const char *share = group->steps == 1  ? ""
                        : group->steps < 5 ? "all of "
                                           : "four of five of ";
    const bool exact = *what == '\0';
    snprintf(text, size,
             "%s%s%stimes +- %.0f %% (%s%d published step%s on devices like %s, %s%s%s%s)",
             exact ? "" : "no published step", what,
             exact ? "" : "; nearest: ", 100 * group->within, share, group->steps,
             group->steps == 1 ? "" : "s", group->device,
             group->experts ? "for models with experts" : "for dense models",
             exact ? "" : ", stack ", exact ? "" : group->stack, group->fp8 ? ", 8 bits" : "");
}

const char *nd_trust_text(const struct hardware *hardware,
                          const struct training *training,
                          bool experts,
                          char text[ND_TRUST_TEXT])
{
    const struct stack *stack = training_stack(training);
    const bool assumed = training->stack.name[0] == '\0';
    const struct nd_left_out_group *group = nd_left_out_group(hardware, training, experts);
    char what[128];
    const int n = snprintf(text, ND_TRUST_TEXT, "stack %s%s; ", stack->name,
                           assumed ? " (assumed; --stack)" : "");
    const size_t left = (size_t)(ND_TRUST_TEXT - n);
    if (group == NULL) {
        snprintf(text + n, left,
                 "no published step on %s for %s: the error of times is unknown",
                 hardware->base[0] != '\0' ? hardware->base : hardware->name,
                 experts ? "models with experts" : "dense models");
        return text;
    }
    unmeasured(what, sizeof what, group, hardware, training);
    describe(text + n, left, group, what);
    return text;
}
