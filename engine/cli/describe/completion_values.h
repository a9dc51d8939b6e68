// SPDX-License-Identifier: Apache-2.0
// The values that completion offers: words of options, kernels, parameters, shipped documents, files.
#ifndef PPS_ENGINE_CLI_DESCRIBE_COMPLETION_VALUES_H
#define PPS_ENGINE_CLI_DESCRIBE_COMPLETION_VALUES_H

#include "engine/cli/describe/completion.h"

// Prints a word behind `start` with its meaning if it begins as the last word of the line.
void pps_completion_offer(const struct completion_line *line,
                          const char *start,
                          const char *word,
                          const char *meaning,
                          FILE *out);

// Offers the values that the name of an argument stands for: RESULT, MODEL, FILE. `start` is the
// beginning of the last word that stays.
void pps_completion_values(const struct completion_line *line,
                           const char *argument,
                           const char *start,
                           FILE *out);

// Offers the values of an option.
void pps_completion_option(const struct completion_line *line,
                           const struct pps_opt *option,
                           const char *start,
                           FILE *out);

#endif
