// SPDX-License-Identifier: Apache-2.0
// Writes the results of runs as the tables and documents that other nd commands read (results.md).
#include "base/document/json.h"
#include "base/system/disk.h"
#include "base/text/number.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "planner/nd/results/results.h"
#include "planner/shared/files.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CALIBRATION_STAGES = 16, SECOND_CALIBRATION_STAGES = 13 };

// ---- cells --------------------------------------------------------------------------------------

static void add_whole(struct text_buffer *out, int64_t value)
{
    if (value != 0)
        text_buffer_add(out, "%" PRId64, value);
    text_buffer_add(out, ",");
}

static void add_real(struct text_buffer *out, double value, int decimals)
{
    if (!isnan(value) && value != 0)
        text_buffer_add_number(out, number_text_round(value, decimals));
    text_buffer_add(out, ",");
}

// Writes the last cell of a line: a text, in quotes if it needs them.
static void add_text(struct text_buffer *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        text_buffer_add(out, "%s\n", text);
        return;
    }
    text_buffer_add(out, "\"");
    for (; *text != '\0'; text++)
        text_buffer_add(out, *text == '"' ? "\"\"" : "%c", *text);
    text_buffer_add(out, "\"\n");
}

// Writes dp, tp, pp and ep; ep is 1 if the name of the run has none.
static void add_key(struct text_buffer *out, const struct run_degrees *d)
{
    text_buffer_add(out, "%d,%d,%d,%d,", d->dp, d->tp, d->pp, d->ep > 0 ? d->ep : 1);
}

static void add_other_degrees(struct text_buffer *out, const struct run_degrees *d)
{
    add_whole(out, d->cp);
    add_whole(out, d->op);
    add_whole(out, d->mbs);
}

// ---- peaks of logs ------------------------------------------------------------------------------

static bool has_dry_run(const struct nd_result *r)
{
    return r->has_peak && !nd_result_is_profiled(r) && !r->is_repeated;
}

static void add_place(struct text_buffer *out, const struct nd_result *r,
                      const struct log_peak *p)
{
    add_real(out, p->held_mb, 3);
    add_whole(out, (int64_t)p->line);
    add_text(out, r->files.paths[p->file]);
}

// Columns of --dryrun-data, then the peak with fragments and where the peak is in the logs.
static void add_peaks(struct text_buffer *out, const struct nd_result *r)
{
    const struct log_peak peak = dry_run_peak(&r->logs, &r->degrees, -1);
    if (!has_dry_run(r))
        return;
    add_key(out, &r->degrees);
    add_real(out, log_peak_mb(&peak), 3);
    if (peak.rank >= 0)
        text_buffer_add(out, "%d", peak.rank);
    text_buffer_add(out, ",");
    add_other_degrees(out, &r->degrees);
    add_place(out, r, &peak);
}

// Columns of --check-data.
static void add_stages(struct text_buffer *out, const struct nd_result *r)
{
    for (int32_t stage = 0; has_dry_run(r) && stage < r->degrees.pp; stage++) {
        const struct log_peak peak = dry_run_peak(&r->logs, &r->degrees, stage);
        if (log_peak_mb(&peak) == 0)
            continue;
        add_key(out, &r->degrees);
        text_buffer_add(out, "%d,", stage);
        add_real(out, log_peak_mb(&peak), 3);
        add_place(out, r, &peak);
    }
}

// ---- profiles -----------------------------------------------------------------------------------

// Columns of --parser-result.
static void add_ratios(struct text_buffer *out, const struct nd_result *r)
{
    if (!r->has_ratios || r->is_repeated)
        return;
    add_key(out, &r->degrees);
    add_other_degrees(out, &r->degrees);
    add_real(out, r->ratios.dense, 6);
    add_real(out, r->ratios.backward, 6);
    add_real(out, r->ratios.recompute, 6);
    add_real(out, r->ratios.head, 6);
    text_buffer_add_number(out, number_text_round(r->ratios.layer_ms, 6));
    text_buffer_add(out, "\n");
}

