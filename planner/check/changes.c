// SPDX-License-Identifier: Apache-2.0
// Changes one thing of a training: its recomputation, its chunks per stage, or the size of its micro-batches.
#include "planner/check/checked.h"

#include <stdio.h>
#include <stdlib.h>

static bool makes_all_again(const struct configuration *c, enum nd_recompute mode)
{
    for (int32_t k = 0; k < c->n_parts; k++)
        for (int kind = 0; kind < CONFIGURATION_KINDS; kind++) {
            const struct configuration_part *part = &c->parts[k];
            const int32_t full = mode == ND_RECOMPUTE_FULL ? part->layers[kind] : 0,
                          select = mode == ND_RECOMPUTE_SELECT ? part->layers[kind] : 0;
            if (part->full[kind] != full || part->select[kind] != select)
                return false;
        }
    return c->recompute_group == 1;
}

// Returns how many layers of a device are made again, wholly or in part.
static int32_t again_of(const struct configuration *c, int32_t device, bool full)
{
    int32_t n = 0;
    for (int32_t v = 0; v < c->strategy.vp; v++) {
        const struct configuration_part *part = &c->parts[configuration_part_at(c, v, device)];
        n += configuration_sum(full ? part->full : part->select);
    }
    return n;
}

// Gives every device another number of chunks, with as many layers to make again as before.
static bool rechunk(struct configuration *to, const struct configuration *from, int32_t chunks)
{
    to->strategy.vp = chunks;
    to->family = chunks == 1 ? NULL : to->family;
    if (!configuration_spread(to))
        return false;
    int32_t *lists = calloc(3 * (size_t)to->n_parts, sizeof *lists);
    if (lists == NULL)
        return false;
    int32_t *full = lists + to->n_parts, *select = full + to->n_parts;
    for (int32_t k = 0; k < to->n_parts; k++)
        lists[k] = configuration_part_layers(&to->parts[k]);
    for (int32_t d = 0; d < to->strategy.pp; d++) {
        int32_t again = again_of(from, d, true), some = again_of(from, d, false);
        for (int32_t v = 0; v < chunks; v++) {
            const int32_t k = configuration_part_at(to, v, d), left = chunks - v;
            const int32_t a = (again + left - 1) / left, b = (some + left - 1) / left;
            full[k] = a < lists[k] ? a : lists[k];
            select[k] = b < lists[k] - full[k] ? b : lists[k] - full[k];
            again -= full[k];
            some -= select[k];
        }
    }
    configuration_set_layers(to, lists, full, select);
    free(lists);
    return true;
}

// Every part needs a layer, or it only adds transfers.
static bool can_have(const struct configuration *c, int32_t chunks)
{
    return chunks >= 1 && c->family == NULL && c->strategy.pp > 1 &&
           (int64_t)chunks * c->strategy.pp <= modeldesc_layers(&c->model);
}

// ---- evaluation ---------------------------------------------------------------------------------

static void insert(struct checked *checked, const struct checked_change *change)
{
    int k = checked->n_changes++;
    struct checked_change *list = checked->changes;
    for (; k > 0; k--) {
        const bool before = change->fits != list[k - 1].fits
                                ? change->fits
                                : change->seconds < list[k - 1].seconds;
        if (!before)
            break;
        list[k] = list[k - 1];
    }
    list[k] = *change;
}

// Returns whether the training itself or another change has this time and memory. A mode that frees nothing is like none.
static bool is_like_another(const struct checked *checked, const struct checked_change *change)
{
    const struct checked_change *list = checked->changes;
    bool same = change->seconds == checked->step.seconds && change->peak == checked->step.peak;
    for (int k = 0; k < checked->n_changes; k++)
        same |= change->seconds == list[k].seconds && change->peak == list[k].peak;
    return same;
}

