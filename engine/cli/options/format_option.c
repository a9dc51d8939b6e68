// SPDX-License-Identifier: Apache-2.0
// Reads --format and compares it with the other options.
#include "engine/cli/options/format_option.h"

#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <string.h>

static enum pps_status check_name(const char *format, struct pps_error *err)
{
    static const char *const names[] = {"csv", "parquet"};
    static const char *const converted[] = {"arrow", "npz", "npy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(format, names[i]) == 0)
            return PPS_OK;
    for (size_t i = 0; i < sizeof converted / sizeof *converted; i++)
        if (strcmp(format, converted[i]) == 0)
            return pps_fail(err, PPS_E_INPUT,
                            "--format %s: a run writes csv or parquet; then ppsweep convert "
                            "RESULT -o NAME.%s",
                            format, i == 0 ? "arrow" : "npz");
    const struct pps_hint hint = pps_did_you_mean(format, names, 2);
    return pps_fail(err, PPS_E_INPUT, "--format %.40s: expected csv or parquet%s", format,
                    hint.text);
}

// Whether a name has an ending of one of the two formats, and which.
static bool has_format(const char *output, bool *parquet)
{
    *parquet = output != NULL && pps_ends_with(output, ".parquet");
    return *parquet ||
           (output != NULL && (strcmp(output, "-") == 0 || pps_ends_with(output, ".csv") ||
                               pps_ends_with(output, ".csv.gz")));
}

enum pps_status pps_format_option(const struct pps_args *args,
                                  const char *output,
                                  const char **codec,
                                  struct pps_error *err)
{
    const char *format = pps_arg(args, "format");
    bool parquet;
    *codec = pps_arg(args, "compress");
    if (format == NULL)
        return PPS_OK;
    const enum pps_status status = check_name(format, err);
    if (status != PPS_OK)
        return status;
    const bool wanted = strcmp(format, "parquet") == 0;
    if (has_format(output, &parquet) && parquet != wanted)
        return pps_fail(
            err, PPS_E_INPUT, "-o %s does not match --format %s: %s", output, format,
            wanted ? "end the name in .parquet" : "end the name in .csv.gz or .csv");
    if (*codec != NULL && (strncmp(*codec, "parquet", 7) == 0) != wanted)
        return pps_fail(err, PPS_E_INPUT, "--compress %s does not match --format %s", *codec,
                        format);
    if (wanted && *codec == NULL)
        *codec = "parquet";
    return PPS_OK;
}
