// SPDX-License-Identifier: Apache-2.0
// Reads a complete result: its manifest, then its index, then its rows.
#include "engine/job/finished_result.h"

#include "base/document/json.h"
#include "engine/job/earlier_totals.h"
#include "engine/job/finished_best.h"
#include "engine/manifest/manifest_file.h"
#include "engine/store/index_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
static enum pps_status sum_records(const struct pps_sweep *sweep,
                                   struct pps_index *index,
                                   struct pps_whole_prefix *prefix,
                                   struct pps_index_record *last,
                                   struct pps_error *err)
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

static enum pps_status read_index(const struct pps_sweep *sweep,
                                  const char *path,
                                  struct pps_whole_prefix *prefix,
                                  struct pps_index_record *last,
                                  struct pps_error *err)
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

static enum pps_status read_rows(const struct pps_sweep *sweep,
                                 const char *path,
                                 const char *index_path,
                                 struct pps_finished_result *f,
                                 struct pps_error *err)
{
    struct pps_whole_prefix prefix;
    struct pps_index_record last = {.index = PPS_NO_BLOCK};
    enum pps_status status = read_index(sweep, index_path, &prefix, &last, err);
    if (status != PPS_OK || pps_sweep_is_stopped(sweep))
        return status;
    const struct pps_resume_ask ask = {sweep, &prefix, path, index_path};
    const cJSON *only = pps_json_member(f->manifest, "only_top");
    status = sweep->only_best ? pps_finishedtop_read(&ask, &last, only, &f->totals, err)
                              : pps_resume_totals(&ask, &f->totals, err);
    f->totals.complete = !pps_sweep_is_stopped(sweep);
    return status;
}

enum pps_status pps_finished_result_read(const struct pps_sweep *sweep,
                                         const char *path,
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
