// SPDX-License-Identifier: Apache-2.0
// Holds the list of filters and edits it.
#include "planner/nd/strategies/filters.h"

#include <stdio.h>
#include <string.h>

// ---- the list -----------------------------------------------------------------------------------

static const enum nd_filter classic_list[] = {ND_CP_ONE, ND_TP_MAX, ND_EP_LIMIT, ND_SP_LARGE,
                                              ND_PP_MBS, ND_GBS_DP, ND_PP_GT1,   ND_PP_MAX,
                                              ND_TP_NO3, ND_TP_56};
static const enum nd_filter fsdp_list[] = {ND_CP_ONE,   ND_TP_MAX, ND_EP_LIMIT,
                                           ND_SP_LARGE, ND_PP_MBS, ND_GBS_DP,
                                           ND_EP_FSDP,  ND_PP_MAX, ND_TP_NO3};
static const enum nd_filter megatron_list[] = {
    ND_TP_MAX, ND_EP_LIMIT, ND_SP_LARGE, ND_PP_MBS, ND_GBS_DP, ND_EP_MEGATRON, ND_PP_MAX};

static const struct {
    const enum nd_filter *list;
    size_t n;
} preset_lists[] = {
    [ND_CLASSIC] = {classic_list, sizeof classic_list / sizeof *classic_list},
    [ND_FSDP] = {fsdp_list, sizeof fsdp_list / sizeof *fsdp_list},
    [ND_MEGATRON] = {megatron_list, sizeof megatron_list / sizeof *megatron_list},
};

static int place_of(const struct nd_filters *filters, enum nd_filter filter)
{
    int k = 0;
    while (k < filters->n && filters->list[k] != filter)
        k++;
    return k;
}

static void append(struct nd_filters *filters, enum nd_filter filter)
{
    if (place_of(filters, filter) == filters->n)
        filters->list[filters->n++] = filter;
}

void nd_filters_init(struct nd_filters *filters, const struct nd_space *space)
{
    *filters = (struct nd_filters){.tp_max = space->preset == ND_MEGATRON ? 8 : 64,
                                   .ep_max = 64,
                                   .pp_max = 32,
                                   .vp_max = ND_CHUNKS_USUAL,
                                   .large = 1000,
                                   .tp_divides = 56};
    filters->large_tp_one = space->preset == ND_FSDP || !space->orig;
    for (int rule = ND_RULE_EXPERTS; rule < ND_N_FILTERS && !space->orig; rule++)
        if (rule != ND_RULE_VP)
            append(filters, (enum nd_filter)rule);
    for (size_t k = 0; k < preset_lists[space->preset].n; k++)
        append(filters, preset_lists[space->preset].list[k]);
}

// ---- names --------------------------------------------------------------------------------------

static const struct {
    const char *name;
    const char *summary; // the condition of the points that the filter keeps
    unsigned reads;
} table[ND_N_FILTERS] = {
    [ND_CP_ONE] = {"cp_one", "cp is 1", ND_READS_QUAD},
    [ND_TP_MAX] = {"tp_max", "tp is at most --tp-max", ND_READS_QUAD},
    [ND_TP_NODE] = {"tp_node", "tp is at most the number of devices in a node", ND_READS_QUAD},
    [ND_EP_LIMIT] = {"ep_max", "ep is at most --ep-max", ND_READS_EP},
    [ND_SP_LARGE] = {"sp_large", "fewer devices than --large, or sequence parallelism is on",
                     ND_READS_SP},
    [ND_PP_MBS] = {"pp_mbs", "pp is at most the number of layers and of micro-batches",
                   ND_READS_MBS},
    [ND_GBS_DP] = {"gbs_dp", "dp * mbs divides gbs", ND_READS_MBS},
    [ND_PP_GT1] = {"pp_gt1", "pp is above 1", ND_READS_QUAD},
    [ND_PP_MAX] = {"pp_max", "pp is at most --pp-max", ND_READS_QUAD},
    [ND_VP_MAX] = {"vp_max", "vp is at most --vp-max", ND_READS_VP},
    [ND_TP_NO3] = {"tp_no3", "3 does not divide tp", ND_READS_QUAD},
    [ND_TP_56] = {"tp_56", "tp divides 56", ND_READS_QUAD},
    [ND_EP_FSDP] = {"ep_fsdp", "cp * tp divides ep, and ep divides op * cp * tp",
                    ND_READS_EP | ND_READS_OP},
    [ND_EP_GRAPH] = {"ep_graph", "op is a multiple of dp * tp / ep", ND_READS_EP | ND_READS_OP},
    [ND_EP_MEGATRON] = {"ep_megatron", "ep divides dp * cp", ND_READS_EP},
    [ND_RULE_EXPERTS] = {"experts", "ep divides the number of experts", ND_READS_EP},
    [ND_RULE_HEADS] = {"heads", "tp divides the attention heads", ND_READS_QUAD},
    [ND_RULE_GROUPS] = {"groups", "tp divides the key-value heads, or they divide tp",
                        ND_READS_QUAD},
    [ND_RULE_VOCAB] = {"vocab", "tp divides the vocabulary size", ND_READS_QUAD},
    [ND_RULE_FFN] = {"ffn", "tp divides the feed-forward width", ND_READS_QUAD},
    [ND_RULE_SEQ] = {"seq", "cp divides the sequence length", ND_READS_QUAD},
    [ND_RULE_SEQ_SP] = {"seq_sp", "with sequence parallelism, tp divides sequence length / cp",
                        ND_READS_SP},
    [ND_RULE_OP] = {"op", "op divides dp * cp", ND_READS_OP},
    [ND_RULE_VP] = {"vp", "with vp > 1, pp * vp divides the number of layers", ND_READS_VP},
    [ND_RULE_M_PP] = {"m_pp", "with vp > 1, pp divides the number of micro-batches",
                      ND_READS_VP | ND_READS_MBS},
};

