// SPDX-License-Identifier: Apache-2.0
// Reads durations: numbers with units, larger units first.
#include "base/text/duration.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_S 31536000.0 // one year

// Reads digits[.digits] at *at; returns false for other forms that strtod accepts.
static bool read_number(const char **at, double *number)
{
    const size_t n = strspn(*at, "0123456789.");
    char *end;
    if (n == 0 || !isdigit((unsigned char)**at))
        return false;
    *number = strtod(*at, &end);
    if (end != *at + n) // two points, or an exponent
        return false;
    *at = end;
    return true;
}

bool pps_duration_read(const char *text, double *seconds)
{
    static const char units[] = "dhms";
    static const double unit_s[] = {86400, 3600, 60, 1};
    const char *at = text;
    size_t next = 0; // the largest unit that may follow
    double sum = 0;
    if (*at == '\0')
        return false;
    while (*at != '\0') {
        double number;
        if (!read_number(&at, &number))
            return false;
        const char *unit = *at == '\0' ? NULL : strchr(units, *at);
        if (*at == '\0' && next > 0) // 1h30: a unit is missing
            return false;
        if (*at != '\0' && (unit == NULL || (size_t)(unit - units) < next))
            return false;
        sum += number * (unit == NULL ? 1 : unit_s[unit - units]);
        if (unit == NULL)
            break;
        next = (size_t)(unit - units) + 1;
        at++;
    }
    *seconds = sum;
    return sum > 0 && sum <= LONGEST_S;
}
