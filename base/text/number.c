// SPDX-License-Identifier: Apache-2.0
// Reads numbers strictly, and quotes text for messages.
#include "base/text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Accepts only the characters of a decimal number; strtod accepts more.
static bool is_plain(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((text[i] < '0' || text[i] > '9') && strchr("+-.eE", text[i]) == NULL)
            return false;
    return n > 0;
}

bool number_text_read(const char *text, size_t n, double *value)
{
    char copy[LONGEST + 1];
    while (n > 0 && is_blank(text[0])) {
        text++;
        n--;
    }
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    if (n > LONGEST || memchr(text, '\0', n) != NULL || !is_plain(text, n))
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *end;
    const double parsed = strtod(copy, &end);
    if (*end != '\0' || end == copy || !isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

double number_text_round(double value, int decimals)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    return strtod(text, NULL);
}

const char *number_text_write(char *buffer, double value)
{
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(buffer, NUMBER_TEXT_CAP, "%.0f", value);
        return buffer;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT_CAP, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

const char *number_text_quote(char *buffer, size_t cap, const char *text, size_t n)
{
    const size_t kept = n < cap ? n : cap - 4;
    for (size_t i = 0; i < kept; i++) {
        const unsigned char c = (unsigned char)text[i];
        buffer[i] = text[i];
        if (c < ' ' || c == 0x7f)
            buffer[i] = '?';
    }
    strcpy(buffer + kept, kept < n ? "..." : "");
    return buffer;
}
