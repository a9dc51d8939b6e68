// SPDX-License-Identifier: Apache-2.0
// Jumping over what repeats. After a transient the state of a 1f1b point, taken relative to the
// current micro-batch, returns every few micro-batches; then whole periods need not be
// simulated. Private to the model; why it is right: model.md.
#ifndef PPS_CONTENTION_STEADY_H
#define PPS_CONTENTION_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

enum {
    STEADY_WINDOW = 256,    // most anchors remembered, hence the longest period found
    STEADY_STAGES = 8192,   // stages remembered in all anchors together: bounds the memory
    STEADY_SLOTS = 16,      // numbers a stage, besides those of its waiting transfers
    STEADY_PATIENCE = 4096, // anchors without a period after which nothing is looked for
};

// The state at an anchor: a moment at which stage 0 has just finished backwards that are a
// multiple of sync_freq.
struct steady_anchor {
    double epoch, now;
    int32_t base;             // backwards done at stage 0
    double mark;              // of few anchors the same: a first guess at equal states
    size_t n;                 // numbers in `values`
    double *values;           // of all stages, but for their synchronisations
    struct steady_sync *sync; // [stage]
};

// The synchronisations of a stage.
struct steady_sync {
    int32_t pending; // due ones behind the active one
    double left;     // work of the active one; HUGE_VAL: none is active
};

struct steady {
    int32_t next; // backwards of stage 0 at the next look; INT32_MAX: there is none
    uint64_t n_anchors;
    int32_t period, streak; // anchors; how many in a row equal the one a period before
    uint64_t n_window;
    struct steady_anchor *window; // anchor k at k % n_window
    double *values;               // room for the anchors' values, `room` each
    size_t room;
    struct steady_sync *sync; // room for theirs, [stage] each
    double *moved;            // room for one ring of targets
};

// Anchors in a row that must repeat, with a period of so many anchors, before a jump over m
// micro-batches: the further the jump, the longer the proof, so that a state that only seems to
// repeat is found out.
int32_t contention_steady_streak(int32_t period, int32_t m);

// Decides where to look first.
void contention_steady_start(struct sim *s);

// To be called once stage 0 has done `next` backwards and all rates are set. May move the point
// ahead by whole periods; then rates of touched stages are to be set anew. true: the point has
// been moved to its end.
bool contention_steady_look(struct sim *s);

#endif
