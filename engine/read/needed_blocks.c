// SPDX-License-Identifier: Apache-2.0
// Chooses blocks by walking their points from the outermost axis inwards, without their rows.
#include "engine/read/needed_blocks.h"

#include "base/text/grow_list.h"
#include "engine/experiment/experiment.h"
#include "engine/manifest/experiment_again.h"
#include "engine/read/filter.h"
#include "engine/read/view.h"
#include "engine/store/block_text.h"
#include "engine/store/index_check.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct needed {
    struct pps_index_record record;
    uint64_t first_row; // rows before the block
};

struct pps_needed_blocks {
    char *path;
    int fd;
    const atomic_bool *stop; // or NULL
    struct pps_blocktext *text;
    struct needed *list;
    size_t n, room, next;
    uint64_t all;     // blocks of the result
    uint64_t rows;    // rows of the result before the next block
    const char *rest; // of the current block
    size_t left;
};

// ---- the points of a block --------------------------------------------------------------------

// A filter that uses parameters of axes alone.
struct test {
    const struct pps_filter *filter;
    uint64_t columns;
    int level; // the innermost axis that it uses
};

struct chooser {
    const struct pps_view *view;
    const struct pps_space *space;
    const atomic_bool *stop;
    struct test *tests;
    int n_tests;
    int param[64]; // of the first 64 columns
    struct pps_cell cells[64];
    struct pps_cursor cursor;
};

