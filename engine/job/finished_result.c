// SPDX-License-Identifier: Apache-2.0
// Reads a complete result: its manifest, then its index, then its rows.
#include "engine/job/finished_result.h"

#include "base/document/json.h"
#include "engine/best/tie_counts.h"
#include "engine/job/earlier_totals.h"
#include "engine/manifest/manifest_file.h"
#include "engine/read/row_text.h"
#include "engine/space/value.h"
#include "engine/store/block_text.h"
#include "engine/store/index_check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- finished best ------------------------------------------------------------------------------

enum { MAX_CELLS = 2 * PPS_MAX_PARAMS + PPS_MAX_COLUMNS };

// ---- rows -------------------------------------------------------------------------------------

struct reader {
    const struct pps_sweep *sweep;
    int n_cells, objective; // cells of a row
    int cell[PPS_MAX_PARAMS];
    struct pps_best_by_group *best;
};

static void find_cells(struct reader *r)
{
    const struct pps_experiment *e = r->sweep->experiment;
    for (int c = 0; c < e->space.n_columns; c++) {
        const int p = e->space.columns[c];
        r->cell[p] = r->n_cells;
        r->n_cells += 1 + (int)(e->space.typed >> p & 1);
    }
    r->objective = r->n_cells;
    for (int c = 0; c < r->sweep->objective; c++)
        r->objective += e->wanted[c];
    for (int c = 0; c < e->kernel->n_columns; c++)
        r->n_cells += e->wanted[c];
    r->n_cells += e->status;
}

// The group and the value of a row; false if its text is not a row of this result.
static bool read_row(const struct reader *r, const char *line, double *key, double *value)
{
    const struct pps_experiment *e = r->sweep->experiment;
    struct pps_cell cells[MAX_CELLS];
    char why[PPS_WHY];
    pps_cells_split(line, strlen(line), cells, r->n_cells);
    for (int b = 0; b < r->sweep->n_by; b++) {
        const int p = r->sweep->by[b];
        const bool typed = (e->space.typed >> p & 1) != 0;
        const struct pps_cell *cell = &cells[r->cell[p]];
        cell += typed && cell->n == 0; // a name, in the column beside the numbers
        if (!pps_value_parse(&e->kernel->params[p], cell->text, cell->n, &key[b], why))
            return false;
    }
    return pps_cell_number(cells[r->objective], value);
}

static enum pps_status wrong(const struct pps_resume_ask *ask, struct pps_error *err)
{
    return pps_fail_at(err, PPS_E_WRONG, ask->data_path, 0, 0,
                       "does not hold the best rows that its manifest describes");
}

static enum pps_status add_rows(const struct pps_resume_ask *ask, struct reader *r, char *text,
                                struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    uint64_t row = 0;
    for (char *end; status == PPS_OK && (end = strchr(text, '\n')) != NULL; text = end + 1) {
        double key[PPS_MAX_PARAMS], value;
        *end = '\0';
        if (!read_row(r, text, key, &value))
            return wrong(ask, err);
        status =
            pps_best_by_group_add(r->best, key, value, row++, text, (size_t)(end - text), err);
    }
    return status;
}

static enum pps_status add_block(const struct pps_resume_ask *ask, struct reader *r, int fd,
                                 const struct pps_index_record *record, struct pps_error *err)
{
    struct pps_blocktext *block;
    const char *text;
    enum pps_status status =
        pps_blocktext_open(&block, fd, ask->data_path, ask->sweep->codec.kind, err);
    if (status == PPS_OK)
        status = pps_blocktext_read(block, record, &text, err);
    char *copy = status == PPS_OK ? strndup(text, record->text_bytes) : NULL;
    if (status == PPS_OK && copy == NULL)
        status = pps_fail_memory(err, "%s", ask->data_path);
    if (status == PPS_OK)
        status = add_rows(ask, r, copy, err);
    free(copy);
    pps_blocktext_close(block);
    return status;
}

// ---- the manifest -----------------------------------------------------------------------------