const char *nd_filter_name(enum nd_filter filter)
{
    return table[filter].name;
}

int32_t *nd_filter_bound(struct nd_filters *filters, enum nd_filter filter)
{
    if (filter == ND_TP_MAX)
        return &filters->tp_max;
    if (filter == ND_EP_LIMIT)
        return &filters->ep_max;
    if (filter == ND_VP_MAX)
        return &filters->vp_max;
    return filter == ND_PP_MAX ? &filters->pp_max : NULL;
}

const char *nd_filter_summary(enum nd_filter filter)
{
    return table[filter].summary;
}

bool nd_filter_is_rule(enum nd_filter filter)
{
    return filter >= ND_RULE_EXPERTS;
}

static unsigned reads_of(enum nd_filter filter)
{
    return table[filter].reads;
}

static bool find(const char *name, size_t length, enum nd_filter *filter)
{
    for (int k = 0; k < ND_N_FILTERS; k++)
        if (strlen(table[k].name) == length && memcmp(table[k].name, name, length) == 0) {
            *filter = (enum nd_filter)k;
            return true;
        }
    return false;
}

bool nd_filter_find(const char *name, enum nd_filter *filter)
{
    return find(name, strlen(name), filter);
}

// ---- edits --------------------------------------------------------------------------------------

bool nd_filters_add(struct nd_filters *filters, const char *name)
{
    enum nd_filter filter;
    if (!nd_filter_find(name, &filter))
        return false;
    append(filters, filter);
    return true;
}

static void drop(struct nd_filters *filters, enum nd_filter filter)
{
    int k = place_of(filters, filter);
    if (k == filters->n)
        return;
    filters->n--;
    for (; k < filters->n; k++)
        filters->list[k] = filters->list[k + 1];
}

bool nd_filters_drop(struct nd_filters *filters, const char *name)
{
    enum nd_filter filter;
    if (!nd_filter_find(name, &filter))
        return false;
    drop(filters, filter);
    return true;
}

bool nd_filters_replace(struct nd_filters *filters, const char *names, char *unknown,
                        size_t size)
{
    struct nd_filters edited = *filters;
    for (int k = 0; k < ND_RULE_EXPERTS; k++)
        drop(&edited, (enum nd_filter)k);
    while (*names != '\0') {
        enum nd_filter filter;
        const size_t length = strcspn(names, ",");
        if (!find(names, length, &filter)) {
            snprintf(unknown, size, "%.*s", (int)(length < 64 ? length : 64), names);
            return false;
        }
        append(&edited, filter);
        names += length + (names[length] == ',');
    }
    *filters = edited;
    return true;
}

// ---- parts --------------------------------------------------------------------------------------

static enum nd_dimension last_of(unsigned reads)
{
    enum nd_dimension last = ND_EP;
    for (int d = ND_EP; d < ND_DIMENSIONS; d++)
        if (reads & 1U << d)
            last = (enum nd_dimension)d;
    return last;
}

