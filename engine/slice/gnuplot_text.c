// SPDX-License-Identifier: Apache-2.0
// Writes text that plot scripts read.
#include "engine/slice/gnuplot_text.h"

#include "base/text/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// ---- picture name -------------------------------------------------------------------------------

static bool listed(int column, const int *by, int n_by)
{
    for (int b = 0; b < n_by; b++)
        if (by[b] == column)
            return true;
    return false;
}

void pps_picture_filters(FILE *out, const struct pps_view *view, const int *by, int n_by)
{
    for (int i = 0; i < view->n_columns; i++) {
        const char *values = pps_view_filter(view, i);
        if (values == NULL || listed(i, by, n_by))
            continue;
        const bool digit = isdigit((unsigned char)values[0]);
        fprintf(out, "-%s%s%s", view->columns[i].name, digit ? "" : "_", values);
    }
    for (int i = 0; i < view->n_filters; i++)
        if (pps_view_rule(view, i) != NULL)
            fprintf(out, "-%08x",
                    (unsigned)XXH32(pps_view_rule(view, i), strlen(pps_view_rule(view, i)), 0));
}

void pps_picture_piece(const char *asked, char *out)
{
    enum { HASH_CHARS = 9, ROOM = PPS_PICTURE_ASKED - 1 };
    const size_t n = strlen(asked);
    const size_t kept = n <= ROOM ? n : ROOM - HASH_CHARS;
    for (size_t i = 0; i < kept; i++)
        out[i] = (char)(isalnum((unsigned char)asked[i]) || strchr("._-+,", asked[i]) != NULL
                            ? asked[i]
                            : '_');
    out[kept] = '\0';
    if (kept < n)
        snprintf(out + kept, HASH_CHARS + 1, "-%08x", (unsigned)XXH32(asked, n, 0));
}

enum pps_status pps_picture_name(char name[512], const char *result,
                                 void (*put)(void *self, FILE *out), void *self,
                                 struct pps_error *err)
{
    char stem[256], piece[PPS_PICTURE_ASKED], *asked = NULL;
    size_t n;
    FILE *out = open_memstream(&asked, &n);
    if (out != NULL)
        put(self, out);
    if (out == NULL || fclose(out) != 0) {
        free(asked);
        return pps_fail_errno(err, "name", "a picture");
    }
    pps_picture_piece(asked, piece);
    free(asked);
    pps_view_stem(result, stem, sizeof stem);
    snprintf(name, 512, "%s%s", stem, piece);
    return PPS_OK;
}

// ---- gnuplot text -------------------------------------------------------------------------------

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
