// SPDX-License-Identifier: Apache-2.0
// Turns published options of `trace` into KEY=VALUE words.
#include "engine/cli/options/trace_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *option, *param;
} params[PPS_TRACE_PARAM_COUNT] = {
    {"n", "n"},
    {"num-groups", "gpus"},
    {"sync-freq", "sync_freq"},
    {"fwd-len", "fwd_len"},
    {"bwd-len", "bwd_len"},
    {"prop-len", "prop_len"},
    {"sync-base-len", "sync_base_len"},
    {"fwd-impact", "fwd_impact"},
    {"bwd-impact", "bwd_impact"},
};

static enum pps_status add_option(const struct pps_args *args,
                                  struct pps_trace_words *words,
                                  int k,
                                  struct pps_error *err)
{
    const char *value = pps_arg(args, params[k].option);
    char *word = words->room[k];
    if (value == NULL)
        return PPS_OK;
    const int n = snprintf(word, sizeof words->room[k], "%s=%s", params[k].param, value);
    if ((size_t)n >= sizeof words->room[k])
        return pps_fail(err, PPS_E_INPUT, "--%s %.40s...: expected a number", params[k].option,
                        value);
    words->list[words->n++] = word;
    return PPS_OK;
}

enum pps_status pps_trace_words_read(const struct pps_args *args,
                                     struct pps_trace_words *words,
                                     struct pps_error *err)
{
    const int n = pps_arg_words(args);
    enum pps_status status = PPS_OK;
    words->n = 0;
    words->list = calloc((size_t)n + PPS_TRACE_PARAM_COUNT, sizeof *words->list);
    if (words->list == NULL)
        return pps_fail_memory(err, "the command line");
    for (; words->n < n; words->n++)
        words->list[words->n] = pps_arg_word(args, words->n);
    for (int k = 0; k < PPS_TRACE_PARAM_COUNT && status == PPS_OK; k++)
        status = add_option(args, words, k, err);
    if (status == PPS_OK && words->n == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "write: ppsweep trace [options] RESULT | [KERNEL] [KEY=VALUE ...]");
    return status;
}
