// SPDX-License-Identifier: Apache-2.0
// Draws utilisation.
#include "engine/trace/trace_load.h"

#include "engine/svg/svg.h"
#include "engine/trace/trace_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lengths in pixels.
#define ROOM      800.0 // for the rows of all panels, if they are not too thin then
#define MOST_ROWS 700   // of all panels; more groups share rows
#define THIN      2.0   // a row at least
#define THICK     14.0  // and at most
#define CELL      2.0   // width of a cell at least
#define HEADING   17.0  // above a section
#define LABEL     13.0  // distance of labels
#define STRIP     18.0  // height of a counter
enum { STRIPS = 16 };   // groups whose counters are drawn

// ---- layout -------------------------------------------------------------------------------------

static bool find_lanes(struct pps_load_panel *p)
{
    const struct pps_load *load = &p->pieces->load;
    p->groups = calloc(load->n_groups + 1, sizeof *p->groups);
    p->tracks = calloc((size_t)load->n_tracks + 1, sizeof *p->tracks);
    bool *used = calloc((size_t)load->n_tracks + 1, sizeof *used);
    const bool good = p->groups != NULL && p->tracks != NULL && used != NULL;
    for (int32_t g = 0; good && g < (int32_t)load->n_groups; g++) {
        bool any = false;
        for (int32_t track = 0; track < load->n_tracks; track++)
            if (pps_load_has(load, g, track))
                any = used[track] = true;
        if (any)
            p->groups[p->n_groups++] = g;
    }
    for (int32_t track = 0; good && track < load->n_tracks; track++)
        if (used[track])
            p->tracks[p->n_tracks++] = track;
    free(used);
    return good;
}

static int count_counters(const struct pps_load_panel *p)
{
    const char *const *counters = p->pieces->names->counters;
    int n = 0;
    while (counters != NULL && counters[n] != NULL)
        n++;
    return n;
}

static double strips_height(const struct pps_load_panel *p)
{
    return p->strips ? count_counters(p) * (HEADING + p->n_groups * (STRIP + 1)) : 0;
}

bool pps_load_panel_open(struct pps_load_panel *p, const struct pps_trace_pieces *pieces,
                         int n_panels)
{
    *p = (struct pps_load_panel){.pieces = pieces, .together = 1, .step = 1};
    if (!find_lanes(p))
        return false;
    const int32_t most = MOST_ROWS / n_panels / (p->n_tracks > 0 ? p->n_tracks : 1);
    if (p->n_groups > most)
        p->together = (p->n_groups + most - 1) / most;
    p->n_rows = (p->n_groups + p->together - 1) / p->together;
    const int32_t rows = p->n_rows * p->n_tracks * n_panels;
    p->row = fmin(fmax(floor(ROOM / (rows > 0 ? rows : 1)), THIN), THICK);
    p->strips = pieces->levels.n > 0 && p->n_groups <= STRIPS;
    p->h = p->n_tracks * (HEADING + p->n_rows * p->row) + strips_height(p);
    return true;
}

void pps_load_panel_close(struct pps_load_panel *panel)
{
    free(panel->groups);
    free(panel->tracks);
    *panel = (struct pps_load_panel){.pieces = NULL};
}

// ---- cells --------------------------------------------------------------------------------------

double pps_load_panel_cells(struct pps_load_panel *panels, int n,
                            const struct pps_time_axis *axis)
{
    const double least = CELL / axis->w * (axis->end - axis->begin);
    double cell = 0;
    for (int i = 0; i < n; i++)
        cell = fmax(cell, panels[i].pieces->load.width);
    while (cell > 0 && cell < least)
        cell *= 2;
    // Widths are powers of two, so a cell is a whole number of bins.
    for (int i = 0; i < n; i++) {
        const double width = panels[i].pieces->load.width;
        panels[i].step = width > 0 ? (int)fmin(cell / width, PPS_LOAD_BINS) : 1;
    }
    return cell;
}

// Returns the mean utilisation of the groups of a row.
static double cell_of(const struct pps_load_panel *p, int32_t track, int32_t row, int bin)
{
    const int32_t first = row * p->together;
    int32_t n = 0;
    double sum = 0;
    for (int32_t g = first; g < first + p->together && g < p->n_groups; g++, n++)
        sum += pps_load_mean(&p->pieces->load, p->groups[g], track, bin, p->step,
                             p->pieces->shown_end);
    return sum / n;
}

double pps_load_panel_highest(const struct pps_load_panel *p)
{
    const int n_bins = pps_load_bins(&p->pieces->load, p->pieces->shown_end);
    double highest = 0;
    for (int32_t t = 0; t < p->n_tracks; t++)
        for (int32_t row = 0; row < p->n_rows; row++)
            for (int bin = 0; bin < n_bins; bin += p->step)
                highest = fmax(highest, cell_of(p, p->tracks[t], row, bin));
    return highest;
}

// The section of a track while it is drawn. Cells hold shades; 0: nothing to draw.
struct section {
    const struct pps_load_panel *p;
    const struct pps_time_axis *axis;
    FILE *out;
    double top;
    int n_cells; // of a row
    unsigned char *cells;
};

