// SPDX-License-Identifier: Apache-2.0
// Compares the bytes of a block with its record; verify_rows.c verifies the rows.
#include "engine/check/verify_block.h"

#include "base/columns/parquet_read.h"
#include "base/document/json.h"
#include "base/system/codec.h"
#include "base/system/disk.h"
#include "engine/check/verify_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

// ---- verify counts ------------------------------------------------------------------------------

void pps_index_add(struct pps_index_sums *sums, const struct pps_index_entry *entry)
{
    const struct pps_index_record *record = &entry->record;
    sums->crc = (uint32_t)crc32_combine(sums->crc, (uint32_t)record->text_crc,
                                        (z_off_t)record->text_bytes);
    sums->all_text_bytes += record->text_bytes;
    sums->data_end = record->offset + record->data_bytes;
    if (entry->is_header)
        return;
    sums->blocks++;
    sums->points += entry->n_points;
    sums->text_bytes += record->text_bytes;
    const struct pps_counts counts = pps_index_record_counts(record, entry->left_out);
    pps_counts_add(&sums->counts, &counts);
}

static enum pps_status contradicts(const struct pps_manifest_facts *said, const char *name,
                                   double is_said, double is, struct pps_error *err)
{
    return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                       "%s is %.17g, but %.17g in the index", name, is_said, is);
}

// Compares the shard numbers, if the manifest has them.
static enum pps_status fit_shard(const struct pps_manifest_facts *said,
                                 const struct pps_index_head *head, struct pps_error *err)
{
    const cJSON *shard = pps_json_member(said->root, "shard");
    const cJSON *index = pps_json_member(shard, "index"), *of = pps_json_member(shard, "of");
    if (shard == NULL)
        return PPS_OK;
    if (!cJSON_IsNumber(index) || !cJSON_IsNumber(of))
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "does not contain its shard number");
    if (index->valuedouble != head->shard)
        return contradicts(said, "shard", index->valuedouble, head->shard, err);
    if (of->valuedouble != head->n_shards)
        return contradicts(said, "the number of shards", of->valuedouble, head->n_shards, err);
    return PPS_OK;
}

enum pps_status pps_manifest_facts_fits_head(const struct pps_manifest_facts *said,
                                             const struct pps_index_head *head,
                                             struct pps_error *err)
{
    const struct pps_codec_choice codec = {(enum pps_codec_kind)head->codec_kind,
                                           (int)head->codec_level};
    char name[16];
    pps_codec_name(codec, name, sizeof name);
    if (head->digest != said->digest)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "belongs to the experiment %016" PRIx64
                           ", but the index to %016" PRIx64,
                           said->digest, head->digest);
    if (strcmp(name, said->codec) != 0)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "codec is %.40s, but %s in the index", said->codec, name);
    if (said->block_points != (double)head->block_points)
        return contradicts(said, "block_points", said->block_points, (double)head->block_points,
                           err);
    return fit_shard(said, head, err);
}

static enum pps_status fit_left_out(const struct pps_manifest_facts *said,
                                    const struct pps_index_sums *sums,
                                    const struct pps_experiment *experiment,
                                    struct pps_error *err)
{
    int i = 0;
    const char *reason;
    double n;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        if (sums->counts.left_out[r].n == 0)
            continue;
        if (!pps_manifest_facts_left_out(said, i++, &reason, &n) ||
            n != (double)sums->counts.left_out[r].n ||
            (experiment != NULL && strcmp(reason, experiment->space.reasons[r]) != 0))
            return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                               "its skipped points do not match the index (reason %d)", r + 1);
    }
    if (pps_manifest_facts_left_out(said, i, &reason, &n))
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "skips points that the index does not skip");
    return PPS_OK;
}

enum pps_status pps_manifest_facts_fits_sums(const struct pps_manifest_facts *said,
                                             const struct pps_index_sums *sums,
                                             const struct pps_experiment *experiment,
                                             struct pps_error *err)
{
    const struct {
        const char *name;
        double said;
        uint64_t is;
    } counts[] = {
        {"points", said->points, sums->points},
        {"rows", said->rows, sums->counts.rows},
        {"failed", said->failed, sums->counts.failed},
        {"infeasible", said->infeasible, sums->counts.infeasible},
        {"text_bytes", said->text_bytes, sums->text_bytes},
        {"data_bytes", said->data_bytes, sums->data_end},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].said != (double)counts[i].is)
            return contradicts(said, counts[i].name, counts[i].said, (double)counts[i].is, err);
    return fit_left_out(said, sums, experiment, err);
}

