// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void near(double got, double expected, double relative, const char *format, ...)
{
    char what[256];
    va_list values;
    if (fabs(got - expected) <= relative * fabs(expected))
        return;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    cr_assert(false, "%s: %.15g, expected %.15g", what, got, expected);
}