static void set_levels(struct nd_walk *w, struct nd_part *part)
{
    const struct nd_filters *f = w->filters;
    part->n_levels = 0;
    for (int d = ND_EP; d < ND_DIMENSIONS; d++)
        if (part->dimensions & 1U << d) {
            struct nd_level *level = &part->levels[part->n_levels++];
            level->dimension = (enum nd_dimension)d;
            level->n = 0;
            for (int k = 0; k < f->n; k++) {
                const unsigned reads = reads_of(f->list[k]);
                if (reads != ND_READS_QUAD && last_of(reads) == level->dimension)
                    level->places[level->n++] = k;
            }
        }
    for (int l = part->n_levels - 1, earliest = f->n; l >= 0; l--) {
        struct nd_level *level = &part->levels[l];
        if (level->n > 0 && level->places[0] < earliest)
            earliest = level->places[0];
        level->earliest = earliest;
    }
}

// Joins all parts that have one of these dimensions.
static void join(unsigned masks[], int *n, unsigned dimensions)
{
    unsigned joined = 0;
    int kept = 0;
    for (int k = 0; k < *n; k++)
        if (masks[k] & dimensions)
            joined |= masks[k];
        else
            masks[kept++] = masks[k];
    masks[kept++] = joined;
    *n = kept;
}

void nd_walk_begin(struct nd_walk *w, const struct nd_space *space,
                   const struct nd_filters *filters)
{
    unsigned masks[ND_DIMENSIONS] = {1U << ND_EP, 1U << ND_OP, 1U << ND_VP, 1U << ND_MBS,
                                     1U << ND_SP};
    w->space = space;
    w->filters = filters;
    w->n_parts = ND_DIMENSIONS;
    if (space->preset == ND_CLASSIC)
        join(masks, &w->n_parts, 1U << ND_EP | 1U << ND_OP);
    for (int k = 0; k < filters->n; k++)
        if (reads_of(filters->list[k]) != ND_READS_QUAD)
            join(masks, &w->n_parts, reads_of(filters->list[k]));
    w->whole.dimensions = (1U << ND_DIMENSIONS) - 1;
    set_levels(w, &w->whole);
    for (int k = 0; k < w->n_parts; k++) {
        w->parts[k].dimensions = masks[k];
        set_levels(w, &w->parts[k]);
    }
}

void nd_walk_enter(struct nd_walk *w, const struct nd_quad *quad)
{
    nd_domains_of(w->space, quad, &w->domains);
    w->point = nd_quad_point(quad);
}

// ---- one dimension ------------------------------------------------------------------------------

int nd_walk_size(const struct nd_walk *w, enum nd_dimension d)
{
    const struct nd_domains *domains = &w->domains;
    switch ((int)d) {
    case ND_EP:
        return domains->n_ep;
    case ND_OP:
        return domains->n_op;
    case ND_VP:
        return domains->last_vp < domains->first_vp ? 0
                                                    : domains->last_vp - domains->first_vp + 1;
    case ND_MBS:
        return w->space->n_mbs;
    default:
        return domains->sp_off + domains->sp_on;
    }
}

bool nd_walk_take(struct nd_walk *w, enum nd_dimension d, int k)
{
    struct nd_strategy *p = &w->point;
    switch ((int)d) {
    case ND_EP:
        p->ep = w->domains.ep[k];
        return true;
    case ND_OP:
        p->op = w->domains.op[k];
        return !w->domains.op_of_ep ||
               nd_op_follows(&(struct nd_quad){p->dp, p->tp, p->cp, p->pp}, p->ep, p->op);
    case ND_VP:
        p->vp = w->domains.first_vp + k;
        return true;
    case ND_MBS:
        p->mbs = w->space->mbs[k];
        return true;
    default:
        p->sp = k == 1 || !w->domains.sp_off;
        return true;
    }
}

int nd_walk_decide(const struct nd_walk *w, const struct nd_level *level, int first)
{
    for (int k = 0; k < level->n && level->places[k] < first; k++)
        if (!nd_filter_keeps(w->filters->list[level->places[k]], w->filters, w->space,
                             &w->point))
            return level->places[k];
    return first;
}

int nd_walk_decide_quad(const struct nd_walk *w)
{
    const struct nd_filters *f = w->filters;
    for (int k = 0; k < f->n; k++)
        if (reads_of(f->list[k]) == ND_READS_QUAD &&
            !nd_filter_keeps(f->list[k], f, w->space, &w->point))
            return k;
    return f->n;
}
