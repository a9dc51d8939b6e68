// SPDX-License-Identifier: Apache-2.0
// Compares the manifests of existing files with the manifest of the requested run.
#include "engine/job/continued.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/job/earlier_totals.h"
#include "engine/manifest/difference.h"
#include "engine/read/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pps_continue_command(const struct pps_args *args, char out[PPS_COMMAND_TEXT])
{
    const char *line = pps_arg_line(args);
    size_t n = strlen(line);
    if (n >= 3 && strcmp(line + n - 3, " --") == 0) // no option may follow "--"
        n -= 3;
    const char *more = pps_arg(args, "resume") != NULL ? "" : " --resume";
    if (n + strlen(more) < PPS_COMMAND_TEXT)
        snprintf(out, PPS_COMMAND_TEXT, "%.*s%s", (int)n, line, more);
    else
        snprintf(out, PPS_COMMAND_TEXT, "the same command with --resume");
}

static bool is_there(const char *path, const char *ending)
{
    char name[1200];
    const int n = snprintf(name, sizeof name, "%s%s", path, ending);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

// The data depend only on digest, codec and shard.
static bool is_same(const cJSON *found, const cJSON *wanted)
{
    static const char *const keys[] = {"digest", "codec", "shard"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *a = pps_json_member(found, keys[i]), *b = pps_json_member(wanted, keys[i]);
        if ((a != NULL || b != NULL) && !cJSON_Compare(a, b, true))
            return false;
    }
    return true;
}

static bool is_complete(const char *path, const char *manifest)
{
    struct pps_error unused;
    cJSON *found = NULL, *wanted = cJSON_Parse(manifest);
    const bool same = is_there(path, "") &&
                      pps_result_manifest(path, &found, &unused) == PPS_OK &&
                      is_same(found, wanted);
    cJSON_Delete(found);
    cJSON_Delete(wanted);
    return same;
}

static enum pps_status fail_different(const char *path,
                                      const cJSON *found,
                                      const cJSON *wanted,
                                      bool is_part,
                                      struct pps_error *err)
{
    char what[600] = "its digest differs";
    (void)pps_manifest_difference(found, wanted, what, sizeof what);
    if (is_part)
        return pps_fail(err, PPS_E_INPUT,
                        "%s.part cannot be continued: %s; choose another name, or start again "
                        "with --force and without --resume",
                        path, what);
    return pps_fail(
        err, PPS_E_INPUT,
        "%s is the complete result of another run: %s; choose another name, or overwrite it "
        "with --force",
        path, what);
}

// Reads the manifest of an interrupted run: NAME.json.part, or NAME.json if the run ended
// between the last renames.
static enum pps_status read_part(const char *path, cJSON **found, struct pps_error *err)
{
    const bool part = is_there(path, ".json.part");
    struct pps_error unused;
    enum pps_status status = pps_result_manifest_of(path, part ? ".json.part" : ".json", found,
                                                    part ? &unused : err);
    return part ? PPS_OK : status; // may be damaged; the journal suffices
}

static enum pps_status check_part(const char *path, const cJSON *wanted, struct pps_error *err)
{
    cJSON *found = NULL;
    enum pps_status status = read_part(path, &found, err);
    // The version of the program is not part of the digest, but a new version may write other
    // bytes.
    const bool same =
        found == NULL ||
        (is_same(found, wanted) && cJSON_Compare(pps_json_member(found, "ppsweep"),
                                                 pps_json_member(wanted, "ppsweep"), true));
    if (status == PPS_OK && !same)
        status = fail_different(path, found, wanted, true, err);
    cJSON_Delete(found);
    return status;
}

static enum pps_status check_final(const char *path,
                                   const cJSON *wanted,
                                   bool force,
                                   bool *complete,
                                   struct pps_error *err)
{
    cJSON *found = NULL;
    enum pps_status status = pps_result_manifest(path, &found, err);
    *complete = status == PPS_OK && found != NULL && is_same(found, wanted);
    if (status == PPS_OK && found != NULL && !*complete && !force)
        status = fail_different(path, found, wanted, false, err);
    cJSON_Delete(found);
    return status;
}

static enum pps_status check(const char *path,
                             const char *manifest,
                             bool force,
                             bool *complete,
                             struct pps_error *err)
{
    cJSON *wanted = cJSON_Parse(manifest);
    const bool part = is_there(path, ".part"), final = is_there(path, "");
    enum pps_status status = PPS_OK;
    *complete = false;
    if (part && (force || !final))
        status = check_part(path, wanted, err);
    else if (final && !part)
        status = check_final(path, wanted, force, complete, err);
    cJSON_Delete(wanted);
    return status;
}

enum pps_status pps_continue_find(const struct pps_args *args,
                                  const char *path,
                                  const char *manifest,
                                  bool *complete,
                                  struct pps_error *err)
{
    const bool force = pps_arg(args, "force") != NULL;
    *complete = false;
    if (pps_arg(args, "resume") != NULL)
        return check(path, manifest, force, complete, err);
    *complete = strcmp(path, "-") != 0 && !force && is_complete(path, manifest);
    return PPS_OK;
}

// ---- messages ---------------------------------------------------------------------------------

void pps_continue_hint(const struct pps_args *args, const char *path, struct pps_error *err)
{
    char command[PPS_COMMAND_TEXT];
    const size_t n = strlen(err->text);
    if (!is_there(path, ".part"))
        return;
    pps_continue_command(args, command);
    snprintf(err->text + n, sizeof err->text - n, "; to continue: %s", command);
}

void pps_continue_say(uint64_t earlier_points, uint64_t points, const char *path)
{
    char done[48], all[48];
    pps_human_count((double)earlier_points, done, sizeof done);
    pps_human_count((double)(earlier_points + points), all, sizeof all);
    pps_say(stderr, "resume    %s of %s points are done, in %s.part", done, all, path);
}

// ---- totals of the interrupted run ------------------------------------------------------------

static enum pps_status drop_block(void *self,
                                  const struct pps_block *block,
                                  struct pps_error *err)
{
    (void)self;
    (void)block;
    (void)err;
    return PPS_OK;
}

// Computes points of the prefix again: all points, or only the points of the audit.
static enum pps_status review(const struct pps_sweep *sweep,
                              uint64_t n_blocks,
                              struct pps_totals *totals,
                              bool *complete,
                              struct pps_error *err)
{
    const bool shows = pps_resume_shows(sweep->experiment, sweep->objective);
    struct pps_sweep again = *sweep;
    struct pps_totals found;
    again.skip = 0;
    again.end = n_blocks;
    again.codec = (struct pps_codec_choice){PPS_CODEC_NONE, 0};
    again.sink = (struct pps_sink){NULL, drop_block};
    again.progress = NULL;
    again.only_audited = shows || sweep->n_best == 0;
    again.n_best = shows ? 0 : sweep->n_best;
    enum pps_status status = pps_sweep_run(&again, &found, err);
    *complete = found.complete;
    pps_audited_add(&totals->audited, &found.audited);
    if (status == PPS_OK)
        status = pps_tops_merge(&totals->best, &found.best, err);
    pps_totals_free(&found);
    return status;
}

enum pps_status pps_continue_totals(const struct pps_sweep *sweep,
                                    const struct pps_prefix *prefix,
                                    const char *path,
                                    struct pps_totals *totals,
                                    struct pps_error *err)
{
    char data[1200], index[1200];
    snprintf(data, sizeof data, "%s.part", path);
    snprintf(index, sizeof index, "%s.idx.part", path);
    const struct pps_resume_ask ask = {sweep, prefix, data, index};
    return pps_resume_totals(&ask, totals, err);
}

enum pps_status pps_continue_review(const struct pps_sweep *sweep,
                                    const struct pps_prefix *prefix,
                                    struct pps_totals *totals,
                                    bool *complete,
                                    struct pps_error *err)
{
    const bool unseen =
        sweep->n_best > 0 && !pps_resume_shows(sweep->experiment, sweep->objective);
    *complete = true;
    if (prefix->n_records <= 1 || (!unseen && sweep->audit <= 0))
        return PPS_OK;
    return review(sweep, prefix->n_records - 1, totals, complete, err);
}
