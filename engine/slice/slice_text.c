// SPDX-License-Identifier: Apache-2.0
// Writes titles and names of maps, and slices as text for gnuplot.
#include "engine/slice/slice_text.h"

#include "engine/slice/gnuplot_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_CHARS = 80 }; // maximum length of a piece of a file name

// ---- keys -----------------------------------------------------------------------------------

// Returns value b of key i.
static struct pps_cell key_value(const struct pps_string_pool *keys, size_t i, int b)
{
    const char *text = pps_string_pool_text(keys, (uint32_t)i);
    for (; b > 0; b--)
        text = strchr(text, PPS_SLICE_SEPARATOR) + 1;
    return (struct pps_cell){text, strcspn(text, (const char[]){PPS_SLICE_SEPARATOR, '\0'})};
}

struct pps_cell pps_slice_map_value(const struct pps_slices *cut, size_t map, int b)
{
    return key_value(pps_slices_keys(cut), map, b);
}

static bool same_cell(struct pps_cell a, struct pps_cell b)
{
    return a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
}

// Returns whether this value of the key differs between maps, skipped maps included. A filtered
// column counts as different, since another filter gives another map.
static bool tells_apart(const struct pps_slices *cut, int b)
{
    const struct pps_string_pool *keys = b == cut->split ? pps_slices_keys(cut) : &cut->keys;
    const struct pps_cell first = key_value(keys, 0, b);
    for (size_t i = 1; i < keys->n; i++)
        if (!same_cell(first, key_value(keys, i, b)))
            return true;
    return pps_view_filter(&cut->view, cut->by[b]) != NULL;
}

static bool in_key(const struct pps_slices *cut, int column)
{
    for (int b = 0; b < cut->n_by; b++)
        if (cut->by[b] == column)
            return true;
    return false;
}

// Panels say the values of their row and column beside themselves.
static bool is_panel(const struct pps_slices *cut, int column)
{
    return column == cut->panel_row || column == cut->panel_column;
}

// ---- titles ---------------------------------------------------------------------------------

static void put_part(FILE *out, long *n, const char *name, struct pps_cell value)
{
    // An empty value is a number of the split column: these numbers share the map.
    if (value.n > 0)
        fprintf(out, "%s%s=%.*s", (*n)++ == 0 ? "" : " ", name, (int)value.n, value.text);
}

static void put_title(FILE *out, const struct pps_slices *cut, size_t map)
{
    const struct pps_view_column *columns = cut->view.columns;
    long n = pps_constant_documents(&cut->view, out);
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < cut->n_by; b++)
            if (cut->varies[b] == (pass == 0) && !is_panel(cut, cut->by[b]))
                put_part(out, &n, columns[cut->by[b]].name, pps_slice_map_value(cut, map, b));
    for (int i = 0; i < cut->view.n_columns; i++) {
        const struct pps_constant *constant = &cut->constants.list[i];
        if (i != cut->x && i != cut->y && columns[i].role == PPS_ROLE_PARAM &&
            !constant->varied && !in_key(cut, i))
            put_part(out, &n, columns[i].name, (struct pps_cell){constant->text, constant->n});
    }
}

static void put_piece(FILE *out, const struct pps_slices *cut, size_t map)
{
    long n = 0;
    for (int b = 0; b < cut->n_by; b++) {
        const struct pps_cell value = pps_slice_map_value(cut, map, b);
        if (!cut->varies[b] || value.n == 0 || is_panel(cut, cut->by[b]))
            continue;
        const bool digit = isdigit((unsigned char)value.text[0]);
        fprintf(out, "%s%s%s%.*s", n++ == 0 ? "" : "-", cut->view.columns[cut->by[b]].name,
                digit ? "" : "_", (int)value.n, value.text);
    }
}

static char *make_text(const struct pps_slices *cut, size_t map,
                       void (*put)(FILE *, const struct pps_slices *, size_t))
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return NULL;
    put(out, cut, map);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bool pps_slice_title(const struct pps_slices *cut, size_t i, struct pps_slice *slice)
{
    slice->title = make_text(cut, i, put_title);
    return slice->title != NULL;
}