// ---- verify block -------------------------------------------------------------------------------

#define ZLIB_CONST // next_in is a pointer to const

struct pps_blockchecker {
    const struct pps_block_check *check;
    struct pps_rowchecker *rows;
    z_stream zlib;
    bool has_zlib;
    struct pps_parquet_reader *parquet; // of a Parquet file; or NULL
    unsigned char *data;
    char *text;
    size_t data_cap, text_cap;
};

enum pps_status pps_blockchecker_open(struct pps_blockchecker **checker,
                                      const struct pps_block_check *check,
                                      struct pps_error *err)
{
    struct pps_blockchecker *c = calloc(1, sizeof *c);
    *checker = NULL;
    if (c == NULL)
        return pps_fail_memory(err, "%s", check->path);
    c->check = check;
    c->has_zlib = inflateInit2(&c->zlib, -15) == Z_OK;
    const bool is_parquet = check->head->codec_kind == PPS_CODEC_PARQUET;
    c->parquet = is_parquet ? pps_parquet_reader_open(check->stop) : NULL;
    const enum pps_status status = c->has_zlib && is_parquet == (c->parquet != NULL)
                                       ? pps_rowchecker_open(&c->rows, check, err)
                                       : pps_fail_memory(err, "a decoder");
    if (status == PPS_OK)
        *checker = c;
    else
        pps_blockchecker_close(c);
    return status;
}

void pps_blockchecker_close(struct pps_blockchecker *c)
{
    if (c == NULL)
        return;
    pps_rowchecker_close(c->rows);
    if (c->has_zlib)
        inflateEnd(&c->zlib);
    pps_parquet_reader_close(c->parquet);
    free(c->data);
    free(c->text);
    free(c);
}

uint64_t pps_blockchecker_computed(const struct pps_blockchecker *c)
{
    return pps_rowchecker_computed(c->rows);
}

struct pps_audited pps_blockchecker_audited(const struct pps_blockchecker *c)
{
    return pps_rowchecker_audited(c->rows);
}

// ---- bytes ------------------------------------------------------------------------------------

static enum pps_status wrong(const struct pps_blockchecker *c,
                             const struct pps_index_entry *entry, struct pps_error *err,
                             const char *what)
{
    const struct pps_index_record *record = &entry->record;
    char name[64] = "the header line";
    if (!entry->is_header)
        snprintf(name, sizeof name, "block %" PRIu64, record->index);
    return pps_fail_at(err, PPS_E_WRONG, c->check->path, 0, 0,
                       "%s (bytes %" PRIu64 " to %" PRIu64 "): %s", name, record->offset,
                       record->offset + record->data_bytes - (record->data_bytes > 0), what);
}

// Grows a buffer to n bytes; its content may be lost.
static bool reserve(void **buffer, size_t *cap, size_t n)
{
    if (n <= *cap && *buffer != NULL)
        return true;
    free(*buffer);
    *cap = n + n / 4 + 64;
    *buffer = malloc(*cap);
    return *buffer != NULL;
}

static enum pps_status read_data(struct pps_blockchecker *c,
                                 const struct pps_index_entry *entry, struct pps_error *err)
{
    const struct pps_index_record *record = &entry->record;
    const size_t n = (size_t)record->data_bytes;
    void *data = c->data;
    const bool room = reserve(&data, &c->data_cap, n);
    c->data = data;
    if (!room)
        return pps_fail_memory(err, "a block of %zu bytes", n);
    enum pps_status status =
        pps_disk_read_exactly(c->check->fd, c->check->path, data, n, record->offset, err);
    if (status == PPS_OK && XXH64(data, n, 0) != record->data_xxh64)
        return wrong(c, entry, err, "its bytes do not match the index");
    return status;
}

