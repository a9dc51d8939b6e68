// SPDX-License-Identifier: Apache-2.0
// Verifies in this order: manifest, index head, gzip head, blocks by a pool of workers, end of
// the data, counts. If several blocks have errors, reports the first in the file.
#include "engine/check/verify.h"

#include "base/system/disk.h"
#include "base/system/threads.h"
#include "base/text/characters.h"
#include "engine/check/verify_block.h"
#include "engine/manifest/experiment_again.h"
#include "engine/run/row_maker.h"
#include "engine/store/file_end.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FEWEST_ROWS 20.0 // minimum number of recomputed rows

struct verifier {
    const struct pps_verify_ask *ask;
    struct pps_verified *verified;
    struct pps_manifest_facts said;
    struct pps_index index;
    struct pps_experiment *experiment;
    char *header, *index_path, *manifest_path;
    int fd;
    uint64_t bytes; // length of the data
    struct pps_index_sums sums;
    struct pps_block_check check;
    pthread_mutex_t lock; // guards all fields below, index and sums
    uint64_t n_dealt;     // records given to workers
    // first wrong record: no record after it is given out; UINT64_MAX: none
    uint64_t wrong_record;
    enum pps_status status;
    struct pps_error *err;
};

static enum pps_status wrong_data(const struct verifier *v, struct pps_error *err,
                                  const char *text)
{
    return pps_fail_at(err, PPS_E_WRONG, v->ask->path, 0, 0, "%s", text);
}

// ---- the three files --------------------------------------------------------------------------

static enum pps_status check_name(const char *path, struct pps_error *err)
{
    if (strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "verify reads a file with its index and manifest; stdin has none");
    if (pps_ends_with(path, ".part"))
        return pps_fail(err, PPS_E_INPUT,
                        "%s is the partial result of an unfinished run; only complete results "
                        "can be verified",
                        path);
    if (!pps_ends_with(path, ".csv.gz") && !pps_ends_with(path, ".csv") &&
        !pps_ends_with(path, ".parquet"))
        return pps_fail(err, PPS_E_INPUT,
                        "%s: expected a result, NAME.csv.gz, NAME.csv or NAME.parquet", path);
    return PPS_OK;
}

static enum pps_status missing(const struct verifier *v, const char *what,
                               struct pps_error *err)
{
    if (access(v->ask->path, F_OK) != 0 || err->code != PPS_E_INPUT)
        return err->code;
    const struct pps_error it = *err;
    return pps_fail(err, PPS_E_INPUT, "%s: without %s a result cannot be verified", it.text,
                    what);
}

static enum pps_status open_data(struct verifier *v, struct pps_error *err)
{
    char part[4096];
    const char *path = v->ask->path;
    const int n = snprintf(part, sizeof part, "%s.part", path);
    if (access(path, F_OK) != 0 && n > 0 && (size_t)n < sizeof part && access(part, F_OK) == 0)
        return pps_fail(err, PPS_E_INPUT, "%s does not exist, only %s of an interrupted run",
                        path, part);
    return pps_disk_open_regular(path, &v->fd, &v->bytes, err);
}

static enum pps_status open_files(struct verifier *v, struct pps_error *err)
{
    if (asprintf(&v->index_path, "%s.idx", v->ask->path) < 0 ||
        asprintf(&v->manifest_path, "%s.json", v->ask->path) < 0)
        return pps_fail_memory(err, "a path");
    enum pps_status status = open_data(v, err);
    if (status != PPS_OK)
        return status;
    status = pps_manifest_facts_read(&v->said, v->manifest_path, err);
    if (status != PPS_OK)
        return missing(v, "its manifest", err);
    status = pps_index_open(&v->index, v->index_path, err);
    v->index.only_some = v->said.only != NULL;
    return status == PPS_OK ? PPS_OK : missing(v, "its index", err);
}

// ---- start and end ---------------------------------------------------------------------------

static enum pps_codec_kind kind_of(const struct verifier *v)
{
    return (enum pps_codec_kind)v->index.file.head.codec_kind;
}

static enum pps_status check_start(const struct verifier *v, struct pps_error *err)
{
    bool ours;
    enum pps_status status = pps_file_start_check(kind_of(v), v->fd, v->ask->path, &ours, err);
    if (status == PPS_OK && !ours)
        return wrong_data(v, err, "its gzip header (bytes 0 to 9) is damaged");
    return status;
}

