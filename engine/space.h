// SPDX-License-Identifier: Apache-2.0
// The numbered list of points that nobody writes down: axes, outermost first, and rules. Point k
// is computed from k alone. Built once, then const and shared by all workers.
//
// Left-out points have numbers too. From the outermost axis inwards, each is asked whether its
// value is one that its parameter can take (a dependent axis may compute others), then the rules
// that it decides; the kernel's own check comes last. The first refusal counts, and everything
// below that axis's value is left out in one step.
#ifndef PPS_SPACE_H
#define PPS_SPACE_H

#include "axis.h"
#include "kernel.h"
#include "output.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_AXES = PPS_MAX_PARAMS, PPS_MAX_RULES = 32, PPS_REASON_TEXT = 96 };

struct pps_rule {
    struct pps_expr *expr;
    char *text; // as the experiment has it
};

struct pps_subtrees; // exact counts below dependent axes
struct pps_sample;   // draws instead of the whole grid (sample.h)

struct pps_space {
    const struct pps_kernel *kernel;
    double base[PPS_MAX_PARAMS]; // of parameters that no axis sets
    int n_axes;
    struct pps_axis axes[PPS_MAX_AXES];
    int n_rules;
    struct pps_rule rules[PPS_MAX_RULES];
    int n_columns; // parameters that a row shows, in its order
    int columns[PPS_MAX_PARAMS];
    uint64_t typed;            // of these, the parameters with two cells (typed.h), a bit each
    struct pps_sample *sample; // or NULL: the list is the grid

    // Derived by pps_space_prepare.
    uint64_t n_points;
    int constant_from;                // no axis from here inwards is dependent
    uint64_t below[PPS_MAX_AXES + 1]; // points from axis d inwards, for d >= constant_from
    uint64_t live[PPS_MAX_AXES + 1];  // parameters that decide it for smaller d
    int first_column[PPS_MAX_AXES];   // first column that a change of axis d touches
    double highest[PPS_MAX_PARAMS];   // greatest value of each parameter
    uint32_t rules_of[PPS_MAX_AXES];  // rules that an axis decides, a bit each
    struct pps_subtrees *subtrees;
    int n_reasons;
    char reasons[PPS_MAX_REASONS][PPS_REASON_TEXT];
    int range_reason[PPS_MAX_AXES]; // of a dependent axis
    int kernel_reason;              // kernel reason r is kernel_reason + r - 1
};

// Counts the points and lays out the walk. PPS_E_INPUT (no place) beyond 2^63 points, for an
// axis that depends on itself or a later one, for more combinations than can be counted. A space
// without points is refused too.
PPS_MUST_CHECK enum pps_status pps_space_prepare(struct pps_space *space,
                                                 struct pps_error *err);
void pps_space_free(struct pps_space *space); // its contents

// Cells of a row up to its results.
int pps_space_cells(const struct pps_space *space);

// The number of the point with these parameter values; false: the space has no such point, or is
// sampled.
bool pps_space_find(const struct pps_space *space, const double *point, uint64_t *index);

// ---- walking ----------------------------------------------------------------------------------

// Points left out for one reason.
struct pps_left_out {
    uint64_t n;
    uint64_t example; // the first of them
};

// One a worker: a place in the list, with the point and the text of its cells.
struct pps_cursor {
    const struct pps_space *space;
    uint64_t index;
    int fresh; // outermost axis moved since its rules were asked
    int stale; // first column of the prefix that is out of date
    double point[PPS_MAX_PARAMS];
    size_t prefix_n;
    size_t offset[PPS_MAX_PARAMS + 1]; // of column c in prefix
    char prefix[(PPS_MAX_PARAMS + 2) *
                PPS_CELL_TEXT]; // the row up to its results, and some room
    struct pps_axis_cells cells;
    struct pps_cursor_level {
        struct pps_axis_values values;
        uint64_t at;  // number of the current value
        uint64_t end; // first index past the points of the current value
        bool refused; // a value that the parameter cannot take
    } level[PPS_MAX_AXES];
};

// Goes to index < n_points.
void pps_cursor_seek(struct pps_cursor *cursor, const struct pps_space *space, uint64_t index);

// Walks from the cursor's place, which counts as well, to the first point before `end` that is
// not left out: returns true and stands on it, its prefix made. Otherwise returns false with
// index = end; seek then before going on. Adds the left-out points it passed to
// left_out[reason] (n_reasons entries).
bool pps_cursor_next(struct pps_cursor *cursor, uint64_t end, struct pps_left_out *left_out);

// The same, but returns false, ready to be called again, when it has skipped `most` values of axes
// before `end`: for callers that look at a clock.
bool pps_cursor_next_within(struct pps_cursor *cursor,
                            uint64_t end,
                            uint64_t most,
                            struct pps_left_out *left_out);

// Steps past the current point; at the end of the space only index moves.
void pps_cursor_step(struct pps_cursor *cursor);

#endif
