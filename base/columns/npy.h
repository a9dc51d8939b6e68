// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file, and the records of a .zip file, of which a .npz file consists. Sources:
// NumPy's documentation of the NPY format, version 1.0, and PKWARE's APPNOTE 6.3 (with Zip64, so that
// members may have any size).
#pragma once

#include "base/text/text_buffer.h"

#include <stdint.h>

// Appends the header of an array of n items. dtype: as NumPy writes it, for example "<f8" or "<U3".
void pps_npy_header(struct text_buffer *out, const char *dtype, uint64_t n);

// A member of a zip file.
struct pps_zip_member {
    char *name;
    uint64_t at;          // of its local header in the file
    uint64_t packed, raw; // bytes
    uint32_t crc;         // of the raw bytes
};

// Appends the record before a member's data (raw deflate), always of the same length for one name. The
// numbers may be 0 at first; the record is then written again in its place.
void pps_zip_local(struct text_buffer *out, const struct pps_zip_member *member);

// Appends the directory at the end of the file. `at` is where it begins.
void pps_zip_end(struct text_buffer *out, const struct pps_zip_member *members, uint32_t n,
                 uint64_t at);
