// SPDX-License-Identifier: Apache-2.0
// A family of pipeline schedules turns a pipeline into an order of operations for every device.
// kernels/schedule/catalogue lists all families.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"

// What a family promises.
enum family_kind {
    FAMILY_RULE,      // a closed rule: the order depends on P, M, v and options only
    FAMILY_AUTOMATIC, // a heuristic that looks at times and memory
    FAMILY_SEARCH,    // exact optimum, or a search with a bound
};

enum family_objective { FAMILY_MAKESPAN, FAMILY_SPAN };

// Options that only some families use.
enum family_use {
    FAMILY_USES_GROUP = 1,
    FAMILY_USES_DESCENDING = 2,
    FAMILY_USES_PUBLISHED = 4,
    FAMILY_USES_SEED = 8,
    FAMILY_USES_BUDGET = 16,
    FAMILY_USES_PAIR = 32, // the time of a pair, which the pipeline holds
};

// The families that use an option, for the help of all programs.
#define FAMILIES_WITH_GROUP      "interleaved, interleaved_group"
#define FAMILIES_WITH_DESCENDING "gpipe, bfs_loop"
#define FAMILIES_WITH_PUBLISHED  "zb_auto, zbv, v_half, v_min, v_1f1b"

// What a search knows beyond its order; other families leave it as it was: all 0.
struct family_result {
    double value;                // of the objective, of the order found
    double bound;                // proven lower bound of the objective; 0: none
    bool proven;                 // value is the optimum
    int64_t evaluations;         // orders or states looked at
    const struct family *chosen; // family best: where the order comes from; otherwise NULL
    // Family best: the pipeline of the order, whose placement and chunks may be others than those of the
    // pipeline given. Lies in the memory of the family. NULL: the pipeline given.
    const struct pipeline *pipeline;
};

// An order that a family has made of the pipeline that the portfolio gives it, with the same options.
struct family_known {
    const struct family *family;
    struct pipeline_shape shape;
    const struct order *order;
    struct family_result result;
};

// Options of families; a family ignores the options that it does not use.
struct family_options {
    int32_t
        group; // micro-batches of a group (interleaved: >= P; interleaved_group: >= 1); 0: default
    bool descending; // backwards from the last micro-batch to the first
    bool published;  // automatic: exactly as published; otherwise never worse at the same limit
    enum family_objective objective; // search
    uint64_t seed;                   // search
    int64_t budget;                  // search: evaluations at most
    bool one_direction;              // best: without families of two directions
    // Best: sets the times and the memory of a pipeline whose stages have devices. NULL: the stages of the
    // pipeline given are equal, or only families of its placement take part.
    void (*set_work)(const void *work, struct pipeline *pipeline);
    const void *work;
    const struct family_known *known; // best: what it need not build again
    int n_known;
};

enum family_status {
    FAMILY_DONE,
    FAMILY_NO_ROOM, // no order of this family stays within the limits of memory
    FAMILY_FAILED,  // the published rule breaks down on these times
    FAMILY_STOPPED, // by the poll
};

// What a family turns into an order.
struct family_task {
    const struct pipeline *pipeline;
    const struct family_options *options;
    void *memory;                 // what family_take returned
    struct poll *poll;            // may be NULL
    struct order *order;          // empty, with the room of order_room
    struct family_result *result; // may be NULL, but not for family best
};

struct family {
    const char *name;
    const char *summary; // one line
    const char *source;  // paper
    enum family_kind kind;
    unsigned uses; // bits of enum family_use
    enum pipeline_placement placement;
    int directions;
    bool whole_backward;   // runs BW, not B and W
    int64_t forwards_most; // stages * micro-batches of the shapes that fit; 0: no limit
    bool pairs;            // forwards overlap backwards
    // Returns NULL if the family has an order for this shape, otherwise the reason: one of a fixed
    // set of texts, e.g. "needs an even number of devices".
    const char *(*misfit)(const struct pipeline_shape *shape,
                          const struct family_options *options);
    // Returns the chunks per device: v, or what the family fixes (2 for placement V).
    int32_t (*chunks)(int32_t v);
    // Takes the memory that build needs besides the order. NULL: none.
    void *(*take)(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room);
    // One of two is set. build: writes all orders of a task, without R; its shape fits.
    enum family_status (*build)(const struct family_task *task);
    // device: writes the order of one device. Devices are ordered one after the other.
    void (*device)(const struct family_task *task, int32_t device);
};

// Returns the memory that family_build needs besides the order; NULL if it needs none.
void *family_take(const struct family *family, const struct pipeline_shape *shape,
                  const struct family_options *options, struct room *room);

// Writes the order of a task whose shape fits the family.
enum family_status family_build(const struct family *family, const struct family_task *task);

// Options with which an automatic family is never worse than as published.
static inline struct family_options family_unpublished(const struct family_options *options)
{
    struct family_options own = *options;
    own.published = false;
    return own;
}

// Returns whether the shape does not exceed forwards_most.
static inline bool family_is_in_reach(const struct family *family,
                                      const struct pipeline_shape *shape)
{
    return family->forwards_most == 0 ||
           (int64_t)shape->stages * shape->micro_batches <= family->forwards_most;
}
