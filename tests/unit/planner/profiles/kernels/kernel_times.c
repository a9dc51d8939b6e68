// SPDX-License-Identifier: Apache-2.0
// Tests of the reader of times in traces.
#include "planner/profiles/kernels/kernel_events.h"

#include <criterion/criterion.h>
#include <string.h>

static void reads(const char *text, int64_t wanted)
{
    int64_t ns = -1;
    cr_assert(kernel_events_read_us(text, strlen(text), &ns), "'%s' is not read", text);
    cr_assert_eq(ns, wanted, "'%s' is read as %lld", text, (long long)ns);
}

static void refuses(const char *text)
{
    int64_t ns;
    cr_assert_not(kernel_events_read_us(text, strlen(text), &ns), "'%s' is read", text);
}

Test(kernel_times, exact)
{
    reads("0", 0);
    reads(" 12.5\t", 12500);
    reads("-12.0019", -12001);
    reads("1710408000000123.456", 1710408000000123456);
    reads("4000000000000000.999", 4000000000000000999);
    reads("-4000000000000000", -4000000000000000000);
    reads("1.5e3", 1500000);
    reads("00000000000000000012", 12000);
}

Test(kernel_times, refused)
{
    const char *const texts[] = {"",
                                 "-",
                                 ".5x",
                                 "1.2.3",
                                 "x",
                                 "4000000000000001",
                                 "9710408000000223.45",
                                 "9e18",
                                 "nan",
                                 "99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuses(texts[i]);
}
