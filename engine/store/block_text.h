// SPDX-License-Identifier: Apache-2.0
// The block reader returns the text of single blocks of a result, located by their index
// records.
#pragma once

#include "engine/store/output.h"

struct pps_blocktext; // one per thread

// Opens a reader of the blocks of the open file fd. The path is used in error messages only.
// The caller keeps ownership of fd. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_blocktext_open(struct pps_blocktext **reader, int fd,
                                                  const char *path, enum pps_codec_kind kind,
                                                  struct pps_error *err);
void pps_blocktext_close(struct pps_blocktext *reader); // NULL is allowed

// Switches the reader to another open file with the same codec.
void pps_blocktext_turn(struct pps_blocktext *reader, int fd, const char *path);

// Returns the stored (compressed) bytes of a block, valid until the next call. Returns
// PPS_E_INPUT if the bytes do not match the record.
PPS_MUST_CHECK enum pps_status pps_blocktext_data(struct pps_blocktext *reader,
                                                  const struct pps_index_record *record,
                                                  const unsigned char **data,
                                                  struct pps_error *err);

// Returns the text of a block, record->text_bytes long and valid until the next call. Returns
// PPS_E_INPUT if the block does not match the record.
PPS_MUST_CHECK enum pps_status pps_blocktext_read(struct pps_blocktext *reader,
                                                  const struct pps_index_record *record,
                                                  const char **text, struct pps_error *err);
