// SPDX-License-Identifier: Apache-2.0
// Lines of the table of candidates: candidates that differ in one minor degree alone (op, vp or mbs)
// and recompute the same are one line, that of the quickest.
#ifndef PPS_NDSEARCH_TOOLFOLD_H
#define PPS_NDSEARCH_TOOLFOLD_H

#include "kernels/ndsearch/search/search.h"

enum nd_folded {
    ND_FOLDED_OP,
    ND_FOLDED_VP,
    ND_FOLDED_MBS,
    ND_FOLDED_NOT,
};

struct nd_line {
    struct nd_candidate first; // the quickest
    enum nd_folded degree;     // in which the candidates of the line differ
    int32_t least, most;       // of that degree
    double slowest_ms;         // step of the slowest
};

struct nd_lines {
    struct nd_line *all; // the quickest first
    size_t n;
};

// Lines of all candidates of a result, which are one each unless `fold`; the best of the result become
// the first lines. false: no memory. The lines are to be freed with free(lines->all).
bool nd_lines_of(struct nd_lines *lines, struct nd_search_result *result, bool fold);

// "op 8-64, up to +0.8 %"; "" of a line of one candidate.
enum { ND_LINE_TEXT = 64 };
const char *nd_line_text(const struct nd_line *line, char text[ND_LINE_TEXT]);

#endif
