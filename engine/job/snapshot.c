// SPDX-License-Identifier: Apache-2.0
// Writes and reads snapshots as JSON with a digest at the end, as manifests have it.
#include "engine/job/snapshot.h"

#include "base/document/json.h"
#include "base/system/machine.h"
#include "engine/best/tie_counts.h"
#include "engine/manifest/manifest.h"
#include "engine/manifest/manifest_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Seconds between two snapshots, and how many times longer a run goes on than one took.
static const double EVERY_S = 1, TIMES_LONGER = 20;

enum { PATH_ROOM = 1200 };

// ---- writing ----------------------------------------------------------------------------------

static cJSON *rows_json(const struct pps_best_row *rows, size_t n)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *row = cJSON_CreateObject();
        pps_json_add_count(row, "index", rows[i].index);
        cJSON_AddNumberToObject(row, "value", rows[i].value);
        cJSON_AddStringToObject(row, "row", rows[i].text);
        cJSON_AddItemToArray(list, row);
    }
    return list;
}

// A group's rows, then what it has counted.
static void add_groups(cJSON *list, struct pps_best_by_group *tops, const char *header)
{
    size_t n;
    struct pps_best *const *groups = pps_best_by_group_groups(tops, &n);
    for (size_t g = 0; g < n; g++) {
        cJSON *group = cJSON_CreateObject();
        cJSON_AddItemToObject(group, "rows", rows_json(groups[g]->rows, groups[g]->n));
        if (groups[g]->more.n > 0)
            cJSON_AddItemToObject(group, "equal", pps_counted_json(&groups[g]->more, header));
        cJSON_AddItemToArray(list, group);
    }
}

static void add_counts(cJSON *root, const struct pps_totals *t)
{
    pps_json_add_count(root, "points", t->points);
    pps_json_add_count(root, "rows", t->counts.rows);
    pps_json_add_count(root, "failed", t->counts.failed);
    pps_json_add_count(root, "failed_example", t->counts.failed_example);
    pps_json_add_count(root, "infeasible", t->counts.infeasible);
    pps_json_add_count(root, "pruned", t->shortcuts.pruned);
    pps_json_add_count(root, "audited", t->shortcuts.audited.rows);
    pps_json_add_count(root, "sensitive", t->shortcuts.audited.sensitive);
    cJSON_AddNumberToObject(root, "largest_difference", t->shortcuts.audited.largest);
    cJSON *left_out = cJSON_AddArrayToObject(root, "skipped");
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        cJSON *entry = cJSON_CreateObject();
        pps_json_add_count(entry, "n", t->counts.left_out[r].n);
        pps_json_add_count(entry, "example", t->counts.left_out[r].example);
        cJSON_AddItemToArray(left_out, entry);
    }
}

static char *snapshot_text(const struct pps_snapshot *s)
{
    char digest[24], *header = pps_experiment_header(s->sweep->experiment);
    struct pps_totals *const found[] = {s->earlier, s->totals};
    struct pps_totals sum = *s->totals, earlier = *s->earlier;
    struct pps_error unused;
    cJSON *root = cJSON_CreateObject();
    sum.best = sum.nearest = earlier.best = earlier.nearest =
        (struct pps_best_by_group){.k = 0};
    if (pps_totals_join(&sum, &earlier, &unused) != PPS_OK) // of counts alone: cannot fail
        return NULL;
    snprintf(digest, sizeof digest, "%016llx",
             (unsigned long long)s->sweep->experiment->digest);
    cJSON_AddStringToObject(root, "digest", digest);
    pps_json_add_count(root, "blocks", sum.points / s->sweep->block_points);
    add_counts(root, &sum);
    cJSON *best = cJSON_AddArrayToObject(root, "best");
    cJSON *nearest = cJSON_AddArrayToObject(root, "nearest");
    for (size_t i = 0; i < 2; i++) {
        add_groups(best, &found[i]->best, header);
        add_groups(nearest, &found[i]->nearest, header);
    }
    free(header);
    return pps_manifest_print(root);
}

