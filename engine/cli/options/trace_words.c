// SPDX-License-Identifier: Apache-2.0
// Turns options of `trace` that set parameters of the default kernel into KEY=VALUE words.
#include "engine/cli/options/trace_words.h"

#include "ppsweep/kernel.h"

#include <stdio.h>
#include <stdlib.h>

static enum pps_status add_option(const struct pps_args *args,
                                  struct pps_trace_words *words,
                                  int p,
                                  struct pps_error *err)
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

enum pps_status pps_trace_words_read(const struct pps_args *args,
                                     struct pps_trace_words *words,
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
