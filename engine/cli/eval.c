// SPDX-License-Identifier: Apache-2.0
// ppsweep eval: rows of points in, the same rows with results out.
#include "command.h"

#include "engine/evaluate.h"
#include "kernels/registry.h"
#include "request.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"metrics", 0, "[NAMES]", "more result columns: all, or those named"},
    {"digits", 0, "N", "decimals of results, or full (reads back exactly)"},
    {"keep", 0, NULL, "pass columns through that are neither parameters nor results"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    {"output", 'o', "FILE", "write to FILE (CSV) instead of stdout"},
    {"force", 0, NULL, "replace FILE where it exists"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is CSV (stdin without one): the first line names parameters in any order, those\n"
    "missing take their defaults. Result columns in it are replaced; cells are echoed as they\n"
    "were. A point that cannot be is answered with empty results.\n"
    "\n"
    "  printf 'n,gpus,p_fwd_prop\\n8,4,a\\n16,4,0.5\\n' | ppsweep eval contention\n";

static void report(const struct pps_kernel *kernel, const struct pps_evaluated *count)
{
    for (int r = 1; kernel->reasons[r] != NULL; r++)
        if (count->left_out[r] > 0)
            fprintf(stderr, "left out  %llu of %llu rows (results empty): %s\n",
                    (unsigned long long)count->left_out[r], (unsigned long long)count->rows,
                    kernel->reasons[r]);
    if (count->failed > 0)
        fprintf(stderr, "failed    %llu rows (results empty)\n",
                (unsigned long long)count->failed);
}

static enum pps_status open_output(const struct pps_args *args,
                                   FILE **out,
                                   struct pps_error *err)
{
    const char *path = pps_arg(args, "output");
    *out = stdout;
    if (path == NULL || strcmp(path, "-") == 0)
        return PPS_OK;
    const int exclusive = pps_arg(args, "force") != NULL ? O_TRUNC : O_EXCL;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, 0666);
    if (fd < 0 && errno == EEXIST)
        return pps_fail(err, PPS_E_INPUT, "%s exists; --force replaces it", path);
    *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (*out == NULL)
        return pps_fail(err, PPS_E_INPUT, "cannot write %s: %s", path, strerror(errno));
    return PPS_OK;
}

static enum pps_status prepare(const struct pps_args *args,
                               struct pps_evaluate *ask,
                               struct pps_error *err)
{
    enum pps_status status =
        pps_kernel_choose(pps_kernels, pps_arg_word(args, 0), &ask->kernel, err);
    if (status == PPS_OK)
        status = pps_arg_digits(args, &ask->digits, err);
    if (status == PPS_OK)
        status = pps_request_threads(args, &ask->threads, err);
    ask->path = pps_arg_words(args) > 1 ? pps_arg_word(args, 1) : "-";
    if (status == PPS_OK && strcmp(ask->path, "-") != 0 && access(ask->path, R_OK) != 0)
        status = pps_fail(err, PPS_E_INPUT, "cannot read %s: %s", ask->path, strerror(errno));
    return status == PPS_OK ? open_output(args, &ask->out, err) : status;
}

static enum pps_status eval_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_evaluate ask = {
        .digits = PPS_DEFAULT_DIGITS,
        .metrics = pps_arg(args, "metrics"),
        .keep = pps_arg(args, "keep") != NULL,
        .stop = pps_signals_install(),
    };
    struct pps_evaluated count;
    enum pps_status status = prepare(args, &ask, err);
    if (status != PPS_OK)
        return status;
    status = pps_evaluate(&ask, &count, err);
    if (ask.out != stdout && fclose(ask.out) != 0 && status == PPS_OK)
        status = pps_fail_errno(err, "cannot write", pps_arg(args, "output"));
    if (status == PPS_OK && pps_arg(args, "quiet") == NULL)
        report(ask.kernel, &count);
    return status == PPS_OK && count.failed > 0 ? PPS_E_POINTS : status;
}

const struct pps_command pps_command_eval = {
    .name = "eval",
    .summary = "points from a CSV or stdin, answered row by row",
    .usage = "[options] KERNEL [FILE]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .main = eval_main,
};
