// SPDX-License-Identifier: Apache-2.0
// Formats counts, sizes and times for people.
#include "base/text/human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Copies a number and puts blanks between groups of three digits before its point.
static void group_digits(const char *number, char *out, size_t cap)
{
    const size_t sign = number[0] == '-', whole = strspn(number + sign, "0123456789");
    size_t at = 0;
    for (size_t i = 0; number[i] != '\0' && at + 2 < cap; i++) {
        if (i > sign && i < sign + whole && (sign + whole - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = number[i];
    }
    out[at] = '\0';
}

void pps_human_cell(const char *cell, size_t n, char *out, size_t cap)
{
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)n, cell);
    if (strspn(text, "-.0123456789") == n)
        group_digits(text, out, cap);
    else
        snprintf(out, cap, "%s", text);
}

void pps_human_count(double n, char *out, size_t cap)
{
    char digits[400];
    snprintf(digits, sizeof digits, "%.0f", n);
    group_digits(digits, out, cap);
}

struct pps_count_text pps_count_text(double n)
{
    struct pps_count_text count;
    pps_human_count(n, count.text, sizeof count.text);
    return count;
}

struct pps_count_text pps_decimals_text(double value, int decimals)
{
    struct pps_count_text text;
    char number[400];
    snprintf(number, sizeof number, "%.*f", decimals, value);
    group_digits(number, text.text, sizeof text.text);
    return text;
}

struct pps_count_text pps_digits_text(double value, int digits)
{
    struct pps_count_text text;
    pps_human_number(value, digits, text.text, sizeof text.text);
    return text;
}

static struct pps_count_text with_sign(struct pps_count_text text)
{
    if (text.text[0] != '-') {
        memmove(text.text + 1, text.text, sizeof text.text - 2);
        text.text[0] = '+';
    }
    return text;
}

struct pps_count_text pps_signed_text(double value, int digits)
{
    return with_sign(pps_digits_text(value, digits));
}

struct pps_count_text pps_change_text(double value, int decimals)
{
    return with_sign(pps_decimals_text(value, decimals));
}

struct pps_count_text pps_time_text(double seconds)
{
    static const char *const units[] = {"s", "ms", "us"};
    int unit = 0;
    for (; unit < 2 && seconds < 1 && seconds > 0; unit++)
        seconds *= 1e3;
    struct pps_count_text text = pps_decimals_text(seconds, 3);
    const size_t n = strlen(text.text);
    snprintf(text.text + n, sizeof text.text - n, " %s", units[unit]);
    return text;
}

void pps_human_number(double value, int digits, char *out, size_t cap)
{
    char number[64];
    snprintf(number, sizeof number, "%.*g", digits, value);
    // 1.234568e+07 of few digits is a whole number below a million millions.
    if (strchr(number, 'e') != NULL && fabs(value) >= 1 && fabs(value) < 1e15)
        snprintf(number, sizeof number, "%.0f", value);
    group_digits(number, out, cap);
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
