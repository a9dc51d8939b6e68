// SPDX-License-Identifier: Apache-2.0
// Chooses the point of `trace`.
#include "engine/cli/options/trace_point.h"

#include "engine/cli/options/experiment_options.h"
#include "engine/experiment/experiment.h"
#include "engine/job/result_path.h"
#include "engine/point/one_point.h"
#include "engine/read/view.h"
#include "engine/space/value.h"
#include "ppsweep/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

// ---- trace words --------------------------------------------------------------------------------

static enum pps_status add_option(const struct pps_args *args, struct pps_trace_words *words,
                                  int p, struct pps_error *err)
{
    const char *option = NULL, *value = pps_arg_param(args, p, &option);
    char *word = words->room[p];
    if (value == NULL)
        return PPS_OK;
    const int n = snprintf(word, sizeof words->room[p], "%s=%s",
                           pps_arg_kernels(args)[0]->params[p].name, value);
    if ((size_t)n >= sizeof words->room[p])
        return pps_fail(err, PPS_E_INPUT, "--%s %.40s...: expected a number", option, value);
    words->list[words->n++] = word;
    return PPS_OK;
}

enum pps_status pps_trace_words_read(const struct pps_args *args, struct pps_trace_words *words,
                                     struct pps_error *err)
{
    const int n = pps_arg_words(args), n_params = pps_arg_kernels(args)[0]->n_params;
    enum pps_status status = PPS_OK;
    words->n = 0;
    words->list = calloc((size_t)n + (size_t)n_params, sizeof *words->list);
    words->room = calloc((size_t)n_params, sizeof *words->room);
    if (words->list == NULL || words->room == NULL)
        return pps_fail_memory(err, "the command line");
    for (; words->n < n; words->n++)
        words->list[words->n] = pps_arg_word(args, words->n);
    for (int p = 0; p < n_params && status == PPS_OK; p++)
        status = add_option(args, words, p, err);
    if (status == PPS_OK && words->n == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "write: ppsweep trace [options] RESULT | [KERNEL] [KEY=VALUE ...]");
    return status;
}

// ---- trace point --------------------------------------------------------------------------------

// Builds a file name for the point: its source, the given parameters as far as there is room,
// and a digest of the others.
static void name_point(struct pps_trace_point *t, const char *from, int first_word)
{
    const size_t room = sizeof t->stem - sizeof "-0123456789abcdef";
    size_t at = (size_t)snprintf(t->stem, sizeof t->stem, "%s", from);
    uint64_t digest = 0;
    for (int w = first_word; w < t->words.n; w++) {
        const char *word = t->words.list[w];
        if (digest != 0 || at + strlen(word) + 2 >= room || strchr(word, '/') != NULL)
            digest = XXH64(word, strlen(word), digest) | 1;
        else
            at += (size_t)snprintf(t->stem + at, sizeof t->stem - at, "-%s", word);
    }
    if (digest != 0)
        snprintf(t->stem + at, sizeof t->stem - at, "-%016llx", (unsigned long long)digest);
}

static bool is_row(const char *change)
{
    return change != NULL && change[0] != '\0' && change[strspn(change, "0123456789")] == '\0';
}

static enum pps_status read_row(struct pps_trace_point *t, const char *change,
                                struct pps_error *err)
{
    const uint64_t most = (uint64_t)1 << 62;
    t->row = 1;
    return pps_arg_count(t->args, is_row(change) ? "compare" : "row", 1, most, &t->row, err);
}

static enum pps_status point_of_row(struct pps_trace_point *t, const char *change,
                                    struct pps_error *err)
{
    const char *path = t->words.list[0], *files[PPS_MAX_INPUT_WORDS];
    struct pps_input_words inputs;
    char stem[96], name[128];
    enum pps_status status = read_row(t, change, err);
    if (status == PPS_OK)
        status = pps_request_inputs(t->args, files, &inputs, err);
    if (status == PPS_OK)
        status = pps_resultpath_check(path, err);
    if (status != PPS_OK)
        return status;
    t->result = path;
    pps_view_stem(path, stem, sizeof stem);
    snprintf(name, sizeof name, "%s-row%llu", stem, (unsigned long long)t->row);
    name_point(t, name, 1);
    return pps_point_from_row(pps_arg_kernels(t->args), path, t->row, &inputs, &t->inputs,
                              &t->kernel, t->point, &t->shown, err);
}

// Sets the point to the defaults of the kernel.
static enum pps_status point_of_kernel(struct pps_trace_point *t, int first_word,
                                       const char *change, struct pps_error *err)
{
    const char *words[PPS_MAX_INPUT_WORDS];
    struct pps_documents_ask ask = {.kernel = t->kernel};
    if (is_row(change))
        return pps_fail(err, PPS_E_INPUT,
                        "--compare %s: a row needs a result file; write KEY=VALUE for a point "
                        "of a kernel",
                        change);
    if (pps_arg(t->args, "row") != NULL)
        return pps_fail(err, PPS_E_INPUT, "--row needs a result file");
    enum pps_status status = pps_request_inputs(t->args, words, &ask.words, err);
    if (status == PPS_OK)
        status = pps_documents_open(&t->inputs, &ask, err);
    if (status != PPS_OK)
        return status;
    if (pps_arg(t->args, "quiet") == NULL)
        pps_documents_warn(t->inputs, stderr);
    t->kernel = pps_documents_kernel(t->inputs);
    pps_point_default(t->kernel, t->point);
    name_point(t, t->kernel->name, first_word);
    return PPS_OK;
}

