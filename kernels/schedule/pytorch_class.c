// SPDX-License-Identifier: Apache-2.0
// Finds the families of the classes of torch.distributed.pipelining.
#include "kernels/schedule/pytorch_class.h"

#include "kernels/schedule/family_names.h"

#include <string.h>

// Returns NULL if no class has this name.
static const struct pps_alias *class_named(const char *name)
{
    const struct pps_alias *alias = schedule_family_aliases;
    while (alias->name != NULL && strcmp(alias->name, name) != 0)
        alias++;
    return alias->name != NULL ? alias : NULL;
}

bool pytorch_class_is_known(const char *name)
{
    return class_named(name) != NULL;
}

// PyTorch divides the micro-batches into rounds of P and more, all of one size.
static struct pytorch_class interleaved(const struct family *family, int32_t p, int32_t m)
{
    const int32_t rounds = m / p > 1 ? m / p : 1;
    if (m < p)
        return (struct pytorch_class){
            .reason = "with fewer micro-batches than devices the class has an order of its "
                      "own" PYTORCH_AS_ORDER};
    if (m % rounds != 0)
        return (struct pytorch_class){
            .reason = "PyTorch refuses this number of micro-batches: it must be a multiple of "
                      "the whole part of M / P"};
    return (struct pytorch_class){.family = family, .group = m / rounds};
}

struct pytorch_class pytorch_class_of(const char *name, int32_t devices, int32_t micro_batches)
{
    const struct pps_alias *alias = class_named(name);
    if (strcmp(name, "ScheduleLoopedBFS") == 0)
        return (struct pytorch_class){.family = family_named("bfs_loop"), .descending = true};
    if (alias->reason != NULL)
        return (struct pytorch_class){.reason = alias->reason};
    const struct family *family = schedule_family_at(alias->value);
    return alias->value == FAMILY_NAME_interleaved ? interleaved(family, devices, micro_batches)
                                                   : (struct pytorch_class){.family = family};
}