static bool is_stopped(const atomic_bool *stop)
{
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

// Returns the axis that sets the parameter of a column, or -1.
static int axis_of(const struct chooser *c, int column)
{
    for (int d = 0; c->param[column] >= 0 && d < c->space->n_axes; d++)
        if ((c->space->axes[d].sets >> c->param[column] & 1) != 0)
            return d;
    return -1;
}

static void find_tests(struct chooser *c)
{
    for (int i = 0; i < c->view->n_columns && i < 64; i++) {
        const char *name = c->view->columns[i].name;
        c->param[i] = pps_param_find(c->space->kernel, name, strlen(name));
    }
    for (int i = 0; i < c->view->n_filters; i++) {
        struct test test = {&c->view->filters[i], pps_filter_uses(&c->view->filters[i]), -1};
        bool known = test.columns != 0;
        for (uint64_t rest = test.columns; rest != 0; rest &= rest - 1) {
            const int d = axis_of(c, __builtin_ctzll(rest));
            known = known && d >= 0;
            test.level = d > test.level ? d : test.level;
        }
        if (known)
            c->tests[c->n_tests++] = test;
    }
}

// Does the current point pass? Its cells have the text that its row has.
static bool passes(struct chooser *c, const struct test *test)
{
    for (uint64_t rest = test->columns; rest != 0; rest &= rest - 1) {
        const int column = __builtin_ctzll(rest);
        const struct pps_axis_cell *cell = c->cursor.cells.of[c->param[column]];
        c->cells[column] = (struct pps_cell){cell->text, (size_t)cell->n - 1};
    }
    return pps_filter_passes(test->filter, c->cells);
}

// Returns the outermost axis whose value excludes the current point; -1: none.
static int excluding_level(struct chooser *c)
{
    int level = c->space->n_axes, fresh = c->cursor.fresh;
    for (int d = fresh; d < level; d++)
        if (c->cursor.level[d].refused)
            level = d;
    const int refused = level;
    for (int i = 0; i < c->n_tests; i++) {
        const struct test *test = &c->tests[i];
        if (test->level >= fresh && test->level < refused && test->level < level &&
            !passes(c, test))
            level = test->level;
    }
    c->cursor.fresh = INT_MAX;
    return level < c->space->n_axes ? level : -1;
}

// Sets *found if a point in [first, end) passes all tests.
static enum pps_status find_point(struct chooser *c, uint64_t first, uint64_t end, bool *found,
                                  struct pps_error *err)
{
    *found = false;
    pps_cursor_seek(&c->cursor, c->space, first);
    for (uint64_t steps = 0;; steps++) {
        const int level = excluding_level(c);
        *found = level < 0;
        if (*found)
            return PPS_OK;
        const uint64_t past = c->cursor.level[level].end;
        if (past >= end)
            return PPS_OK;
        if (past == c->cursor.index + 1)
            pps_cursor_step(&c->cursor);
        else
            pps_cursor_seek(&c->cursor, c->space, past);
        if (steps % 4096 == 0 && is_stopped(c->stop))
            return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s", c->view->path);
    }
}

// ---- choosing ---------------------------------------------------------------------------------

static enum pps_status keep(struct pps_needed_blocks *blocks,
                            const struct pps_index_entry *entry, struct pps_error *err)
{
    struct needed *list = pps_grow(blocks->list, &blocks->room, blocks->n + 1, sizeof *list);
    if (list == NULL)
        return pps_fail_memory(err, "%s", blocks->path);
    blocks->list = list;
    list[blocks->n++] = (struct needed){entry->record, entry->first_row};
    return PPS_OK;
}

// Keeps the blocks with points that pass. *worth is false if they are at least half of the file.
static enum pps_status choose(struct pps_needed_blocks *blocks, struct chooser *c,
                              struct pps_index *index, bool *worth, struct pps_error *err)
{
    struct stat at;
    uint64_t bytes = 0;
    enum pps_status status = fstat(blocks->fd, &at) == 0 ? PPS_OK : PPS_E_WRONG;
    for (bool more = true; status == PPS_OK;) {
        struct pps_index_entry entry;
        bool found = false;
        status = pps_index_next(index, &entry, &more, err);
        if (status != PPS_OK || !more)
            break;
        if (!entry.is_header && entry.record.rows > 0)
            status = find_point(c, entry.first, entry.first + entry.n_points, &found, err);
        if (status == PPS_OK && found)
            status = keep(blocks, &entry, err);
        bytes += found ? entry.record.data_bytes : 0;
        *worth = bytes < (uint64_t)at.st_size / 2;
        if (!*worth)
            return status;
    }
    *worth = *worth && status == PPS_OK && (uint64_t)at.st_size >= index->data_end;
    return status;
}

static enum pps_status choose_of(struct pps_needed_blocks *blocks, const struct pps_view *view,
                                 const struct pps_experiment *experiment,
                                 struct pps_index *index, bool *worth, struct pps_error *err)
{
    struct chooser *c = calloc(1, sizeof *c);
    enum pps_status status = PPS_OK;
    if (c != NULL)
        c->tests = calloc((size_t)view->n_filters, sizeof *c->tests);
    if (c == NULL || c->tests == NULL) {
        free(c);
        return pps_fail_memory(err, "%s", view->path);
    }
    c->view = view;
    c->space = &experiment->space;
    c->stop = blocks->stop;
    find_tests(c);
    if (c->n_tests > 0)
        status = choose(blocks, c, index, worth, err);
    free(c->tests);
    free(c);
    return status;
}

// ---- opening ----------------------------------------------------------------------------------

static bool is_compressed(const struct pps_index_head *head)
{
    return pps_index_is_gzip(head) || head->codec_kind == PPS_CODEC_PARQUET;
}

// Chooses by the manifest `said` and the index.
static enum pps_status choose_by(struct pps_needed_blocks *blocks, const struct pps_view *view,
                                 const struct pps_kernel *const *kernels,
                                 const struct pps_manifest_facts *said, struct pps_index *index,
                                 bool *worth, struct pps_error *err)
{
    const struct pps_input_words none = {.n = 0};
    struct pps_experiment *experiment = NULL;
    char why[256];
    if (!pps_experiment_again_possible(said, kernels, PPS_VERSION, why, sizeof why))
        return PPS_OK;
    index->only_some = said->only != NULL;
    blocks->all = index->n_records - 1;
    enum pps_status status =
        pps_experiment_again(said, kernels, &index->file.head, &none, &experiment, err);
    if (status == PPS_OK && experiment->space.sample == NULL)
        status = choose_of(blocks, view, experiment, index, worth, err);
    pps_experiment_free(experiment);
    return status;
}

static enum pps_status choose_blocks(struct pps_needed_blocks *blocks,
                                     const struct pps_view *view,
                                     const struct pps_kernel *const *kernels, bool *worth,
                                     struct pps_error *err)
{
    char *index_path = NULL, *manifest_path = NULL;
    struct pps_manifest_facts said = {0};
    struct pps_index index = {.file = {.fd = -1}};
    enum pps_status status = PPS_E_MACHINE;
    if (asprintf(&index_path, "%s.idx", view->path) < 0)
        index_path = NULL;
    else if (asprintf(&manifest_path, "%s.json", view->path) < 0)
        manifest_path = NULL;
    else
        status = pps_index_open(&index, index_path, err);
    if (status == PPS_OK && index.n_records > 2 && is_compressed(&index.file.head))
        status = pps_manifest_facts_read(&said, manifest_path, err);
    if (status == PPS_OK && said.root != NULL && said.digest == index.file.head.digest)
        status = choose_by(blocks, view, kernels, &said, &index, worth, err);
    if (status == PPS_OK && *worth)
        status = pps_blocktext_open(&blocks->text, blocks->fd, blocks->path,
                                    (enum pps_codec_kind)index.file.head.codec_kind, err);
    pps_manifest_facts_free(&said);
    pps_index_close(&index);
    free(index_path);
    free(manifest_path);
    return status;
}

// Of a result that cannot be read by block, the whole file is read: only a stop ends that too.
enum pps_status pps_needed_blocks_open(struct pps_needed_blocks **blocks,
                                       const struct pps_view *view,
                                       const struct pps_kernel *const *kernels,
                                       const atomic_bool *stop, struct pps_error *err)
{
    struct pps_error unused;
    bool worth = false;
    *blocks = NULL;
    if (view->n_filters == 0 || strcmp(view->path, "-") == 0)
        return PPS_OK;
    struct pps_needed_blocks *b = calloc(1, sizeof *b);
    if (b == NULL)
        return pps_fail_memory(err, "%s", view->path);
    b->stop = stop;
    b->path = strdup(view->path);
    b->fd = open(view->path, O_RDONLY | O_CLOEXEC);
    enum pps_status status = b->path == NULL || b->fd < 0
                                 ? PPS_E_MACHINE
                                 : choose_blocks(b, view, kernels, &worth, &unused);
    if (status == PPS_OK && worth) {
        *blocks = b;
        return PPS_OK;
    }
    pps_needed_blocks_close(b);
    if (status != PPS_E_STOPPED)
        return PPS_OK;
    *err = unused;
    return status;
}

void pps_needed_blocks_close(struct pps_needed_blocks *blocks)
{
    if (blocks == NULL)
        return;
    pps_blocktext_close(blocks->text);
    if (blocks->fd >= 0)
        close(blocks->fd);
    free(blocks->list);
    free(blocks->path);
    free(blocks);
}

// ---- reading ----------------------------------------------------------------------------------

static enum pps_status next_block(struct pps_needed_blocks *blocks, uint64_t *skipped,
                                  struct pps_error *err)
{
    if (is_stopped(blocks->stop))
        return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s", blocks->path);
    const struct needed *block = &blocks->list[blocks->next++];
    *skipped = block->first_row - blocks->rows;
    blocks->rows = block->first_row + block->record.rows;
    blocks->left = (size_t)block->record.text_bytes;
    return pps_blocktext_read(blocks->text, &block->record, &blocks->rest, err);
}

enum pps_status pps_needed_blocks_read(struct pps_needed_blocks *blocks, char *out, size_t cap,
                                       size_t *n, uint64_t *skipped, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *n = 0;
    *skipped = 0;
    if (blocks->left == 0 && blocks->next < blocks->n)
        status = next_block(blocks, skipped, err);
    if (status != PPS_OK || blocks->left == 0)
        return status;
    *n = blocks->left < cap ? blocks->left : cap;
    memcpy(out, blocks->rest, *n);
    blocks->rest += *n;
    blocks->left -= *n;
    return PPS_OK;
}

double pps_needed_blocks_part(const struct pps_needed_blocks *blocks)
{
    return blocks->n == 0 ? 1 : (double)blocks->next / (double)blocks->n;
}

struct pps_block_counts pps_needed_blocks_counts(const struct pps_needed_blocks *blocks)
{
    return (struct pps_block_counts){blocks->next, blocks->n, blocks->all};
}
