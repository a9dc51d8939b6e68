// SPDX-License-Identifier: Apache-2.0
// A trace as a file of one of three forms that appears when it is whole, whoever tells it.
#ifndef PPS_TRACEWRITE_H
#define PPS_TRACEWRITE_H

#include "kernel.h"
#include "status.h"
#include "tracesvg.h"

#include <stdbool.h>

enum pps_trace_form {
    PPS_TRACE_JSON, // for viewers (tracefile.h)
    PPS_TRACE_SVG,  // a picture (tracesvg.h)
    PPS_TRACE_TEXT, // CSV (tracefile.h)
};

// The form that a word names (chrome, svg, csv), or that the ending of a path does ("-": CSV).
// false: none.
bool pps_trace_form_named(const char *word, enum pps_trace_form *form);
bool pps_trace_form_of(const char *path, enum pps_trace_form *form);

struct pps_tracewrite {
    const char *path; // "-": standard output
    enum pps_trace_form form;
    bool force;                     // replace a file that exists
    bool same;                      // without force: replace it by the same only
    const char *title;              // of a picture
    struct pps_trace_window window; // of a picture
    const struct pps_trace_names *names;
    // Sends everything to the sink, pieces in order of their start.
    enum pps_status (*tell)(void *self,
                            const struct pps_trace_sink *sink,
                            struct pps_error *err);
    void *self;
};

// Nothing is left behind where it fails.
PPS_MUST_CHECK enum pps_status pps_tracewrite(const struct pps_tracewrite *write,
                                              struct pps_error *err);

#endif