// Evaluates a change that can run. Frees its parts.
static enum configuration_status add(struct checked *checked, struct configuration *changed,
                                     const char *label, struct poll *poll)
{
    struct configuration_step step;
    struct checked_change change;
    char why[256];
    enum configuration_status status = CONFIGURATION_DONE;
    if (configuration_check(changed, why, sizeof why)) {
        status = configuration_step_of(&step, changed, poll);
        change = (struct checked_change){.seconds = step.seconds,
                                         .peak = step.peak,
                                         .fits = step.peak <= changed->cluster.memory_limit};
        snprintf(change.label, sizeof change.label, "%s", label);
        if (status == CONFIGURATION_DONE && !is_like_another(checked, &change))
            insert(checked, &change);
        configuration_step_free(&step);
    }
    configuration_free(changed);
    return status == CONFIGURATION_NO_ORDER ? CONFIGURATION_DONE : status;
}

static enum configuration_status add_recompute(struct checked *checked, struct poll *poll)
{
    static const char *const labels[] = {[ND_RECOMPUTE_NONE] = "recompute nothing",
                                         [ND_RECOMPUTE_SELECT] =
                                             "recompute parts of every layer",
                                         [ND_RECOMPUTE_FULL] = "recompute every layer"};
    const struct configuration *mine = &checked->plan.configuration;
    enum configuration_status status = CONFIGURATION_DONE;
    for (int mode = ND_RECOMPUTE_NONE; mode <= ND_RECOMPUTE_FULL; mode++) {
        struct configuration changed;
        if (status != CONFIGURATION_DONE || makes_all_again(mine, (enum nd_recompute)mode))
            continue;
        if (!configuration_copy(&changed, mine))
            return CONFIGURATION_NO_MEMORY;
        configuration_recompute(&changed, (enum nd_recompute)mode);
        status = add(checked, &changed, labels[mode], poll);
    }
    return status;
}

static enum configuration_status add_chunks(struct checked *checked, struct poll *poll)
{
    const struct configuration *mine = &checked->plan.configuration;
    enum configuration_status status = CONFIGURATION_DONE;
    for (int32_t by = -1; by <= 1; by += 2) {
        const int32_t chunks = mine->strategy.vp + by;
        struct configuration changed;
        char label[CHECKED_LABEL];
        if (status != CONFIGURATION_DONE || !can_have(mine, chunks))
            continue;
        snprintf(label, sizeof label, "one chunk %s per stage: vp %d, layers even",
                 by > 0 ? "more" : "less", chunks);
        changed = *mine;
        changed.parts = NULL;
        if (!rechunk(&changed, mine, chunks)) {
            configuration_free(&changed);
            return CONFIGURATION_NO_MEMORY;
        }
        status = add(checked, &changed, label, poll);
    }
    return status;
}

static enum configuration_status add_sizes(struct checked *checked, struct poll *poll)
{
    const struct configuration *mine = &checked->plan.configuration;
    const int32_t mbs = mine->strategy.mbs, sizes[] = {mbs / 2, 2 * mbs};
    enum configuration_status status = CONFIGURATION_DONE;
    for (int k = 0; k < 2 && status == CONFIGURATION_DONE; k++) {
        struct configuration changed;
        char label[CHECKED_LABEL];
        if (sizes[k] < 1 || (k == 0 && mbs % 2 != 0))
            continue;
        if (!configuration_copy(&changed, mine))
            return CONFIGURATION_NO_MEMORY;
        changed.strategy.mbs = sizes[k];
        snprintf(label, sizeof label, "micro-batches of %d sequence%s: mbs %d", sizes[k],
                 sizes[k] == 1 ? "" : "s", sizes[k]);
        status = add(checked, &changed, label, poll);
    }
    return status;
}

enum configuration_status checked_find_changes(struct checked *checked, struct poll *poll)
{
    enum configuration_status status = add_recompute(checked, poll);
    if (status == CONFIGURATION_DONE)
        status = add_chunks(checked, poll);
    return status == CONFIGURATION_DONE ? add_sizes(checked, poll) : status;
}