static double cell_x(const struct section *s, int cell)
{
    const struct pps_trace_pieces *pieces = s->p->pieces;
    const double time = pieces->load.begin + cell * s->p->step * pieces->load.width;
    return pps_time_x(s->axis, fmin(time, pieces->shown_end));
}

static void find_shades(const struct section *s, int32_t track)
{
    for (int32_t row = 0; row < s->p->n_rows; row++)
        for (int cell = 0; cell < s->n_cells; cell++) {
            const double mean = cell_of(s->p, track, row, cell * s->p->step);
            const double shade = ceil(mean * PPS_TRACE_SHADES - 1e-4);
            s->cells[row * s->n_cells + cell] =
                (unsigned char)fmin(fmax(shade, 0), PPS_TRACE_SHADES);
        }
}

// Draws all cells of one shade as one shape.
static void put_shade(const struct section *s, int shade)
{
    bool any = false;
    for (int32_t row = 0; row < s->p->n_rows; row++)
        for (int cell = 0, next; cell < s->n_cells; cell = next) {
            const unsigned char *cells = &s->cells[row * s->n_cells];
            for (next = cell + 1; next < s->n_cells && cells[next] == cells[cell];)
                next++;
            if (cells[cell] != shade)
                continue;
            if (!any)
                pps_svg_path_begin(s->out, pps_trace_shade(shade));
            any = true;
            const double x = cell_x(s, cell);
            pps_svg_path_box(s->out, (struct pps_svg_box){x, s->top + row * s->p->row,
                                                          cell_x(s, next) - x, s->p->row});
        }
    if (any)
        pps_svg_path_end(s->out);
}

// ---- the panel ----------------------------------------------------------------------------------

static void put_row_names(const struct section *s)
{
    const struct pps_load_panel *p = s->p;
    const int every = (int)ceil(LABEL / p->row);
    char text[128];
    for (int32_t row = 0; row < p->n_rows; row += every) {
        const int32_t first = row * p->together;
        const int32_t last =
            first + p->together - 1 < p->n_groups ? first + p->together - 1 : p->n_groups - 1;
        const int n = snprintf(text, sizeof text, "%.64s %d", p->pieces->names->group,
                               (int)p->groups[first]);
        if (last > first)
            snprintf(text + n, sizeof text - (size_t)n, "-%d", (int)p->groups[last]);
        pps_svg_text(s->out, s->axis->left - 8, s->top + row * p->row + fmax(p->row, 8) / 2,
                     PPS_SVG_END, 11, PPS_TRACE_PALE, text);
    }
}

static void put_heading(FILE *out, const struct pps_time_axis *axis, double y, const char *text)
{
    pps_svg_text(out, axis->left, y + HEADING / 2, PPS_SVG_START, 11, PPS_TRACE_INK, text);
}

static void put_section(struct section *s, int32_t track)
{
    pps_svg_rect(
        s->out,
        (struct pps_svg_box){s->axis->left, s->top, s->axis->w, s->p->n_rows * s->p->row},
        PPS_TRACE_GROUND, NULL);
    find_shades(s, track);
    for (int shade = 1; shade <= PPS_TRACE_SHADES; shade++)
        put_shade(s, shade);
    put_row_names(s);
}

static void put_strips(const struct pps_load_panel *p, FILE *out,
                       const struct pps_time_axis *axis, double y)
{
    const struct pps_trace_pieces *pieces = p->pieces;
    char text[128];
    double limit;
    for (int c = 0; c < count_counters(p); c++) {
        put_heading(out, axis, y, pieces->names->counters[c]);
        y += HEADING;
        for (int32_t g = 0; g < p->n_groups; g++, y += STRIP + 1) {
            snprintf(text, sizeof text, "%.64s %d", pieces->names->group, (int)p->groups[g]);
            pps_svg_text(out, axis->left - 8, y + STRIP / 2, PPS_SVG_END, 11, PPS_TRACE_PALE,
                         text);
            pps_strip_draw(out, &pieces->levels, p->groups[g], c, axis, y, STRIP,
                           pps_levels_highest(&pieces->levels, c, &limit));
        }
    }
}

bool pps_load_panel_draw(const struct pps_load_panel *p, FILE *out,
                         const struct pps_time_axis *axis, double top)
{
    const int n_bins = pps_load_bins(&p->pieces->load, p->pieces->shown_end);
    struct section s = {p, axis, out, top, 0, NULL};
    s.n_cells = (n_bins + p->step - 1) / p->step;
    s.cells = calloc((size_t)p->n_rows * (size_t)s.n_cells + 1, 1);
    for (int32_t t = 0; s.cells != NULL && t < p->n_tracks; t++) {
        put_heading(out, axis, s.top, p->pieces->names->tracks[p->tracks[t]]);
        s.top += HEADING;
        put_section(&s, p->tracks[t]);
        s.top += p->n_rows * p->row;
    }
    if (p->strips)
        put_strips(p, out, axis, s.top);
    const bool good = s.cells != NULL;
    free(s.cells);
    return good;
}
