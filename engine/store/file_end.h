// SPDX-License-Identifier: Apache-2.0
// A result file has a few bytes around its blocks: the head and the end of a gzip member, or the
// footer of Parquet. They follow from the blocks, so they can be written and checked at any time.
#pragma once

#include "base/system/codec.h"
#include "base/text/status.h"

#include <stdbool.h>
#include <stdint.h>

// Returns the bytes before the data of the header line.
uint64_t pps_file_start_bytes(enum pps_codec_kind kind);

// Sets *ours: the open file begins as results of this kind do.
PPS_MUST_CHECK enum pps_status pps_file_start_check(enum pps_codec_kind kind, int fd,
                                                    const char *path, bool *ours,
                                                    struct pps_error *err);

// A file whose blocks are complete.
struct pps_file_end {
    enum pps_codec_kind kind;
    int fd;              // open for reading
    const char *path;    // for messages
    uint64_t data_bytes; // up to the end of the last block
    uint64_t text_bytes; // of all text
    uint32_t text_crc;
};

// Passes the end to `write`, in pieces.
PPS_MUST_CHECK enum pps_status pps_file_end_write(
    const struct pps_file_end *end, void *self,
    enum pps_status (*write)(void *self, const void *data, size_t n, struct pps_error *err),
    struct pps_error *err);

// Compares the file's bytes behind the blocks with the end that they must have. *matches is false if
// they differ; *bytes is the size that the file must have.
PPS_MUST_CHECK enum pps_status pps_file_end_check(const struct pps_file_end *end, bool *matches,
                                                  uint64_t *bytes, struct pps_error *err);
