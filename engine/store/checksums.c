// SPDX-License-Identifier: Apache-2.0
// Compares the bytes of a result with the checksums in its index.
#include "engine/store/checksums.h"

#include "base/system/disk.h"
#include "engine/store/file_end.h"
#include "engine/store/index_read.h"
#include "engine/store/output_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum pps_status fail_block(const struct pps_whole_prefix *prefix,
                                  const char *path,
                                  struct pps_error *err)
{
    if (prefix->n_records == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: the header line does not match %s.idx", path,
                        path);
    return pps_fail(err, PPS_E_INPUT,
                    "%s: block %llu (from byte %llu, row %llu) does not match its checksum in "
                    "%s.idx; ppsweep verify lists what is wrong",
                    path, (unsigned long long)prefix->n_records,
                    (unsigned long long)prefix->data_bytes + 1,
                    (unsigned long long)prefix->counts.rows + 1, path);
}

// Checks that the file ends after its last block, or after the end of its gzip member or its footer.
static enum pps_status check_end(const struct pps_index_reader *index,
                                 const struct pps_whole_prefix *prefix,
                                 int fd,
                                 const char *path,
                                 struct pps_error *err)
{
    const struct pps_file_end end = {.kind = (enum pps_codec_kind)index->head.codec_kind,
                                     .fd = fd,
                                     .path = path,
                                     .data_bytes = prefix->data_bytes,
                                     .text_bytes = prefix->text_bytes,
                                     .text_crc = prefix->text_crc};
    bool matches;
    uint64_t bytes = 0, wanted = 0;
    enum pps_status status = pps_file_end_check(&end, &matches, &wanted, err);
    if (status == PPS_OK)
        status = pps_disk_size(fd, path, &bytes, err);
    if (status == PPS_OK && bytes != wanted)
        status = pps_fail(err, PPS_E_INPUT, "%s: it has %llu bytes, but %llu in %s.idx", path,
                          (unsigned long long)bytes, (unsigned long long)wanted, path);
    if (status == PPS_OK && !matches)
        status = pps_fail(err, PPS_E_INPUT, "%s: its end is damaged", path);
    return status;
}

static enum pps_status check_data(const struct pps_index_reader *index,
                                  const char *path,
                                  struct pps_error *err)
{
    struct pps_whole_prefix prefix;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return pps_disk_fail_open(err, path);
    const struct pps_whole_prefix_ask ask = {index, fd, path, NULL};
    enum pps_status status = pps_whole_prefix_find(&ask, &prefix, err);
    if (status == PPS_OK && (prefix.n_records < index->n_records || index->rest_bytes > 0))
        status = fail_block(&prefix, path, err);
    if (status == PPS_OK)
        status = check_end(index, &prefix, fd, path, err);
    close(fd);
    return status;
}

enum pps_status pps_checksums_match(const char *path, bool *any, struct pps_error *err)
{
    struct pps_index_reader index = {.fd = -1};
    enum pps_index_reader_state state = PPS_INDEX_READER_MISSING;
    const size_t n = strlen(path) + sizeof ".idx";
    char *name = malloc(n);
    *any = false;
    if (name == NULL)
        return pps_fail_memory(err, "a path");
    snprintf(name, n, "%s.idx", path);
    enum pps_status status = pps_index_reader_open(&index, name, &state, err);
    *any = status == PPS_OK && state != PPS_INDEX_READER_MISSING;
    if (*any && state != PPS_INDEX_READER_WHOLE)
        status = pps_fail(err, PPS_E_INPUT, "%s is damaged", name);
    if (status == PPS_OK && *any)
        status = check_data(&index, path, err);
    pps_index_reader_close(&index);
    free(name);
    return status;
}
