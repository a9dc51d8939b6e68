// SPDX-License-Identifier: Apache-2.0
// Writes journal records: checksums, and the order in which records reach the disk.
#include "engine/store/index_write.h"

#include "base/system/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

// ---- index read ---------------------------------------------------------------------------------

static bool is_zero(const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static enum pps_status read_head(struct pps_index_reader *index,
                                 enum pps_index_reader_state *state, struct pps_error *err)
{
    struct stat at;
    size_t n;
    if (fstat(index->fd, &at) != 0)
        return pps_fail_errno(err, "cannot read", index->path);
    if (!S_ISREG(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a regular file", index->path);
    enum pps_status status =
        pps_disk_read_at(index->fd, index->path, &index->head, sizeof index->head, 0, &n, err);
    if (status != PPS_OK)
        return status;
    const struct pps_index_head *head = &index->head;
    if (n < sizeof *head || is_zero(head, sizeof *head))
        *state = PPS_INDEX_READER_TORN;
    else if (!pps_index_head_is_valid(head))
        *state = (uint64_t)at.st_size == sizeof *head ? PPS_INDEX_READER_TORN
                                                      : PPS_INDEX_READER_DAMAGED;
    if (*state != PPS_INDEX_READER_WHOLE)
        return PPS_OK;
    const uint64_t bytes = (uint64_t)at.st_size - sizeof *head;
    index->n_records = bytes / head->record_bytes;
    index->rest_bytes = bytes % head->record_bytes;
    return PPS_OK;
}

enum pps_status pps_index_reader_open(struct pps_index_reader *index, const char *path,
                                      enum pps_index_reader_state *state, struct pps_error *err)
{
    *index = (struct pps_index_reader){.path = path};
    *state = PPS_INDEX_READER_WHOLE;
    index->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (index->fd < 0 && errno == ENOENT) {
        *state = PPS_INDEX_READER_MISSING;
        return PPS_OK;
    }
    if (index->fd < 0)
        return pps_disk_fail_open(err, path);
    enum pps_status status = read_head(index, state, err);
    if (status != PPS_OK || *state != PPS_INDEX_READER_WHOLE)
        pps_index_reader_close(index);
    return status;
}

void pps_index_reader_close(struct pps_index_reader *index)
{
    if (index->fd >= 0)
        close(index->fd);
    index->fd = -1;
}

struct pps_counts pps_index_record_counts(const struct pps_index_record *record,
                                          const uint64_t left_out[PPS_MAX_REASONS])
{
    struct pps_counts counts = {.rows = record->rows,
                                .failed = record->failed,
                                .infeasible = record->infeasible};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        counts.left_out[r].n = left_out[r];
    return counts;
}

enum pps_status pps_index_reader_read(const struct pps_index_reader *index, uint64_t i,
                                      struct pps_index_record *record,
                                      uint64_t left_out[PPS_MAX_REASONS], bool *valid,
                                      struct pps_error *err)
{
    unsigned char bytes[sizeof *record + (PPS_MAX_REASONS + 1) * sizeof *left_out];
    const size_t n = index->head.record_bytes;
    size_t got;
    *valid = false;
    enum pps_status status = pps_disk_read_at(index->fd, index->path, bytes, n,
                                              sizeof index->head + i * n, &got, err);
    if (status != PPS_OK || got < n)
        return status;
    memcpy(record, bytes, sizeof *record);
    memset(left_out, 0, PPS_MAX_REASONS * sizeof *left_out);
    memcpy(left_out, bytes + sizeof *record, index->head.n_reasons * sizeof *left_out);
    *valid = pps_index_record_is_valid(bytes, n);
    return PPS_OK;
}

// ---- index write --------------------------------------------------------------------------------

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the journal is little endian");
_Static_assert(sizeof(struct pps_index_head) == 72, "the head has no gaps");
_Static_assert(sizeof(struct pps_index_record) == 72, "a record has no gaps");

#define MAX_WAITING (1 << 15) // records; 600 threads make fewer blocks in a second

static const char MAGIC[8] = {'p', 'p', 's', 'i', 'd', 'x', '2', '\n'};

size_t pps_index_record_bytes(int n_reasons)
{
    return sizeof(struct pps_index_record) + ((size_t)n_reasons + 1) * sizeof(uint64_t);
}

bool pps_index_head_is_valid(const struct pps_index_head *head)
{
    return memcmp(head->magic, MAGIC, sizeof MAGIC) == 0 && head->head_bytes == sizeof *head &&
           head->n_reasons <= PPS_MAX_REASONS &&
           head->record_bytes == pps_index_record_bytes((int)head->n_reasons) &&
           head->checksum == XXH64(head, offsetof(struct pps_index_head, checksum), 0);
}

bool pps_index_record_is_valid(const void *record, size_t record_bytes)
{
    uint64_t checksum;
    size_t n = record_bytes - sizeof checksum;
    memcpy(&checksum, (const unsigned char *)record + n, sizeof checksum);
    return checksum == XXH64(record, n, 0);
}

static enum pps_status init(struct pps_index_writer *journal, const char *path,
                            const struct pps_index_head *head, struct pps_error *err)
{
    *journal =
        (struct pps_index_writer){.fd = -1,
                                  .path = path,
                                  .bytes = sizeof *head,
                                  .record_bytes = head->record_bytes,
                                  .n_reasons = (int)head->n_reasons,
                                  .waiting_cap = MAX_WAITING * (size_t)head->record_bytes};
    journal->waiting = malloc(journal->waiting_cap);
    if (journal->waiting == NULL)
        return pps_fail_memory(err, "the journal");
    return PPS_OK;
}

enum pps_status pps_index_writer_create(struct pps_index_writer *journal, const char *path,
                                        const struct pps_index_head *head,
                                        struct pps_error *err)
{
    struct pps_index_head full = *head;
    memcpy(full.magic, MAGIC, sizeof MAGIC);
    full.head_bytes = sizeof full;
    full.record_bytes = (uint32_t)pps_index_record_bytes((int)head->n_reasons);
    full.checksum = XXH64(&full, offsetof(struct pps_index_head, checksum), 0);
    enum pps_status status = init(journal, path, &full, err);
    if (status == PPS_OK)
        status = pps_disk_create(path, &journal->fd, err);
    if (status == PPS_OK)
        status = pps_disk_write(journal->fd, path, &full, sizeof full, err);
    return status;
}

enum pps_status pps_index_writer_continue(struct pps_index_writer *journal, const char *path,
                                          const struct pps_index_head *head, uint64_t n_records,
                                          struct pps_error *err)
{
    enum pps_status status = init(journal, path, head, err);
    if (status != PPS_OK)
        return status;
    journal->bytes += n_records * head->record_bytes;
    status = pps_disk_reopen(path, &journal->fd, err);
    return status == PPS_OK ? pps_disk_truncate(journal->fd, path, journal->bytes, err)
                            : status;
}

void pps_index_writer_add(struct pps_index_writer *journal,
                          const struct pps_index_record *record, const uint64_t *left_out)
{
    unsigned char *at = journal->waiting + journal->waiting_bytes;
    size_t counts_bytes = (size_t)journal->n_reasons * sizeof *left_out;
    size_t n = sizeof *record + counts_bytes;
    memcpy(at, record, sizeof *record);
    memcpy(at + sizeof *record, left_out, counts_bytes);
    uint64_t checksum = XXH64(at, n, 0);
    memcpy(at + n, &checksum, sizeof checksum);
    journal->waiting_bytes += journal->record_bytes;
}

bool pps_index_writer_is_full(const struct pps_index_writer *journal)
{
    return journal->waiting_bytes == journal->waiting_cap;
}

enum pps_status pps_index_writer_flush(struct pps_index_writer *journal, struct pps_error *err)
{
    if (journal->waiting_bytes == 0)
        return PPS_OK;
    enum pps_status status = pps_disk_write(journal->fd, journal->path, journal->waiting,
                                            journal->waiting_bytes, err);
    if (status != PPS_OK) {
        // A partial record is harmless (its checksum fails), but whole records are easier to
        // read.
        uint64_t whole = journal->bytes;
        if (ftruncate(journal->fd, (off_t)whole) == 0)
            (void)lseek(journal->fd, (off_t)whole, SEEK_SET);
        return status;
    }
    journal->bytes += journal->waiting_bytes;
    journal->waiting_bytes = 0;
    return pps_disk_sync(journal->fd, journal->path, err);
}

void pps_index_writer_free(struct pps_index_writer *journal)
{
    free(journal->waiting);
    if (journal->fd >= 0)
        close(journal->fd);
    journal->waiting = NULL;
    journal->fd = -1;
}
