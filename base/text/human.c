// SPDX-License-Identifier: Apache-2.0
// Formats counts, sizes and times for people.
#include "base/text/human.h"

#include <math.h>
#include <stdio.h>

void pps_human_count(double n, char *out, size_t cap)
{
    char digits[400];
    const int length = snprintf(digits, sizeof digits, "%.0f", n);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < cap; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void pps_human_bytes(double bytes, char *out, size_t cap)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 6; unit++)
        bytes /= 1024;
    snprintf(out, cap, unit > 0 && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void pps_human_seconds(double seconds, char *out, size_t cap)
{
    if (!(seconds < 1e15))
        snprintf(out, cap, "over 30 million years");
    else if (seconds >= 86400 * 2)
        snprintf(out, cap, "%.1f days", seconds / 86400);
    else if (seconds >= 3600)
        snprintf(out, cap, "%.0fh %02.0fm", floor(seconds / 3600),
                 floor(fmod(seconds, 3600) / 60));
    else if (seconds >= 100)
        snprintf(out, cap, "%.0fm %02.0fs", floor(seconds / 60), floor(fmod(seconds, 60)));
    else if (seconds >= 1)
        snprintf(out, cap, "%.1f s", seconds);
    else
        snprintf(out, cap, "%.0f ms", seconds * 1000);
}
