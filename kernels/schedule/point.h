// SPDX-License-Identifier: Apache-2.0
// Evaluates one point of the kernel: a pipeline, and a family that orders its operations.
#pragma once

#include "kernels/common/executor/critical.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/families/family.h"
#include "kernels/schedule/noise/noise.h"
#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/plan_costs.h"
#include "kernels/schedule/policy/policy.h"
#include "ppsweep/kernel.h"

enum {
    SCHEDULE_DEVICES_MAX = 1024,
    SCHEDULE_CHUNKS_MAX = 64,
    SCHEDULE_REPLICATES_MAX = 100000,
};

// Values of parameter `per` and of parameter `compat`.
enum { PER_DEVICE, PER_CHUNK };
enum { COMPAT_NONE, COMPAT_ORIG };

// Values of parameter `times`.
enum { TIMES_GIVEN, TIMES_SIZE };

// Values of parameter `rule`: who decides what a device runs next.
enum schedule_rule { RULE_STATIC, RULE_PULL, RULE_W_FLOATS, RULE_POLICY };

// A pipeline, and how its operations are ordered: by a family, or as given.
struct schedule_point {
    const struct family *family; // NULL: the order is given
    const struct order *order;   // given
    const int32_t *device_of;    // of the given order: [direction * stages + stage]
    // Of the given order, if it lists them and they are blocking; NULL: where order_messages_place puts them.
    const struct order_messages *messages;
    bool hangs; // they deadlock
    struct family_options options;
    struct pipeline_shape shape;
    struct pipeline_stage stage; // of every stage; without slices
    double pair;                 // NAN: f + b + w, or the plan's
    double limit;                // of every device; INFINITY: none, or the plan's
    struct pipeline_links links;
    const struct plan *plan; // the costs of the stages, instead of `stage`; NULL: none
    struct plan_scale scale; // of the plan
    struct noise noise;      // `straggler` is set by replicates_open
    int32_t slow_device;     // in every replicate; -1: none
    uint32_t first, n_replicates;
    enum schedule_rule rule;
    struct pull_rule pull; // of RULE_PULL and RULE_W_FLOATS
    // Of RULE_POLICY: a learned policy; the rules of other policies are RULE_PULL. NULL: no document.
    const struct policy *policy;
    const struct network_shape *widest; // of all learned policies
};

// Converts the values of the parameters. shared: struct schedule_shared, or NULL without documents.
// Neither a family nor an order: no document has an order.
struct schedule_point schedule_point_of(const double *value, const void *shared);

// Sets the rule of the point to that of a policy. widest: as wide as its networks at least.
void schedule_use_policy(struct schedule_point *point, const struct policy *policy,
                         const struct network_shape *widest);

// Returns whether a pipeline of this shape is within the limits of pipeline.h.
bool schedule_is_small(const struct pipeline_shape *shape);

// Returns the most operations of a device.
int32_t schedule_room_of(const struct schedule_point *point);

// All that the evaluation of a point needs, in one room.
struct schedule_scratch {
    struct pipeline given;    // as schedule_set_pipeline sets it
    struct pipeline pipeline; // of the order: family best may choose another placement
    struct order order;
    struct executor *executor; // of the last order
    double *busy, *peak;       // [devices]
    char *shared;              // memory of the family, then of the executor
    char *chosen;              // arrays of `pipeline` of another placement
};

// Takes the scratch of the point from the room.
void schedule_scratch_take(struct schedule_scratch *scratch, const struct schedule_point *point,
                           struct room *room);

// Sets the pipeline of the point.
void schedule_set_pipeline(struct schedule_scratch *scratch,
                           const struct schedule_point *point);

struct schedule_figures {
    struct metrics metrics;
    struct metrics_idle idle;
    struct family_result found; // bound: the larger of the search's and of bounds.h
    double least_limit;         // of PPS_INFEASIBLE: a limit that is enough
};

// Orders and executes the pipeline of the scratch, which schedule_set_pipeline has set. PPS_INFEASIBLE: there is
// no order within the limit.
enum pps_outcome schedule_evaluate(struct schedule_scratch *scratch,
                                   const struct schedule_point *point, struct poll *poll,
                                   struct schedule_figures *figures);

// A point with all that its evaluation leaves.
struct schedule_evaluated {
    struct schedule_point point;
    struct schedule_scratch scratch;
    struct schedule_figures figures;
    struct room room; // of the worker's scratch: what is left
    struct poll poll;
};

// Evaluates the point of a worker.
enum pps_outcome schedule_evaluate_at(struct schedule_evaluated *at, const double *value,
                                      const struct pps_worker *worker);

// Finds the critical path of the order that schedule_evaluate executed. false: ended by the poll.
bool schedule_find_critical(const struct schedule_scratch *scratch, struct poll *poll,
                            struct critical *critical);
