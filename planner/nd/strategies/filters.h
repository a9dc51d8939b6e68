// SPDX-License-Identifier: Apache-2.0
// Defines the filters of the search: named predicates in an order, which determines the count after
// each. Legality rules (tp divides the heads) are also filters, so that each can be removed by its
// name. Every predicate declares the dimensions that it reads, so that walk.h can decide it in the
// outermost loop possible.
#pragma once

#include "planner/nd/strategies/enumerate.h"

#include <stddef.h>

// The dimensions that a predicate reads besides the quadruple.
enum nd_reads {
    ND_READS_QUAD = 0,
    ND_READS_EP = 1,
    ND_READS_OP = 2,
    ND_READS_VP = 4,
    ND_READS_MBS = 8,
    ND_READS_SP = 16,
};

enum nd_filter {
    ND_CP_ONE,
    ND_TP_MAX,
    ND_TP_NODE,
    ND_EP_LIMIT,
    ND_SP_LARGE,
    ND_PP_MBS,
    ND_GBS_DP,
    ND_PP_GT1,
    ND_PP_MAX,
    ND_VP_MAX,
    ND_TP_NO3,
    ND_TP_56,
    ND_EP_FSDP,
    ND_EP_GRAPH,
    ND_EP_MEGATRON,
    // rules of legality
    ND_RULE_EXPERTS,
    ND_RULE_HEADS,
    ND_RULE_GROUPS,
    ND_RULE_VOCAB,
    ND_RULE_FFN,
    ND_RULE_SEQ,
    ND_RULE_SEQ_SP,
    ND_RULE_OP,
    ND_RULE_VP,
    ND_RULE_M_PP,
    ND_N_FILTERS,
};

// Chunks per stage that the nd commands try unless an option says otherwise: the published number.
enum { ND_CHUNKS_USUAL = 3 };

struct nd_filters {
    int n;
    enum nd_filter list[ND_N_FILTERS]; // none twice
    int32_t tp_max, ep_max, pp_max, vp_max;
    int32_t large;      // devices from which sp_large applies
    bool large_tp_one;  // sp_large keeps tp == 1, where there is nothing to split
    int32_t tp_divides; // of tp_56
};

// The list of the preset. Corrected spaces have the rules of legality in front, apart from `vp`,
// as layers may be split unevenly.
void nd_filters_init(struct nd_filters *filters, const struct nd_space *space);

const char *nd_filter_name(enum nd_filter filter);
bool nd_filter_is_rule(enum nd_filter filter);
// Returns the condition of the points that the filter keeps: "dp divides gbs".
const char *nd_filter_summary(enum nd_filter filter);

// Returns the bound that a filter compares with; NULL: it has none.
int32_t *nd_filter_bound(struct nd_filters *filters, enum nd_filter filter);
bool nd_filter_find(const char *name, enum nd_filter *filter);

// Edits by name; a filter that is (not) in the list already is left as it is. false: no filter has
// that name. Replacing takes names with commas between and leaves rules in front as they are;
// unknown receives the name that is none.
bool nd_filters_add(struct nd_filters *filters, const char *name);
bool nd_filters_drop(struct nd_filters *filters, const char *name);
bool nd_filters_replace(struct nd_filters *filters, const char *names, char *unknown,
                        size_t size);

// ---- one filter -------------------------------------------------------------------------------

// Returns whether the filter keeps the point. Only dp, tp, cp, pp and the dimensions that the
// filter reads must be set.
bool nd_filter_keeps(enum nd_filter filter, const struct nd_filters *filters,
                     const struct nd_space *space, const struct nd_strategy *point);

// ---- why --------------------------------------------------------------------------------------

struct nd_reason {
    const char *name; // of the filter, or "space" where the point is no point of the space
    char text[160];   // the sentence, with the numbers: "tp 128 is above 64"
};

enum { ND_REASONS_MAX = ND_N_FILTERS + 9 };

// Lists all reasons against one strategy: first values outside the space, then filters in the order
// of the list. Returns the number of reasons; 0: the strategy survives.
int nd_filters_explain(const struct nd_filters *filters, const struct nd_space *space,
                       const struct nd_strategy *point,
                       struct nd_reason reasons[ND_REASONS_MAX]);

// ---- filter parts -------------------------------------------------------------------------------

enum nd_dimension {
    ND_EP,
    ND_OP,
    ND_VP,
    ND_MBS,
    ND_SP,
    ND_DIMENSIONS,
};

// The filters that are decided at one level of a walk, as places in the list, ascending.
struct nd_level {
    enum nd_dimension dimension;
    int n;
    int places[ND_N_FILTERS];
    int earliest; // place of a filter of this level or further in; n of the list: there is none
};

struct nd_part {
    unsigned dimensions;
    int n_levels;
    struct nd_level levels[ND_DIMENSIONS];
};

struct nd_walk {
    const struct nd_space *space;
    const struct nd_filters *filters;
    struct nd_part whole; // all dimensions, as if they were one part
    int n_parts;
    struct nd_part parts[ND_DIMENSIONS];
    struct nd_domains domains;
    struct nd_strategy point;
};

// Sorts the filters into parts and levels.
void nd_walk_begin(struct nd_walk *walk, const struct nd_space *space,
                   const struct nd_filters *filters);

// Sets the point's quadruple and the domains within it.
void nd_walk_enter(struct nd_walk *walk, const struct nd_quad *quad);

int nd_walk_size(const struct nd_walk *walk, enum nd_dimension dimension);

// Takes the k-th value of a dimension. Returns false if the value is incompatible with the values
// taken before.
bool nd_walk_take(struct nd_walk *walk, enum nd_dimension dimension, int k);

// The first place before `first` of a filter of the level that does not keep the point, or `first`.
int nd_walk_decide(const struct nd_walk *walk, const struct nd_level *level, int first);

// The same for filters that read the quadruple alone; n of the list: all keep it.
int nd_walk_decide_quad(const struct nd_walk *walk);