static void add_counts(const struct pps_resume_ask *ask, const cJSON *only,
                       struct pps_totals *t)
{
    const struct pps_experiment *e = ask->sweep->experiment;
    const struct pps_whole_prefix *prefix = ask->prefix;
    const cJSON *skipped = pps_json_member(only, "skipped_points");
    t->points = e->n_points;
    t->counts = prefix->counts;
    t->judged = pps_manifest_count(only, "computed");
    t->shortcuts.pruned = pps_manifest_count(only, "pruned");
    t->counts.failed_example = pps_manifest_count(only, "failed_point");
    t->text_bytes = prefix->text_bytes - prefix->header_bytes;
    for (int r = 0; r < e->space.n_reasons; r++)
        t->counts.left_out[r].example = pps_manifest_count(skipped, e->space.reasons[r]);
}

static enum pps_status add_equal(struct reader *r, const cJSON *only, struct pps_error *err)
{
    char *header = pps_experiment_header(r->sweep->experiment);
    enum pps_status status = PPS_OK;
    const cJSON *item;
    cJSON_ArrayForEach (item, pps_json_member(only, "equal")) {
        struct pps_best_equal equal;
        double key[PPS_MAX_PARAMS], value;
        if (status == PPS_OK && pps_counted_read(item, header, &equal) &&
            read_row(r, equal.text, key, &value))
            status = pps_best_by_group_count(r->best, key, value, &equal, err);
    }
    free(header);
    return status;
}

static enum pps_status add_nearest(const cJSON *only, struct pps_best_by_group *nearest,
                                   struct pps_error *err)
{
    const char *row = cJSON_GetStringValue(pps_json_member(only, "nearest"));
    return row != NULL ? pps_best_by_group_add(nearest, NULL, 0, 0, row, strlen(row), err)
                       : PPS_OK;
}