enum pps_status pps_snapshot_write(const struct pps_snapshot *s, struct pps_error *err)
{
    char *text = snapshot_text(s);
    if (text == NULL)
        return pps_fail_memory(err, "a snapshot of the best rows");
    const enum pps_status status = pps_record_log_replace(s->log, text, strlen(text), err);
    free(text);
    return status;
}

static enum pps_status snapshot_if_due(void *self, const struct pps_block *block,
                                       struct pps_error *err)
{
    struct pps_snapshot *s = self;
    const double now_s = pps_wall_seconds();
    (void)block;
    if (s->next_s <= 0)
        s->next_s = now_s + EVERY_S;
    if (now_s < s->next_s)
        return PPS_OK;
    enum pps_status status = pps_snapshot_write(s, err);
    const double took_s = pps_wall_seconds() - now_s;
    s->next_s = now_s + (TIMES_LONGER * took_s > EVERY_S ? TIMES_LONGER * took_s : EVERY_S);
    return status;
}

struct pps_sink pps_snapshot_sink(struct pps_snapshot *snapshot)
{
    return (struct pps_sink){snapshot, snapshot_if_due};
}

// ---- reading ----------------------------------------------------------------------------------

struct reader {
    const struct pps_sweep *sweep;
    struct pps_cursor *cursor;
    const cJSON *root;
    char *header;
    bool wrong; // a member is not there, or not what it should be
};

static uint64_t count_of(struct reader *r, const cJSON *object, const char *name)
{
    const cJSON *item = pps_json_member(object, name);
    r->wrong = r->wrong || !cJSON_IsNumber(item) || !(item->valuedouble >= 0);
    return r->wrong ? 0 : (uint64_t)item->valuedouble;
}

static void read_counts(struct reader *r, struct pps_totals *t)
{
    t->points = count_of(r, r->root, "points");
    t->counts.rows = count_of(r, r->root, "rows");
    t->counts.failed = count_of(r, r->root, "failed");
    t->counts.failed_example = count_of(r, r->root, "failed_example");
    t->counts.infeasible = count_of(r, r->root, "infeasible");
    t->shortcuts.pruned = count_of(r, r->root, "pruned");
    t->shortcuts.audited.rows = count_of(r, r->root, "audited");
    t->shortcuts.audited.sensitive = count_of(r, r->root, "sensitive");
    const cJSON *largest = pps_json_member(r->root, "largest_difference");
    t->shortcuts.audited.largest = cJSON_IsNumber(largest) ? largest->valuedouble : 0;
    const cJSON *left_out = pps_json_member(r->root, "skipped");
    r->wrong = r->wrong || cJSON_GetArraySize(left_out) != PPS_MAX_REASONS;
    for (int i = 0; i < PPS_MAX_REASONS && !r->wrong; i++) {
        const cJSON *entry = cJSON_GetArrayItem(left_out, i);
        t->counts.left_out[i].n = count_of(r, entry, "n");
        t->counts.left_out[i].example = count_of(r, entry, "example");
    }
}

// The values of the group's parameters at a point.
static void find_key(struct reader *r, uint64_t index, double *key)
{
    pps_cursor_seek(r->cursor, &r->sweep->experiment->space, index);
    for (int b = 0; b < r->sweep->n_by; b++)
        key[b] = r->cursor->point[r->sweep->by[b]];
}

// Adds the rows of a group, or its counted rows, which have the value of its last row.
static enum pps_status read_group(struct reader *r, const cJSON *group, bool counted,
                                  struct pps_best_by_group *tops, struct pps_error *err)
{
    const cJSON *row, *equal = pps_json_member(group, "equal");
    double key[PPS_MAX_PARAMS] = {0}, last = 0;
    enum pps_status status = PPS_OK;
    cJSON_ArrayForEach (row, pps_json_member(group, "rows")) {
        const uint64_t index = count_of(r, row, "index");
        const cJSON *value = pps_json_member(row, "value");
        const char *text = cJSON_GetStringValue(pps_json_member(row, "row"));
        r->wrong = r->wrong || !cJSON_IsNumber(value) || text == NULL ||
                   index >= r->sweep->experiment->n_points;
        if (r->wrong || status != PPS_OK)
            return status;
        last = value->valuedouble;
        find_key(r, index, key);
        if (!counted)
            status = pps_best_by_group_add(tops, key, last, index, text, strlen(text), err);
    }
    struct pps_best_equal more;
    if (counted && equal != NULL && pps_counted_read(equal, r->header, &more))
        status = pps_best_by_group_count(tops, key, last, &more, err);
    return status;
}

