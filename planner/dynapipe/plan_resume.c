// SPDX-License-Identifier: Apache-2.0
// A record is the figures of a plan and the lengths of its batch.
#include "planner/dynapipe/plan_resume.h"

#include "base/system/whole_file.h"
#include "engine/command/arguments.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PATH = 4096, FILE_MOST = 1 << 30 }; // bytes

struct record {
    int64_t number;
    int32_t count;
    struct step_figures figures;
    struct baselines baselines;
    double objective, seconds, batch_bound;
    char method[24], mode[8];
};

static bool read_file(const char *path, struct text_buffer *text)
{
    struct pps_error unused;
    char *bytes;
    size_t n;
    text_buffer_clear(text);
    if (pps_whole_file_read_regular(path, FILE_MOST, &bytes, &n, &unused) != PPS_OK)
        return false;
    text_buffer_add_bytes(text, bytes, n);
    free(bytes);
    return true;
}

// ---- the identity -------------------------------------------------------------------------------

// Adds a word, and the checksum of the file of this name, if there is one.
static void add_word(struct text_buffer *text, const char *word)
{
    struct text_buffer file = {.text = NULL};
    text_buffer_add(text, " %s", word);
    if (read_file(word, &file))
        text_buffer_add(text, " %016llx", (unsigned long long)XXH64(file.text, file.n, 0));
    text_buffer_free(&file);
}

// Adds what changes plans: words and options, with the files that they name. The record itself knows the batches.
static void add_identity(struct text_buffer *text, const struct pps_args *args,
                         const struct pps_opt *options, enum plan_mode mode)
{
    static const char *const others[] = {"stream",  "fail-fast", "output",  "trace",  "log",
                                         "threads", "force",     "verbose", "resume", NULL};
    const int batches = pps_arg_words(args) - 1;
    text_buffer_add(text, "dynaplan " PPS_VERSION " mode %s %s", plan_mode_names[mode],
                    pps_arg_word(args, batches));
    for (int k = 0; k < batches; k++)
        add_word(text, pps_arg_word(args, k));
    for (; options->name != NULL; options++) {
        int k = 0;
        while (others[k] != NULL && strcmp(others[k], options->name) != 0)
            k++;
        if (others[k] != NULL || pps_arg(args, options->name) == NULL)
            continue;
        text_buffer_add(text, " --%s", options->name);
        add_word(text, pps_arg(args, options->name));
    }
}

// ---- records ------------------------------------------------------------------------------------

enum pps_status plan_resume_open(struct plan_resume *r, const char *folder,
                                 const struct pps_args *args, const struct pps_opt *options,
                                 enum plan_mode mode, struct pps_error *err)
{
    char path[PATH];
    struct text_buffer identity = {.text = NULL};
    const bool resumes = pps_arg(args, "resume") != NULL;
    if (resumes && pps_arg(args, "log") != NULL)
        return pps_fail(
            err, PPS_E_INPUT,
            "--resume: the log of --log cannot be continued; leave out one of them");
    snprintf(path, sizeof path, "%s/plans.resume", folder);
    add_identity(&identity, args, options, mode);
    const struct pps_record_log_ask ask = {
        .path = path,
        .identity = identity.text,
        .work = "planning",
        .other = "belongs to other options, files or batches, or to another version of ppsweep",
        .resume = resumes,
        .force = pps_arg(args, "force") != NULL};
    const enum pps_status status = identity.failed ? pps_fail_memory(err, "the options")
                                                   : pps_record_log_open(&r->log, &ask, err);
    text_buffer_free(&identity);
    r->is_open = status == PPS_OK;
    if (!r->is_open)
        pps_record_log_close(&r->log);
    else if (!pps_record_log_next(&r->log, &r->next, &r->n))
        r->next = NULL;
    r->is_empty = r->next == NULL;
    return status;
}

// Returns whether the next record is of this batch.
static bool is_same(const struct plan_resume *r, const struct record *record,
                    const struct batch *batch)
{
    const size_t bytes = (size_t)batch->count * sizeof(int32_t);
    const char *lists = r->next + sizeof *record;
    return record->count == batch->count && r->n == sizeof *record + 3 * bytes &&
           (bytes == 0 || (memcmp(lists, batch->rows, bytes) == 0 &&
                           memcmp(lists + bytes, batch->input, bytes) == 0 &&
                           memcmp(lists + 2 * bytes, batch->target, bytes) == 0));
}

bool plan_resume_find(struct plan_resume *r, const struct batch *batch, const char *path,
                      struct planned *planned, struct text_buffer *text)
{
    struct record record = {.number = -1};
    while (r->next != NULL && r->n >= sizeof record) {
        memcpy(&record, r->next, sizeof record);
        if (record.number >= batch->number)
            break;
        if (!pps_record_log_next(&r->log, &r->next, &r->n))
            r->next = NULL;
    }
    if (r->next == NULL || record.number != batch->number || !is_same(r, &record, batch))
        return false;
    *planned = (struct planned){.outcome = PLANNED,
                                .sample = -1,
                                .figures = record.figures,
                                .baselines = record.baselines,
                                .objective = record.objective,
                                .seconds = record.seconds,
                                .step.batch_bound = record.batch_bound,
                                .method = r->next + offsetof(struct record, method),
                                .mode = r->next + offsetof(struct record, mode)};
    return read_file(path, text);
}

enum pps_status plan_resume_add(struct plan_resume *r, const struct batch *batch,
                                const struct planned *planned, struct pps_error *err)
{
    const size_t bytes = (size_t)batch->count * sizeof(int32_t);
    struct record record;
    if (!r->is_open)
        return PPS_OK;
    memset(&record, 0, sizeof record);
    record.number = batch->number;
    record.count = batch->count;
    record.figures = planned->figures;
    record.baselines = planned->baselines;
    record.objective = planned->objective;
    record.seconds = planned->seconds;
    record.batch_bound = planned->step.batch_bound;
    snprintf(record.method, sizeof record.method, "%s", planned->method);
    snprintf(record.mode, sizeof record.mode, "%s", planned->mode);
    struct text_buffer text = {.text = NULL};
    text_buffer_add_bytes(&text, (const char *)&record, sizeof record);
    if (bytes > 0) {
        text_buffer_add_bytes(&text, (const char *)batch->rows, bytes);
        text_buffer_add_bytes(&text, (const char *)batch->input, bytes);
        text_buffer_add_bytes(&text, (const char *)batch->target, bytes);
    }
    enum pps_status status = text.failed ? pps_fail_memory(err, "a record") : PPS_OK;
    if (status == PPS_OK) {
        r->is_empty = false;
        pps_record_log_add(&r->log, text.text, text.n);
        status = pps_record_log_flush(&r->log, err);
    }
    text_buffer_free(&text);
    return status;
}

enum pps_status plan_resume_close(struct plan_resume *r, bool is_complete,
                                  struct pps_error *err)
{
    if (!r->is_open)
        return PPS_OK;
    const enum pps_status status = is_complete || r->is_empty
                                       ? pps_record_log_remove(&r->log, err)
                                       : pps_record_log_sync(&r->log, err);
    pps_record_log_close(&r->log);
    r->is_open = false;
    return status;
}
