// SPDX-License-Identifier: Apache-2.0
// Declares the state of one simulated point and the small steps on it that several files share.
// Private to the model; users include model.h. model.md explains the layout.
#pragma once

#include "kernels/contention/model/model.h"
#include "kernels/contention/model/steady.h"

#include <math.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define RATE_MIN   1e-9 // a slower task does not set the time of the next event
#define WEIGHT_MIN 1e-9 // a lighter kind counts as weight 0
#define SUM_SLACK  1e-9 // a receiver's sum beyond 1 that is rounding, not congestion

// Slots: the tasks of a stage. FWD and GRAD are classes of transfers, numbered as the forwards
// and backwards they follow; of a class only the head, the earliest task, is in `rem`.
enum slot {
    FWD,
    GRAD,
    SYNC, // the regular synchronisation: one at a time
    LEFT, // the leftover one
    COMPUTE,
    N_SLOTS = 6, // one unused: pairs of doubles
};

// Additional output of an event loop; always a constant at the call.
enum observe {
    PLAIN,
    METRICS,
    TRACE,
    SLOPES,
};

// How much of a class a congestion mark covers.
enum extent {
    NONE,
    HEAD,
    ALL,
};

struct stage {
    double rem[N_SLOTS];  // work left of the slot's task at time `since`; HUGE_VAL: no task
    double rate[N_SLOTS]; // of the head; of an even class every task has it
    double served[2];     // work each task of an even class got since the class was empty
    double second[2];     // rate of an exclusive class's second task
    double since;
    int32_t done[2];      // forwards, backwards finished: the next one is the one in progress
    int32_t sent[2];      // fwd_props, grad_props finished: the index of the head
    int32_t in[2];        // forwards, backwards whose inputs have come from the neighbour
    int32_t window;       // forwards may be ahead of backwards by less than this
    int32_t next_sync;    // backwards after which the next regular synchronisation is due
    int32_t sync_pending; // due regular ones that wait for the one before
    int32_t sync_at;      // micro-batch of the active regular one
    int32_t throttled[2]; // how many leading tasks of the class are throttled now
    int32_t marked[2];    // tasks of the class below this index were throttled once
    uint8_t given[2], fixed[2]; // enum extent, during the congestion rounds
    uint8_t computing;          // 0: idle, 1: a forward, 2: a backward
    bool port_changed;          // the set of active transfers is another than at the last event
    bool touched;               // is in the list `touched`
    bool changed;               // has other rates or tasks than at the last event
};

// Rules 1 to 3 for a set of kinds that are present.
struct rule {
    double
        part[CONTENTION_N_SHARING]; // of the bandwidth, by weight; all 0: equal for all tasks
    unsigned winners;               // kinds of the best tier; 0: no tier
    bool weighted;
};

// Sums of the metrics of a stage; times since the start of the point.
struct stage_metrics {
    double started;                     // the compute task in progress
    double ready[2];                    // of the active SYNC, LEFT
    double busy;                        // time of all compute tasks
    double last;                        // when the last compute task ended
    double end;                         // when the last task of any kind ended
    double waits[CONTENTION_N_SHARING]; // time without compute, by what it waited for
    double exposed_since;               // it waits since then, if `coming`
    double wait_since;                  // `coming` and `sync` are as they are since then
    unsigned coming; // KIND_BITs of transfers on their way to the stage, which does not compute
    double sync[2];  // share of synchronisations in the way of each kind of transfer
    double unsettled;         // waiting time while both kinds were on their way
    double unsettled_sync[2]; // the part of it that synchronisations cause, if the stage
                              // then turns out to have waited for this kind
};

// Derivatives by the lengths and impacts.
struct slope {
    double by[CONTENTION_N_SLOPES];
};

// Those of the numbers of a stage with these names.
struct stage_slopes {
    struct slope rem[N_SLOTS], served[2], since;
};

// A segment that has not been sent yet.
struct open_piece {
    double start, end, rate;
    int32_t gpu, micro_batch;
    uint8_t kind; // enum contention_kind
    uint8_t slot; // enum slot
    bool throttled;
    bool closed; // `end` is known
};

// The unfinished pieces of the active tasks, and finished ones that started after one of them.
struct tracer {
    const struct contention_sink *sink;
    struct open_piece *queue; // in order of start; number k is at k % cap
    size_t cap;               // more than there can be active tasks
    uint64_t first, end;      // numbers in the queue: first ... end - 1
    uint64_t *of_transfer;    // [i & ring]: its open piece's number + 1; 0: none
    uint64_t *of_stage;       // [3 j]: open pieces of SYNC, LEFT, COMPUTE
};

// When the first task of a stage ends, and when one first comes within eps_work of its end.
struct times {
    double finish, early;
};