static enum pps_status read_tops(struct reader *r, const char *name,
                                 struct pps_best_by_group *tops, struct pps_error *err)
{
    const cJSON *group;
    enum pps_status status = PPS_OK;
    for (int counted = 0; counted < 2; counted++) // what is counted comes after all rows
        cJSON_ArrayForEach (group, pps_json_member(r->root, name)) {
            if (status == PPS_OK)
                status = read_group(r, group, counted != 0, tops, err);
        }
    return status;
}

static enum pps_status read_all(struct reader *r, uint64_t *blocks, struct pps_totals *totals,
                                struct pps_error *err)
{
    char digest[24];
    snprintf(digest, sizeof digest, "%016llx",
             (unsigned long long)r->sweep->experiment->digest);
    const char *said = cJSON_GetStringValue(pps_json_member(r->root, "digest"));
    if (said == NULL || strcmp(said, digest) != 0)
        return pps_fail(err, PPS_E_WRONG, "is of another experiment");
    *blocks = count_of(r, r->root, "blocks");
    read_counts(r, totals);
    enum pps_status status = read_tops(r, "best", &totals->best, err);
    // The row nearest to feasible is one of all points; groups apply to the best rows only.
    struct pps_sweep all = *r->sweep;
    all.n_by = 0;
    r->sweep = &all;
    if (status == PPS_OK)
        status = read_tops(r, "nearest", &totals->nearest, err);
    if (status == PPS_OK && r->wrong)
        status = pps_fail(err, PPS_E_WRONG, "is not a snapshot of this program");
    return status;
}

enum pps_status pps_snapshot_open(struct pps_record_log *log, const struct pps_sweep *sweep,
                                  const char *path, bool resume, struct pps_error *fault,
                                  struct pps_error *err)
{
    char name[PATH_ROOM], identity[64];
    snprintf(name, sizeof name, "%s.top.part", path);
    snprintf(identity, sizeof identity, "best rows " PPS_VERSION " %016llx",
             (unsigned long long)sweep->experiment->digest);
    struct pps_record_log_ask ask = {.path = name,
                                     .identity = identity,
                                     .work = "run",
                                     .other = "is of another experiment",
                                     .resume = resume,
                                     .force = true};
    enum pps_status status = pps_record_log_open(log, &ask, err);
    if (status == PPS_OK && log->cut > 0)
        (void)pps_fail(fault, PPS_E_WRONG, "is damaged");
    if (status != PPS_E_INPUT || !resume || log->fd < 0)
        return status;
    (void)pps_fail(fault, PPS_E_WRONG, "is damaged, or of another experiment");
    pps_record_log_close(log);
    ask.resume = false;
    return pps_record_log_open(log, &ask, err);
}

enum pps_status pps_snapshot_read(struct pps_record_log *log, const struct pps_sweep *sweep,
                                  uint64_t *blocks, struct pps_totals *totals,
                                  struct pps_error *err)
{
    const char *text;
    size_t n;
    cJSON *root;
    *blocks = 0;
    *totals = (struct pps_totals){.points = 0};
    pps_sweep_tops(sweep, &totals->best, &totals->nearest);
    if (!pps_record_log_next(log, &text, &n))
        return PPS_OK;
    enum pps_status status = pps_manifest_file_parse(log->path, text, n, &root, err);
    if (status != PPS_OK)
        return status;
    struct reader r = {sweep, calloc(1, sizeof *r.cursor), root,
                       pps_experiment_header(sweep->experiment), false};
    if (r.cursor == NULL || r.header == NULL)
        status = pps_fail_memory(err, "%s", log->path);
    else
        status = read_all(&r, blocks, totals, err);
    cJSON_Delete(root);
    free(r.cursor);
    free(r.header);
    return status;
}