static void add_memory_row(struct text_buffer *out, const struct nd_result *r,
                           const struct profile_rank *rank, const char *path)
{
    const struct profile_memory *memory = &rank->memory;
    const double peak = memory->used_mb > 0 ? memory->used_mb : memory->held_mb;
    const bool has_layers =
        r->degrees.pp == 1 && memory->static_mb > 0 && rank->shape.layers > 0;
    add_key(out, &r->degrees);
    add_other_degrees(out, &r->degrees);
    text_buffer_add(out, "%d,%d,", rank->stage, rank->rank);
    add_real(out, peak, 3);
    add_real(out, memory->held_mb, 3);
    add_real(out, memory->static_mb, 3);
    add_real(out, has_layers ? (peak - memory->static_mb) / rank->shape.layers : 0, 3);
    add_text(out, path);
}

// Memory of profiled runs: from the profile, else from the logs.
static void add_memory(struct text_buffer *out, const struct nd_result *r)
{
    bool has_any = false;
    for (size_t i = 0; i < r->profile.n_ranks && !r->is_repeated; i++) {
        const struct profile_rank *rank = &r->profile.ranks[i];
        if (rank->memory_file < 0)
            continue;
        add_memory_row(out, r, rank, r->files.paths[rank->memory_file]);
        has_any = true;
    }
    const bool uses_logs =
        nd_result_is_profiled(r) && !has_any && r->has_peak && !r->is_repeated;
    for (size_t i = 0; i < r->logs.n_peaks && uses_logs; i++) {
        const struct log_peak *peak = &r->logs.peaks[i];
        const struct profile_rank rank = {
            .rank = peak->rank,
            .stage = run_stage_of(&r->degrees, peak->rank),
            .memory = {.used_mb = peak->used_mb, .held_mb = peak->held_mb},
        };
        add_memory_row(out, r, &rank, r->files.paths[peak->file]);
    }
}

// ---- tables -------------------------------------------------------------------------------------

static const struct {
    const char *name, *header;
    void (*add)(struct text_buffer *out, const struct nd_result *result);
} TABLES[] = {
    {"dry_run_peaks.csv", "dp,tp,pp,ep,peak_mb,rank,cp,op,mbs,actual_peak_mb,line,file",
     add_peaks},
    {"stage_peaks.csv", "dp,tp,pp,ep,stage,peak_mb,actual_peak_mb,line,file", add_stages},
    {"profile_ratios.csv", "dp,tp,pp,ep,cp,op,mbs,dmratio,bfratio,re_grow_ration,hratio,moe_bw",
     add_ratios},
    {"profile_memory.csv",
     "dp,tp,pp,ep,cp,op,mbs,stage,rank,peak_mb,actual_peak_mb,static_mb,act_mb,file",
     add_memory},
};

enum { N_TABLES = sizeof TABLES / sizeof TABLES[0] };

// Makes a table. Returns whether it has rows.
static bool make_table(struct text_buffer *out, const struct nd_results *results, int table)
{
    *out = (struct text_buffer){.n = 0};
    text_buffer_add(out, "%s\n", TABLES[table].header);
    const size_t empty = out->n;
    for (size_t i = 0; i < results->n; i++)
        TABLES[table].add(out, &results->rows[i]);
    return out->failed || out->n > empty;
}

// Writes the tables that have rows. Nothing is written if one of them exists, unless `force`.
static enum pps_status write_tables(const struct nd_results *results, const char *folder,
                                    const struct pps_gate *gate, struct pps_error *err)
{
    char paths[N_TABLES][PLAN_PATH + 64];
    struct text_buffer texts[N_TABLES];
    bool has_rows[N_TABLES];
    enum pps_status status = PPS_OK;
    for (int k = 0; k < N_TABLES; k++) {
        has_rows[k] = make_table(&texts[k], results, k);
        snprintf(paths[k], sizeof paths[k], "%s/%s", folder, TABLES[k].name);
        if (status == PPS_OK && has_rows[k])
            status = pps_gate_check(gate, paths[k], err);
    }
    for (int k = 0; k < N_TABLES; k++) {
        if (status == PPS_OK && has_rows[k]) {
            status = plan_write_text(paths[k], &texts[k], gate, err);
            if (status == PPS_OK)
                pps_say(stdout, "wrote %s", paths[k]);
        }
        text_buffer_free(&texts[k]);
    }
    return status;
}