static enum pps_status check_end(const struct verifier *v, struct pps_error *err)
{
    const struct pps_file_end end = {.kind = kind_of(v),
                                     .fd = v->fd,
                                     .path = v->ask->path,
                                     .data_bytes = v->sums.data_end,
                                     .text_bytes = v->sums.all_text_bytes,
                                     .text_crc = v->sums.crc};
    char text[128];
    bool matches;
    uint64_t bytes;
    enum pps_status status = pps_file_end_check(&end, &matches, &bytes, err);
    if (status != PPS_OK)
        return status;
    if (!matches && kind_of(v) == PPS_CODEC_PARQUET) {
        snprintf(text, sizeof text, "its footer (from byte %" PRIu64 ") is damaged",
                 end.data_bytes);
        return wrong_data(v, err, text);
    }
    if (!matches && v->bytes == bytes)
        return wrong_data(v, err, "its gzip end (the last 10 bytes) is damaged");
    if (v->bytes == bytes)
        return PPS_OK;
    snprintf(text, sizeof text, "has %" PRIu64 " bytes, but %" PRIu64 " in the index", v->bytes,
             bytes);
    return wrong_data(v, err, text);
}

// ---- the pool ---------------------------------------------------------------------------------

// Keeps the first error. The caller holds the lock.
static void keep_fault(struct verifier *v, uint64_t record, enum pps_status status,
                       const struct pps_error *err)
{
    if (status == PPS_OK || record >= v->wrong_record)
        return;
    v->wrong_record = record;
    v->status = status;
    *v->err = *err;
}

// Reports the points of the blocks that were given to workers. The caller holds the lock.
static void tell_progress(const struct verifier *v)
{
    const uint64_t points = v->sums.points;
    const struct pps_passed passed = {points, v->sums.counts.rows, points, points};
    if (v->ask->watch.passed != NULL)
        v->ask->watch.passed(v->ask->watch.self, &passed);
}

static bool is_stopped(const struct verifier *v)
{
    return atomic_load_explicit(v->ask->stop, memory_order_relaxed);
}

// Returns the next block and the number of its record.
static bool deal(struct verifier *v, struct pps_index_entry *entry, uint64_t *record)
{
    struct pps_error err;
    bool more = false;
    pthread_mutex_lock(&v->lock);
    *record = v->n_dealt;
    if (is_stopped(v) && v->wrong_record == UINT64_MAX)
        keep_fault(v, 0, pps_fail(&err, PPS_E_STOPPED, "stopped"), &err);
    if (v->wrong_record == UINT64_MAX) {
        keep_fault(v, *record, pps_index_next(&v->index, entry, &more, &err), &err);
        v->n_dealt++;
    }
    more = more && v->wrong_record == UINT64_MAX;
    if (more) {
        tell_progress(v);
        pps_index_add(&v->sums, entry);
    }
    pthread_mutex_unlock(&v->lock);
    return more;
}

static void work(void *self, int i)
{
    struct verifier *v = self;
    (void)i;
    struct pps_blockchecker *checker;
    struct pps_index_entry entry;
    struct pps_error err;
    uint64_t record = 0;
    enum pps_status status = pps_blockchecker_open(&checker, &v->check, &err);
    while (status == PPS_OK && deal(v, &entry, &record))
        status = pps_blockchecker_do(checker, &entry, &err);
    pthread_mutex_lock(&v->lock);
    keep_fault(v, record, status, &err);
    if (status == PPS_OK) {
        const struct pps_audited audited = pps_blockchecker_audited(checker);
        v->verified->computed += pps_blockchecker_computed(checker);
        pps_audited_add(&v->verified->audited, &audited);
    }
    pthread_mutex_unlock(&v->lock);
    pps_blockchecker_close(checker);
}

static enum pps_status check_blocks(struct verifier *v, struct pps_error *err)
{
    const uint64_t n = v->index.n_records;
    const int threads = n < (uint64_t)v->ask->threads ? (int)n : v->ask->threads;
    v->err = err;
    v->wrong_record = UINT64_MAX;
    v->verified->points = (uint64_t)v->said.points;
    pthread_mutex_init(&v->lock, NULL);
    const enum pps_status status = pps_parallel(threads, work, v, err);
    pthread_mutex_destroy(&v->lock);
    return status == PPS_OK ? v->status : status;
}

// ---- everything -----------------------------------------------------------------------------

// Rebuilds the experiment. If this program cannot rebuild it, the result is not at fault.
static enum pps_status find_experiment(struct verifier *v, struct pps_error *err)
{
    const struct pps_verify_ask *ask = v->ask;
    struct pps_verified *verified = v->verified;
    if (!pps_experiment_again_possible(&v->said, ask->kernels, ask->version, verified->why_not,
                                       sizeof verified->why_not))
        return PPS_OK;
    enum pps_status status = pps_experiment_again(&v->said, ask->kernels, &v->index.file.head,
                                                  &ask->inputs, &v->experiment, err);
    verified->in_order = status == PPS_OK;
    if (status != PPS_E_INPUT)
        return status;
    snprintf(verified->why_not, sizeof verified->why_not, "%s%s%.240s", err->file,
             err->file[0] != '\0' ? ": " : "", err->text);
    return PPS_OK;
}

