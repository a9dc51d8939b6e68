// SPDX-License-Identifier: Apache-2.0
// Reads a text source on a thread of its own, a few pieces ahead of the caller: the caller uses one piece
// while the next ones are decompressed. One thread uses a reader at a time.
#pragma once

#include "base/system/text_reader.h"

struct pps_read_ahead;

// Starts to read the source, which the reader closes in the end. Returns PPS_E_MACHINE if the thread
// cannot start or memory runs out; the source is still the caller's then.
PPS_MUST_CHECK enum pps_status pps_read_ahead_open(struct pps_read_ahead **ahead,
                                                   struct pps_text_source *source,
                                                   struct pps_error *err);

// Like pps_text_source_read.
PPS_MUST_CHECK enum pps_status pps_read_ahead_read(struct pps_read_ahead *ahead, char *out,
                                                   size_t cap, size_t *n,
                                                   struct pps_error *err);

// Like pps_text_source_part, of the text that the caller has got.
double pps_read_ahead_part(const struct pps_read_ahead *ahead);

// Ends the thread, and closes the source. NULL is fine.
void pps_read_ahead_close(struct pps_read_ahead *ahead);
