// SPDX-License-Identifier: Apache-2.0
// The text of a plain or gzip file, in pieces: what stands between a result file and its lines.
#ifndef PPS_TEXTSOURCE_H
#define PPS_TEXTSOURCE_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>

struct pps_text_source;

// Opens path ("-": stdin) and sees from its first bytes whether it is gzip. With may_stop a
// gzip file may end anywhere (an interrupted run); else that is PPS_E_INPUT when it is met.
PPS_MUST_CHECK enum pps_status pps_text_source_open(struct pps_text_source **source,
                                                    const char *path,
                                                    bool may_stop,
                                                    struct pps_error *err);
void pps_text_source_close(struct pps_text_source *source); // NULL is fine

// Puts up to cap (> 0) bytes of text into out; *n is 0 at the end only. Text that comes before
// a fault is given first.
PPS_MUST_CHECK enum pps_status pps_text_source_read(struct pps_text_source *source,
                                                    char *out,
                                                    size_t cap,
                                                    size_t *n,
                                                    struct pps_error *err);

#endif
