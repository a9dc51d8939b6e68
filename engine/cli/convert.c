// SPDX-License-Identifier: Apache-2.0
// ppsweep convert: writes a result in another format.
#include "engine/convert/convert.h"
#include "engine/convert/formats.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"

#include <string.h>

static const struct pps_opt options[] = {
    {"output", 'o', "FILE", "NAME" PPS_CONVERT_ENDINGS "; - is stdout"},
    {"format", 0, "NAME", PPS_CONVERT_FORMATS " (by the ending of FILE; csv for -)"},
    {"columns", 0, "NAMES", "write these columns only, in this order"},
    {"group-rows", 0, "N", "rows of a row group (131072)"},
    PPS_LET_OPTION,
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    PPS_READ_AHEAD_OPTION,
    PPS_READ_PROGRESS_OPTION,
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, NAME.csv, NAME.parquet or - (stdin). A filter keeps only some\n"
    "rows: n=8, sync_freq=1,2, n=8..16, or a rule such as 'n <= 16'.\n"
    "\n"
    "Every column has one type: whole numbers, doubles, booleans or text; an empty cell is a\n"
    "missing value. A parameter that is a number or a name becomes two columns: p_fwd_prop\n"
    "has the weights and p_fwd_prop_tier the tiers, as with ppsweep run --typed.\n"
    "\n"
    "The file contains the manifest of the result (Parquet and Arrow: key ppsweep of the\n"
    "metadata; NumPy: array ppsweep). All commands that read results also read Parquet files\n"
    "of ppsweep.\n"
    "\n"
    "  ppsweep convert outputs/data/first.csv.gz -o first.parquet\n"
    "  ppsweep convert outputs/data/first.csv.gz n=8 --columns n,p_fwd_prop,total_time -o -\n";

static void report(const struct pps_args *args, const struct pps_converted *done)
{
    char rows[48], bytes[32];
    if (pps_arg(args, "quiet") != NULL || done->bytes == 0)
        return;
    pps_human_count((double)done->rows, rows, sizeof rows);
    pps_human_bytes((double)done->bytes, bytes, sizeof bytes);
    pps_say(stderr, "ppsweep: %s rows of %d columns, %s: %s", rows, done->columns, bytes,
            pps_arg(args, "output"));
}

static enum pps_status convert_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_convert_ask ask = {.columns = pps_arg(args, "columns"),
                                  .output = pps_arg(args, "output"),
                                  .format = pps_arg(args, "format"),
                                  .version = PPS_VERSION,
                                  .gate = pps_arg_gate(args)};
    struct pps_converted done = {.rows = 0};
    struct pps_read_progress progress;
    if (ask.output == NULL)
        return pps_fail(err, PPS_E_INPUT, "name the file to write: -o FILE");
    enum pps_status status = pps_result_arguments_view(args, &ask.view, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "group-rows", 1, 1 << 24, &ask.group_rows, err);
    if (status == PPS_OK)
        status = pps_read_progress_begin(&progress, args, &ask.view.watch,
                                         strcmp(ask.output, "-") == 0, err);
    if (status == PPS_OK)
        status = pps_read_ahead_option(args, &ask.view.watch, err);
    if (status == PPS_OK) {
        pps_result_arguments_say_partial(args, &ask.view);
        status = pps_convert(&ask, &done, err);
        pps_read_progress_end(&progress);
    }
    if (status == PPS_OK)
        report(args, &done);
    pps_result_arguments_free(&ask.view);
    return status;
}

const struct pps_command pps_command_convert = {
    .name = "convert",
    .summary = "write a result as Parquet, Arrow, NumPy or CSV with typed columns",
    .usage = "[options] RESULT [column=value...] -o FILE",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = convert_main,
};
