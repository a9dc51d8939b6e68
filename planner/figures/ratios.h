// SPDX-License-Identifier: Apache-2.0
// Reads and chooses profile ratios: times in units of the forward of one type-2 layer, and the
// length of that unit. Measured ratios come from a table or from raw layer times; a
// configuration without ratios uses the ratios of the nearest measured configuration, or of a
// model.
#ifndef PPS_PLANNER_FIGURES_RATIOS_H
#define PPS_PLANNER_FIGURES_RATIOS_H

#include "base/table/table.h"
#include "kernels/common/split/program.h"
#include "kernels/ndsearch/estimate/strategy.h"

#include <stdbool.h>
#include <stdint.h>

// NAN: not known.
struct nd_ratios {
    double dense;     // dmratio: forward of a type-1 layer
    double backward;  // bfratio: backward of a type-2 layer, nothing recomputed
    double recompute; // re_grow_ration: what full recompute adds to that
    double head;      // hratio: forward of the head
    double layer_ms;  // moe_bw: the unit, ms
};

// For columns that are empty: 0.3, 2, 1, 1.5; the unit has no default.
extern const struct nd_ratios nd_ratios_default;
extern const struct nd_ratios nd_ratios_unknown; // all NAN

// ---- measured ------------------------------------------------------------------------------------

struct nd_profile {
    int64_t dp, tp, pp, ep;
    int64_t cp;         // 1 where the table has no such column
    int64_t op;         // 0: not said; -1 as in a strategy
    int64_t mbs;        // 0: not said
    int64_t seq_length; // 0: not said
    struct nd_ratios ratios;
};

struct nd_profiles {
    struct nd_profile *rows;
    int64_t n;
};

// Columns dp, tp, pp, ep, [cp, op, mbs, seq_length,] dmratio, bfratio, re_grow_ration, hratio and
// moe_bw (or moe_fw, which it is). Two rows of one configuration are refused. To be freed whatever
// comes back.
bool nd_profiles_read(struct nd_profiles *profiles,
                      const struct table *table,
                      struct pps_fault *fault);
void nd_profiles_free(struct nd_profiles *profiles);

// ---- raw layer times -----------------------------------------------------------------------------

// The mean of `us` microseconds without the n/4 greatest and the n/4 smallest, in ms, rounded to 3
// decimals; 0 where n is 0. Sorts `us`. As published it did not, and dropped the first and the last
// quarter.
double nd_robust_mean(double *us, int64_t n, enum nd_compat compat);

struct cJSON;

// Ratios from a document of raw times in us: {"config": {"dp": ...}, "dense_fw": [...], ...,
// "last_stage_layers": n, "recomputed_layers": r}. The head's time is what the last stage's total
// leaves beside n forwards, n - r backwards and r backwards with recompute. A model whose layers
// are all dense needs no moe_... lists: its unit is the dense layer. As published, it does, and
// one backward with recompute is counted whatever r.
bool nd_profile_of_times(struct nd_profile *profile,
                         const struct cJSON *document,
                         enum nd_compat compat,
                         struct pps_fault *fault);

// ---- from a model --------------------------------------------------------------------------------

// Seconds of layers on one device; of a dense model the type-2 layer is the dense one.
struct nd_layer_seconds {
    double dense_forward; // of a type-1 layer; 0: there is none
    double forward;       // of a type-2 layer
    double backward;      // nothing recomputed
    double backward_full; // all recomputed
    double head_forward;
};

struct nd_ratios nd_ratios_of_layers(const struct nd_layer_seconds *seconds);

// ---- which ---------------------------------------------------------------------------------------

enum nd_ratio_source {
    ND_RATIOS_NONE,     // nothing is known
    ND_RATIOS_MEASURED, // of this very configuration
    ND_RATIOS_NEAREST,  // of one with the same tp, cp, ep and mbs
    ND_RATIOS_MODEL,
};

const char *nd_ratio_source_name(enum nd_ratio_source source);

// The ratios that a model gives a strategy; false: none.
struct nd_ratio_model {
    bool (*ratios)(void *self, const struct nd_strategy *strategy, struct nd_ratios *ratios);
    void *self;
};

struct nd_ratio_choice {
    enum nd_ratio_source source;
    struct nd_ratios ratios;          // all known, unless the source is ND_RATIOS_NONE
    const struct nd_profile *profile; // where they were measured; or NULL
    // The profile does not say its micro-batch: whether its unit is of as many tokens is not known.
    bool tokens_unknown;
    bool unit_of_model; // the profile had no unit; the model's is used
};

// The profile of the strategy; else the nearest (least ratio of pp and dp to the strategy's, the
// first of equals); else the model's. A profile of another number of tokens a micro-batch
// (mbs seq_length / cp), where it says so, is none. As published: only the profile of the strategy.
// profiles and model may be NULL; seq_length 0: not known.
void nd_ratios_choose(const struct nd_profiles *profiles,
                      const struct nd_ratio_model *model,
                      const struct nd_strategy *strategy,
                      int64_t seq_length,
                      enum nd_compat compat,
                      struct nd_ratio_choice *choice);

#endif
