// SPDX-License-Identifier: Apache-2.0
// Parses durations: numbers with units, larger units first.
#include "engine/command/duration.h"

#include <ctype.h>
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

static bool read_duration(const char *text, double *seconds)
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

enum pps_status pps_arg_duration(const struct pps_args *args, const char *name, double *seconds,
                                 struct pps_error *err)
{
    const char *text = pps_arg(args, name);
    if (text == NULL || read_duration(text, seconds))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: expected a time above 0, at most a year, such as 90s, 5m, 1h30m "
                    "or 3600 (seconds)",
                    name, text);
}