// Deflate expands at most 1032 times: a record that claims more gets no memory. (A row group of equal
// rows is smaller still.)
static bool may_hold(uint64_t data_bytes, uint64_t text_bytes)
{
    return text_bytes / 1032 <= data_bytes;
}

// Copies the text of a start or a row group of Parquet. c->text has room for the record's text.
static enum pps_status decode(struct pps_blockchecker *c, const struct pps_index_entry *entry,
                              struct pps_error *err)
{
    const size_t bytes = (size_t)entry->record.data_bytes;
    struct pps_parquet_start start;
    const char *text = "";
    size_t n = 0, wanted;
    bool good;
    if (entry->is_header) {
        good = pps_parquet_start_read(c->data, bytes, &start, &wanted) && wanted == bytes;
        text = good ? start.line : "";
        n = good ? start.line_bytes : 0;
    } else {
        good = pps_parquet_block_text(c->parquet, c->data, bytes, &text, &n);
    }
    static const char damage[] = "it cannot be decoded";
    if (!good && !entry->is_header &&
        pps_parquet_reader_fail(c->parquet, PPS_E_WRONG, damage, err) != PPS_E_WRONG)
        return err->code;
    if (!good)
        return wrong(c, entry, err, damage);
    if (n != entry->record.text_bytes)
        return wrong(c, entry, err, "the length of its text does not match the index");
    memcpy(c->text, text, n);
    return PPS_OK;
}

static enum pps_status expand(struct pps_blockchecker *c, const struct pps_index_entry *entry,
                              struct pps_error *err)
{
    const size_t n = (size_t)entry->record.text_bytes;
    void *text = c->text;
    const bool may = c->parquet != NULL || may_hold(entry->record.data_bytes, n);
    const bool room = may && reserve(&text, &c->text_cap, n + 1);
    c->text = text;
    if (!may)
        return wrong(c, entry, err, "it is too short for its text length in the index");
    if (!room)
        return pps_fail_memory(err, "a block of %zu bytes", n);
    if (c->parquet != NULL)
        return decode(c, entry, err);
    if (!pps_index_is_gzip(c->check->head)) {
        memcpy(c->text, c->data, n);
        return PPS_OK;
    }
    inflateReset(&c->zlib);
    c->zlib.next_in = c->data;
    c->zlib.avail_in = (uInt)entry->record.data_bytes;
    c->zlib.next_out = (unsigned char *)c->text;
    c->zlib.avail_out = (uInt)n + 1; // room for one excess byte, which is then noticed
    const int rc = n > 0 ? inflate(&c->zlib, Z_SYNC_FLUSH) : Z_OK;
    if (rc == Z_MEM_ERROR)
        return pps_fail_memory(err, "zlib");
    if ((rc != Z_OK && rc != Z_BUF_ERROR) || (c->zlib.avail_in != 0 && c->zlib.avail_out != 0))
        return wrong(c, entry, err, "it cannot be decompressed completely");
    if (n > 0 && c->zlib.avail_out != 1)
        return wrong(c, entry, err, "the length of its text does not match the index");
    return PPS_OK;
}

// ---- everything -----------------------------------------------------------------------------

static enum pps_status check_header(const struct pps_blockchecker *c,
                                    const struct pps_index_entry *entry, struct pps_error *err)
{
    const size_t n = strlen(c->check->header);
    if (entry->record.text_bytes != n || memcmp(c->text, c->check->header, n) != 0)
        return wrong(c, entry, err, "its columns do not match the manifest");
    return PPS_OK;
}

enum pps_status pps_blockchecker_do(struct pps_blockchecker *c,
                                    const struct pps_index_entry *entry, struct pps_error *err)
{
    const size_t n = (size_t)entry->record.text_bytes;
    enum pps_status status = read_data(c, entry, err);
    if (status == PPS_OK)
        status = expand(c, entry, err);
    if (status != PPS_OK)
        return status;
    if (pps_crc32(c->text, n) != entry->record.text_crc)
        return wrong(c, entry, err, "the checksum of its text does not match the index");
    if (entry->is_header)
        return check_header(c, entry, err);
    return pps_rowchecker_do(c->rows, entry, c->text, n, err);
}
