// SPDX-License-Identifier: Apache-2.0
// Derives the degrees, devices, batches and profiling switches that a configuration is to have.
#include "kernels/frameworks/megatron/megatron_wish.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- wishes ----------------------------------------------------------------------------------

bool megatron_cannot(struct megatron_wishes *w, const char *format, ...)
{
    va_list args;
    *w->fault = (struct pps_fault){.line = 1, .column = 1};
    va_start(args, format);
    vsnprintf(w->fault->text, sizeof w->fault->text, format, args);
    va_end(args);
    return false;
}

void megatron_want(struct megatron_wishes *w, enum megatron_key key, const char *text)
{
    const struct megatron_value *now = &w->now->values[key];
    w->of[key].change = MG_KEEP;
    // Of a list only the first word is at hand.
    if (now->given && now->text != NULL && strcmp(now->text, text) == 0 &&
        megatron_arguments[key].kind != MG_LIST)
        return;
    w->of[key] = (struct megatron_wish){MG_SET, w->texts.n};
    text_buffer_add_bytes(&w->texts, text, strlen(text) + 1);
}

void megatron_want_number(struct megatron_wishes *w, enum megatron_key key, int64_t value,
                          int64_t otherwise)
{
    char digits[32];
    w->of[key].change = MG_KEEP;
    if (megatron_number(w->now, key, otherwise) == value)
        return;
    snprintf(digits, sizeof digits, "%" PRId64, value);
    megatron_want(w, key, digits);
}

void megatron_want_flag(struct megatron_wishes *w, enum megatron_key key, bool on)
{
    if (!on) {
        megatron_want_none(w, key);
        return;
    }
    w->of[key].change = MG_KEEP;
    if (!megatron_has(w->now, key))
        megatron_want(w, key, "");
}

void megatron_want_none(struct megatron_wishes *w, enum megatron_key key)
{
    w->of[key].change = megatron_has(w->now, key) ? MG_REMOVE : MG_KEEP;
}

// ---- degrees ---------------------------------------------------------------------------------

static void want_degrees(struct megatron_wishes *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    const bool experts = megatron_number(w->now, MG_EXPERTS, 0) > 0;
    megatron_want_number(w, MG_TP, s->tp, 1);
    megatron_want_number(w, MG_PP, s->pp, 1);
    megatron_want_number(w, MG_CP, s->cp, 1);
    if (experts)
        megatron_want_number(w, MG_EP, s->ep > 0 ? s->ep : 1, 1);
    // Experts that are split over tensor ranks stay so; others stay whole.
    if (experts && !megatron_has(w->now, MG_EXPERTS_WHOLE))
        megatron_want_number(w, MG_ETP, w->now->etp > 1 ? s->tp : 1, s->tp);
    if (s->tp > 1)
        megatron_want_flag(w, MG_SP, s->sp);
}

static void want_shards(struct megatron_wishes *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    const int64_t replicas = (int64_t)s->dp * s->cp, shards = s->op > 0 ? s->op : s->dp;
    if (!megatron_has(w->now, MG_SHARDED) && !megatron_has(w->now, MG_FSDP))
        return;
    if (replicas % shards == 0)
        megatron_want_number(w, MG_INSTANCES, replicas / shards, 1);
}

// ---- devices ---------------------------------------------------------------------------------

// Splits a number of devices into nodes of at most per_node devices.
static void split_nodes(int64_t devices, int64_t per_node, int64_t *nodes, int64_t *of_node)
{
    int64_t n = per_node < devices ? per_node : devices;
    while (devices % n != 0)
        n--;
    *nodes = devices / n;
    *of_node = n;
}

static int64_t devices_wanted(const struct megatron_wishes *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    return (int64_t)s->dp * s->tp * s->cp * s->pp;
}

