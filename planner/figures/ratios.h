// SPDX-License-Identifier: Apache-2.0
// Reads and chooses profile ratios: times in units of the forward of one type-2 layer, and the
// length of that unit. Measured ratios come from a table or from raw layer times; a
// configuration without ratios uses the ratios of the nearest measured configuration, or of a
// model.
#pragma once

#include "base/table/table.h"
#include "kernels/common/estimate/strategy.h"
#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stdint.h>

// Profile ratios; NAN: unknown.
struct nd_ratios {
    double dense;     // dmratio: forward of a type-1 layer
    double backward;  // bfratio: backward of a type-2 layer, nothing recomputed
    double recompute; // re_grow_ration: growth of `backward` with full recompute
    double head;      // hratio: forward of the head
    double layer_ms;  // moe_bw: the unit, ms
};

// Defaults for empty columns: 0.3, 2, 1, 1.5; the unit has no default.
extern const struct nd_ratios nd_ratios_default;
extern const struct nd_ratios nd_ratios_unknown; // all NAN

// ---- measured ------------------------------------------------------------------------------------

struct nd_profile {
    int64_t dp, tp, pp, ep;
    int64_t cp;         // 1 if the table lacks the column
    int64_t op;         // 0: unknown; -1 as in a strategy
    int64_t mbs;        // 0: unknown
    int64_t seq_length; // 0: unknown
    struct nd_ratios ratios;
};

struct nd_profiles {
    struct nd_profile *rows;
    int64_t n;
};

// Reads a table with the columns dp, tp, pp, ep, [cp, op, mbs, seq_length,] dmratio, bfratio,
// re_grow_ration, hratio and moe_bw (also called moe_fw). Two rows of one configuration are an
// error. The caller calls nd_profiles_free in every case.
bool nd_profiles_read(struct nd_profiles *profiles, const struct table *table,
                      struct pps_fault *fault);
void nd_profiles_free(struct nd_profiles *profiles);

// ---- raw layer times -----------------------------------------------------------------------------

// Returns the mean of `us` microseconds without the n/4 greatest and the n/4 smallest, in ms,
// rounded to 3 decimals; 0 if n is 0. Sorts `us`. As published: does not sort, and drops the first
// and the last quarter.
double nd_robust_mean(double *us, int64_t n, enum nd_compat compat);

struct cJSON;

// Computes ratios from a document of raw times in us: {"config": {"dp": ...}, "dense_fw": [...],
// ..., "last_stage_layers": n, "recomputed_layers": r}. The time of the head is the total of the
// last stage minus n forwards, n - r backwards and r backwards with recompute. A model whose layers
// are all dense needs no moe_... lists: its unit is the dense layer. A ratio whose lists are missing is
// NAN; the unit must be known. As published, all lists are needed, and one backward with recompute is
// counted for any r.
bool nd_profile_of_times(struct nd_profile *profile, const struct cJSON *document,
                         enum nd_compat compat, struct pps_fault *fault);

// ---- choice of ratios ----------------------------------------------------------------------------

enum nd_ratio_source {
    ND_RATIOS_NONE,     // no ratios are known
    ND_RATIOS_MEASURED, // measured with this configuration
    ND_RATIOS_NEAREST,  // measured with a configuration of equal tp, cp, ep and mbs
    ND_RATIOS_MODEL,
};

const char *nd_ratio_source_name(enum nd_ratio_source source);

// A model that computes the ratios of a strategy. The function returns false for no ratios.
struct nd_ratio_model {
    bool (*ratios)(void *self, const struct nd_strategy *strategy, struct nd_ratios *ratios);
    void *self;
};

struct nd_ratio_choice {
    enum nd_ratio_source source;
    struct nd_ratios ratios;          // all known, unless the source is ND_RATIOS_NONE
    const struct nd_profile *profile; // where they were measured; or NULL
    // The profile does not state its micro-batch, so its unit may be of another number of tokens.
    bool tokens_unknown;
    bool unit_of_model; // the profile had no unit; the model's is used
};

// Chooses the ratios of a strategy: from the profile of its configuration, else from the nearest
// profile (least ratio of pp and dp to the strategy's; the first of equal profiles), else from the
// model. A profile with another number of tokens per micro-batch (mbs seq_length / cp) is not used.
// As published: only the profile of the strategy's configuration. profiles and model may be NULL;
// seq_length 0: unknown.
void nd_ratios_choose(const struct nd_profiles *profiles, const struct nd_ratio_model *model,
                      const struct nd_strategy *strategy, int64_t seq_length,
                      enum nd_compat compat, struct nd_ratio_choice *choice);
