// SPDX-License-Identifier: Apache-2.0
// Finds the families of the classes of torch.distributed.pipelining.
#include "kernels/schedule/catalogue/pytorch_class.h"

#include <string.h>

// Classes whose orders are no family's.
static const struct {
    const char *name, *reason;
} others[] = {
    {"ScheduleZBVZeroBubble", PYTORCH_ZBV},
    {"ScheduleInterleavedZeroBubble", PYTORCH_INTERLEAVED_ZERO_BUBBLE},
};

enum { OTHERS = sizeof others / sizeof *others };

bool pytorch_class_is_known(const char *name)
{
    for (int i = 0; i < OTHERS; i++)
        if (strcmp(others[i].name, name) == 0)
            return true;
    return family_of_pytorch(name) != NULL;
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
    const struct family *family = family_of_pytorch(name);
    for (int i = 0; i < OTHERS; i++)
        if (strcmp(others[i].name, name) == 0)
            return (struct pytorch_class){.reason = others[i].reason};
    if (strcmp(name, "ScheduleInterleaved1F1B") == 0)
        return interleaved(family, devices, micro_batches);
    return (struct pytorch_class){.family = family,
                                  .descending = strcmp(name, "ScheduleLoopedBFS") == 0};
}
