// SPDX-License-Identifier: Apache-2.0
// Prints the results of `ppsweep nd`: counts after every filter, the best candidates, and the
// reasons why filters reject a strategy.
#pragma once

#include "planner/nd/commands/search_baseline.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/folded_lines.h"
#include "planner/nd/strategies/search.h"

#include "base/text/status.h"

// all: filters that remove nothing are listed, too.
void nd_report_counts(const struct nd_job *job, const struct nd_search *search,
                      const struct nd_counts *counts, const struct nd_search_result *result,
                      bool all);

// Prints the best lines, then the baseline. lines NULL: the best of the result, as published.
void nd_report_table(const struct nd_search *search, const struct nd_search_result *result,
                     const struct nd_lines *lines, const struct nd_base *base);

// Prints the row of the baseline if there is one, below the names of the columns where the table has none.
void nd_report_base(const struct nd_base *base, bool orig, bool with_header);

// Prints what the rows of the table have in common, where nd rank tries more.
void nd_report_space(const struct nd_job *job);

// Says how likely the first line fits in memory, where that is less than usual.
void nd_report_fit(const struct nd_job *job, const struct nd_lines *lines);

// Prints the software stack of the predictions, and how far they may be trusted. Prints nothing for
// published formulas, which have no times.
// Prints which of the first rows are equal for the model, or how sure the order of the first two is; n: at most ORDERED.
enum { ORDERED = 32 };
void nd_report_order(const double *times, size_t n);
// The same of the printed rows of a search.
void nd_report_close(const struct nd_search_result *result, const struct nd_lines *lines);

void nd_report_trust(const struct nd_job *job);

// The same on stderr, as a note on times that come from models; and that splits take the mean of several kinds of layers.
void nd_note_trust(const struct nd_job *job);

// Prints "The best is 12.3 % faster than the baseline (38.8 s, baseline 44.3 s)" and `more`.
void nd_report_faster(double best_ms, double base_ms, const char *more);

// Returns PPS_E_INFEASIBLE with the filter that rejects the last strategies and a change of filters
// that allows some.
enum pps_status nd_report_empty(const struct nd_job *job, const struct nd_search *search,
                                const struct nd_counts *counts,
                                const struct nd_search_result *result, struct pps_error *err);

// Prints all reasons against a strategy, its memory and its step time.
void nd_report_why(const struct nd_job *job, const struct nd_search *search,
                   const struct nd_strategy *strategy);

void nd_report_filters(void);
