// SPDX-License-Identifier: Apache-2.0
// Writes text that plot scripts read.
#include "engine/slice/gnuplot_text.h"

#include "base/text/decimal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void pps_put_word(FILE *out, const char *word)
{
    if (*word == '\0')
        fputc('_', out);
    for (; *word != '\0'; word++)
        fputc(isspace((unsigned char)*word) || *word == '"' || *word == '#' ? '_' : *word, out);
}

// gnuplot truncates strings of more than about a thousand characters, hence several lines.
void pps_put_labels(FILE *out, const char *key, const char *const *labels, size_t n)
{
    size_t written = 0;
    fprintf(out, "# %s \"", key);
    for (size_t i = 0; i < n; i++) {
        if (written > 500) {
            fprintf(out, "\"\n# %s \"", key);
            written = 0;
        } else if (i > 0) {
            fputc(' ', out);
        }
        pps_put_word(out, labels[i]);
        written += strlen(labels[i]) + 1;
    }
    fputs("\"\n", out);
}

void pps_put_quoted(FILE *out, const char *key, const char *text)
{
    fprintf(out, "# %s \"", key);
    for (; *text != '\0'; text++)
        fputc(*text == '"' ? '\'' : *text == '\n' || *text == '\r' ? ' ' : *text, out);
    fputs("\"\n", out);
}

void pps_put_partial(FILE *out, const char *text)
{
    if (text[0] != '\0')
        pps_put_quoted(out, "partial", text);
}

void pps_put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    if (isfinite(value))
        fwrite(text, 1, pps_decimal_full(text, value), out);
    else
        fputs("NaN", out);
}
