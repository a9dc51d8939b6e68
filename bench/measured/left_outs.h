// SPDX-License-Identifier: Apache-2.0
// Steps that were predicted without their source, in groups: the table of planner/nd/profiling/left_out.h.
#pragma once

#include "bench/measured/fit.h"

#include <stdio.h>

// A step and its error, predicted without its source.
struct left_out {
    const struct nd_measurement *row;
    double error;
};

// The steps of the page and those of layouts.
struct left_outs {
    struct left_out of[2 * ND_MEASURED];
    int n;
};

void left_outs_find(struct left_outs *all, const struct measured *m,
                    const struct measured *layouts);

// Writes the groups as rows of C.
void left_outs_write_groups(FILE *o, const struct left_outs *all);

// Returns whether the table of nd_left_out_groups has other figures.
bool left_outs_differ(const struct left_outs *all);

// Writes the table of nd_left_out_groups as Markdown.
void left_outs_write_table(FILE *o);
