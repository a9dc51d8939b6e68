// SPDX-License-Identifier: Apache-2.0
// Writes traces in the Chrome trace format, for chrome://tracing and ui.perfetto.dev, one event per
// line. Writing errors show in the file. Quotes, backslashes and control characters in texts do not
// break the JSON: control characters become blanks.
#ifndef PPS_BASE_STREAM_CHROME_WRITE_H
#define PPS_BASE_STREAM_CHROME_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_chrome_writer {
    FILE *out;
    bool empty;    // no event has been written
    bool is_first; // of the arguments of the event
};

// Write the beginning and the end of the document. The caller owns `out`.
void pps_chrome_write_begin(struct pps_chrome_writer *writer, FILE *out);
void pps_chrome_write_end(struct pps_chrome_writer *writer);

// Name a process and a thread of a process, with their places among others. `number` follows the name
// behind a blank, or in brackets if it is a thread's; -1: none.
void pps_chrome_name_process(struct pps_chrome_writer *writer,
                             int32_t process,
                             const char *name,
                             int32_t number);
void pps_chrome_name_thread(struct pps_chrome_writer *writer,
                            int32_t process,
                            int32_t thread,
                            const char *name,
                            int32_t number,
                            int32_t sort_index);

// Begins a complete event, in microseconds; its name is the category and a number. Arguments follow,
// then pps_chrome_end_event.
struct pps_chrome_span {
    const char *category;
    int32_t number, process, thread;
    double start, duration;
};

void pps_chrome_begin_event(struct pps_chrome_writer *writer,
                            const struct pps_chrome_span *span);
void pps_chrome_write_whole(struct pps_chrome_writer *writer, const char *key, int64_t value);
void pps_chrome_write_real(struct pps_chrome_writer *writer, const char *key, double value);
void pps_chrome_write_flag(struct pps_chrome_writer *writer, const char *key, bool value);
void pps_chrome_end_event(struct pps_chrome_writer *writer);

// Writes the value of a counter; its name is `name` followed by `series`.
void pps_chrome_counter(struct pps_chrome_writer *writer,
                        int32_t process,
                        const char *name,
                        const char *series,
                        double time,
                        double value);

#endif
