// SPDX-License-Identifier: Apache-2.0
// Errors: the text and the exit status of an error without memory.
#include "base/text/status.h"

#include <criterion/criterion.h>
#include <string.h>

// Catches a place that is left from an earlier error, and a text longer than the record.
Test(status, no_memory)
{
    static char longest[2 * sizeof((struct pps_error *)0)->text];
    struct pps_error err;
    memset(longest, 'x', sizeof longest - 1);
    cr_assert_eq(pps_fail_at(&err, PPS_E_INPUT, "a.json", 3, 4, "wrong"), PPS_E_INPUT);
    cr_assert_eq(pps_fail_memory(&err, "the rows of %s", "a.csv"), PPS_E_MACHINE);
    cr_assert_str_eq(err.text, "out of memory for the rows of a.csv");
    cr_assert(err.code == PPS_E_MACHINE && err.file[0] == '\0' && err.line == 0);
    cr_assert_eq(pps_exit_status(err.code), 1);
    (void)pps_fail_memory(&err, "%s", longest);
    cr_assert_eq(strlen(err.text), sizeof err.text - 1);
}
