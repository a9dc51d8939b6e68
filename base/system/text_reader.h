// SPDX-License-Identifier: Apache-2.0
// A text source reads the text of a plain or gzip file, or of a Parquet file of this program, in
// pieces. Result files and other inputs
// are read through it.
#pragma once

#include "base/text/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct pps_text_source;

// Opens path ("-": stdin) and detects gzip and Parquet by its first bytes. With may_stop a gzip file may
// end anywhere (an interrupted run); otherwise a missing end is PPS_E_INPUT when the reader
// reaches it. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_text_source_open(struct pps_text_source **source,
                                                    const char *path, bool may_stop,
                                                    struct pps_error *err);

// Opens a source that returns PPS_E_STOPPED soon after the flag `stop` is set, also while a pipe
// has no bytes.
PPS_MUST_CHECK enum pps_status pps_text_source_open_stoppable(struct pps_text_source **source,
                                                              const char *path, bool may_stop,
                                                              const atomic_bool *stop,
                                                              struct pps_error *err);

// Returns the row groups of a Parquet source whose line of names, and nothing else, has been read as text; NULL of
// another source. They belong to the source.
struct pps_parquet_stream *pps_text_source_parquet(struct pps_text_source *source);

// Returns the fraction of the file's bytes that have been read, or NAN if its size is unknown.
double pps_text_source_part(const struct pps_text_source *source);

// Returns whether the reader reached the end of a gzip file that has no whole trailer.
bool pps_text_source_is_truncated(const struct pps_text_source *source);

void pps_text_source_close(struct pps_text_source *source); // NULL is fine

// Writes up to cap (> 0) bytes of text to out; *n is 0 only at the end. Text before an error is
// returned first.
PPS_MUST_CHECK enum pps_status pps_text_source_read(struct pps_text_source *source, char *out,
                                                    size_t cap, size_t *n,
                                                    struct pps_error *err);