static void want_devices(struct megatron_wishes *w)
{
    int64_t nodes, of_node;
    const enum megatron_key per_node =
        megatron_has(w->now, MG_WORKERS) ? MG_LOCAL_WORKERS : MG_PER_NODE;
    const int64_t devices = devices_wanted(w), each = megatron_number(w->now, MG_PER_NODE, 0);
    // Slurm decides the number of nodes of a training; a smaller run to measure has its own.
    if (w->now->nodes_unknown && each > 0 && devices % each == 0 && !w->settings->profile &&
        !w->settings->dry_run)
        return;
    split_nodes(devices, megatron_number(w->now, per_node, 8), &nodes, &of_node);
    if (megatron_has(w->now, MG_WORKERS)) {
        megatron_want_number(w, MG_WORKERS, devices, 0);
        if (megatron_has(w->now, per_node))
            megatron_want_number(w, per_node, of_node, 0);
    } else if (megatron_has(w->now, MG_PER_NODE)) {
        // A variable of the script has no argument beside which another can be added.
        const bool variable = w->now->values[MG_PER_NODE].name[0] == '$';
        megatron_want_number(w, MG_PER_NODE, of_node, 0);
        if (!variable || megatron_has(w->now, MG_NODES))
            megatron_want_number(w, MG_NODES, nodes, 1);
    }
}

// ---- batches, sequence, profiling --------------------------------------------------------------

static void want_batches(struct megatron_wishes *w)
{
    const struct framework_settings *s = w->settings;
    megatron_want_number(w, MG_MBS, s->strategy.mbs, 0);
    if (s->gbs > 0)
        megatron_want_number(w, MG_GBS, s->gbs, 0);
    else if (s->micro_batches > 0)
        megatron_want_number(w, MG_GBS, s->micro_batches * s->strategy.mbs * s->strategy.dp, 0);
    if (s->seq_length > 0)
        megatron_want_number(w, MG_SEQ_LENGTH, s->seq_length, 0);
    if (s->seq_length > megatron_number(w->now, MG_MAX_POSITIONS, s->seq_length))
        megatron_want_number(w, MG_MAX_POSITIONS, s->seq_length, 0);
}

static void want_profile(struct megatron_wishes *w)
{
    const struct framework_settings *s = w->settings;
    struct text_buffer ranks = {.text = NULL};
    if (!s->profile)
        return;
    megatron_want_flag(w, MG_PROFILE, true);
    megatron_want_number(w, MG_PROFILE_FROM, s->profile_from, -1);
    megatron_want_number(w, MG_PROFILE_TO, s->profile_to, -1);
    for (int i = 0; s->record_ranks != NULL && i < s->n_record_ranks; i++)
        text_buffer_add(&ranks, "%s%" PRId32, i > 0 ? " " : "", s->record_ranks[i]);
    if (ranks.n > 0)
        megatron_want(w, MG_PROFILE_RANKS, ranks.text);
    text_buffer_free(&ranks);
}

// A dry run ends after a few steps, without a checkpoint.
static void want_dry_run(struct megatron_wishes *w)
{
    if (!w->settings->dry_run)
        return;
    megatron_want_number(w, MG_EXIT_INTERVAL, 3, 0);
    megatron_want_number(w, MG_LOG_INTERVAL, 1, 0);
    megatron_want_none(w, MG_SAVE);
    megatron_want_none(w, MG_SAVE_INTERVAL);
}

// Overlapped exchanges of experts need experts on several devices, and several chunks of each of several stages.
static bool want_overlap(struct megatron_wishes *w)
{
    if (!megatron_has(w->now, MG_OVERLAP_EP))
        return true;
    if (w->settings->strategy.ep <= 1) {
        megatron_want_none(w, MG_OVERLAP_EP);
        megatron_want_none(w, MG_DELAY_WEIGHTS);
        return true;
    }
    return w->pp == 1 || w->vp > 1 || (w->now->pp > 1 && w->now->chunks <= 1) ||
           megatron_cannot(w,
                           "--%s needs several chunks per stage where there are several stages",
                           megatron_arguments[MG_OVERLAP_EP].name);
}

bool megatron_wish_all(struct megatron_wishes *w)
{
    const struct nd_strategy *s = &w->settings->strategy;
    w->pp = s->pp;
    w->vp = s->pp > 1 && s->vp > 1 ? s->vp : 1;
    w->layers = w->settings->num_layers > 0 ? w->settings->num_layers : w->now->layers;
    if (w->pp < 1 || w->pp * w->vp > MEGATRON_MOST_CHUNKS)
        return megatron_cannot(w, "more than %d stages times chunks", MEGATRON_MOST_CHUNKS);
    want_degrees(w);
    want_shards(w);
    want_devices(w);
    want_batches(w);
    want_profile(w);
    want_dry_run(w);
    if (!want_overlap(w) || !megatron_wish_split(w) || !megatron_wish_recompute(w))
        return false;
    return !w->texts.failed || megatron_cannot(w, "out of memory");
}