// ---- names ----------------------------------------------------------------------------------

static bool good_name(const char *piece)
{
    for (const char *c = piece; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-+", *c) == NULL)
            return false;
    return strlen(piece) <= PIECE_CHARS;
}

bool pps_slice_choose_names(struct pps_slices *cut)
{
    cut->varies = calloc((size_t)cut->n_by + 1, sizeof *cut->varies);
    bool good = cut->varies != NULL;
    for (int b = 0; good && b < cut->n_by; b++)
        cut->varies[b] = tells_apart(cut, b);
    for (size_t map = 0; good && map < cut->n_maps && !cut->numbered; map++) {
        char *piece = make_text(cut, map, put_piece);
        good = piece != NULL;
        cut->numbered = good && !good_name(piece);
        free(piece);
    }
    return good;
}

// Writes the options that differ from the defaults, so that pictures of other columns have
// other names.
static void put_asked(FILE *out, const struct pps_slices *cut)
{
    const struct pps_view_column *columns = cut->view.columns;
    if (cut->asked_axes)
        fprintf(out, "-%s-%s", columns[cut->x].name, columns[cut->y].name);
    if (cut->asked_value)
        fprintf(out, "-%s", columns[cut->value].name);
    if (cut->asked_reduce)
        fprintf(out, "-%s", pps_reduce_word(cut->reduce));
    if (cut->scale.kind != PPS_SCALE_AUTO)
        fprintf(out, "-%s", pps_scale_word(cut->scale.kind));
    if (cut->scale.shared)
        fputs("-shared", out);
    if (cut->scale.relative)
        fputs("-relative", out);
    if (cut->panel_row >= 0)
        fprintf(out, "-rows-%s", columns[cut->panel_row].name);
    if (cut->panel_column >= 0)
        fprintf(out, "-columns-%s", columns[cut->panel_column].name);
    if (cut->scale.has_range)
        fprintf(out, "-range%g_%g", cut->scale.low, cut->scale.high);
    pps_picture_filters(out, &cut->view, cut->by, cut->n_by);
}

static void asked_piece(const struct pps_slices *cut, char *out)
{
    char *text = NULL;
    size_t n;
    FILE *file = open_memstream(&text, &n);
    out[0] = '\0';
    if (file == NULL)
        return;
    put_asked(file, cut);
    if (fclose(file) == 0)
        pps_picture_piece(text, out);
    free(text);
}

bool pps_slices_name(const struct pps_slices *cut, size_t i, char *out, size_t cap)
{
    char stem[256], asked[PPS_PICTURE_ASKED];
    char *piece = make_text(cut, i, put_piece);
    if (piece == NULL)
        return false;
    asked_piece(cut, asked);
    pps_view_stem(cut->view.path, stem, sizeof stem);
    if (cut->numbered)
        snprintf(out, cap, "%s%s-%zu", stem, asked, i + 1);
    else
        snprintf(out, cap, "%s%s%s%s", stem, asked, piece[0] == '\0' ? "" : "-", piece);
    free(piece);
    return true;
}

const char *pps_scale_word(enum pps_scale_kind kind)
{
    static const char *const words[] = {"auto", "log", "linear"};
    return words[kind];
}

// ---- text -----------------------------------------------------------------------------------

static void put_range(const struct pps_slice *slice, FILE *out)
{
    double min = (double)INFINITY, max = -min;
    for (size_t i = 0; i < slice->n_x * slice->n_y; i++) {
        min = fmin(min, slice->cells[i]);
        max = fmax(max, slice->cells[i]);
    }
    fputs("# min ", out);
    pps_put_number(out, min);
    fputs("\n# max ", out);
    pps_put_number(out, max);
    fputc('\n', out);
}

// Writes "column:row" of cells, from 1, in several lines, since gnuplot truncates long strings.
// Skips larger maps: their cells are drawn too small for marks.
static void put_places(const struct pps_slice *slice, FILE *out, const char *key,
                       const size_t *cells, size_t n)
{
    enum { A_LINE = 40, MARKED = 90 };
    if (slice->n_x > MARKED || slice->n_y > MARKED)
        return;
    for (size_t i = 0; i < n; i++) {
        if (i % A_LINE == 0)
            fprintf(out, "# %s \"", key);
        else
            fputc(' ', out);
        fprintf(out, "%zu:%zu", cells[i] % slice->n_x + 1, cells[i] / slice->n_x + 1);
        if (i % A_LINE == A_LINE - 1 || i + 1 == n)
            fputs("\"\n", out);
    }
}

static void put_scale(const struct pps_slice *slice, FILE *out)
{
    if (slice->scale.kind != PPS_SCALE_AUTO)
        fprintf(out, "# scale %s\n", pps_scale_word(slice->scale.kind));
    if (slice->range[0] != '\0')
        pps_put_quoted(out, "range", slice->range);
    if (!slice->scale.has_range)
        return;
    fputs("# range-min ", out);
    pps_put_number(out, slice->scale.low);
    fputs("\n# range-max ", out);
    pps_put_number(out, slice->scale.high);
    fputc('\n', out);
}

static void put_optional(FILE *out, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        pps_put_quoted(out, key, text);
}

static void put_head(const struct pps_slice *slice, FILE *out)
{
    static const char *const goals[] = {"none", "lower", "higher"};
    pps_put_quoted(out, "title", slice->title);
    pps_put_partial(out, slice->partial);
    pps_put_quoted(out, "x", slice->x_name);
    pps_put_quoted(out, "y", slice->y_name);
    pps_put_quoted(out, "value", slice->value_name);
    pps_put_quoted(out, "unit", slice->unit);
    put_optional(out, "x-unit", slice->x_unit);
    put_optional(out, "y-unit", slice->y_unit);
    put_optional(out, "relative", slice->relative);
    put_optional(out, "z", slice->z_name);
    put_optional(out, "x-text", slice->x_text);
    put_optional(out, "y-text", slice->y_text);
    put_optional(out, "z-text", slice->z_text);
    put_optional(out, "value-text", slice->value_text);
    put_optional(out, "legend", slice->legend);
    put_optional(out, "panel-row", slice->panel_row);
    put_optional(out, "panel-column", slice->panel_column);
    put_optional(out, "note", slice->value->note);
    if (slice->value->is_compared)
        fprintf(out, "# equal %g\n", slice->value->equal);
    fprintf(out, "# goal %s\n", goals[slice->goal]);
    fprintf(out, "# reduce %s\n", pps_reduce_word(slice->reduce));
    fprintf(out, "# x-numbers %zu\n# y-numbers %zu\n", slice->n_x_numbers, slice->n_y_numbers);
    pps_put_labels(out, "x-labels", slice->x, slice->n_x);
    pps_put_labels(out, "y-labels", slice->y, slice->n_y);
    put_places(slice, out, "valueless", slice->valueless, slice->n_valueless);
    put_places(slice, out, "hatched", slice->hatched, slice->n_hatched);
    if (slice->uneven[0] != '\0')
        pps_put_quoted(out, "uneven", slice->uneven);
    put_scale(slice, out);
    if (!slice->has_best)
        return;
    put_range(slice, out);
    fprintf(out, "# best-x %zu\n# best-y %zu\n# best-cells %zu\n# best-value ",
            slice->best_x + 1, slice->best_y + 1, slice->n_best);
    pps_put_number(out, slice->best_value);
    fputc('\n', out);
    put_places(slice, out, "ties", slice->ties, slice->n_ties);
}

void pps_slice_write(const struct pps_slice *slice, FILE *out)
{
    put_head(slice, out);
    pps_put_word(out, slice->y_name);
    for (size_t x = 0; x < slice->n_x; x++) {
        fputc(' ', out);
        pps_put_word(out, slice->x[x]);
    }
    for (size_t y = 0; y < slice->n_y; y++) {
        fputc('\n', out);
        pps_put_word(out, slice->y[y]);
        for (size_t x = 0; x < slice->n_x; x++) {
            fputc(' ', out);
            pps_put_number(out, slice->cells[y * slice->n_x + x]);
        }
    }
    fputc('\n', out);
}
