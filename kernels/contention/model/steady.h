// SPDX-License-Identifier: Apache-2.0
// Skips whole periods of a simulation. After a transient the state of a 1f1b point, relative to
// the present micro-batch, repeats every few micro-batches; then whole periods need not be
// simulated. Private to the model. model.md proves that the result stays correct.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

enum {
    STEADY_WINDOW = 256,    // most anchors remembered whole
    STEADY_STAGES = 8192,   // stages in all these anchors together: limits the memory
    STEADY_SLOTS = 16,      // numbers per stage, without the numbers of waiting transfers
    STEADY_MARKS = 2048,    // anchors of which marks are remembered: the longest period found
    STEADY_PATIENCE = 4096, // anchors without a period after which a search pauses
};

// The state at an anchor: a moment at which stage 0 has just finished backwards that are a
// multiple of sync_freq.
struct steady_anchor {
    double epoch, now;
    int32_t base;             // backwards done at stage 0
    size_t n;                 // numbers in `values`
    double *values;           // of all stages, but for their synchronisations
    struct steady_sync *sync; // [stage]
};

// The synchronisations of a stage.
struct steady_sync {
    int32_t pending; // due ones behind the active one
    double left;     // work of the active one; HUGE_VAL: none is active
};

struct steady_time {
    double epoch, now;
    double differs; // from one period before: the state, or the time of the period
};

struct steady {
    int32_t next; // backwards of stage 0 at the next look; INT32_MAX: no look
    uint64_t n_anchors;
    uint64_t search;        // the first anchor since the last pause
    uint64_t first;         // the first one that is remembered whole
    int32_t period, streak; // anchors; how many in a row equal the one a period before
    bool erred;             // periods between equal states took different times
    uint64_t held;          // while `following`: the last anchor that is remembered whole
    bool following;         // a period longer than the window, by its marks
    double pace;            // the time that it takes
    uint64_t n_window;
    struct steady_anchor *window; // anchor k at k % n_window
    double *values;               // room for the anchors' values, `room` each
    size_t room;
    struct steady_sync *sync; // memory for the synchronisations of the anchors, [stage] each
    double *mark;             // of anchor k at k % STEADY_MARKS, and STEADY_MARKS further on
    struct steady_time *time; // of anchor k at k % STEADY_MARKS
    double *moved;            // room for one ring of targets
};

// Returns how many consecutive looks, one every `step` micro-batches, must repeat with this
// period (in looks) before a jump over m micro-batches. A longer jump needs more micro-batches,
// to reject a state that only seems to repeat. A minimum number of looks must also repeat with
// equal times of the period; many looks if the period has `erred`, that is, took a different
// time between equal states.
int32_t contention_steady_streak(int32_t period, int32_t step, bool erred, int32_t m);

// Returns whether a difference between equal states grows: its greatest value in the first half
// of a streak, and in the last, in units. Both are rounding where a point does not enlarge it.
bool contention_steady_grows(double first, double last);

// Sets the first look.
void contention_steady_start(struct sim *s);

// Looks for a period. The caller calls it when stage 0 has done `next` backwards and all rates
// are set. May move the point ahead by whole periods; the caller then sets the rates of touched
// stages again. Returns true if the point is at its end.
bool contention_steady_look(struct sim *s);