// ---- documents ----------------------------------------------------------------------------------

static enum pps_status write_document(cJSON *document, const char *folder, const char *part,
                                      const struct nd_result *r, const struct pps_gate *gate,
                                      struct pps_error *err)
{
    char path[2 * PLAN_PATH];
    struct text_buffer out = {.n = 0};
    char *text = document != NULL ? pps_json_print_line(document) : NULL;
    cJSON_Delete(document);
    if (text == NULL)
        return pps_fail_memory(err, "%s", r->path);
    text_buffer_add(&out, "%s\n", text);
    cJSON_free(text);
    snprintf(path, sizeof path, "%s/%s", folder, part);
    enum pps_status status = pps_disk_make_folder(path, err);
    snprintf(path, sizeof path, "%s/%s/%s.json", folder, part, run_file_name(r->path));
    if (status == PPS_OK)
        status = plan_write_text(path, &out, gate, err);
    text_buffer_free(&out);
    return status;
}

// Returns the peaks of a calibration run: one per stage, of all stages of a known layout; or NULL.
static cJSON *calibration_of(const struct nd_result *r)
{
    const int32_t stages = r->degrees.pp;
    if (!has_dry_run(r) ||
        (stages != CALIBRATION_STAGES && stages != SECOND_CALIBRATION_STAGES))
        return NULL;
    cJSON *document = cJSON_CreateObject();
    cJSON *used = cJSON_AddArrayToObject(document, "peak_mb");
    cJSON *held = cJSON_AddArrayToObject(document, "actual_peak_mb");
    bool stored = used != NULL && held != NULL;
    for (int32_t stage = 0; stored && stage < stages; stage++) {
        const struct log_peak peak = dry_run_peak(&r->logs, &r->degrees, stage);
        stored = peak.used_mb > 0 && peak.held_mb > 0 &&
                 cJSON_AddItemToArray(used, cJSON_CreateNumber(peak.used_mb)) &&
                 cJSON_AddItemToArray(held, cJSON_CreateNumber(peak.held_mb));
    }
    if (stored)
        return document;
    cJSON_Delete(document);
    return NULL;
}

static enum pps_status write_documents(const struct nd_results *results, const char *folder,
                                       const struct pps_gate *gate, struct pps_error *err)
{
    size_t n_times = 0, n_calibrations = 0;
    enum pps_status status = PPS_OK;
    for (size_t i = 0; status == PPS_OK && i < results->n; i++) {
        const struct nd_result *r = &results->rows[i];
        cJSON *calibration = calibration_of(r);
        if (r->has_ratios && !r->is_repeated) {
            status = write_document(profile_run_document(&r->profile, &r->degrees), folder,
                                    "profile_times", r, gate, err);
            n_times++;
        }
        if (status == PPS_OK && calibration != NULL) {
            status = write_document(calibration, folder, "calibration", r, gate, err);
            calibration = NULL;
            n_calibrations++;
        }
        cJSON_Delete(calibration);
    }
    if (status == PPS_OK && n_times > 0)
        pps_say(stdout, "wrote %zu file%s in %s/profile_times", n_times,
                n_times == 1 ? "" : "s", folder);
    if (status == PPS_OK && n_calibrations > 0)
        pps_say(stdout, "wrote %zu file%s in %s/calibration", n_calibrations,
                n_calibrations == 1 ? "" : "s", folder);
    return status;
}

enum pps_status nd_results_write(const struct nd_results *results, const char *folder,
                                 const struct pps_gate *gate, struct pps_error *err)
{
    enum pps_status status = pps_disk_make_folder(folder, err);
    if (status == PPS_OK)
        status = write_tables(results, folder, gate, err);
    return status == PPS_OK ? write_documents(results, folder, gate, err) : status;
}
