// SPDX-License-Identifier: Apache-2.0
// What `ppsweep nd` says: counts after every filter, the best candidates, why a strategy is out.
#ifndef PPS_NDSEARCH_TOOLREPORT_H
#define PPS_NDSEARCH_TOOLREPORT_H

#include "kernels/ndsearch/search/search.h"
#include "toolfold.h"
#include "tooljob.h"

#include "engine/status.h"

void nd_report_counts(const struct nd_job *job,
                      const struct nd_search *search,
                      const struct nd_search_result *result);

// The best lines, and the baseline (or NULL) with them. lines NULL: the best of the result, as
// published.
void nd_report_table(const struct nd_search *search,
                     const struct nd_search_result *result,
                     const struct nd_lines *lines,
                     const struct nd_strategy *baseline);

// "The best is 12.3 % faster than the baseline (38.8 s, baseline 44.3 s)", and more.
void nd_report_faster(double best_ms, double base_ms, const char *more);

// PPS_E_INFEASIBLE, with what took the last strategies and what would leave some.
enum pps_status nd_report_empty(const struct nd_job *job,
                                const struct nd_search *search,
                                const struct nd_search_result *result,
                                struct pps_error *err);

// All that is wrong with a strategy; what it needs and takes.
void nd_report_why(const struct nd_job *job,
                   const struct nd_search *search,
                   const struct nd_strategy *strategy);

void nd_report_filters(void);

#endif