// Reads the rows of the only block, and the counts and examples from the manifest's member
// only_top. The index of a best row is its place in the file, from 0. The caller calls
// pps_totals_free in every case.
static enum pps_status finishedtop_read(const struct pps_resume_ask *ask,
                                        const struct pps_index_record *record,
                                        const cJSON *only, struct pps_totals *totals,
                                        struct pps_error *err)
{
    struct reader reader = {.sweep = ask->sweep, .best = &totals->best};
    *totals = (struct pps_totals){.points = 0};
    pps_sweep_tops(ask->sweep, &totals->best, &totals->nearest);
    find_cells(&reader);
    add_counts(ask, only, totals);
    const int fd = open(ask->data_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pps_fail_errno(err, "cannot open", ask->data_path);
    enum pps_status status = PPS_OK;
    if (ask->prefix->n_records > 1 && record->rows > 0)
        status = add_block(ask, &reader, fd, record, err);
    if (status == PPS_OK)
        status = add_equal(&reader, only, err);
    if (status == PPS_OK)
        status = add_nearest(only, &totals->nearest, err);
    close(fd);
    return status;
}

// ---- the manifest -----------------------------------------------------------------------------

// Manifests of older versions do not have the numbers of computed and copied points.
static void add_computed(struct pps_totals *t, const cJSON *manifest)
{
    const uint64_t rows = t->judged > 0 ? t->judged : t->counts.rows;
    const uint64_t reused = t->shortcuts.reused > t->shortcuts.checked
                                ? t->shortcuts.reused - t->shortcuts.checked
                                : 0;
    const uint64_t recalled = pps_manifest_count(manifest, "recalled");
    const uint64_t known = pps_manifest_count(manifest, "computed") + recalled + reused;
    if (pps_json_member(manifest, "computed") == NULL || known > rows)
        return;
    t->shortcuts.recalled = recalled;
    t->earlier_rows = rows - known; // of runs before the last one, which say nothing of theirs
}

static void add_manifest(struct pps_finished_result *f)
{
    struct pps_totals *t = &f->totals;
    const cJSON *audit = pps_json_member(f->manifest, "audit");
    const cJSON *reused = pps_json_member(f->manifest, "reused");
    f->audit = pps_manifest_number(audit, "fraction");
    f->reuse = cJSON_GetStringValue(pps_json_member(reused, "from"));
    f->data_bytes = pps_manifest_count(f->manifest, "data_bytes");
    f->threads = (int)pps_manifest_number(f->manifest, "threads");
    t->shortcuts.audited =
        (struct pps_audited){.rows = pps_manifest_count(audit, "rows"),
                             .largest = pps_manifest_number(audit, "largest_difference"),
                             .sensitive = pps_manifest_count(audit, "sensitive")};
    t->shortcuts.reused = pps_manifest_count(reused, "rows");
    t->shortcuts.checked = pps_manifest_count(reused, "audited");
    t->wall_s = pps_manifest_number(f->manifest, "wall_s");
    t->cpu_s = pps_manifest_number(f->manifest, "cpu_s");
    add_computed(t, f->manifest);
}

// ---- the index --------------------------------------------------------------------------------

// Sums all records; *last is the last one.
static enum pps_status sum_records(const struct pps_sweep *sweep, struct pps_index *index,
                                   struct pps_whole_prefix *prefix,
                                   struct pps_index_record *last, struct pps_error *err)
{
    struct pps_index_entry entry;
    bool more = true;
    pps_whole_prefix_begin(prefix);
    for (;;) {
        enum pps_status status = pps_index_next(index, &entry, &more, err);
        if (status != PPS_OK || !more || pps_sweep_is_stopped(sweep))
            return status;
        pps_whole_prefix_add(prefix, &entry.record, entry.left_out);
        *last = entry.record;
    }
}

static enum pps_status read_index(const struct pps_sweep *sweep, const char *path,
                                  struct pps_whole_prefix *prefix,
                                  struct pps_index_record *last, struct pps_error *err)
{
    struct pps_index index = {.file.fd = -1};
    const uint64_t points =
        sweep->only_best ? sweep->experiment->n_points : sweep->block_points;
    enum pps_status status = pps_index_open(&index, path, err);
    index.only_some = sweep->only_best;
    if (status == PPS_OK && (index.file.head.block_points != points ||
                             index.file.head.n_points != sweep->experiment->n_points))
        status = pps_fail_at(err, PPS_E_WRONG, path, 0, 0, "does not belong to this result");
    if (status == PPS_OK)
        status = sum_records(sweep, &index, prefix, last, err);
    pps_index_close(&index);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status read_rows(const struct pps_sweep *sweep, const char *path,
                                 const char *index_path, struct pps_finished_result *f,
                                 struct pps_error *err)
{
    struct pps_whole_prefix prefix;
    struct pps_index_record last = {.index = PPS_NO_BLOCK};
    enum pps_status status = read_index(sweep, index_path, &prefix, &last, err);
    if (status != PPS_OK || pps_sweep_is_stopped(sweep))
        return status;
    const struct pps_resume_ask ask = {sweep, &prefix, path, index_path};
    const cJSON *only = pps_json_member(f->manifest, "only_top");
    status = sweep->only_best ? finishedtop_read(&ask, &last, only, &f->totals, err)
                              : pps_resume_totals(&ask, &f->totals, err);
    f->totals.complete = !pps_sweep_is_stopped(sweep);
    return status;
}

enum pps_status pps_finished_result_read(const struct pps_sweep *sweep, const char *path,
                                         struct pps_finished_result *finished,
                                         struct pps_error *err)
{
    char *index_path = NULL;
    *finished = (struct pps_finished_result){.threads = 0};
    enum pps_status status = pps_manifest_of_result(path, &finished->manifest, err);
    if (status != PPS_OK)
        return status;
    if (asprintf(&index_path, "%s.idx", path) < 0)
        return pps_fail_memory(err, "a path");
    finished->has_index = access(index_path, F_OK) == 0;
    if (finished->has_index)
        status = read_rows(sweep, path, index_path, finished, err);
    free(index_path);
    add_manifest(finished);
    return status;
}

void pps_finished_result_free(struct pps_finished_result *finished)
{
    pps_totals_free(&finished->totals);
    cJSON_Delete(finished->manifest);
    *finished = (struct pps_finished_result){.threads = 0};
}
