// SPDX-License-Identifier: Apache-2.0
// The text of single blocks of a result, read by their records.
#ifndef PPS_BLOCKTEXT_H
#define PPS_BLOCKTEXT_H

#include "output.h"

struct pps_blocktext; // one a thread

// Reads blocks of the open file fd, whose name is there for errors.
PPS_MUST_CHECK enum pps_status pps_blocktext_open(struct pps_blocktext **reader,
                                                  int fd,
                                                  const char *path,
                                                  enum pps_codec_kind kind,
                                                  struct pps_error *err);
void pps_blocktext_close(struct pps_blocktext *reader); // NULL is fine

// From now on reads blocks of another file of the same codec.
void pps_blocktext_turn(struct pps_blocktext *reader, int fd, const char *path);

// The compressed bytes of a block, valid until the next call. PPS_E_INPUT where they are not
// what the record says.
PPS_MUST_CHECK enum pps_status pps_blocktext_data(struct pps_blocktext *reader,
                                                  const struct pps_index_record *record,
                                                  const unsigned char **data,
                                                  struct pps_error *err);

// Its text, record->text_bytes long, likewise.
PPS_MUST_CHECK enum pps_status pps_blocktext_read(struct pps_blocktext *reader,
                                                  const struct pps_index_record *record,
                                                  const char **text,
                                                  struct pps_error *err);

#endif
