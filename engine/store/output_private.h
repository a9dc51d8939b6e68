// SPDX-License-Identifier: Apache-2.0
// Declares the internals of an output, shared by output_write.c, output_open.c and output.c.
#pragma once

#include "engine/store/index_write.h"
#include "engine/store/names.h"
#include "engine/store/whole_prefix.h"

struct pps_output {
    struct pps_result_names target;
    struct pps_index_writer journal;
    struct pps_whole_prefix prefix; // the blocks kept from an interrupted run
    int fd;                         // of the data; -1: closed
    enum pps_codec_kind kind;
    bool locked;
    bool is_new;           // this run created the files: remove them if opening fails
    bool broken;           // a write or sync failed: nothing more can be appended
    bool is_sync_lost;     // data may be missing on the disk: write no more records
    bool is_lost;          // the names belong to another file now; the data was already copied
    bool is_folder_synced; // the names of the .part files are synced
    uint64_t bytes;        // of data, in whole blocks
    uint64_t text_bytes;
    uint32_t crc;         // of all text
    uint64_t least_index; // lowest index of the next block
    double synced_s;      // when the data was last synced
};

static inline const char *pps_output_data_path(const struct pps_output *output)
{
    return output->target.part[PPS_RESULT_NAMES_DATA];
}

static inline const char *pps_output_index_path(const struct pps_output *output)
{
    return output->target.part[PPS_RESULT_NAMES_INDEX];
}

// Closes all open files and frees output.
void pps_output_free(struct pps_output *output);

// Removes the .part files, the data last.
void pps_output_remove(struct pps_output *output);

// Appends n bytes to the data. After a failure the file ends where it ended before.
PPS_MUST_CHECK enum pps_status pps_output_write(struct pps_output *output, const void *data,
                                                uint64_t n, struct pps_error *err);

// Writes the data of a block and keeps its record for the journal.
PPS_MUST_CHECK enum pps_status pps_output_put(struct pps_output *output,
                                              const struct pps_block *block,
                                              struct pps_error *err);

// Writes NAME.json.part, and syncs it if `lasting` is set.
PPS_MUST_CHECK enum pps_status pps_output_manifest(const struct pps_output *output,
                                                   const char *text, bool lasting,
                                                   struct pps_error *err);
