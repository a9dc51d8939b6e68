// SPDX-License-Identifier: Apache-2.0
// Writes traces to files.
#include "engine/trace/trace_write.h"

#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "engine/trace/svg_to_png.h"
#include "engine/trace/trace_text.h"

#include <string.h>

// ---- forms ------------------------------------------------------------------------------------

static const struct {
    const char *word, *ending;
} forms[] = {
    [PPS_TRACE_JSON] = {"chrome", ".json"},
    [PPS_TRACE_SVG] = {"svg", ".svg"},
    [PPS_TRACE_TEXT] = {"csv", ".csv"},
    [PPS_TRACE_PNG] = {"png", ".png"},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

bool pps_trace_form_named(const char *word, enum pps_trace_form *form)
{
    for (int f = 0; f < N_FORMS; f++)
        if (strcmp(word, forms[f].word) == 0) {
            *form = (enum pps_trace_form)f;
            return true;
        }
    return false;
}

bool pps_trace_form_of(const char *path, enum pps_trace_form *form)
{
    *form = PPS_TRACE_TEXT;
    if (strcmp(path, "-") == 0)
        return true;
    for (int f = 0; f < N_FORMS; f++)
        if (pps_ends_with(path, forms[f].ending)) {
            *form = (enum pps_trace_form)f;
            return true;
        }
    return false;
}

// ---- writing ----------------------------------------------------------------------------------

// A sink that moves segments to the tracks of a view.
struct view_sink {
    struct pps_trace_sink sink, to;
    const int32_t *track_of;
};

static void view_piece(void *self, const struct pps_piece *piece)
{
    const struct view_sink *view = self;
    struct pps_piece moved = *piece;
    moved.track = view->track_of[piece->track];
    view->to.piece(view->to.self, &moved);
}

static void view_level(void *self, const struct pps_level *level)
{
    const struct view_sink *view = self;
    view->to.level(view->to.self, level);
}

static void view_limit(void *self, const struct pps_limit *limit)
{
    const struct view_sink *view = self;
    view->to.limit(view->to.self, limit);
}

static enum pps_status send(const struct pps_tracewrite *write,
                            struct pps_trace_sink to,
                            struct pps_error *err)
{
    if (write->view == NULL)
        return write->tell(write->self, &to, err);
    struct view_sink view = {.to = to, .track_of = write->view->track_of};
    view.sink = (struct pps_trace_sink){&view, view_piece, view_level, view_limit};
    return write->tell(write->self, &view.sink, err);
}

static struct pps_trace_names names_of(const struct pps_tracewrite *write)
{
    struct pps_trace_names names = *write->names;
    if (write->view != NULL)
        names.tracks = write->view->tracks;
    return names;
}

static enum pps_status write_text(const struct pps_tracewrite *write,
                                  FILE *out,
                                  struct pps_error *err)
{
    struct pps_tracefile *file = NULL;
    const struct pps_trace_names names = names_of(write);
    enum pps_status status = pps_tracefile_open(
        &file, write->form == PPS_TRACE_TEXT ? PPS_TRACE_CSV : PPS_TRACE_CHROME, &names, out,
        err);
    if (status != PPS_OK)
        return status;
    status = send(write, pps_tracefile_sink(file), err);
    if (status == PPS_OK)
        return pps_tracefile_close(file, err);
    pps_tracefile_abandon(file);
    return status;
}

static enum pps_status draw(void *self, FILE *out, struct pps_error *err)
{
    const struct pps_tracewrite *write = self;
    struct pps_tracesvg *svg = NULL;
    const struct pps_trace_names names = names_of(write);
    enum pps_status status = pps_tracesvg_open(&svg, write->title, write->window, &names, err);
    if (status == PPS_OK)
        status = send(write, pps_tracesvg_sink(svg), err);
    if (status == PPS_OK)
        status = pps_tracesvg_draw(svg, out, err);
    pps_tracesvg_close(svg);
    return status;
}

enum pps_status pps_tracewrite(const struct pps_tracewrite *write, struct pps_error *err)
{
    struct pps_whole_file file;
    enum pps_status status =
        pps_whole_file_open(&file, write->path, write->force || write->same, err);
    if (status != PPS_OK)
        return status;
    file.same = write->same && !write->force;
    struct pps_tracewrite drawn = *write;
    status = write->form == PPS_TRACE_SVG   ? draw(&drawn, file.out, err)
             : write->form == PPS_TRACE_PNG ? pps_svg_draw_png(draw, &drawn, file.out, err)
                                            : write_text(write, file.out, err);
    if (status == PPS_OK)
        return pps_whole_file_close(&file, err);
    pps_whole_file_abandon(&file);
    return status;
}
