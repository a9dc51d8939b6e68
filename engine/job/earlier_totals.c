// SPDX-License-Identifier: Apache-2.0
// Restores the totals from blocks. Counts come from the records. An example of a reason is
// found by walking the points of the first block that has one. The best rows are read from the
// text.
#include "engine/job/earlier_totals.h"

#include "base/system/threads.h"
#include "engine/job/earlier_rows_private.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

bool pps_resume_shows(const struct pps_experiment *experiment, int column)
{
    return experiment->wanted[column];
}

// ---- the best rows ---------------------------------------------------------------------------

// The threads that look for the best rows share this.
struct team {
    const struct pps_resume_ask *ask;
    const struct pps_index_reader *index;
    int fd;
    pthread_mutex_t lock; // of the members below
    struct pps_totals *totals;
    enum pps_status status;
    struct pps_error *err;
    atomic_bool failed;
};

// Reads the blocks of thread i: every block whose number is i + 1 modulo the number of threads.
static enum pps_status read_best(struct pps_earlier_rows *reader,
                                 const struct team *team,
                                 int i,
                                 struct pps_error *err)
{
    const uint64_t n = reader->ask->prefix->n_records;
    const uint64_t step = (uint64_t)reader->ask->sweep->threads;
    enum pps_status status = PPS_OK;
    for (uint64_t r = 1 + (uint64_t)i; r < n && status == PPS_OK; r += step) {
        struct pps_index_record record;
        const char *text;
        if (atomic_load(&team->failed) || pps_sweep_is_stopped(reader->ask->sweep))
            return PPS_OK;
        status = pps_earlier_rows_read(reader, r, &record, &text, err);
        if (status == PPS_OK)
            status = pps_earlier_rows_add(reader, &record, text, err);
    }
    return status;
}

static void work(void *self, int i)
{
    struct team *team = self;
    struct pps_earlier_rows reader;
    struct pps_error err;
    enum pps_status status =
        pps_earlier_rows_open(&reader, team->ask, team->index, team->fd, &err);
    if (status == PPS_OK)
        status = read_best(&reader, team, i, &err);
    pthread_mutex_lock(&team->lock);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&team->totals->best, &reader.best, &err);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&team->totals->nearest, &reader.nearest, &err);
    if (status != PPS_OK && !atomic_exchange(&team->failed, true)) {
        team->status = status;
        *team->err = err;
    }
    pthread_mutex_unlock(&team->lock);
    pps_earlier_rows_close(&reader);
}

// ---- everything -----------------------------------------------------------------------------

static enum pps_status add_best(const struct pps_resume_ask *ask,
                                const struct pps_index_reader *index,
                                int fd,
                                struct pps_totals *totals,
                                struct pps_error *err)
{
    struct team team = {.ask = ask,
                        .index = index,
                        .fd = fd,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .totals = totals,
                        .err = err};
    const enum pps_status status = pps_parallel(ask->sweep->threads, work, &team, err);
    pthread_mutex_destroy(&team.lock);
    return status == PPS_OK ? team.status : status;
}

static enum pps_status add_failed(struct pps_earlier_rows *reader,
                                  struct pps_totals *totals,
                                  struct pps_error *err)
{
    const struct pps_resume_ask *ask = reader->ask;
    struct pps_index_record record = {.index = PPS_NO_BLOCK};
    const char *text = "";
    if (ask->prefix->first_failed == PPS_NO_BLOCK)
        return PPS_OK;
    const uint64_t stride = ask->sweep->shard.count == 0 ? 1 : ask->sweep->shard.count;
    const uint64_t i = (ask->prefix->first_failed - ask->sweep->shard.index) / stride + 1;
    enum pps_status status = pps_earlier_rows_read(reader, i, &record, &text, err);
    if (status == PPS_OK)
        totals->counts.failed_example = pps_earlier_rows_failed(reader, &record, text);
    return status;
}

static void add_left_out(struct pps_earlier_rows *reader, struct pps_totals *totals)
{
    const struct pps_whole_prefix *prefix = reader->ask->prefix;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        struct pps_left_out found[PPS_MAX_REASONS] = {{0, 0}};
        if (prefix->counts.left_out[r].n == 0)
            continue;
        pps_earlier_rows_left_out(reader, prefix->first_left_out[r], found);
        totals->counts.left_out[r].example = found[r].example;
    }
}

static enum pps_status read_totals(const struct pps_resume_ask *ask,
                                   const struct pps_index_reader *index,
                                   int fd,
                                   struct pps_totals *totals,
                                   struct pps_error *err)
{
    struct pps_earlier_rows reader;
    enum pps_status status = pps_earlier_rows_open(&reader, ask, index, fd, err);
    if (status == PPS_OK)
        status = add_failed(&reader, totals, err);
    if (status == PPS_OK)
        add_left_out(&reader, totals);
    const bool any = reader.best.k > 0 || reader.nearest.k > 0;
    pps_earlier_rows_close(&reader);
    if (status == PPS_OK && any)
        status = add_best(ask, index, fd, totals, err);
    return status;
}

static enum pps_status fail_gone(const char *path, struct pps_error *err)
{
    return pps_fail(err, PPS_E_MACHINE, "%s was removed while it was read", path);
}

enum pps_status pps_resume_totals(const struct pps_resume_ask *ask,
                                  struct pps_totals *totals,
                                  struct pps_error *err)
{
    const struct pps_whole_prefix *prefix = ask->prefix;
    const struct pps_blocks blocks = {ask->sweep->experiment->n_points,
                                      ask->sweep->block_points};
    struct pps_index_reader index;
    enum pps_index_reader_state state;
    *totals = (struct pps_totals){.counts = prefix->counts, .complete = true};
    pps_earlier_tops(ask, ask->sweep->n_best, &totals->best, &totals->nearest);
    if (prefix->n_records < 2)
        return PPS_OK;
    totals->text_bytes = prefix->text_bytes - prefix->header_bytes;
    totals->points = pps_shard_points(ask->sweep->shard, blocks, prefix->n_records - 1);
    enum pps_status status = pps_index_reader_open(&index, ask->index_path, &state, err);
    if (status != PPS_OK)
        return status;
    if (state != PPS_INDEX_READER_WHOLE)
        return fail_gone(ask->index_path, err);
    const int fd = open(ask->data_path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        status = read_totals(ask, &index, fd, totals, err);
    else
        status = fail_gone(ask->data_path, err);
    if (fd >= 0)
        close(fd);
    pps_index_reader_close(&index);
    totals->complete = !pps_sweep_is_stopped(ask->sweep);
    return status;
}
