// SPDX-License-Identifier: Apache-2.0
// Chooses the variant of `ppsweep schedule judge`.
#include "extras/judge/judge_variants.h"

#include "extras/judge/protocol.h"
#include "planner/shared/options.h"

static enum pps_status refuse(const struct pps_args *args,
                              const char *const *options,
                              const char *why,
                              struct pps_error *err)
{
    for (int i = 0; options[i] != NULL; i++)
        if (pps_arg(args, options[i]) != NULL)
            return pps_fail(err, PPS_E_INPUT, "--%s %s", options[i], why);
    return PPS_OK;
}

static enum pps_status run_published(const struct pps_args *args, struct pps_error *err)
{
    static const char *const unused[] = {
        "protocol",  "chunks", "times",    "latency", "limit",  "outliers", "noise",
        "threshold", "lag",    "baseline", "speed",   "output", "force",    NULL};
    enum pps_status status = refuse(args, unused, "is not an option of --compat orig", err);
    if (status == PPS_OK && pps_arg_words(args) > 0)
        status = pps_fail(err, PPS_E_INPUT, "%s: --compat orig compares its own two schedulers",
                          pps_arg_word(args, 0));
    return status == PPS_OK ? published_main(args, err) : status;
}

static enum pps_status run_protocol(const struct pps_args *args, struct pps_error *err)
{
    static const char *const unused[] = {
        "micro-batches", "chunks",   "times", "latency", "limit", "noise", "threshold",
        "lag",           "baseline", "speed", "output",  "force", NULL};
    const enum pps_status status = refuse(args, unused, "is not an option of --protocol", err);
    return status == PPS_OK ? protocol_main(args, err) : status;
}

enum pps_status judge_variant(const struct pps_args *args, bool *ran, struct pps_error *err)
{
    static const char *const published[] = {"episodes", "size", "base", "base-comm", NULL};
    bool orig = false;
    enum pps_status status = plan_arg_compat(args, &orig, err);
    *ran = orig || pps_arg(args, "protocol") != NULL;
    if (status == PPS_OK && !orig)
        status = refuse(args, published, "needs --compat orig", err);
    if (status != PPS_OK || !*ran)
        return status;
    return orig ? run_published(args, err) : run_protocol(args, err);
}
