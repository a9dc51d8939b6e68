// SPDX-License-Identifier: Apache-2.0
// Writes a trace as a file in one of four forms. The file appears when it is complete.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "engine/timeline/part.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdio.h>

// ---- trace csv ----------------------------------------------------------------------------------

struct pps_tracecsv {
    const struct pps_trace_names *names;
    FILE *out;
};

// Writes the header. Writing errors show in `out`.
void pps_tracecsv_begin(const struct pps_tracecsv *csv);

// Returns the sink for a kernel's `trace`; it writes to `out`.
struct pps_trace_sink pps_tracecsv_sink(struct pps_tracecsv *csv);

// ---- trace write --------------------------------------------------------------------------------

enum pps_trace_form {
    PPS_TRACE_JSON, // for ui.perfetto.dev (trace_json.h)
    PPS_TRACE_SVG,  // a picture (trace_svg.h)
    PPS_TRACE_TEXT, // CSV
    PPS_TRACE_PNG,  // the picture, converted (svg.h)
};

// Returns the form named by a word (chrome, perfetto, svg, csv, png), or by the ending of a path, which
// may have .gz behind it ("-": CSV).
// false: unknown.
bool pps_trace_form_named(const char *word, enum pps_trace_form *form);
bool pps_trace_form_of(const char *path, enum pps_trace_form *form);

// Says how to open a timeline that has been written, if a picture viewer or a text editor does not.
void pps_trace_say_next(FILE *out, enum pps_trace_form form);

// What was written, for messages.
struct pps_tracewritten {
    bool loads; // a picture shows utilisation although tasks were asked for: they are too many
    double scale; // microseconds in JSON per unit of time of the model
};

// Zero or NULL fields: without.
struct pps_tracewrite {
    const char *path; // "-": standard output
    enum pps_trace_form form;
    const struct pps_gate *gate;         // of the file
    const char *title;                   // names the point
    struct pps_trace_window window;      // of the part that is written
    const struct pps_group_list *groups; // of that part; NULL: all
    bool loads;                          // the utilisation of lanes in place of tasks; not CSV
    double width;                        // of a picture on paper, in mm
    const struct pps_trace_names *names;
    const struct pps_trace_view *view; // one of names->views; NULL: the tracks as they are
    // Sends the whole trace to the sink, segments in order of their start.
    enum pps_status (*tell)(void *self, const struct pps_trace_sink *sink,
                            struct pps_error *err);
    void *self;
    // A second point, on the same axis below the first; `tell` is called with `second`. Not CSV.
    void *second;
    const char *second_title;
    struct pps_tracewritten *written;
};

// Writes the file. After a failure nothing is left behind.
PPS_MUST_CHECK enum pps_status pps_tracewrite(const struct pps_tracewrite *write,
                                              struct pps_error *err);
