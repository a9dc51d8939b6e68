// SPDX-License-Identifier: Apache-2.0
// Lists the groups of consecutive samples that fit, and their times.
#include "kernels/dynapipe/split/groups.h"

#include <math.h>

void split_groups_take(struct split_groups *groups, int32_t samples, int32_t width,
                       struct room *room)
{
    const int32_t most = width < samples ? width : samples;
    groups->count = samples;
    groups->width = most;
    groups->times = room_take(room, (size_t)samples * (size_t)most, sizeof *groups->times);
    groups->extents = room_take(room, (size_t)samples, sizeof *groups->extents);
    groups->memo = room_take(room, (size_t)most + 1, sizeof *groups->memo);
    split_rows_take(&groups->rows, samples, room);
}

bool split_rules_price(const struct split_rules *rules, struct split_group *group)
{
    if (!split_group_price(&rules->pipeline, &rules->costs, rules->recompute, group)) {
        group->time = group->stored = group->peak = (double)NAN;
        return false;
    }
    return group->stored <= rules->stored_limit && group->peak <= rules->peak_limit;
}

// Prices a group; groups of equal shape are frequent where the samples are sorted.
static bool price_again(struct split_groups *groups, const struct split_rules *rules,
                        struct split_group *group)
{
    if (group->rows > groups->width)
        return split_rules_price(rules, group);
    struct split_memo *memo = &groups->memo[group->rows];
    if (!memo->is_set || memo->group.input != group->input ||
        memo->group.target != group->target) {
        memo->is_allowed = split_rules_price(rules, group);
        memo->group = *group;
        memo->is_set = true;
    }
    *group = memo->group;
    return memo->is_allowed;
}

// A group that grows, and its rows if it were packed.
struct growing {
    struct split_group plain, packed;
};

// Adds the sample at position `at` to the group that starts at position `first`.
static void grow(struct split_groups *groups, const struct split_samples *samples,
                 const int32_t *order, bool pack, int32_t first, int32_t at, struct growing *g)
{
    const int32_t input = split_input_of(samples, order[at]),
                  target = split_target_of(samples, order[at]);
    const bool is_longer = at == first || input > g->plain.input || target > g->plain.target;
    if (input > g->plain.input)
        g->plain.input = input;
    if (target > g->plain.target)
        g->plain.target = target;
    g->plain.rows++;
    if (!pack)
        return;
    // Longer rows have room for more samples: the samples are packed again from the first.
    if (is_longer)
        split_rows_clear(&groups->rows, samples, g->plain.input, g->plain.target);
    for (int32_t p = is_longer ? first : at; p <= at; p++)
        split_rows_add(&groups->rows, order[p]);
    g->packed = (struct split_group){.rows = groups->rows.count,
                                     .input = g->plain.input,
                                     .target = g->plain.target};
}

// Chooses the faster form of a group. Returns NULL if no form is allowed.
static const struct split_group *choose(struct split_groups *groups,
                                        const struct split_rules *rules, struct growing *g)
{
    const struct split_group *best = price_again(groups, rules, &g->plain) ? &g->plain : NULL;
    if (rules->pack && g->packed.rows < g->plain.rows &&
        price_again(groups, rules, &g->packed) && (best == NULL || g->packed.time < best->time))
        best = &g->packed;
    return best;
}

static void forget(struct split_groups *groups)
{
    for (int32_t r = 0; r <= groups->width; r++)
        groups->memo[r].is_set = false;
}

static int32_t fill_row(struct split_groups *groups, const struct split_samples *samples,
                        const int32_t *order, const struct split_rules *rules, int32_t first)
{
    struct growing g = {0};
    double *times = groups->times + (size_t)first * (size_t)groups->width;
    const int32_t most =
        samples->count - first < groups->width ? samples->count - first : groups->width;
    int32_t n = 0;
    for (; n < most; n++) {
        grow(groups, samples, order, rules->pack, first, first + n, &g);
        const struct split_group *group = choose(groups, rules, &g);
        if (group == NULL)
            break;
        times[n] = group->time;
    }
    return n;
}

bool split_groups_fill(struct split_groups *groups, const struct split_samples *samples,
                       const int32_t *order, const struct split_rules *rules, struct poll *poll)
{
    forget(groups);
    groups->count = samples->count;
    for (int32_t i = 0; i < samples->count; i++) {
        groups->extents[i] = fill_row(groups, samples, order, rules, i);
        if (poll_over_after(poll, (uint64_t)groups->extents[i] + 1))
            return false;
    }
    return true;
}

bool split_groups_one(struct split_groups *groups, const struct split_samples *samples,
                      const int32_t *order, const struct split_rules *rules, int32_t first,
                      int32_t size, struct split_group *group, int32_t *row_of)
{
    struct growing g = {0};
    forget(groups);
    for (int32_t n = 0; n < size; n++)
        grow(groups, samples, order, rules->pack, first, first + n, &g);
    const struct split_group *best = choose(groups, rules, &g);
    *group = best != NULL ? *best : g.plain;
    if (row_of == NULL)
        return best != NULL;
    if (best == &g.packed)
        split_rows_clear(&groups->rows, samples, g.plain.input, g.plain.target);
    for (int32_t n = 0; n < size; n++)
        row_of[n] = best == &g.packed ? split_rows_add(&groups->rows, order[first + n]) : n;
    return best != NULL;
}
