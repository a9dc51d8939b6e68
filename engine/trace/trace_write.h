// SPDX-License-Identifier: Apache-2.0
// Writes a trace as a file in one of four forms. The file appears when it is complete.
#ifndef PPS_ENGINE_TRACE_TRACE_WRITE_H
#define PPS_ENGINE_TRACE_TRACE_WRITE_H

#include "base/text/status.h"
#include "engine/trace/trace_svg.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>

enum pps_trace_form {
    PPS_TRACE_JSON, // for viewers (trace_text.h)
    PPS_TRACE_SVG,  // a picture (trace_svg.h)
    PPS_TRACE_TEXT, // CSV (trace_text.h)
    PPS_TRACE_PNG,  // the picture, converted (svg_to_png.h)
};

// Returns the form named by a word (chrome, svg, csv, png), or by the ending of a path ("-": CSV).
// false: unknown.
bool pps_trace_form_named(const char *word, enum pps_trace_form *form);
bool pps_trace_form_of(const char *path, enum pps_trace_form *form);

struct pps_tracewrite {
    const char *path; // "-": standard output
    enum pps_trace_form form;
    bool force;                     // replace a file that exists
    bool same;                      // without force: replace the file only by equal content
    const char *title;              // of a picture
    struct pps_trace_window window; // of a picture
    const struct pps_trace_names *names;
    const struct pps_trace_view *view; // one of names->views; NULL: the tracks as they are
    // Sends the whole trace to the sink, segments in order of their start.
    enum pps_status (*tell)(void *self,
                            const struct pps_trace_sink *sink,
                            struct pps_error *err);
    void *self;
};

// Writes the file. After a failure nothing is left behind.
PPS_MUST_CHECK enum pps_status pps_tracewrite(const struct pps_tracewrite *write,
                                              struct pps_error *err);

#endif
