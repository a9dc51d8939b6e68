// SPDX-License-Identifier: Apache-2.0
// What the two halves of pps_output share: opening (outputopen.c) and writing (output.c); and
// the frame around compressed blocks, for those who read it.
#ifndef PPS_OUTPUTPARTS_H
#define PPS_OUTPUTPARTS_H

#include "journal.h"
#include "prefix.h"
#include "target.h"

enum { PPS_GZIP_HEAD_BYTES = 10, PPS_GZIP_END_BYTES = 10 };

// Constant: no time, no name, no extra flags, system "unknown".
extern const unsigned char PPS_GZIP_HEAD[PPS_GZIP_HEAD_BYTES];

// The empty final block, the checksum and the length that end a file.
void pps_gzip_end(unsigned char out[PPS_GZIP_END_BYTES], uint32_t crc, uint64_t text_bytes);

struct pps_output {
    struct pps_target target;
    struct pps_journal journal;
    struct pps_prefix prefix; // of an interrupted run, that this one goes on from
    int fd;                   // of the data; -1: not open
    bool compressed, locked;
    bool is_new;           // the files are ours to remove when opening fails
    bool broken;           // a write or sync failed: nothing can follow
    bool is_sync_lost;     // data may be missing on the disk: no record may speak of it
    bool is_lost;          // its names are another file's: it was copied already
    bool is_folder_synced; // the names of the .part files last
    uint64_t bytes;        // of data, whole blocks only
    uint64_t text_bytes;
    uint32_t crc;         // of all text
    uint64_t least_index; // that the next block may have
    int64_t synced_ns;
};

int64_t pps_output_now_ns(void);

// Closes what is open and frees.
void pps_output_free(struct pps_output *output);

// Removes the .part files, data last.
void pps_output_remove(struct pps_output *output);

// Appends bytes to the data; after a failure the file ends where it did before.
PPS_MUST_CHECK enum pps_status pps_output_write(struct pps_output *output,
                                                const void *data,
                                                uint64_t n,
                                                struct pps_error *err);

// Writes a block's data and keeps its record.
PPS_MUST_CHECK enum pps_status pps_output_put(struct pps_output *output,
                                              const struct pps_block *block,
                                              struct pps_error *err);

// Writes NAME.json.part; with `lasting` syncs it.
PPS_MUST_CHECK enum pps_status pps_output_manifest(const struct pps_output *output,
                                                   const char *text,
                                                   bool lasting,
                                                   struct pps_error *err);

#endif
