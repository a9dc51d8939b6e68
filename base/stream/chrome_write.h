// SPDX-License-Identifier: Apache-2.0
// Writes traces in the Chrome trace format, for ui.perfetto.dev, one event per line. Writing errors
// show in the file. Quotes, backslashes and control characters in texts do not break the JSON: control
// characters become blanks.
//
// Times are in the unit of the caller and are written times `scale`, in microseconds, with at most
// three decimals: viewers know no less than a nanosecond. Both ends of an event are rounded, so events
// that do not overlap still do not overlap.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_chrome_writer {
    FILE *out;
    double scale;  // of times; the caller may set it before the first time
    bool empty;    // no event has been written
    bool has_args; // the event has an argument
};

// Begins the document with the scale 1. The caller owns `out`.
void pps_chrome_write_begin(struct pps_chrome_writer *writer, FILE *out);

// Ends the document. data: pairs of names and texts, ended with NULL, which the document holds beside
// its events ("otherData").
void pps_chrome_write_end(struct pps_chrome_writer *writer, const char *const *data);

// Name a process and a thread of a process, with their places among others. `number` follows the name
// of a thread in brackets; -1: none.
void pps_chrome_name_process(struct pps_chrome_writer *writer, int32_t process,
                             const char *name, int32_t sort_index);
void pps_chrome_name_thread(struct pps_chrome_writer *writer, int32_t process, int32_t thread,
                            const char *name, int32_t number, int32_t sort_index);

// Begins a complete event; its name is `name` and a number. Arguments may follow, then
// pps_chrome_end_event.
struct pps_chrome_span {
    const char *name;
    int32_t number, process, thread;
    double start, end;
};

void pps_chrome_begin_event(struct pps_chrome_writer *writer,
                            const struct pps_chrome_span *span);
void pps_chrome_write_whole(struct pps_chrome_writer *writer, const char *key, int64_t value);
void pps_chrome_write_real(struct pps_chrome_writer *writer, const char *key, double value);
void pps_chrome_write_flag(struct pps_chrome_writer *writer, const char *key);
void pps_chrome_end_event(struct pps_chrome_writer *writer);

// Begins the values of a counter at a time: arguments follow, one per value, then
// pps_chrome_end_event. The counter's name is `name` followed by `series`.
void pps_chrome_begin_counter(struct pps_chrome_writer *writer, int32_t process,
                              const char *name, const char *series, double time);

// Marks a moment of a process.
void pps_chrome_mark(struct pps_chrome_writer *writer, int32_t process, const char *name,
                     double time);
