// SPDX-License-Identifier: Apache-2.0
// Which strategies `nd rank` solves programs for: those of a table, or the quickest ones that the
// search finds.
#ifndef PPS_NDSEARCH_TOOLPICKS_H
#define PPS_NDSEARCH_TOOLPICKS_H

#include "tooljob.h"

#include "engine/tool.h"

struct nd_picks {
    struct nd_strategy *strategies; // mbs 0: the table does not say
    int64_t n;
};

// --candidates, or --nd-path: a table with dp, tp, pp, ep and, where they are known, cp, op, sp,
// mbs. Otherwise the space is searched and the quickest --search of each (dp, tp, cp, pp, ep, op)
// are taken. To be freed whatever comes back.
PPS_MUST_CHECK enum pps_status nd_picks_open(struct nd_picks *picks,
                                             struct nd_job *job,
                                             const struct pps_args *args,
                                             struct pps_error *err);
void nd_picks_free(struct nd_picks *picks);

#endif
