// SPDX-License-Identifier: Apache-2.0
// Writes traces to files.
#include "engine/trace/trace_write.h"

#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "engine/trace/trace_text.h"

#include <string.h>

// ---- forms ------------------------------------------------------------------------------------

static const struct {
    const char *word, *ending;
} forms[] = {
    [PPS_TRACE_JSON] = {"chrome", ".json"},
    [PPS_TRACE_SVG] = {"svg", ".svg"},
    [PPS_TRACE_TEXT] = {"csv", ".csv"},
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

static enum pps_status write_text(const struct pps_tracewrite *write,
                                  FILE *out,
                                  struct pps_error *err)
{
    struct pps_tracefile *file = NULL;
    enum pps_status status = pps_tracefile_open(
        &file, write->form == PPS_TRACE_TEXT ? PPS_TRACE_CSV : PPS_TRACE_CHROME, write->names,
        out, err);
    if (status != PPS_OK)
        return status;
    const struct pps_trace_sink sink = pps_tracefile_sink(file);
    status = write->tell(write->self, &sink, err);
    if (status == PPS_OK)
        return pps_tracefile_close(file, err);
    pps_tracefile_abandon(file);
    return status;
}

static enum pps_status draw(const struct pps_tracewrite *write,
                            FILE *out,
                            struct pps_error *err)
{
    struct pps_tracesvg *svg = NULL;
    enum pps_status status =
        pps_tracesvg_open(&svg, write->title, write->window, write->names, err);
    if (status == PPS_OK) {
        const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
        status = write->tell(write->self, &sink, err);
    }
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
    status = write->form == PPS_TRACE_SVG ? draw(write, file.out, err)
                                          : write_text(write, file.out, err);
    if (status == PPS_OK)
        return pps_whole_file_close(&file, err);
    pps_whole_file_abandon(&file);
    return status;
}