static enum pps_status prepare_rows(struct verifier *v, struct pps_error *err)
{
    size_t scratch_bytes;
    enum pps_status status = find_experiment(v, err);
    if (status != PPS_OK || v->experiment == NULL || v->ask->sample == 0)
        return status;
    status = pps_scratch_bytes(v->experiment, v->ask->threads, &scratch_bytes, err);
    return status == PPS_OK && v->ask->reference
               ? pps_audit_possible(v->experiment->kernel, err)
               : status;
}

static enum pps_status check_ending(const struct verifier *v, struct pps_error *err)
{
    if (pps_index_is_gzip(&v->index.file.head) == pps_ends_with(v->ask->path, ".gz") &&
        (kind_of(v) == PPS_CODEC_PARQUET) == pps_ends_with(v->ask->path, ".parquet"))
        return PPS_OK;
    return wrong_data(v, err, "its name and its index disagree on compression");
}

static enum pps_status prepare(struct verifier *v, struct pps_error *err)
{
    enum pps_status status = check_name(v->ask->path, err);
    if (status == PPS_OK)
        status = open_files(v, err);
    if (status == PPS_OK)
        status = pps_manifest_facts_fits_head(&v->said, &v->index.file.head, err);
    if (status == PPS_OK)
        status = check_ending(v, err);
    if (status == PPS_OK)
        status = prepare_rows(v, err);
    if (status != PPS_OK)
        return status;
    v->header = pps_manifest_facts_header(&v->said);
    if (v->header == NULL)
        return pps_fail_memory(err, "the header line");
    v->check = (struct pps_block_check){
        .path = v->ask->path,
        .fd = v->fd,
        .head = &v->index.file.head,
        .header = v->header,
        .experiment = v->experiment,
        .reference = v->ask->reference,
        .stop = v->ask->stop,
        .only_some = v->said.only != NULL,
    };
    if (v->experiment != NULL && v->ask->sample > 0)
        v->check.sample = fmax(v->ask->sample, FEWEST_ROWS / fmax(v->said.rows, 1));
    return PPS_OK;
}

static void fill_verified(const struct verifier *v)
{
    struct pps_verified *verified = v->verified;
    verified->blocks = v->sums.blocks;
    verified->data_bytes = v->bytes;
    verified->counts = v->sums.counts;
    verified->points = v->sums.points;
    verified->shard = v->index.file.head.shard;
    verified->n_shards = v->index.file.head.n_shards == 0 ? 1 : v->index.file.head.n_shards;
    verified->digest = v->said.digest;
    verified->only_some = v->said.only != NULL;
    snprintf(verified->kernel, sizeof verified->kernel, "%.63s", v->said.kernel);
    snprintf(verified->version, sizeof verified->version, "%.63s", v->said.kernel_version);
}

static enum pps_status verify(struct verifier *v, struct pps_error *err)
{
    enum pps_status status = prepare(v, err);
    if (status == PPS_OK)
        status = check_start(v, err);
    if (status == PPS_OK)
        status = check_blocks(v, err);
    if (status == PPS_OK)
        status = check_end(v, err);
    if (status == PPS_OK)
        status = pps_manifest_facts_fits_sums(&v->said, &v->sums, v->experiment, err);
    if (status != PPS_OK)
        return status;
    fill_verified(v);
    if (v->experiment == NULL && v->ask->sample > 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: its checksums and counts are right, but its rows cannot be "
                        "computed again: %s; --sample 0 skips this check",
                        v->ask->path, v->verified->why_not);
    return PPS_OK;
}

enum pps_status pps_verify(const struct pps_verify_ask *ask, struct pps_verified *verified,
                           struct pps_error *err)
{
    struct verifier v = {.ask = ask, .verified = verified, .fd = -1, .index.file.fd = -1};
    *verified = (struct pps_verified){.blocks = 0};
    enum pps_status status = verify(&v, err);
    pps_manifest_facts_free(&v.said);
    pps_index_close(&v.index);
    pps_experiment_free(v.experiment);
    free(v.header);
    free(v.index_path);
    free(v.manifest_path);
    if (v.fd >= 0)
        close(v.fd);
    return status;
}

// ---- verify shards ------------------------------------------------------------------------------

static int by_shard(const void *a, const void *b)
{
    const struct pps_verified *x = a, *y = b;
    return (x->shard > y->shard) - (x->shard < y->shard);
}

bool pps_shards_together(struct pps_verified *verified, size_t n, uint32_t *here,
                         uint32_t *missing)
{
    for (size_t i = 0; i < n; i++)
        if (verified[i].n_shards < 2 || verified[i].n_shards != verified[0].n_shards ||
            verified[i].digest != verified[0].digest)
            return false;
    qsort(verified, n, sizeof *verified, by_shard);
    *here = *missing = 0;
    for (size_t i = 0; i < n; i++) {
        *here += i == 0 || verified[i].shard != verified[i - 1].shard;
        *missing += verified[i].shard == *missing;
    }
    return true;
}
