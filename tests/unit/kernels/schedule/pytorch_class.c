// SPDX-License-Identifier: Apache-2.0
// Tests which family, with which options, a class of PyTorch is.
#include "kernels/schedule/pytorch_class.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *name;
    int32_t p, m;
    const char *family; // NULL: none
    int32_t group;
    bool descending;
} cases[] = {
    {"ScheduleGPipe", 4, 8, "gpipe", 0, false},
    {"Schedule1F1B", 4, 8, "one_f_one_b", 0, false},
    {"ScheduleLoopedBFS", 4, 8, "bfs_loop", 0, true},
    {"ScheduleDualPipeV", 4, 10, "dualpipev", 0, false},
    // rounds of M / max(1, floor(M / P)) micro-batches
    {"ScheduleInterleaved1F1B", 4, 8, "interleaved", 4, false},
    {"ScheduleInterleaved1F1B", 4, 10, "interleaved", 5, false},
    {"ScheduleInterleaved1F1B", 4, 7, "interleaved", 7, false},
    {"ScheduleInterleaved1F1B", 4, 4, "interleaved", 4, false},
    {"ScheduleInterleaved1F1B", 1, 6, "interleaved", 1, false},
    {"ScheduleInterleaved1F1B", 4, 13, NULL, 0, false},
    {"ScheduleInterleaved1F1B", 4, 3, NULL, 0, false},
    {"ScheduleZBVZeroBubble", 4, 12, NULL, 0, false},
    {"ScheduleInterleavedZeroBubble", 4, 12, NULL, 0, false},
};

Test(pytorch_class, families_and_options)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert(pytorch_class_is_known(cases[i].name), "%s", cases[i].name);
        const struct pytorch_class class =
            pytorch_class_of(cases[i].name, cases[i].p, cases[i].m);
        cr_assert_eq(class.family == NULL, cases[i].family == NULL, "case %zu", i);
        cr_assert_eq(class.reason == NULL, cases[i].family != NULL, "case %zu", i);
        if (cases[i].family != NULL)
            cr_assert_str_eq(class.family->name, cases[i].family, "case %zu", i);
        cr_assert(class.group == cases[i].group && class.descending == cases[i].descending,
                  "case %zu", i);
    }
    cr_assert_not(pytorch_class_is_known("gpipe"));
    cr_assert_not(pytorch_class_is_known("ScheduleMine"));
}
