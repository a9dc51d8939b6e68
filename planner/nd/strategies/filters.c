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

unsigned nd_filter_reads(enum nd_filter filter)
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

bool nd_filters_replace(struct nd_filters *filters,
                        const char *names,
                        char *unknown,
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