#define FAN    4 // places of a level under one of the next; 8 is as fast, 2 slower
#define LEVELS 6 // FAN to the power of LEVELS: 4096 stages

struct sim {
    const struct contention_point *p;
    struct stage *stages;
    double eps_work;
    double now;   // since `epoch`
    double epoch; // keeps `now` small, so that ties stay ties
    double span;  // `now` starts again after so much
    double per_unit;
    struct times
        *times[LEVELS]; // [0][j] of stage j; [l + 1][k] the least of [l][4k ... 4k + 3]
    int n_levels;       // the last one has four places; unused places: HUGE_VAL
    int32_t *due;       // stages at which something ends at `now`
    int32_t *touched;   // stages whose rates or tasks may change at `now`
    int32_t n_due, n_touched;
    double *target; // [i & ring]: work left of micro-batch i's transfer, plus `served`
    uint32_t ring;
    double even[2]; // 1: tasks of the class have equal rates; 0: exclusive
    double compute_len[2];
    double impact[3]; // by `computing`
    double sync_work, left_work;
    bool instant_prop, instant_sync, instant_left; // no more work than eps_work
    bool congestion;                               // can occur
    struct rule rules[1 << CONTENTION_N_SHARING];
    unsigned together; // bit k: exactly the kinds of mask k can be active together at one port
    // congestion
    int32_t n_regions;
    uint8_t *in_region; // [r + REGION_PAD]: receiver r is in a region of altered shares
    int32_t *seeds;
    int32_t n_seeds;
    struct steady steady;
    // metrics
    struct stage_metrics *metrics;
    double *ready; // [i & ring]: when micro-batch i's active transfer became ready
    double busy, exposed;
    double latency[CONTENTION_N_SHARING];
    int64_t throttled_tasks;
    int32_t peak_in_flight;
    struct tracer tracer;
    // derivatives
    struct stage_slopes *slopes; // NULL: not wanted
    struct stage_slopes *slopes_room;
    struct slope *target_slope; // of `target`
    struct slope now_slope;     // of `now`, and of the time since the start of the point
};

// in_region is asked for receivers up to 5 beyond either end.
#define REGION_PAD 6

ALWAYS_INLINE int32_t class_count(const struct stage *st, int c)
{
    return st->done[c] - st->sent[c];
}

ALWAYS_INLINE double clock_time(const struct sim *s)
{
    return s->epoch + s->now;
}

// Lists the stage as one whose rates or tasks may change at this event.
ALWAYS_INLINE void touch(struct sim *s, int32_t j)
{
    if (s->stages[j].touched)
        return;
    s->stages[j].touched = true;
    s->touched[s->n_touched++] = j;
}

// slopes.c: the derivatives of the work left at a stage, `step` after they were last updated; of the present
// time, which is the end of the first task to end; and of the work of a task that starts.
void contention_slopes_advance(struct sim *s, const struct stage *st, double step);
void contention_slopes_clock(struct sim *s);
void contention_slopes_add(struct slope *to, const struct slope *from, double factor);
void contention_slope_start(struct slope *slope, enum contention_param length, double times);

// Updates the work left at a stage to the present time.
ALWAYS_INLINE void advance(struct sim *s, struct stage *st)
{
    double step = s->now - st->since;
    st->since = s->now;
    if (s->slopes != NULL)
        contention_slopes_advance(s, st, step);
    for (int k = 0; k < N_SLOTS; k++)
        st->rem[k] -= st->rate[k] * step;
    for (int c = 0; c < 2; c++)
        st->served[c] += s->even[c] * (st->rate[c] * step);
    for (int c = 0; c < 2; c++)
        if (st->second[c] > 0)
            s->target[(uint32_t)(st->sent[c] + 1) & s->ring] -= st->second[c] * step;
}

// setup.c: the point's unit of time, the largest power of two no greater than its longest
// length; what is worked out of a point alone; the state before the first event, with its
// arrays in `scratch`.
double contention_unit(const struct contention_point *p);
void contention_constants(struct sim *s, const struct contention_point *p);

void contention_setup(struct sim *s, const struct contention_point *point, void *scratch);

// congestion.c: applies congestion to the plain shares (rules 1 to 3) of every stage whose
// port_changed is set. Touches the stages whose shares it changes.
void contention_congest(struct sim *s);

// trace.c: sends the segments of all tasks, joined and in order of start.
void contention_tracer_start(struct sim *s, const struct contention_sink *sink);
// The task of the slot has finished; i is its micro-batch.
void contention_tracer_finish(struct sim *s, int32_t j, enum slot slot, int32_t i);
// Stage j has the rates of the interval that begins now.
void contention_tracer_rates(struct sim *s, int32_t j);
void contention_tracer_end(struct sim *s);
