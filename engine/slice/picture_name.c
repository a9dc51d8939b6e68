// SPDX-License-Identifier: Apache-2.0
// Composes the names of pictures.
#include "engine/slice/picture_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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

enum pps_status pps_picture_name_begin(struct pps_picture_name *name, struct pps_error *err)
{
    name->asked = NULL;
    name->out = open_memstream(&name->asked, &name->n);
    return name->out == NULL ? pps_fail_errno(err, "name", "a picture") : PPS_OK;
}

enum pps_status pps_picture_name_end(struct pps_picture_name *name,
                                     const char *result,
                                     struct pps_error *err)
{
    char stem[256], piece[PPS_PICTURE_ASKED];
    if (fclose(name->out) != 0) {
        free(name->asked);
        return pps_fail_errno(err, "name", "a picture");
    }
    pps_picture_piece(name->asked, piece);
    free(name->asked);
    pps_view_stem(result, stem, sizeof stem);
    snprintf(name->text, sizeof name->text, "%s%s", stem, piece);
    return PPS_OK;
}
