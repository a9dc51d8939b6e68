// SPDX-License-Identifier: Apache-2.0
// Writes the titles of timelines.
#include "engine/cli/options/trace_title.h"

#include "engine/space/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the value of the parameter is the name of a given document.
static bool is_document(const struct pps_trace_point *t, int p)
{
    for (int s = 0; s < t->kernel->n_slots; s++)
        if (t->kernel->slots[s].param == p)
            return pps_documents_count(t->inputs, s) > 0;
    return false;
}

static void write_row(const struct pps_trace_point *t, const char *front, FILE *out)
{
    const char *slash = t->result != NULL ? strrchr(t->result, '/') : NULL;
    if (t->result != NULL)
        fprintf(out, "%srow %llu of %s", front, (unsigned long long)t->row,
                slash != NULL ? slash + 1 : t->result);
}

char *pps_trace_title(const struct pps_trace_point *t)
{
    char *title = NULL, text[PPS_CELL_TEXT];
    size_t n;
    bool all = true, any = false;
    FILE *out = open_memstream(&title, &n);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s %s", t->kernel->name, t->kernel->version);
    write_row(t, ", ", out);
    fputc(':', out);
    for (int p = 0; p < t->kernel->n_params; p++) {
        const struct pps_param *param = &t->kernel->params[p];
        const bool named =
            (t->named >> p & 1) != 0 || t->point[p] != param->fallback || is_document(t, p);
        all = all && named;
        any = any || named;
        pps_value_text(param, t->point[p], text);
        if (named)
            fprintf(out, " %s=%s", param->name, text);
    }
    if (!all)
        fputs(any ? " (other parameters: defaults)" : " all parameters have their defaults",
              out);
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}

char *pps_trace_title_second(const struct pps_trace_point *a, const struct pps_trace_point *b)
{
    char *title = NULL, first[PPS_CELL_TEXT], second[PPS_CELL_TEXT];
    size_t n;
    int changes = 0;
    FILE *out = open_memstream(&title, &n);
    if (out == NULL)
        return NULL;
    if (a->row != b->row) {
        write_row(b, "", out);
        fputs(": ", out);
    }
    for (int p = 0; p < b->kernel->n_params; p++) {
        if (a->point[p] == b->point[p])
            continue;
        pps_value_text(&a->kernel->params[p], a->point[p], first);
        pps_value_text(&b->kernel->params[p], b->point[p], second);
        fprintf(out, "%s%s=%s instead of %s", changes++ > 0 ? ", " : "",
                b->kernel->params[p].name, second, first);
    }
    fputs(changes > 0 ? "; otherwise as A" : "the same point as A", out);
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}
