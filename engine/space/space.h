// SPDX-License-Identifier: Apache-2.0
// A space is the numbered list of points, which is never stored: axes, outermost first, and
// rules. Point k is computed from k alone. A space is built once, then const and shared by all
// workers.
//
// Skipped points have numbers too. From the outermost axis inwards, each axis is checked: first
// whether its parameter accepts the value (a dependent axis may compute an invalid one), then
// the rules that this axis decides. The kernel's own check comes last. The first failed check
// is the reason, and all points below that value of the axis are skipped in one step.
#pragma once

#include "base/text/status.h"
#include "engine/space/axis.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdint.h>

// ---- reason -------------------------------------------------------------------------------------

struct pps_space;

enum {
    PPS_MAX_REASONS = 48, // rules and kernel reasons together
    PPS_REASON_TEXT = 96,
    PPS_REASON_WORDS = PPS_REASON_TEXT + 24,
};

// Writes words that follow "points": "not satisfying n > 4", "where sync_freq > n", "with n
// outside its range". Always one line; needs reason < space->n_reasons. Returns words.
const char *pps_reason_words(const struct pps_space *space, int reason,
                             char words[PPS_REASON_WORDS]);

// ---- space --------------------------------------------------------------------------------------

enum { PPS_MAX_AXES = PPS_MAX_PARAMS, PPS_MAX_RULES = 32 };

struct pps_rule {
    struct pps_expr *expr;
    char *text; // as written in the experiment
};

struct pps_dependent_counts; // exact counts below dependent axes
struct pps_sample;           // draws instead of the whole grid (sample.h)

struct pps_space {
    const struct pps_kernel *kernel;
    double base[PPS_MAX_PARAMS]; // values of parameters that no axis sets
    int n_axes;
    struct pps_axis axes[PPS_MAX_AXES];
    int n_rules;
    struct pps_rule rules[PPS_MAX_RULES];
    int n_columns; // number of parameters that a row shows
    int columns[PPS_MAX_PARAMS];
    uint64_t
        typed; // parameters of these columns with two cells (typed_columns.h), one bit each
    struct pps_sample *sample; // NULL: the list of points is the grid

    // Derived by pps_space_prepare.
    uint64_t n_points;
    int constant_from;                // this axis and all axes inwards are independent
    uint64_t below[PPS_MAX_AXES + 1]; // points from axis d inwards, for d >= constant_from
    uint64_t live[PPS_MAX_AXES + 1]; // parameters that determine below[d] for d < constant_from
    int first_column[PPS_MAX_AXES];  // first column that a change of axis d touches
    double highest[PPS_MAX_PARAMS];  // maximum of each parameter
    uint32_t rules_of[PPS_MAX_AXES]; // rules that an axis decides, one bit each
    struct pps_dependent_counts *subtrees;
    int n_reasons;
    char reasons[PPS_MAX_REASONS][PPS_REASON_TEXT];
    int range_reason[PPS_MAX_AXES]; // reason of a dependent axis
    int kernel_reason;              // kernel reason r is kernel_reason + r - 1
};

// Counts the points and prepares the walk. Returns PPS_E_INPUT (no place) for more than 2^63
// points, for an axis that depends on itself or on a later axis, for too many combinations to
// count, and for a space without points.
PPS_MUST_CHECK enum pps_status pps_space_prepare(struct pps_space *space,
                                                 struct pps_error *err);
void pps_space_free(struct pps_space *space); // frees its contents, not the struct

// Returns the number of cells of a row before its results.
int pps_space_cells(const struct pps_space *space);

// Returns the axis that sets parameter p; NULL: none.
const struct pps_axis *pps_space_axis_of(const struct pps_space *space, int p);

// ---- walking ----------------------------------------------------------------------------------

// Points skipped for one reason.
struct pps_left_out {
    uint64_t n;
    uint64_t example; // number of the first skipped point
};

// A place in the list, with the point and the text of its cells. Each worker has its own
// cursor.
struct pps_cursor {
    const struct pps_space *space;
    uint64_t index;
    int fresh; // outermost axis that moved since its rules were checked
    int stale; // first column of the prefix that is out of date
    double point[PPS_MAX_PARAMS];
    size_t prefix_n;
    size_t offset[PPS_MAX_PARAMS + 1]; // of column c in prefix
    char prefix[(PPS_MAX_PARAMS + 2) *
                PPS_CELL_TEXT]; // text of the row before its results, with some room
    struct pps_axis_cells cells;
    struct pps_cursor_level {
        struct pps_axis_values values;
        uint64_t at;  // number of the current value
        uint64_t end; // first index past the points of the current value
        bool refused; // the parameter does not accept the value
    } level[PPS_MAX_AXES];
};

// Moves to point index < n_points.
void pps_cursor_seek(struct pps_cursor *cursor, const struct pps_space *space, uint64_t index);

// Moves to the first point in [index, end) that is not skipped, the current point included.
// Returns true with the cursor on that point and its prefix built. Otherwise returns false with
// index = end; the caller must seek before the next call. Adds the skipped points to
// left_out[reason] (n_reasons entries).
bool pps_cursor_next(struct pps_cursor *cursor, uint64_t end, struct pps_left_out *left_out);

// Like pps_cursor_next, but also returns false after skipping `most` values of axes before
// `end`; the caller may then call again. For callers that check a clock or the stop flag.
bool pps_cursor_next_within(struct pps_cursor *cursor, uint64_t end, uint64_t most,
                            struct pps_left_out *left_out);

// Steps past the current point. At the end of the space only index moves.
void pps_cursor_step(struct pps_cursor *cursor);