// Sets the given parameters. If a parameter names a document, also sets the parameters of the
// document that are not given.
static enum pps_status set_words(struct pps_trace_point *t, int first_word,
                                 struct pps_error *err)
{
    uint64_t keep = t->shown;
    for (int w = first_word; w < t->words.n; w++) {
        const char *word = t->words.list[w];
        const int p = pps_param_find(t->kernel, word, strcspn(word, "="));
        if (p >= 0 && t->kernel->params[p].fixed)
            return pps_fail(err, PPS_E_INPUT, "%s is set by a document; remove it",
                            t->kernel->params[p].name);
        enum pps_status status = pps_point_set(t->kernel, word, t->point, err);
        if (status != PPS_OK)
            return status;
        keep |= (uint64_t)1 << p;
    }
    t->named = keep;
    pps_documents_say(t->inputs, keep, t->point);
    return PPS_OK;
}

// Appends the parameters of a change to the words.
static enum pps_status add_change(struct pps_trace_point *t, const char *change,
                                  struct pps_error *err)
{
    const size_t most = strlen(change) / 2 + 1;
    char *rest = NULL;
    const char **list =
        realloc(t->words.list, ((size_t)t->words.n + most) * sizeof *t->words.list);
    t->words.list = list != NULL ? list : t->words.list;
    t->change = strdup(change);
    if (list == NULL || t->change == NULL)
        return pps_fail_memory(err, "the command line");
    const int before = t->words.n;
    for (char *word = strtok_r(t->change, ", ", &rest); word != NULL;
         word = strtok_r(NULL, ", ", &rest))
        t->words.list[t->words.n++] = word;
    if (t->words.n > before)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--compare: write the number of a row of RESULT, or KEY=VALUE,KEY=VALUE");
}

enum pps_status pps_trace_point_choose(struct pps_trace_point *t, const struct pps_args *args,
                                       const char *change, struct pps_error *err)
{
    t->args = args;
    enum pps_status read = pps_trace_words_read(args, &t->words, err);
    if (read == PPS_OK && change != NULL && !is_row(change))
        read = add_change(t, change, err);
    if (read != PPS_OK)
        return read;
    const char *first = t->words.list[0];
    enum pps_status status = PPS_OK;
    // Without a name, the parameters belong to the first kernel.
    const bool nameless = strchr(first, '=') != NULL && access(first, F_OK) != 0;
    const int first_word = nameless ? 0 : 1;
    const struct pps_kernel *const *kernels = pps_arg_kernels(t->args);
    t->kernel = nameless ? kernels[0] : pps_kernels_find(kernels, first);
    if (t->kernel == NULL && strpbrk(first, "./") == NULL && access(first, F_OK) != 0)
        return pps_kernel_choose(kernels, first, &t->kernel, err);
    if (t->kernel != NULL)
        status = point_of_kernel(t, first_word, change, err);
    else
        status = point_of_row(t, change, err);
    if (status == PPS_OK)
        status = set_words(t, first_word, err);
    return status;
}

void pps_trace_point_close(struct pps_trace_point *t)
{
    pps_documents_close(t->inputs);
    free(t->words.list);
    free(t->words.room);
    free(t->change);
}

// ---- trace title --------------------------------------------------------------------------------

// Returns whether the value of the parameter is the name of a given document.
static bool is_document(const struct pps_trace_point *t, int p)
{
    for (int s = 0; s < t->kernel->n_slots; s++)
        if (t->kernel->slots[s].param == p)
            return pps_documents_count(t->inputs, s) > 0;
    return false;
}

static void write_row(const struct pps_trace_point *t, const char *front, FILE *out)
{
    const char *slash = t->result != NULL ? strrchr(t->result, '/') : NULL;
    if (t->result != NULL)
        fprintf(out, "%srow %llu of %s", front, (unsigned long long)t->row,
                slash != NULL ? slash + 1 : t->result);
}

char *pps_trace_title(const struct pps_trace_point *t)
{
    char *title = NULL, text[PPS_CELL_TEXT];
    size_t n;
    bool all = true, any = false;
    FILE *out = open_memstream(&title, &n);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s %s", t->kernel->name, t->kernel->version);
    write_row(t, ", ", out);
    fputc(':', out);
    for (int p = 0; p < t->kernel->n_params; p++) {
        const struct pps_param *param = &t->kernel->params[p];
        const bool named =
            (t->named >> p & 1) != 0 || t->point[p] != param->fallback || is_document(t, p);
        all = all && named;
        any = any || named;
        pps_value_text(param, t->point[p], text);
        if (named)
            fprintf(out, " %s=%s", param->name, text);
    }
    if (!all)
        fputs(any ? " (other parameters: defaults)" : " all parameters have their defaults",
              out);
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}

char *pps_trace_title_second(const struct pps_trace_point *a, const struct pps_trace_point *b)
{
    char *title = NULL, first[PPS_CELL_TEXT], second[PPS_CELL_TEXT];
    size_t n;
    int changes = 0;
    FILE *out = open_memstream(&title, &n);
    if (out == NULL)
        return NULL;
    if (a->row != b->row) {
        write_row(b, "", out);
        fputs(": ", out);
    }
    for (int p = 0; p < b->kernel->n_params; p++) {
        if (a->point[p] == b->point[p])
            continue;
        pps_value_text(&a->kernel->params[p], a->point[p], first);
        pps_value_text(&b->kernel->params[p], b->point[p], second);
        fprintf(out, "%s%s=%s instead of %s", changes++ > 0 ? ", " : "",
                b->kernel->params[p].name, second, first);
    }
    fputs(changes > 0 ? "; otherwise as A" : "the same point as A", out);
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}
