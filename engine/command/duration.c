// SPDX-License-Identifier: Apache-2.0
// Reads options that are durations.
#include "engine/command/duration.h"

#include "base/text/duration.h"

enum pps_status pps_arg_duration(const struct pps_args *args, const char *name, double *seconds,
                                 struct pps_error *err)
{
    const char *text = pps_arg(args, name);
    if (text == NULL || pps_duration_read(text, seconds))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: expected a time above 0, at most a year, such as 90s, 5m, 1h30m "
                    "or 3600 (seconds)",
                    name, text);
}
