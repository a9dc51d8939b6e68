// SPDX-License-Identifier: Apache-2.0
// Folds the table of candidates: candidates with equal recompute that differ only in one minor
// degree (op, vp or mbs) share one line, which shows the fastest of them.
#pragma once

#include "planner/nd/strategies/search.h"

enum nd_folded {
    ND_FOLDED_OP,
    ND_FOLDED_VP,
    ND_FOLDED_MBS,
    ND_FOLDED_NOT,
};

struct nd_line {
    struct nd_candidate first; // the fastest
    enum nd_folded degree;     // the degree in which the candidates of the line differ
    int32_t least, most;       // of that degree
    double slowest_ms;         // step of the slowest
};

struct nd_lines {
    struct nd_line *all; // the fastest first
    size_t n;
};

// Makes the lines of all candidates of a result, one per candidate unless `fold`. The first
// lines replace the best candidates of the result. Returns false when out of memory. The
// caller frees lines->all with free().
bool nd_lines_of(struct nd_lines *lines, struct nd_search_result *result, bool fold);

// Writes and returns "op 8-64, up to +0.8 %", or "" for a line of one candidate.
enum { ND_LINE_TEXT = 64 };
const char *nd_line_text(const struct nd_line *line, char text[ND_LINE_TEXT]);
