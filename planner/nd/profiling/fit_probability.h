// SPDX-License-Identifier: Apache-2.0
// Tells how likely a training fits in memory: published peaks, and layouts that ran or ran out of
// memory, say how far true peaks lie from predicted ones.
#pragma once

#include "kernels/common/description/training.h"

#include <stdint.h>
#include <stdio.h>

// ln(true peak / predicted peak) has a logistic distribution with this median and scale.
struct nd_memory_group {
    const char *stack; // "": all stacks
    int facts;         // peaks, and layouts of which it is known whether they ran
    double median, scale;
};

// The group of a stack; all facts if too few were published with this stack.
const struct nd_memory_group *nd_memory_group(const struct training *training);

// All groups, the one of all stacks last; *n of them.
const struct nd_memory_group *nd_memory_groups(int *n);

// The probability that the true peak is at most `limit`. Both are in bytes and positive.
double nd_fit_probability(const struct nd_memory_group *group, double predicted, double limit);

// The largest predicted peak that fits with this probability, which is below 1: at most `limit`.
double nd_fit_limit(const struct nd_memory_group *group, double probability, double limit);

// The probability that the first choice of a search has.
#define ND_FIT_USUAL 0.9

enum { ND_PERCENT_TEXT = 16, ND_FIT_TEXT = 160 };

// Writes the probability as "97 %", "above 99 %" or "below 1 %".
const char *nd_fit_percent(const struct training *training, double predicted, double limit,
                           char text[ND_PERCENT_TEXT]);

// Writes "probability of fitting 97 % (from ... facts)".
const char *nd_fit_text(const struct training *training, double predicted, double limit,
                        char text[ND_FIT_TEXT]);

// ---- rows ---------------------------------------------------------------------------------------

// The first of some rows, and the first of them that fits with the usual probability.
struct nd_fit_rows {
    const struct training *training;
    double limit;      // bytes
    int64_t n;         // rows so far
    double peak, time; // of the first: bytes and any unit
    int64_t safe;      // counted from 1; 0: none
    double safe_peak, safe_time;
};

void nd_fit_rows_add(struct nd_fit_rows *rows, double peak, double time);

// Prints a line if the first row fits with less than the usual probability. before: what the line begins with.
void nd_fit_rows_say(const struct nd_fit_rows *rows, FILE *out, const char *before);
