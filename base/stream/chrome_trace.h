// SPDX-License-Identifier: Apache-2.0
// Reads traces in the Chrome trace format, event by event in constant memory: an array of events, or an
// object with "traceEvents", as PyTorch's profiler (Kineto), Ascend's tools and this program write them.
// Plain and gzip files of any size.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PPS_CHROME_NAME = 1024, // bytes of a name that are kept, with NUL
    PPS_CHROME_WORD = 72,   // of other texts; no number is longer
    PPS_CHROME_ARGUMENTS = 16,
};

enum pps_chrome_kind {
    PPS_CHROME_ABSENT,
    PPS_CHROME_NUMBER,
    PPS_CHROME_TEXT,
    PPS_CHROME_OTHER, // true, false, null, a list or an object
};

struct pps_chrome_argument {
    enum pps_chrome_kind kind;
    char text[PPS_CHROME_WORD]; // of a number or text; true, false or null
};

// Texts end with NUL and are "" if the event has none. Numbers are texts, so that no digit is lost.
struct pps_chrome_event {
    char phase; // X: complete, C: counter, M: metadata ...; '\0': none
    char name[PPS_CHROME_NAME];
    size_t n; // bytes of the name
    char category[PPS_CHROME_WORD];
    char start[PPS_CHROME_WORD], duration[PPS_CHROME_WORD]; // microseconds
    char process[PPS_CHROME_WORD], thread[PPS_CHROME_WORD];
    struct pps_chrome_argument arguments[PPS_CHROME_ARGUMENTS]; // those that the caller names
};

struct pps_chrome_trace;

// Opens a file ("-": stdin). arguments: names of the arguments to read, ended with NULL, at most
// PPS_CHROME_ARGUMENTS; NULL: none. The names must stay valid. After an error there is nothing to
// close.
PPS_MUST_CHECK enum pps_status pps_chrome_open(struct pps_chrome_trace **trace,
                                               const char *path, const char *const *arguments,
                                               struct pps_error *err);
void pps_chrome_close(struct pps_chrome_trace *trace); // NULL is allowed

// Reads the next event, valid until the next call; *event is NULL at the end. A document without events
// has no events and is no error; text that is not JSON is PPS_E_INPUT with line and column.
PPS_MUST_CHECK enum pps_status pps_chrome_next(struct pps_chrome_trace *trace,
                                               const struct pps_chrome_event **event,
                                               struct pps_error *err);

// Fills err with the place where the last event ends and the text; returns PPS_E_INPUT.
enum pps_status pps_chrome_fail(struct pps_chrome_trace *trace, struct pps_error *err,
                                const char *text);

// Returns whether what was read so far is a trace: it has "traceEvents", or an event with a phase.
bool pps_chrome_is_trace(const struct pps_chrome_trace *trace);

// Returns the rank in "distributedInfo", as far as the file was read; -1: none.
int32_t pps_chrome_rank(const struct pps_chrome_trace *trace);
