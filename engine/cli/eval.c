// SPDX-License-Identifier: Apache-2.0
// ppsweep eval: reads rows of points and writes the same rows with results.
#include "engine/cli/verbs.h"

#include "base/system/whole_file.h"
#include "base/text/human.h"
#include "base/write/new_file.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/report/progress.h"
#include "engine/point/evaluate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"input", 'i', "SLOT=FILE", "input document of the kernel, such as model=FILE"},
    {"metrics", 0, "[NAMES]", "add result columns: NAMES, or all but costly ones"},
    {"digits", 0, "N", "decimals of results, or full to read back exactly (by column)"},
    {"point-limit", 0, "EVENTS",
     "fail points that need more than EVENTS events; k, M, G allowed (no limit)"},
    {"exact", 0, NULL, "disable shortcuts: bit-identical on every machine"},
    {"keep", 0, NULL, "keep columns that are neither parameters nor results"},
    {"strict", 0, NULL, "stop at the first row that cannot be read (exit status 2)"},
    {"reasons", 0, NULL, "add a last column `reason`: why a row has no results"},
    {"threads", 'j', "N", "number of worker threads (all CPUs this process may use)"},
    {"output", 'o', "FILE", "write CSV to FILE, compressed if it ends in .gz (stdout)"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is a CSV file (stdin). Its first line names parameters in any order. Parameters\n"
    "without a column take their defaults. eval writes the cells of parameters unchanged and\n"
    "replaces result columns.\n"
    "\n"
    "An invalid point has empty results. A row that cannot be read has empty results, too;\n"
    "eval reports the first ten of these rows on stderr and ends with exit status 4. With\n"
    "--strict, or if the output replaces FILE (-o FILE --force), eval stops at the first row\n"
    "that cannot be read.\n"
    "\n"
    "  printf 'n,gpus,p_fwd_prop\\n8,4,a\\n16,4,0.5\\n' | ppsweep eval contention\n";

// Prints the first rows that cannot be read; `self` counts them.
static void show_unreadable(void *self, const struct pps_error *why)
{
    enum { MOST_SHOWN = 10 };
    uint64_t *shown = self;
    if ((*shown)++ < MOST_SHOWN)
        pps_error_print(why);
}

static void report(const struct pps_kernel *kernel, const struct pps_evaluated *count)
{
    for (int r = 1; kernel->reasons[r] != NULL; r++)
        if (count->left_out[r] > 0)
            fprintf(stderr, "invalid   %s of %s points, where %s (results empty)\n",
                    pps_count_text((double)count->left_out[r]).text,
                    pps_count_text((double)count->rows).text, kernel->reasons[r]);
    if (count->unreadable > 0)
        fprintf(stderr, "unreadable %s of %s rows (results empty)\n",
                pps_count_text((double)count->unreadable).text,
                pps_count_text((double)count->rows).text);
    if (count->infeasible > 0)
        fprintf(stderr, "infeasible %s point%s (see the rows)\n",
                pps_count_text((double)count->infeasible).text,
                count->infeasible == 1 ? "" : "s");
    if (count->failed > 0)
        fprintf(stderr, "failed    %s point%s (results empty)\n",
                pps_count_text((double)count->failed).text, count->failed == 1 ? "" : "s");
}

static enum pps_status open_kernel(const struct pps_args *args, struct pps_evaluate *ask,
                                   struct pps_documents **inputs, struct pps_error *err)
{
    const char *words[PPS_MAX_INPUT_WORDS];
    struct pps_documents_ask open = {.kernel = NULL};
    enum pps_status status =
        pps_kernel_choose(pps_arg_kernels(args), pps_arg_word(args, 0), &open.kernel, err);
    if (status == PPS_OK)
        status = pps_request_inputs(args, words, &open.words, err);
    if (status == PPS_OK)
        status = pps_documents_open(inputs, &open, err);
    if (status != PPS_OK)
        return status;
    ask->inputs = *inputs;
    ask->kernel = pps_documents_kernel(*inputs);
    return PPS_OK;
}

static enum pps_status prepare(const struct pps_args *args, struct pps_evaluate *ask,
                               struct pps_documents **inputs, struct pps_error *err)
{
    enum pps_status status = open_kernel(args, ask, inputs, err);
    if (status == PPS_OK)
        status = pps_arg_digits(args, &ask->digits, err);
    if (status == PPS_OK)
        status = pps_request_threads(args, &ask->threads, err);
    ask->path = pps_arg_words(args) > 1 ? pps_arg_word(args, 1) : "-";
    if (status == PPS_OK && strcmp(ask->path, "-") != 0 && access(ask->path, R_OK) != 0)
        status = pps_fail(err, PPS_E_INPUT, "cannot read %s: %s", ask->path, strerror(errno));
    return status;
}

// Writes the results of all rows. If a row is wrong, the rows before it are kept. An output
// file without rows is discarded, and so is an incomplete output file that would replace the
// input file.
static enum pps_status answer(const struct pps_args *args, struct pps_evaluate *ask,
                              struct pps_evaluated *count, struct pps_error *err)
{
    const char *path = pps_arg(args, "output");
    struct pps_new_file file;
    struct pps_error closing;
    const bool in_place = path != NULL && pps_whole_file_same(path, ask->path);
    // With --force, eval may add columns to the file that it reads.
    const struct pps_gate own = {.force = pps_arg(args, "force") != NULL};
    enum pps_status status =
        pps_new_file_open(&file, path, in_place ? &own : pps_arg_gate(args), err);
    if (status != PPS_OK)
        return status;
    ask->out = file.out;
    ask->strict = ask->strict || in_place; // the output would lose rows that cannot be read
    status = pps_evaluate(ask, count, err);
    if (status != PPS_OK && (count->rows == 0 || in_place)) {
        pps_new_file_abandon(&file);
        return status;
    }
    const enum pps_status closed = pps_new_file_close(&file, &closing);
    if (status == PPS_OK && closed != PPS_OK)
        *err = closing;
    return status == PPS_OK ? closed : status;
}

static enum pps_status eval_main(const struct pps_args *args, struct pps_error *err)
{
    uint64_t shown = 0;
    struct pps_evaluate ask = {
        .digits = PPS_DEFAULT_DIGITS,
        .metrics = pps_arg(args, "metrics"),
        .exact = pps_arg(args, "exact") != NULL,
        .keep = pps_arg(args, "keep") != NULL,
        .strict = pps_arg(args, "strict") != NULL,
        .reasons = pps_arg(args, "reasons") != NULL,
        .unreadable = show_unreadable,
        .self = &shown,
    };
    struct pps_read_progress progress;
    struct pps_evaluated count = {.rows = 0};
    struct pps_documents *inputs = NULL;
    enum pps_status status = pps_read_progress_begin(&progress, args, &ask.watch, true, err);
    ask.stop = ask.watch.stop;
    if (status == PPS_OK)
        status =
            pps_arg_count(args, "point-limit", 1, PPS_POINT_LIMIT_MAX, &ask.point_limit, err);
    if (status == PPS_OK)
        status = prepare(args, &ask, &inputs, err);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        pps_documents_warn(inputs, stderr);
    if (status == PPS_OK)
        status = answer(args, &ask, &count, err);
    pps_read_progress_end(&progress);
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        report(ask.kernel, &count);
    pps_documents_close(inputs);
    return status == PPS_OK && count.failed + count.unreadable > 0 ? PPS_E_POINTS : status;
}

const struct pps_command pps_command_eval = {
    .name = "eval",
    .summary = "evaluate points from a CSV file or stdin, row by row",
    .usage = "[options] KERNEL [FILE]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .kernels = true,
    .main = eval_main,
};
