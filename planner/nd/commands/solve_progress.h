// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how long a solver has worked, and the best choice so far.
#pragma once

#include "engine/command/progress_kind.h"
#include "kernels/common/search/solve.h"

struct nd_solve_progress {
    struct nd_news news;
    enum pps_progress_kind kind;
    double layer_ms;    // of a layer forward; NAN: not known
    double max_seconds; // 0: no limit
    double patience;    // s without a better choice after which the solver ends; 0: no limit
    double started, shown;
    double best, improved; // the last choice that was better, and when it was found
    bool drawn;
};

// Starts the clocks; effort->news is then that of the progress. kind, layer_ms, max_seconds and
// patience are set.
void nd_solve_progress_start(struct nd_solve_progress *progress, struct nd_effort *effort);

// Removes a line that is drawn.
void nd_solve_progress_end(struct nd_solve_progress *progress);
